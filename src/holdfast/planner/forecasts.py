"""One forecast for every attack in a setting, from closed forms and measured curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from holdfast import attacks
from holdfast.answers import ExactAnswers, SubsetAnswers, check_tolerated
from holdfast.attacks.exact._lindstrom import plan_exact
from holdfast.attacks.paper.exhaustive import MAX_LABELINGS
from holdfast.attacks.registry import attack_types
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats, spend
from holdfast.certificates import certify
from holdfast.errors import HoldfastError
from holdfast.planner import closed_forms, curves
from holdfast.planner.forecast import Forecast, Setting
from holdfast.planner.model_margin import model_ratio
from holdfast.problem import Problem

__all__ = ["all_forecasts", "forecast", "sure_gain"]

_TYPES = {cls.name: cls for cls in attack_types()}
Told = tuple[float, int, str]  # gain above the start, looks, where the figure comes from

# Why there is no figure.
NO_FIGURE = {
    "prior-climb": "made for boards that show a new best only, and for whoever has a prior",
    "random-climb": "made for boards that show a new best only if it clears a fixed step",
    "vote-stacking": "starts from the votes of several models, which a plan is not made from",
    "permuted": "wraps another attack and gains what that gains",
    "grid-reader": "wraps another attack, for boards that round finely",
    "rank-reader": "wraps an attack that compares, for boards that show ranks",
    "improvement-reader": "wraps an attack that climbs, for boards that only tell a new best",
}
# Its state evolution, which also makes the attack, takes minutes with more classes.
MOST_CLASSES_PASSED = 2000


def forecast(name: str, setting: Setting) -> Forecast:
    """Return what one attack is expected to gain, or why it can't be said.

    Examples
    --------
    >>> from holdfast.problem import Problem
    >>> round(forecast("block-majority", Setting(Problem(10_000, 10, 101))).gain, 1)
    177.5
    """
    adaptive = _TYPES[name].adaptive
    reason = NO_FIGURE.get(name) or _obstacle(name, setting)
    if reason is None and name in TELL:
        gain, looks, reason = TELL[name](setting)
        gain = min(gain, _most(setting))
        return Forecast(attack=name, gain=gain, looks=looks, reason=reason, adaptive=adaptive)
    return Forecast(
        attack=name,
        gain=None,
        looks=0,
        reason=reason or "nothing is known of its gain",
        adaptive=adaptive,
    )


def _most(setting: Setting) -> float:
    """Return a gain that no attack exceeds: normal limits do so where there are few examples."""
    n, m, _ = setting.problem
    if setting.prior is None:
        return n * (most_accuracy(setting.problem) - 1.0 / m)
    right = min(1.0, max(1.0 / m, setting.start / n))
    return max(0.0, n * most_accuracy(setting.problem, right) - setting.start)


@lru_cache(maxsize=256)
def most_accuracy(problem: Problem, model: float | None = None) -> float:
    """Return the accuracy that no attack on exact answers exceeds in expectation.

    `model`: that of the models that it may start from.
    """
    return certify(problem, knows=model).accuracy


def _obstacle(name: str, setting: Setting) -> str | None:
    """Return why the attack can't be played here; None: it can."""
    try:
        check_tolerated(_TYPES[name], setting.answers, setting.problem)
        if name == "message-passing" and setting.problem.n_classes > MOST_CLASSES_PASSED:
            return f"its state evolution takes too long with over {MOST_CLASSES_PASSED} classes"
    except HoldfastError as error:
        return str(error).rstrip(".")
    _, m, _ = setting.problem
    if name == "boosting" and m != 2:
        return f"n_classes must be 2, got {m}"
    decided = _searched(setting.problem)
    if name == "exhaustive" and decided * math.log(m) > math.log(MAX_LABELINGS):
        return f"n_classes ** {decided} labelings are too many to search"
    return None


def _from_scratch(setting: Setting, gain: float) -> float:
    """Return the gain above the start of an attack that takes no notice of a model."""
    n, m, _ = setting.problem
    return n / m + gain - setting.start


def _constant(setting: Setting) -> Told:
    if setting.prior is not None:
        return 0.0, 0, "asks nothing: the model's own labels"
    return 0.0, 0, "asks nothing"


def _block_majority(setting: Setting) -> Told:
    problem = attacks.BlockMajority.usable(setting.problem)
    gain = closed_forms.block_gain(problem, setting.answers)
    told = "two labels a block: exact sum" if setting.exact else "two labels a block"
    if problem != setting.problem:
        told += f"; after {problem.n_queries:,} looks every block is one example"
    return _from_scratch(setting, gain), problem.n_queries, told


def _hill_climb(setting: Setting) -> Told:
    gain, looks = closed_forms.climb_gain(setting.problem, setting.answers)
    return _from_scratch(setting, gain), looks, "two labels a block: exact sum"


def _block_climb(setting: Setting) -> Told:
    gain = curves.block_climb_gain(setting.problem, setting.answers)
    k = setting.problem.n_queries
    return _from_scratch(setting, gain), k, "several labels a block: measured constant"


def _column_vote(setting: Setting) -> Told:
    gain = closed_forms.column_gain(setting.problem)
    told = "k/(9 log m) examples, almost surely: normal integral"
    return _from_scratch(setting, gain), setting.problem.n_queries, told


def _naive_bayes(setting: Setting) -> Told:
    # Its normal integral fails with few examples as that of the design with r labels does.
    gain = closed_forms.naive_bayes_gain(setting.problem)
    gain *= curves.design_ratio("label-subset", setting.problem)
    told = "all m labels, uniform queries: normal integral"
    return _from_scratch(setting, gain), setting.problem.n_queries, told


def _boosting(setting: Setting) -> Told:
    gain = closed_forms.boosting_gain(setting.problem)
    told = "majority of the queries above 1/2: normal integral"
    return _from_scratch(setting, gain), setting.problem.n_queries, told


def _searched(problem: Problem) -> int:
    n, m, k = problem
    return min(n, max(1, math.floor(k / (2 * math.log2(m)))))


def _exhaustive(setting: Setting) -> Told:
    _, m, k = setting.problem
    decided = _searched(setting.problem)
    # One example needs 2 log2(m) looks as well; with fewer each look rules out one label.
    # A label that was never shown can't be found: k random queries show this share of them.
    shown = -math.expm1(k * math.log1p(-1.0 / m))
    found = decided * min(1.0 - 1.0 / m, shown)
    gain = found if k >= 2 * math.log2(m) else min(k, m - 1) / m
    told = f"searches all labelings of {decided} examples"
    return _from_scratch(setting, gain), k, told


def _detecting(setting: Setting) -> Told:
    problem = setting.problem
    plan = plan_exact(problem)
    gain = plan.gain
    if setting.prior is not None:
        decided = attacks.Detecting.capacity(problem.n_classes, problem.n_queries)
        doubt = np.sort(1.0 - setting.prior.ranked(1)[1][:, 0])[::-1]
        gain = float(doubt[:decided].sum())
    return gain, plan.n_queries, "one round that proves as many labels as fit"


def _pooled_detecting(setting: Setting) -> Told:
    gain = closed_forms.design_gain(attacks.PooledDetecting, setting.problem, setting.answers)
    told = "one round: digits, and a block's majority in what room they leave; exact sum"
    return _from_scratch(setting, gain), setting.problem.n_queries, told


def _design(
    cls: Any, told: str, measured: str | None = None, *, linear: bool = True
) -> Callable[[Setting], Told]:
    """Return the forecast of a design that predicts itself; with a model its gain is scaled.

    `measured` names the table that says what few examples leave of it.

    The scale is that of the rate-distortion law with the model against that without; a guess from
    `linear` estimates gets as little past a model's lead as steering does, or less.
    """

    def tell(setting: Setting) -> Told:
        problem, answers = setting.problem, setting.answers
        if setting.prior is not None and not isinstance(answers, SubsetAnswers):
            answers = ExactAnswers()  # what is hidden depends on the model, see below
        gain = closed_forms.design_gain(cls, problem, answers)
        if measured is not None:
            gain = min(gain, _most(Setting(problem))) * curves.design_ratio(measured, problem)
        if setting.prior is not None:
            looks = problem.n_queries * curves.answer_worth(setting)
            found = spend(setting.prior, NATS_PER_LOOK * looks)
            gain *= found.gain / gain_for_nats(problem, NATS_PER_LOOK * problem.n_queries)
            gain *= model_ratio(found, looks, 1.0) if linear else 1.0
        return gain, problem.n_queries, told

    return tell


def _champion(setting: Setting) -> Told:
    gain = curves.champion_gain(setting)
    told = "steers every example to one level: rate-distortion law, measured ratio"
    return gain, setting.problem.n_queries, told


def _boundary(setting: Setting) -> Told:
    gain = curves.champion_gain(setting, at_boundary=True)
    told = "champion-challenger that asks where rounding tells most: measured share"
    return gain, setting.problem.n_queries, told


def _anytime(setting: Setting) -> Told:
    k = setting.problem.n_queries
    gain = curves.champion_gain(setting) * curves.anytime_ratio(k)
    return gain, k, "champion-challenger that could be stopped at any look: measured ratio"


def _lattice(setting: Setting) -> Told:
    sure, looks = curves.lattice_certain(setting)
    told = f"makes {sure:,} labels certain: measured multiple of the limit"
    return sure_gain(setting, sure), looks, told


def sure_gain(setting: Setting, sure: int) -> float:
    """Return the gain above the start of knowing so many labels, the least sure ones."""
    m = setting.problem.n_classes
    if setting.prior is None:
        return sure * (1.0 - 1.0 / m)
    doubt = np.sort(1.0 - setting.prior.ranked(1)[1][:, 0])[::-1]
    return float(doubt[:sure].sum())


TELL: dict[str, Callable[[Setting], Told]] = {
    "anytime-champion-challenger": _anytime,
    "block-climb": _block_climb,
    "block-majority": _block_majority,
    "boosting": _boosting,
    "boundary-challenger": _boundary,
    "champion-challenger": _champion,
    "column-vote": _column_vote,
    "constant": _constant,
    "detecting": _detecting,
    "exhaustive": _exhaustive,
    "hadamard-blocks": _design(
        attacks.HadamardBlocks, "two labels a block, spread over all answers: closed form"
    ),
    "hill-climb": _hill_climb,
    "label-subset": _design(
        attacks.LabelSubset, "r labels an example: normal integral", "label-subset"
    ),
    "lattice": _lattice,
    "message-passing": _design(
        attacks.MessagePassing,
        "r labels an example, beliefs passed: state evolution",
        "message-passing",
        linear=False,
    ),
    "naive-bayes": _naive_bayes,
    "pooled-detecting": _pooled_detecting,
    "uniform-vote": _column_vote,
}


def all_forecasts(setting: Setting) -> list[Forecast]:
    """Return a forecast for every single attack."""
    return [forecast(name, setting) for name in sorted(_TYPES)]
