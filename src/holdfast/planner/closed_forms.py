r"""Expected gains from closed forms: exact sums, normal integrals and designs that know their own.

Each function returns expected matches above n/m, without a prior.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from holdfast.answers import AnswerModel, ComparisonAnswers, RoundedAnswers, SubsetAnswers
from holdfast.attacks._answer_likelihood import normal_nodes
from holdfast.bounds import block_majority, column_vote
from holdfast.problem import Problem

__all__ = [
    "block_gain",
    "boosting_gain",
    "climb_gain",
    "column_gain",
    "design_gain",
    "naive_bayes_gain",
    "scored",
]

# Keeping the queries above one half and counting votes sees this much of sqrt(k/n); weighing all
# queries sees all of it.
BOOSTING = 1.0 / math.sqrt(math.pi)


def scored(problem: Problem, answers: AnswerModel) -> Problem:
    """Return the problem on the scored subset: an attack overfits that alone, as if exact."""
    if isinstance(answers, SubsetAnswers):
        return Problem(answers.size(problem.n_examples), problem.n_classes, problem.n_queries)
    return problem


def block_gain(problem: Problem, answers: AnswerModel) -> float:
    r"""Return the expected gain of `BlockMajority`: exact for exact answers and comparisons.

    The surplus D of one label over the other, of variance v = 2b/m in a block of b examples, picks
    the label. Noise of variance s^2 in both answers leaves the share sqrt(v/(v + 2 s^2)) of the
    gain. Rounding to a step of w counts shows a difference with probability min(1, |D|/w).

    Examples
    --------
    >>> from holdfast.answers import ExactAnswers
    >>> round(block_gain(Problem(10_000, 10, 101), ExactAnswers()), 1)
    177.5
    """
    inner = scored(problem, answers)
    n, m, k = inner
    # With more blocks than scored examples each of these has a block to itself.
    inner = Problem(n, m, min(k, n + 1))
    exact = n * (block_majority.expected_accuracy(inner) - 1.0 / m)
    hidden = answers.variance(problem)
    if isinstance(answers, SubsetAnswers | ComparisonAnswers) or hidden == 0.0:
        return exact
    spread = 2.0 * n / (max(k - 1, 1) * m)
    if isinstance(answers, RoundedAnswers):
        nodes, weights = normal_nodes(120)
        surplus = np.abs(nodes) * math.sqrt(spread)
        seen = np.minimum(1.0, surplus / (answers.step * n))
        return exact * float(weights @ (surplus * seen)) / float(weights @ surplus)
    return exact * math.sqrt(spread / (spread + 2.0 * hidden))


def climb_gain(problem: Problem, answers: AnswerModel) -> tuple[float, int]:
    """Return the expected gain of `HillClimb` and the looks it takes.

    One pass is `BlockMajority`, but a single look has nothing to be compared with. With more looks
    than examples every block is one example, and each look is right with the chance 1/m of the
    label it tries.

    >>> from holdfast.answers import ExactAnswers
    >>> climb_gain(Problem(100, 10, 5000), ExactAnswers())
    (90.0, 901)
    """
    n, m, k = problem
    if k == 1:
        return 0.0, 1
    if k <= n + 1:
        return block_gain(problem, answers), k
    looks = min(k, 1 + n * (m - 1))
    return (looks - 1) / m, looks


def column_gain(problem: Problem) -> float:
    """Return the expected gain of `ColumnVote`, and about that of `UniformVote`."""
    return problem.n_examples * (column_vote.predicted_accuracy(problem) - problem.baseline)


def naive_bayes_gain(problem: Problem) -> float:
    r"""Return the expected gain of `NaiveBayes`: the normal integral with every label in play.

    Of m labels r = m (1 - exp(-k/m)) are shown on average, each in k/r queries whose counts have
    variance v = (n/m)(1 - 1/m); the accuracy is (r/m) \int phi(x) Phi(x + d)^(r-1) dx with
    d^2 = k/(r v).

    >>> round(naive_bayes_gain(Problem(4000, 2, 400)) / 4000, 3)
    0.124
    """
    n, m, k = problem
    if m == 2:  # one label's match is the other's miss: a single comparison of d = sqrt(k/n)
        return n * (float(ndtr(math.sqrt(k / n))) - 0.5)
    shown = -m * math.expm1(-k / m)
    shift = math.sqrt(k / shown / (n / m * (1.0 - 1.0 / m)))
    nodes, weights = normal_nodes(120)
    right = float(weights @ ndtr(nodes + shift) ** max(shown - 1.0, 0.0))
    return max(0.0, n * (shown / m * right - 1.0 / m))


def boosting_gain(problem: Problem) -> float:
    """Return the expected gain of `Boosting`, m = 2.

    >>> round(boosting_gain(Problem(4000, 2, 400)) / 4000, 3)
    0.071
    """
    n, _, k = problem
    return n * (float(ndtr(BOOSTING * math.sqrt(k / n))) - 0.5)


def design_gain(design: Any, problem: Problem, answers: AnswerModel) -> float:
    """Return the expected gain of a design that predicts its own accuracy.

    >>> from holdfast.answers import ExactAnswers
    >>> from holdfast.attacks import HadamardBlocks
    >>> round(design_gain(HadamardBlocks, Problem(10_000, 10, 128), ExactAnswers()))
    201
    """
    model: Any = answers  # a frozen record, so it can be a key
    return problem.n_examples * (_expected_accuracy(design, problem, model) - problem.baseline)


@lru_cache(maxsize=1024)
def _expected_accuracy(design: Any, problem: Problem, answers: Any) -> float:
    # A state evolution takes a second or so, and every trial of an experiment plans anew.
    accuracy: float = design.expected_accuracy(problem, answers=answers)
    return accuracy
