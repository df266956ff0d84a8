"""Plans: attacks ranked by expected gain before a look is spent, with reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from holdfast.answers import AnswerModel, ExactAnswers, RoundedAnswers
from holdfast.attacks import Lattice
from holdfast.attacks.description import Described, Needs, Reads
from holdfast.attacks.exact.lattice.looks import lattice_affordable, lattice_looks
from holdfast.attacks.registry import attack_types
from holdfast.errors import InvalidInput
from holdfast.planner.forecast import FORMULA_ERROR, Forecast, forecast
from holdfast.planner.formulas import estimate
from holdfast.planner.mixture import FIRST_STAGE_RESERVE, Mixture, part_of
from holdfast.planner.rehearsal import Rehearsal
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Rule
from holdfast.setting import Setting

__all__ = ["MIXTURE", "Plan", "plan", "plan_under"]

MIXTURE = "mixture"
# Numbers of certain examples that are tried, and again around the best of them.
SPLITS_TRIED = 8
# Lattice gains in proportion to the looks, others with their square root or a little more: with
# less than this share of the best attack's gain it takes away more than it brings.
WORTH_MIXING = 0.4
# A mixture is chosen if it promises this much more than a single attack.
MIXTURE_ADVANTAGE = 1.002


class Plan(NamedTuple):
    """Every attack's forecast, the chosen one first, then by falling gain."""

    setting: Setting
    forecasts: list[Forecast]

    @property
    def chosen(self) -> Forecast:
        """The attack to play."""
        return self.forecasts[0]


def plan(
    problem: Problem,
    *,
    prior: Prior | None = None,
    answers: AnswerModel | None = None,
    answers_adapting: AnswerModel | None = None,
    non_adaptive: bool = False,
    doubt: str | None = None,
    attacks: Sequence[type[Described]] | None = None,
    rule: Rule | None = None,
) -> Plan:
    """Predict what every attack gains and choose the best one, or the best mixture of two.

    Parameters
    ----------
    problem
        The sizes.
    prior
        What a model says of the labels; gains are then above what the model has right.
    answers
        What a released answer tells; None: the exact accuracy.
    answers_adapting
        What it tells those whose queries follow earlier answers; None: the same.
    non_adaptive
        Choose among the attacks that fix all queries before the first answer.
    doubt
        Why the answers are not as the model says; then no gain is given, and the figures only
        decide who plays.
    attacks
        Choose among these; None: among all of the package's.
    rule
        The release rule under which games are simulated; None: one that answers so.

    Examples
    --------
    >>> plan(Problem(10_000, 10, 100)).chosen.attack
    'champion-challenger'
    >>> plan(Problem(10_000, 10, 100), non_adaptive=True).chosen.attack
    'pooled-detecting'
    """
    model = ExactAnswers() if answers is None else answers
    setting = Setting(Problem(*problem), prior, model)
    adapting = replace(setting, answers=answers_adapting or model)
    types = {cls.name: cls for cls in (attack_types() if attacks is None else attacks)}
    found = [
        forecast(cls, adapting if cls.adaptive else setting, rule=rule, in_head=True)
        for cls in types.values()
    ]
    found.append(_mixture(setting, max(_worth(each) for each in found), list(types.values())))
    types[MIXTURE] = Mixture
    found.sort(key=lambda each: _rank(each, types[each.attack], setting))
    able = [
        each
        for each in found
        if each.rank is not None
        # One that does not know the number of looks gives up some of its gain for that.
        and types[each.attack].needs is not Needs.OPEN_END
        and not (non_adaptive and each.adaptive)
    ]
    if not able:
        raise InvalidInput(f"answers must suit some attack, got {setting.answers}.")
    choice = _surest(able)
    found.remove(choice)
    ranked = [choice, *found]
    setting = adapting if choice.adaptive else setting
    return Plan(setting, ranked if doubt is None else [each.doubted(doubt) for each in ranked])


def plan_under(
    rule: Rule, problem: Problem, *, prior: Prior | None = None, non_adaptive: bool = False
) -> Plan:
    """Plan for a board with this release rule and one account.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> found = plan_under(parse_rule("ladder"), Problem(1000, 10, 50))
    >>> found.chosen.attack, found.setting.answers.standard_errors
    ('random-climb', 1.0)
    """
    n, m, k = problem = Problem(*problem)
    if rule.batch_size is not None:
        # Answers that come in batches are too late for queries that depend on them, and those of
        # a batch that never fills do not come at all.
        full = k - k % rule.batch_size
        if not full:
            setting = Setting(problem, prior)
            return _ask_nothing(setting, f"a batch of {rule.batch_size} looks is never full")
        problem, non_adaptive = Problem(n, m, full), True
    accuracy = None if prior is None else Setting(problem, prior).start / n

    answers = rule.board_model(problem, accuracy=accuracy)

    def planned(adapting: AnswerModel) -> Plan:
        return plan(
            problem,
            prior=prior,
            answers=answers,
            answers_adapting=adapting,
            non_adaptive=non_adaptive,
            doubt=rule.model_gap,
            # Answers that wait for others are late, and no other ones: fixed queries don't mind.
            rule=None if rule.waits else rule,
        )

    found = planned(answers)
    # What a rule hides may depend on the share of matches, which rises if queries follow answers.
    risen = found.setting.start / n + (found.chosen.rank or 0.0) / (2.0 * n)
    later = rule.board_model(problem, accuracy=min(max(risen, 1.0 / m), 1.0))
    return found if later == answers else planned(later)


def _ask_nothing(setting: Setting, why: str) -> Plan:
    """Return the plan for a board that never answers."""
    types = attack_types()
    silent = [forecast(cls, setting) for cls in types if cls.reads is Reads.NOTHING]
    others = [
        Forecast(attack=cls.name, gain=None, looks=0, reason=why, adaptive=cls.adaptive)
        for cls in types
        if cls.reads is not Reads.NOTHING
    ]
    return Plan(setting, [*silent, *others, _no_mixture(why)])


def _rank(each: Forecast, cls: type[Described], setting: Setting) -> tuple[Any, ...]:
    """Return what to sort by. Of equal gains fewer looks come first, then what is simpler.

    What asks nothing comes last: a model that is sure of every label may still be wrong. What is
    made for rounding plays as the attack that it derives from where rounding hides nothing; else
    it gains no less, and sometimes more than its forecast tells.
    """
    hides = isinstance(setting.answers, RoundedAnswers) and not setting.exact
    later = (cls.needs is Needs.ROUNDING) != hides
    return -round(_worth(each), 6), cls.reads is Reads.NOTHING, each.looks, later, each.attack


def _surest(able: Sequence[Forecast]) -> Forecast:
    """Return the first, or what was rehearsed as well and can't be told from it, but is surer."""
    best = able[0]
    tied = [
        each
        for each in able
        if best.rehearsed
        and each.rehearsed
        and _worth(best) - _worth(each) < math.hypot(best.error or 0.0, each.error or 0.0)
    ]
    return min(tied, key=lambda each: each.error or 0.0, default=best)


def _worth(each: Forecast) -> float:
    return -1e300 if each.rank is None else each.rank


def _mixture(setting: Setting, best_single: float, attacks: Sequence[type[Described]]) -> Forecast:
    """Return the best division: how many examples to make certain, and who plays the others."""
    problem = setting.problem
    able = [
        cls
        for cls in attacks
        if cls.plays_rest and cls.needs is None and (setting.prior is None or cls.takes_prior)
    ]
    if not able or Lattice not in attacks:
        return _no_mixture("an attack that it is made of is not among those to choose from")
    n, m, k = problem
    if not setting.exact:
        return _no_mixture(f"needs exact answers: {Lattice.intolerance}")
    most = lattice_affordable(k / FIRST_STAGE_RESERVE, problem)
    if setting.sure_gain(most) < WORTH_MIXING * best_single:
        return _no_mixture(f"so few looks make only {most:,} labels certain")
    best = max(
        _divided(setting, able, round(most * i / SPLITS_TRIED)) for i in range(SPLITS_TRIED + 1)
    )
    low, high = max(0, best[1] - most // SPLITS_TRIED), min(most, best[1] + most // SPLITS_TRIED)
    best = max(
        best,
        *(
            _divided(setting, able, round(low + (high - low) * i / SPLITS_TRIED))
            for i in range(SPLITS_TRIED + 1)
        ),
    )
    gain, sure, second = best
    if gain < MIXTURE_ADVANTAGE * best_single or not 0 < sure < n:
        return _no_mixture("no division of the looks beats a single attack")
    looks = math.ceil(lattice_looks(sure, m))
    return Forecast(
        attack=MIXTURE,
        gain=gain,
        looks=k,
        reason=f"lattice makes {sure:,} labels certain in {looks:,} looks, {second} plays the "
        f"other {n - sure:,} examples with those that are left",
        adaptive=True,
        settings={"n_certain": sure, "rest": second},
        error=FORMULA_ERROR * gain,
    )


def _no_mixture(reason: str) -> Forecast:
    return Forecast(attack=MIXTURE, gain=None, looks=0, reason=reason, adaptive=True)


def _divided(
    setting: Setting, able: Sequence[type[Described]], sure: int
) -> tuple[float, int, str]:
    """Return the gain of a mixture with so many certain labels, and the best second attack."""
    n, m, k = setting.problem
    left = math.floor(k - lattice_looks(sure, m))
    gain = setting.sure_gain(sure)
    if sure == n or left < 1:
        return gain, sure, able[0].name
    prior = None
    if setting.prior is not None:
        order = np.argsort(setting.prior.ranked(1)[1][:, 0], kind="stable")
        prior = part_of(setting.prior, np.sort(order[sure:]))
    rest = Setting(Problem(n - sure, m, left), prior)
    found = ((cls.name, estimate(cls, Rehearsal(rest))) for cls in able)
    gains = {name: each.gain for name, each in found if each is not None}
    second = max(gains, key=lambda name: gains[name])
    return gain + gains[second], sure, second
