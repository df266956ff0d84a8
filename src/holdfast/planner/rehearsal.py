"""Rehearsal: an attack's expected gain by Monte Carlo on imagined labels.

Closed forms and limits are true of many examples and of labels about which nothing is known. A
model that is sure of some labels, or a board that shows new bests alone, have none. But small games
are cheap, and all they need are labels: here the attack is simulated, on labels drawn from
what is known of them, against an oracle with the board's own release rule. No look is spent.

Of tiny problems every label vector is played equally often: no luck of the draw is in the mean. How
many games are played otherwise follows from the sizes, not from the clock, and their seed is fixed:
the same setting has the same forecast everywhere.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NewBestAnswers,
    NoisyAnswers,
    RankAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks import ImprovementReader, RankReader
from holdfast.attacks.description import Described, NewBestBoard, Reads
from holdfast.attacks.registry import build
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.rules import (
    Exact,
    Gaussian,
    ImprovedOnly,
    Ladder,
    ParameterFreeLadder,
    RankOnly,
    Rounding,
    Rule,
    Subsample,
)
from holdfast.setting import Setting

__all__ = [
    "A_LABEL",
    "FEWEST_GAMES",
    "Estimate",
    "Rehearsal",
    "made_for",
    "remembered_share",
    "settings_of",
]

SEED = 20_261_117
# Games are played until the mean is known to this share of itself, but not fewer or more than so
# many, nor for much longer than so many seconds of a core of 2025.
ERROR_SHARE, FEWEST_GAMES, MOST_GAMES, SECONDS_OF_A_CORE = 0.02, 6, 200, 0.4
# All label vectors are played if they are no more than this, and there is time for so many games.
MOST_VECTORS = 256
# What a label takes in the simplest attack, and a look in any.
A_LABEL, A_LOOK = 2e-9, 1e-4
# An attack's effort was measured with so many looks; with fewer it remembers less.
USUAL_LOOKS = 300
# Of more examples even a few games take long: fewer are played, and the gain is scaled.
MOST_IN_HEAD, IN_HEAD_INSTEAD = 200_000, 20_000
# That is done where there are so many examples of a class even then.
EXAMPLES_PER_CLASS = 10
# Rehearsals that are remembered: every trial of an experiment plans anew.
REMEMBERED = 256

_known: OrderedDict[Any, tuple[float, float, int]] = OrderedDict()


class Estimate(NamedTuple):
    """What an attack is expected to gain.

    Parameters
    ----------
    gain
        Expected matches above the setting's start.
    looks
        How many looks it is expected to take.
    reason
        Where the figure comes from.
    known
        False: the figure is no forecast, and only orders attacks; `reason` says why.
    error
        The standard error of `gain`; None: that of a formula or a measured table.
    """

    gain: float
    looks: int
    reason: str
    known: bool = True
    error: float | None = None

    def from_scratch(self, setting: Setting) -> Estimate:
        """Return the same above the setting's start, of an attack that ignores the model."""
        if setting.prior is None:
            return self
        n, m, _ = setting.problem
        return self._replace(gain=self.gain + n / m - setting.start)


@dataclass(frozen=True)
class Rehearsal:
    """Simulated games, for one setting.

    Parameters
    ----------
    setting
        What is known before the first look.
    rule
        The board's release rule; None: the one that answers as the setting says, if there is one.
    allowed
        Whether there is time: a plan has a moment, and what compares many settings does not.
    """

    setting: Setting
    rule: Rule | None = None
    allowed: bool = False

    @property
    def is_needed(self) -> bool:
        """Whether limits of many examples fail: from a model, or on a subset."""
        return self.setting.informed or isinstance(self.setting.answers, SubsetAnswers)

    def mean_gain(self, cls: type[Described], games: int | None = None) -> Estimate | None:
        """Return the mean gain above the start of one game at least; None: no rule answers so.

        The games are the same for every model with the same probabilities, whatever its labels.
        """
        setting = self.setting
        if setting.prior is not None and not cls.takes_prior:
            # It plays through a permutation of the labels: whose they are makes no difference.
            found = replace(self, setting=replace(setting, prior=None)).mean_gain(cls)
            return None if found is None else found.from_scratch(setting)
        rule = rule_of(setting.answers) if self.rule is None else self.rule
        if rule is None:
            return None
        key = (cls, setting.problem, setting.answers, str(rule), _fingerprint(setting))
        if key not in _known:
            _known[key] = _mean_gain(cls, setting, rule, games or max(1, _games(cls, setting)))
            if len(_known) > REMEMBERED:
                _known.popitem(last=False)
        gain, error, played = _known[key]
        reason = f"simulated {played} times on labels drawn at random"
        return Estimate(gain, setting.problem.n_queries, reason, error=error)

    def of(
        self,
        cls: type[Described],
        *,
        effort: float | None = None,
        patience: float = 1.0,
        longest: float = 1.0,
        fewest: int = FEWEST_GAMES,
        grows_with_n: bool = True,
    ) -> Estimate | None:
        """Return the mean gain of simulated games; None: they take too long.

        Parameters
        ----------
        cls
            The attack.
        effort
            The attack's effort here, where it differs from the usual one.
        patience
            How many times the usual time it may take, where nothing else is known.
        longest
            How many times that the fewest games may take, if there is no time for more.
        fewest
            How many games are enough; long games are much alike.
        grows_with_n
            Whether the same exact looks gain more on more examples, by the root of their number;
            an attack that recovers labels one after another gains the same.
        """
        n = self.setting.problem.n_examples
        played = self.setting if n <= MOST_IN_HEAD else _fewer_examples(self.setting)
        if played is None or not self.allowed:
            return None
        games = _games(cls, played, effort, patience)
        if games < fewest <= _games(cls, played, effort, patience * longest):
            games = fewest
        if games < fewest:
            return None
        if played is self.setting:
            return self.mean_gain(cls, games)
        found = replace(self, setting=played).mean_gain(cls, fewest)
        if found is None:
            return None
        reason = f"{found.reason} of {IN_HEAD_INSTEAD:,} examples"
        reason += ", times the root of their share" if grows_with_n else "; more change nothing"
        share = math.sqrt(n / IN_HEAD_INSTEAD) if grows_with_n else 1.0
        error = None if found.error is None else found.error * share
        return found._replace(gain=found.gain * share, reason=reason, error=error)


def rule_of(answers: AnswerModel) -> Rule | None:
    """Return a rule whose answers tell so much; None: there is none.

    >>> str(rule_of(RoundedAnswers(0.01))), str(rule_of(NewBestAnswers(bits=True)))
    ('round:step=0.01', 'improved')
    """
    match answers:
        case ExactAnswers():
            return Exact()
        case RoundedAnswers(step):
            return Rounding(step=step)
        case NoisyAnswers(scale):
            return Gaussian(scale)
        case SubsetAnswers(fraction):
            return Subsample(fraction)
        case RankAnswers():
            return RankOnly()
        case NewBestAnswers(0.0, 0.0, True):
            return ImprovedOnly()
        case NewBestAnswers(0.0, 1.0, False):
            return ParameterFreeLadder()
        case NewBestAnswers(step, 0.0, False) if step:
            return Ladder(step=step)
    return None


def settings_of(cls: type[Described], setting: Setting) -> dict[str, Any]:
    """Return what a board without scores of each look asks of an attack; ranks show every rise."""
    answers = setting.answers
    if isinstance(answers, NewBestAnswers):
        board = NewBestBoard(answers.step, answers.standard_errors)
        return cls.settings_for(setting.problem, board)
    if isinstance(answers, RankAnswers):
        return cls.settings_for(setting.problem, NewBestBoard(ties=True))
    return {}


def made_for(
    cls: type[Described], setting: Setting, rng: np.random.Generator, **settings: Any
) -> Attack[Labels]:
    """Return an attack that is ready to play on a board with the setting's answers."""
    answers = setting.answers
    usable = cls.usable(setting.problem)
    attack = build(cls, usable, rng, prior=setting.prior, answers=answers, **settings)
    if isinstance(answers, RankAnswers) and cls.reads is not Reads.NOTHING:
        return RankReader(attack)
    if isinstance(answers, NewBestAnswers) and answers.bits:
        return ImprovementReader(attack)
    return attack


def remembered_share(looks: int) -> float:
    """Return which share of the usual effort a game of so many looks takes."""
    return min(1.0, (looks + 30) / USUAL_LOOKS)


def _fewer_examples(setting: Setting) -> Setting | None:
    """Return the same exact looks at fewer examples; None: games there would say nothing.

    From a model, or under another rule, nothing is known of how gains grow with n. With hardly more
    examples than classes games are of another kind.
    """
    _, m, k = setting.problem
    if setting.informed or not isinstance(setting.answers, ExactAnswers):
        return None
    if EXAMPLES_PER_CLASS * m > IN_HEAD_INSTEAD:
        return None
    return Setting(Problem(IN_HEAD_INSTEAD, m, k))


def _games(
    cls: type[Described], setting: Setting, effort: float | None = None, patience: float = 1.0
) -> int:
    """Return how many games there is time for."""
    k = setting.problem.n_queries
    effort = cls.effort if effort is None else effort
    labels = cls.work(setting.problem) * effort * remembered_share(k)
    return int(min(MOST_GAMES, patience * SECONDS_OF_A_CORE / (A_LABEL * labels + A_LOOK * k)))


def _fingerprint(setting: Setting) -> bytes | None:
    """Return what tells priors apart: probabilities, whatever the labels are called."""
    if setting.prior is None:
        return None
    depth = min(setting.problem.n_classes, 3)
    return setting.prior.ranked(depth)[1].round(9).tobytes()


def _mean_gain(
    cls: type[Described], setting: Setting, rule: Rule, most: int
) -> tuple[float, float, int]:
    """Return the mean gain, its standard error, and how many games were played."""
    rng = np.random.default_rng([SEED, *setting.problem])
    n, m, _ = setting.problem
    if setting.prior is None and most >= MOST_GAMES and n * math.log(m) <= math.log(MOST_VECTORS):
        every = np.stack(np.unravel_index(np.arange(m**n), (m,) * n), axis=1)
        passes = max(1, MOST_GAMES // len(every))
        found = [_game(cls, setting, rule, rng, hidden) for _ in range(passes) for hidden in every]
        return float(np.mean(found)), 0.0, len(found)
    gains: list[float] = []
    while len(gains) < most:
        hidden = rng.integers(m, size=n) if setting.prior is None else setting.prior.sample(rng)
        gains.append(_game(cls, setting, rule, rng, hidden))
        if len(gains) >= FEWEST_GAMES:
            error = float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
            # Gains that are all alike, such as none at all, may hide a rare one.
            if min(gains) < max(gains) and error <= ERROR_SHARE * abs(float(np.mean(gains))):
                break
    spread = float(np.std(gains, ddof=1)) if len(gains) > 1 else abs(gains[0])
    return float(np.mean(gains)), spread / math.sqrt(len(gains)), len(gains)


def _game(
    cls: type[Described], setting: Setting, rule: Rule, rng: np.random.Generator, hidden: Labels
) -> float:
    attack = made_for(cls, setting, rng, **settings_of(cls, setting))
    oracle = LabelOracle(hidden, problem=setting.problem, mechanism=rule, rng=rng)
    n, m, _ = setting.problem
    start = n / m if setting.prior is None else np.count_nonzero(setting.prior.top() == hidden)
    guess = play(attack, oracle, until_refused=True)
    return float(np.count_nonzero(guess == hidden) - start)
