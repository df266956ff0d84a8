"""Gains in points from formulas alone: what is guaranteed, possible in principle, and allowed."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.answers import AnswerModel, ExactAnswers
from holdfast.attacks import HadamardBlocks
from holdfast.bounds import acharya2020, block_majority
from holdfast.bounds.column_vote import predicted_accuracy
from holdfast.bounds.information import accuracy_from_information
from holdfast.experiments.answer_models import answer_model
from holdfast.mechanisms import Rule
from holdfast.planner.closed_forms import climb_gain
from holdfast.planner.curves import champion_gain, lattice_certain
from holdfast.planner.forecast import Situation
from holdfast.problem import Problem

__all__ = ["allowed", "expected", "first_above", "guarantee", "principle"]


def guarantee(problem: Problem) -> float | None:
    """Return what the paper's theorems promise from exact answers, in points; None: nothing.

    >>> guarantee(Problem(10_000, 10, 101))
    0.397
    """
    bounds = (acharya2020.small_k(problem), acharya2020.large_k(problem))
    return _most(problem, [bound.accuracy for bound in bounds])


def principle(problem: Problem) -> float:
    """Return the best gain from exact answers that a formula gives for some attack, in points.

    Exact expectations and the Gaussian limit of fixed designs, and the forecasts of adaptive
    attacks.
    """
    n, m, k = problem
    fewer = Problem(n, m, min(k, n + 1))
    accuracies = [
        block_majority.known_features(fewer).accuracy,
        acharya2020.large_k(problem).accuracy,
        HadamardBlocks.expected_accuracy(problem),
        predicted_accuracy(problem),
    ]
    adaptive = max(
        champion_gain(Situation(problem)),
        climb_gain(problem, ExactAnswers())[0],
        lattice_certain(Situation(problem))[0] * (1.0 - 1.0 / m),
    )
    accuracies.append(min(1.0, 1.0 / m + adaptive / n))
    return _most(problem, accuracies) or 0.0


def expected(rule: Rule, problem: Problem) -> float | None:
    """Return what `HadamardBlocks` is expected to gain under a rule that releases scores."""
    model: AnswerModel | None = answer_model(rule, problem)
    if model is None:
        return None
    exact = isinstance(model, ExactAnswers)
    accuracy = HadamardBlocks.expected_accuracy(problem, answers=None if exact else model)
    return _most(problem, [accuracy])


def allowed(rule: Rule, problem: Problem, accounts: int = 1) -> float | None:
    """Return the certified bound under a rule, in points; None: nothing is certified.

    The looks are shared evenly among accounts, each met by a fresh state of the rule: what their
    answers can tell adds up. Equal to `experiments.certified`, in constant time.
    """
    n, m, k = problem
    accounts = min(accounts, k)
    if accounts == 1:
        accuracy = rule.guarantee(problem).accuracy
        return None if accuracy is None else round(100.0 * (accuracy - 1.0 / m), 3)
    looks, more = divmod(k, accounts)
    nats = (accounts - more) * rule.nats(Problem(n, m, looks))
    nats += more * rule.nats(Problem(n, m, looks + 1)) if more else 0.0
    size = rule.exposed(problem).n_examples
    accuracy = accuracy_from_information(nats, size, m)
    return round(100.0 * size / n * (accuracy - 1.0 / m), 3)


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

    good = 1
    while not reached(good):
        if good >= most:
            return None
        good = min(2 * good, most)
    bad = good // 2
    while good - bad > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if reached(middle) else (good, middle)
    return good
