"""Predicted accuracy of the large-k attack: an approximation, not a bound."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from holdfast.bounds.binomial import log_pmf
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

__all__ = ["QUERIES_PER_NAT", "predicted_accuracy", "vote_success", "voted_examples"]

# The 9 in the paper's t = 1 + k/(9 log m): a label has log m nats.
QUERIES_PER_NAT = 9.0
# Up to this variance of a group's noise its values are summed one by one.
LARGEST_SUMMED_VARIANCE = 1000.0


def voted_examples(problem: Problem, queries_per_nat: float = QUERIES_PER_NAT) -> int:
    """Return t = 1 + k/(c log m), the examples that the large-k attack decides: floored, at most n.

    >>> voted_examples(Problem(10_000, 10, 2080)), voted_examples(Problem(10_000, 10, 10**6))
    (101, 10000)
    """
    n, m, k = problem
    if not queries_per_nat > 0:
        raise InvalidInput(f"queries_per_nat must be positive, got {queries_per_nat}.")
    return min(n, 1 + math.floor(k / (queries_per_nat * math.log(m))))


def vote_success(n_queries: int, n_classes: int, n_voted: int) -> float:
    r"""Return about how often one voted label is right.

    In a group of g queries that show the true label each scores one match more; the t - 1 other
    voted examples add noise to every group, nearly Bin((t-1) g, 1/m) matches in sum. With r =
    min(k, m) labels shown, the true one must beat r - 1 others. Where the noise is small that is
    summed over its values, ties split evenly; where it is large, it is the normal integral
    \int phi(x) Phi(x + d)^(r-1) dx with d = sqrt(k/((t-1)(1-1/m))) for k >= m. A label that is
    never shown is never voted for.

    >>> vote_success(2080, 10, 1)
    1.0
    """
    k, m, t = n_queries, n_classes, n_voted
    shown = min(k, m)
    if t <= 1:
        return shown / m
    group, larger = divmod(k, shown)
    if (t - 1) * (group + 1) / m * (1.0 - 1.0 / m) > LARGEST_SUMMED_VARIANCE:
        return shown / m * _normal_success(k / shown * m / ((t - 1.0) * (1.0 - 1.0 / m)), shown)
    share = larger / shown  # of the labels that are shown once more than the others
    success = (1.0 - share) * _summed_success((t - 1) * group, m, group, shown)
    if larger:
        success += share * _summed_success((t - 1) * (group + 1), m, group + 1, shown)
    return shown / m * success


def _normal_success(squared_shift: float, shown: int) -> float:
    # The trapezoid rule is exact to rounding for a smooth integrand that vanishes at both ends.
    x = np.linspace(-9.0, 9.0, 1201)
    density = np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)
    win = np.exp((shown - 1) * log_ndtr(x + math.sqrt(squared_shift)))
    return min(1.0, float((density * win).sum() * (x[1] - x[0])))


def _summed_success(n_trials: int, m: int, group: int, shown: int) -> float:
    """Return P(N + g beats shown - 1 independent copies of N), N ~ Bin(n_trials, 1/m)."""
    top = min(n_trials, n_trials // m + 40 + math.ceil(12.0 * math.sqrt(n_trials / m)))
    p = np.exp(log_pmf(np.arange(top + 1), n_trials, m))
    p = np.append(p, np.zeros(group))
    below = np.minimum(np.cumsum(p), 1.0) - p
    # With j of r - 1 rivals tied and the rest below: sum_j C(r-1, j) p^j below^(r-1-j) / (j + 1).
    rival, lower = p[group:], np.maximum(below[group:], 0.0)
    tied = rival > 1e-12
    win = np.where(
        tied,
        ((lower + rival) ** shown - lower**shown) / (shown * np.where(tied, rival, 1.0)),
        lower ** (shown - 1),
    )
    return min(1.0, float((p[: top + 1] * win).sum()))


def predicted_accuracy(problem: Problem) -> float:
    """Return about what `ColumnVote` scores.

    The votes are within two points of simulation where every label is shown equally often, and
    within four where some are shown two times and others three.

    Implements: acharya2020 fig:largek (Figure 2)

    Examples
    --------
    >>> round(predicted_accuracy(Problem(10_000, 10, 2080)), 4)
    0.1091
    """
    n, m, k = problem
    t = voted_examples(problem)
    return t / n * vote_success(k, m, t) + (1.0 - t / n) / m
