"""Feldman, Frostig and Hardt's attack for few queries."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Reads
from holdfast.attacks.paper._column_attack import ColumnAttack
from holdfast.attacks.paper.rules import ColumnRule
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["LogOddsVotes", "NaiveBayes", "log_odds", "whole_log_odds"]

Query = TypeVar("Query")

# Steps of a whole weight to one standard deviation of the weights of uniform queries.
STEPS_PER_DEVIATION = 64


def log_odds(counts: NDArray[np.float64], problem: Problem) -> NDArray[np.float64]:
    """Return log((m-1) alpha / (1-alpha)) of each accuracy alpha, clipped to [1/2n, 1 - 1/2n].

    What one query's answer says for the label that it gave an example, if its matches were
    independent of all other queries'.
    """
    n, m, _ = problem
    alpha = np.clip(counts / n, 0.5 / n, 1 - 0.5 / n)
    return np.asarray(np.log((m - 1) * alpha / (1 - alpha)))


def whole_log_odds(counts: NDArray[np.float64], problem: Problem) -> NDArray[np.float64]:
    """Return the log odds in steps of 1/64 standard deviation, rounded to whole numbers.

    >>> whole_log_odds(np.array([10.0, 13.0]), Problem(100, 10, 2)).tolist()
    [0.0, 60.0]
    """
    n, m, _ = problem
    return np.asarray(np.rint(log_odds(counts, problem) * (STEPS_PER_DEVIATION * np.sqrt(n / m))))


class LogOddsVotes(ColumnRule[Query]):
    """Votes by the log odds of every query's accuracy, on all examples."""

    strongest_on = frozenset({Reads.SCORES})
    effort = 6.0

    _average = False

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool = True
    ) -> None:
        problem = Problem(*problem)
        super().__init__(problem, rng=rng, permuted=permuted, n_live=problem.n_examples)

    def _weights(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return whole_log_odds(counts, self._problem)


class NaiveBayes(LogOddsVotes[Labels], ColumnAttack):
    r"""Weigh every query's labels by the log odds of its accuracy, and take the heaviest.

    All queries are uniformly random. A query with accuracy alpha is right about each example
    with probability alpha, so its label gets log((m-1) alpha / (1-alpha)), and an example takes
    the label with the largest total. For m = 2 this is the weighted form of `Boosting`.

    Implements: feldman2019 alg:naive-bayes (the polynomial-time attack)

    Departures
    ----------
    The weights are rounded to 1/64 of their standard deviation, which adds one part in 50,000 to
    their variance: sums of whole numbers are the same on every platform, in any order.

    Parameters
    ----------
    permuted
        Play through a random per-example permutation of the labels (Theorem 2). The queries are
        uniform already, so it changes nothing in distribution.

    Examples
    --------
    >>> attack = NaiveBayes(Problem(100, 10, 20), rng=np.random.default_rng(0))
    >>> attack.predict().shape
    (100,)
    """

    summary = "weighs random submissions by their scores"
