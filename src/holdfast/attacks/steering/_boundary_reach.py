"""Reach of a rounding boundary: how long until a count first falls beyond it by luck."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, bdtrc

from holdfast.answers import AnswerModel, RoundedAnswers
from holdfast.attacks._answer_likelihood import rounding_share
from holdfast.problem import Problem

__all__ = [
    "OUT_OF_REACH",
    "crossing_chance",
    "left_after_waiting",
    "left_to_luck",
    "out_of_reach",
]

# With less than this share of a count's information no boundary is near it. At n = 10,000 and two
# decimals 2 to 16 classes leave .38 or more at every look, 20 and 26 leave .15 and .2 at first.
OUT_OF_REACH = 0.3
# Steps from a boundary at which a count is still on it, whatever the last digits of its float.
ON_THE_EDGE = 1e-9


def out_of_reach(problem: Problem, answers: AnswerModel) -> bool:
    """Tell whether n/m lies so far from all boundaries that most answers are known beforehand.

    >>> [out_of_reach(Problem(10_000, m, 100), RoundedAnswers(0.01)) for m in (2, 10, 16, 20, 26)]
    [False, False, False, True, True]
    """
    if not isinstance(answers, RoundedAnswers):
        return False
    n, m, _ = problem
    width = answers.step * n
    return rounding_share(n / m, n / m * (1.0 - 1.0 / m), width) < OUT_OF_REACH


def crossing_chance(problem: Problem, answers: RoundedAnswers) -> float:
    """Return the probability that a query about which nothing is known is not rounded as n/m is.

    >>> round(crossing_chance(Problem(10_000, 26, 100), RoundedAnswers(0.01)), 3)
    0.033
    """
    n, m, _ = problem
    width = answers.step * n
    shown = round(n / m / width)
    low, high = (shown + side * (0.5 + ON_THE_EDGE) for side in (-1.0, 1.0))
    low, high = np.ceil(low * width), np.floor(high * width)
    below = float(bdtr(low - 1.0, n, 1.0 / m)) if low > 0.0 else 0.0
    return below + float(bdtrc(min(high, n), n, 1.0 / m))


def left_after_waiting(problem: Problem, answers: RoundedAnswers) -> float:
    """Return the share of a gain, which grows as the root of the looks, that waiting leaves.

    Until a count first falls beyond a boundary nothing can be steered, and whatever is asked has
    the same chance p: the wait is geometric. A near boundary takes no wait to speak of.

    >>> rounded = RoundedAnswers(0.01)
    >>> [round(left_after_waiting(Problem(10_000, m, 300), rounded), 2) for m in (10, 26, 50, 100)]
    [1.0, 0.95, 0.06, 0.0]
    """
    if not out_of_reach(problem, answers):
        return 1.0
    chance, k = crossing_chance(problem, answers), problem.n_queries
    waited = np.arange(k)
    return float(np.sum(chance * (1.0 - chance) ** waited * np.sqrt(1.0 - waited / k)))


def left_to_luck(problem: Problem, answers: AnswerModel) -> bool:
    """Tell whether not one look of a game is expected to fall beyond a boundary.

    Then most games gain nothing, and the mean of a few is that of the lucky ones among them.

    >>> rounded = RoundedAnswers(0.01)
    >>> [left_to_luck(Problem(2668, 443, k), rounded) for k in (37, 1000)]
    [True, False]
    """
    if not (isinstance(answers, RoundedAnswers) and out_of_reach(problem, answers)):
        return False
    return problem.n_queries * crossing_chance(problem, answers) < 1.0
