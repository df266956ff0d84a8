"""Gains in points from formulas alone: what is guaranteed, and what is possible in principle.

*Guaranteed* is what the paper's theorems promise for exact answers, which holds for every test set.
*In principle* is what the attacks of this package are forecast to gain, in expectation over uniform
labels. Both cost no play: they are drawn beyond today's looks, and inverted to say at which number
of looks a gap is reached. Where classes are unequal, `unequal_classes` has the formulas that take
their place.

All gains are in percentage points above 1/m. With 10,000 labels of ten classes, 100 exact looks are
guaranteed to gain 0.395 points (the paper's theorem for few looks), and the best attack is forecast
to gain 2.9; no method knows every label with fewer than 2,531, on average.

>>> problem = Problem(10_000, 10, 100)
>>> guarantee(problem), forecast_from_exact(problem), recover_all(10_000, 10)
(0.395, 2.928, 2531)
"""

from __future__ import annotations

from collections.abc import Callable

from holdfast.answers import AnswerModel, ExactAnswers
from holdfast.attacks import ChampionChallenger, HadamardBlocks
from holdfast.bounds import acharya2020, queries_to_recover_all
from holdfast.bounds.acharya2020 import regime_edges
from holdfast.bounds.bisection import fewest
from holdfast.planner.strongest import gain_in_principle, gain_under
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = [
    "first_above",
    "forecast",
    "forecast_from_exact",
    "forecast_of_blocks",
    "guarantee",
    "guaranteed_by",
    "recover_all",
    "regime_edges",
    "strongest_with_few_looks",
]

# The attack that is strongest with few looks, and what it knows.
strongest_with_few_looks = ("features", ChampionChallenger.name)


def guarantee(problem: Problem) -> float | None:
    """Return what the paper's theorems promise from exact answers, in points; None: nothing.

    >>> guarantee(Problem(10_000, 10, 101))
    0.397
    """
    return _guarantees(problem)[0]


def guaranteed_by(problem: Problem) -> str | None:
    """Return the name of the bound that promises most; None: no theorem applies.

    >>> [guaranteed_by(Problem(10_000, 100, k)) for k in (20, 500, 10_000)]
    ['small-k', None, 'large-k']
    """
    return _guarantees(problem)[1]


def _guarantees(problem: Problem) -> tuple[float | None, str | None]:
    bounds = (acharya2020.small_k(problem), acharya2020.large_k(problem))
    able = [bound for bound in bounds if bound.accuracy is not None]
    if not able:
        return None, None
    best = max(able, key=lambda bound: bound.accuracy or 0.0)
    return _most(problem, [best.accuracy]), best.name


def forecast_from_exact(problem: Problem) -> float:
    """Return the best gain from exact answers that a formula gives for some attack, in points.

    Of every attack that needs nothing but a board: see `planner.strongest`. What a theorem
    promises is possible too.

    Exact answers are the most that a rule can release: under one that hides something no more is
    gained.

    >>> [forecast_from_exact(Problem(10_000, 10, looks)) for looks in (1, 100, 1000)]
    [0.133, 2.928, 14.483]
    """
    return _points(gain_in_principle(problem))


def forecast_of_blocks(rule: Rule, problem: Problem) -> float | None:
    """Return what `HadamardBlocks` is expected to gain under a rule that releases scores.

    Its answers are sums of independent blocks, so that rounding or noise of known variance lowers
    the expectation by a formula. None: the rule releases no scores.
    """
    model: AnswerModel | None = rule.answer_model(problem)
    if model is None:
        return None
    exact = isinstance(model, ExactAnswers)
    accuracy = HadamardBlocks.expected_accuracy(problem, answers=None if exact else model)
    return _most(problem, [accuracy])


def forecast(rule: Rule, problem: Problem) -> float | None:
    """Return the best gain that a formula gives for some attack under a rule, in points.

    That of fixed blocks and of adaptive attacks; where the rule hides nothing of a match count,
    that of every attack on exact answers. None: the rule releases no scores.

    >>> from holdfast.rules import Rounding
    >>> rule = Rounding(decimals=2)
    >>> problem = Problem(10_000, 10, 1000)
    >>> forecast_of_blocks(rule, problem) < forecast(rule, problem) < forecast_from_exact(problem)
    True
    """
    gain = gain_under(rule, problem)
    return None if gain is None else _points(gain)


def recover_all(n_examples: int, n_classes: int) -> int:
    """Return how many exact looks it takes at least to know every label.

    Being certain of n labels takes n log m nats, and `bounds.tilted` says how many k answers
    carry at most, however they were asked for.
    """
    return queries_to_recover_all(n_examples, n_classes).adaptive


def _points(gain: float) -> float:
    return round(100.0 * gain, 3)


def _most(problem: Problem, accuracies: list[float | None]) -> float | None:
    known = [accuracy for accuracy in accuracies if accuracy is not None]
    return round(100.0 * (max(known) - problem.baseline), 3) if known else None


def first_above(gap: float, gain: Callable[[int], float | None], most: int) -> int | None:
    """Return the fewest looks at which a gain that never falls reaches the gap.

    >>> first_above(5.0, lambda k: k / 10, 1000), first_above(5.0, lambda k: 1.0, 1000)
    (50, None)
    """

    def reached(k: int) -> bool:
        value = gain(k)
        return value is not None and value >= gap

    return fewest(reached, most=most)
