r"""A sharper information bound for adaptive analysts, from what they can have learned so far.

An adaptive query may be chosen so that its answer is spread more widely than Bin(n, 1/m), but only
as far as the answers so far allow. Given a history, the answer's law P satisfies
KL(P || Bin(n, 1/m)) <= D, the divergence of the posterior from uniform, because the answer is a
function of the labels; and the mean of D over histories is the information gained so far. With the
Rényi entropy R_t of order t < 1,

    H(P) <= R_t(Bin(n, 1/m)) + t/(1-t) D      for every 0 <= t < 1,

so one more look adds at most the smallest of these lines at the information gained so far.
"""

from __future__ import annotations

import functools
import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import entropy, log_pmf
from holdfast.bounds.information import accuracy_from_information
from holdfast.bounds.record import Bound, with_parity
from holdfast.problem import Problem

__all__ = ["information_adaptive_tilted"]

# Lines as (intercept, slope, end of the range in which it is the lowest), steep to flat.
Lines: TypeAlias = tuple[tuple[float, float, float], ...]

# Slopes t/(1-t) of the lines: any set gives a valid bound, a denser one a slightly sharper one.
SLOPES = np.geomspace(32.0, 1e-6, 72)
# Up to this many examples every count is summed; above, blocks between so many nodes.
MOST_SUMMED_COUNTS = 1 << 16
# Sums and roots of floats are raised by this share.
ROUNDING = 1e-12
BLOCK_NODES = 1 << 13


def information_adaptive_tilted(problem: Problem) -> Bound:
    """Return the information bound for any analyst that counts what it can have learned so far.

    Examples
    --------
    >>> round(information_adaptive_tilted(Problem(50_000, 1000, 1000)).accuracy, 4)
    0.0531
    """
    n, m, _ = problem
    return Bound(
        name="information-adaptive-tilted",
        statement="information inequality, adaptive with tilted answers (docs/bounds.md)",
        accuracy=accuracy_from_information(nats_adaptive_tilted(problem), n, m),
        assumptions=with_parity(problem),
    )


def nats_adaptive_tilted(problem: Problem, *, abstentions: bool = False) -> float:
    r"""Return an upper bound on the entropy of the answers, for any analyst.

    With two classes every look shows one of them at every example, which tells the parity of all
    answers but the first; not so with `abstentions`, or if looks are scored on other examples.

    With f the smallest of the lines, x_1 = H(Bin(n, 1/m)) and x_i = x_{i-1} + f(x_{i-1}) bound the
    information after i looks. As f increases, the time \int dx / f(x) from x_{i-1} to x_i is at
    most one, so the x that is reached at time k - 1 is at least x_k; on each line the integral is
    a logarithm.
    """
    n, m, k = problem
    return _after(entropy(n, m), k - 1, _lines(n, m, m == 2 and not abstentions))


def nats_in_random_order(n_examples: int, rarer: int, looks: int) -> float:
    r"""Return the same for labels of two classes in random order, of which the rarer has r.

    What a look tells is how many hits it has, one of r + 1 numbers. With H hypergeometric and mean
    h, P(H = x) <= exp(-2 (x-h)^2 / r) (Hoeffding), whatever is called positive, so that

        R_t(H) <= ln(1 + sqrt(pi r / (2t))) / (1-t).

    >>> round(nats_in_random_order(10_000, 5000, 10) / (10 * math.log(5001)), 2)
    0.81
    """
    n, r = n_examples, rarer
    flat = (math.log(r + 1.0), 0.0)
    orders = SLOPES / (1.0 + SLOPES)
    renyi = np.log1p(np.sqrt(0.5 * math.pi * r / orders)) * (1.0 + SLOPES)
    spread = r * (n - r) / (4.0 * max(1, n - 1))
    first = 0.5 * math.log(2.0 * math.pi * math.e * (spread + 1.0 / 12.0))
    lines = lowest_lines([flat, *zip(renyi.tolist(), SLOPES.tolist(), strict=True)])
    return _after(min(first, flat[0]), looks - 1, lines) * (1.0 + ROUNDING)


def _after(first: float, more: int, lines: Lines) -> float:
    """Return where the information is after so many looks more, each worth the lowest line."""
    information, looks = first, float(more)
    for intercept, slope, end in lines:
        if information >= end:
            continue
        rate = intercept + slope * information
        if slope == 0.0:
            return information + rate * looks
        needed = math.log1p(slope * (end - information) / rate) / slope
        if looks <= needed:
            return information + rate * math.expm1(slope * looks) / slope
        information, looks = end, looks - needed
    raise AssertionError("the last line is flat and has no end")


@functools.lru_cache(maxsize=256)
def _lines(n: int, m: int, parity: bool) -> Lines:
    """Return the lower envelope as (intercept, slope, end of its range), steep to flat."""
    known = math.log(2.0) if parity else 0.0  # the parity is known after one answer
    candidates = [(math.log(n // 2 + 1 if parity else n + 1), 0.0)]
    log_p, weight = _blocks(n, m, parity)
    for slope in SLOPES.tolist():
        order = slope / (1.0 + slope)
        log_sum = max(_log_sum_exp(order * log_p[i], weight[i]) for i in range(len(log_p)))
        candidates.append((log_sum * (1.0 + slope) - slope * known, slope))
    return lowest_lines(candidates)


def lowest_lines(candidates: list[tuple[float, float]]) -> Lines:
    """Return the lowest of lines (intercept, slope), each with the end of where it is."""
    # In order of falling slope: each next line takes over where it crosses.
    candidates.sort(key=lambda line: -line[1])
    envelope: list[tuple[float, float, float]] = []
    position = 0.0
    current = min(candidates, key=lambda line: line[0] + line[1] * position)
    while True:
        flatter = [line for line in candidates if line[1] < current[1]]
        if not flatter:
            return (*envelope, (*current, math.inf))
        crossings = [
            ((line[0] - current[0]) / (current[1] - line[1]), line[1], line) for line in flatter
        ]
        end, _, successor = min(crossings)
        envelope.append((*current, end))
        current = successor


def _blocks(
    n: int, m: int, parity: bool
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """Return log probabilities and how often to count each, per class of possible answers.

    There is one class, or two if the parity of an answer is known, which doubles its
    probabilities. Sums of powers over them are exact for n <= MOST_SUMMED_COUNTS, else at most a
    percent too large: the distribution is unimodal, so a block of counts is at most its size times
    its larger end.
    """
    if n <= MOST_SUMMED_COUNTS:
        every = log_pmf(np.arange(n + 1), n, m)
        classes = [every[0::2], every[1::2]] if parity else [every]
        sizes = [np.ones_like(log_p) for log_p in classes]
    else:
        mode = (n + 1) // m
        deviation = math.sqrt(n / m * (1.0 - 1.0 / m))
        spread = deviation * np.sinh(np.linspace(0.0, math.asinh(n / deviation), BLOCK_NODES // 2))
        # Even offsets, so that a block holds equally many counts of either parity.
        offsets = 2 * (np.concatenate([-spread, spread]) / 2.0).astype(np.int64)
        nodes = np.unique(np.clip(mode + offsets, 0, n))
        at_nodes = log_pmf(nodes, n, m)
        gaps = np.diff(nodes).astype(np.float64)
        # Blocks [a, b) below the mode and (a, b] above it, and the mode itself.
        larger_end = np.maximum(at_nodes[1:], at_nodes[:-1])
        classes = [np.append(larger_end, at_nodes.max())]
        sizes = [np.append(np.ceil(gaps / 2.0) if parity else gaps, 1.0)]
    if parity:
        classes = [log_p + math.log(2.0) for log_p in classes]
    return classes, sizes


def _log_sum_exp(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    top = float(values.max())
    return top + math.log(float((weights * np.exp(values - top)).sum()))
