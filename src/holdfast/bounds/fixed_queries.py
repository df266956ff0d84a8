r"""Queries fixed in advance: what a gain costs if the answers are sums over the examples.

If no query depends on an answer, the answers are a sum of independent terms, one per example, and

    n cost(gain/n) <= H(answers) <= H(Bin(n,p)) + (k-1) (H(Bin(n,p)) - [m = 2] ln 2),    p = 1/m,

where cost(x) is about x^2 ln(1/x) and so grows faster than the divergence KL(p+x || p), which is
what a gain costs an analyst who may ask anything. docs/bounds.md has the proof. The cost is an
integral over a share t of the examples that hide the one in question, rounded down here: the
integrands are convex in t, so sums over midpoints are lower sums.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.assumptions import EVERYTHING, with_parity
from holdfast.bounds.binomial import divergence, entropy, excesses
from holdfast.bounds.bisection import largest
from holdfast.bounds.label_model import ROUNDING
from holdfast.bounds.record import Bound
from holdfast.problem import Problem

__all__ = ["fixed_accuracy", "fixed_queries", "least_cost"]

Floats = NDArray[np.float64]

# Two classes: the cost is tabulated from the smallest to the largest signal.
SIGNALS = np.geomspace(1e-9, 1.0, 1 << 14)
# More classes: midpoints of t in this ratio, down to this share of the squared gain.
RATIO, SMALLEST_SHARE = 1.2, 5e-2
# Values of X that are tried between its limits, and again between the best two of them.
COARSE, FINE = 12, 8
# Rounds in which the best tilt s is approached, and the largest one; every s gives a valid bound.
ROUNDS, STEEPEST = 2, 40.0
# The gain is found to this relative precision, rounded up.
TOLERANCE = 1e-6


def fixed_accuracy(problem: Problem, *, abstentions: bool = False) -> float:
    """Return what nobody exceeds in expectation who fixes all queries before the first answer.

    What is computed from the exact answers can't tell more, so it holds for rounded, noisy and
    withheld answers to fixed queries too.

    Parameters
    ----------
    problem
        The sizes; looks of several accounts count together.
    abstentions
        Whether a submission may leave examples out, or show unknown labels. With two classes and
        no abstentions the parity of every answer but the first is known.

    Examples
    --------
    >>> round(10_000 * (fixed_accuracy(Problem(10_000, 10, 100)) - 0.1))
    626
    """
    n, m, k = problem
    one = entropy(n, m)
    nats = one + (k - 1) * (one - math.log(2.0) if m == 2 and not abstentions else one)
    target = nats * (1.0 + ROUNDING) / n
    if target >= math.log(m):
        return 1.0
    if m == 2:
        signals, costs = _two_class_hull()
        return 0.5 + 0.5 * float(np.interp(target, costs, signals))
    return min(1.0, 1.0 / m + _gain(target, m))


def _gain(target: float, m: int) -> float:
    """Return the largest gain that costs at most `target`, rounded up."""
    most = 1.0 - 1.0 / m
    # Bisection from the whole range, but for the halves that the divergence alone rules out.
    while divergence(0.5 * most, m) > target:
        most *= 0.5
    return largest(lambda x: least_cost(x, m) <= target, 0.0, most, tolerance=TOLERANCE)


def fixed_queries(problem: Problem, *, abstentions: bool = False) -> Bound:
    """Return `fixed_accuracy` as a record."""
    return Bound(
        name="fixed-queries",
        side="impossible",
        statement="sums of independent columns (docs/bounds.md)",
        conditions="all queries fixed before the first answer",
        accuracy=fixed_accuracy(problem, abstentions=abstentions),
        analyst="non-adaptive",
        assumptions=EVERYTHING if abstentions else with_parity(problem),
        not_covered=(
            "adaptive queries: the average over fresh labels is no function of the answers",
            "unequal classes or a model: the cost is that of uniform labels",
        ),
    )


@functools.cache
def _two_class_hull() -> tuple[Floats, Floats]:
    r"""Return signals c = 2 gain and, at most, the convex hull of the cost at them.

    cost = \int_0^1 g(c^2/(t+(1-t)c^2)) dt = (y/(1-y)) \int_y^1 g(s)/s^2 ds with y = c^2, where g(s)
    is the price of a coin with squared bias s. g(s)/s^2 is convex, a sum of powers of s from -1 on
    with positive weights.
    """
    y = SIGNALS**2
    middle = 0.5 * (y[1:] + y[:-1])
    bias = np.sqrt(middle)
    price = 0.5 * (excesses(bias) + excesses(-bias))
    pieces = price / middle**2 * np.diff(y)
    integral = np.cumsum(pieces[::-1])[::-1]
    cost = y[:-1] / (1.0 - y[:-1]) * integral * (1.0 - ROUNDING)
    # Between two signals the cost is at least that of the lower one.
    x, height = SIGNALS, np.append(0.0, np.maximum.accumulate(cost))
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) >= 2:
            a, b = hull[-2], hull[-1]
            if (height[b] - height[a]) * (x[i] - x[a]) < (height[i] - height[a]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(i)
    return np.append(0.0, x[hull]), np.append(0.0, height[hull])


def least_cost(gain: float, n_classes: int) -> float:
    r"""Return at most the least nats that a gain on one example costs, for three classes or more.

    \int_0^1 max{X, KL(p+x || p), K(x, w), s_m x^2/w} dt with w = tW + (1-t)X and W = 1 - 1/m, at
    the best X from x^2/W to W. The integrand is convex in X, so tangents at some X bound it at all.
    It is convex in x and X together, so its least value is convex in x.
    """
    x, m = gain, n_classes
    if x <= 0.0:
        return 0.0
    whole = 1.0 - 1.0 / m
    smallest = min(0.5, SMALLEST_SHARE * x * x)
    count = max(8, math.ceil(math.log(1.0 / smallest) / math.log(RATIO)))
    edges = np.concatenate([[0.0], np.geomspace(smallest, 1.0, count + 1)])
    low, high = x * x / whole * (1.0 - ROUNDING), whole
    points = np.geomspace(low, high, COARSE)
    values, _ = _tangents(points, x, m, edges)
    best = int(values.argmin())
    inner = np.geomspace(points[max(0, best - 1)], points[min(COARSE - 1, best + 1)], FINE)
    points = np.unique(np.concatenate([points[[0, -1]], inner]))
    values, slopes = _tangents(points, x, m, edges)
    return _least_of_tangents(points, values, slopes) * (1.0 - ROUNDING)


def _tangents(points: Floats, x: float, m: int, edges: Floats) -> tuple[Floats, Floats]:
    """Return the integral and its slope in X, at some X."""
    t, widths = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    width = t * (1.0 - 1.0 / m) + (1.0 - t) * points[:, None]
    share = width / m
    ratio = x / share
    s = np.minimum(np.log1p(ratio), STEEPEST)
    for _ in range(ROUNDS):
        s = np.minimum(np.log1p(ratio * (1.0 + share * (np.expm1(s) - s))), STEEPEST)
    more = np.expm1(s) - s
    steep = (m - 1.0) * math.log(m - 1.0) / (m - 2.0) * x * x / width
    terms = np.stack(
        [
            np.broadcast_to(np.maximum(points[:, None], divergence(x, m)), width.shape),
            s * x - np.log1p(share * more),
            steep,
        ]
    )
    rising = np.broadcast_to(points[:, None] >= divergence(x, m), width.shape)
    slopes = np.stack(
        [
            rising.astype(np.float64),
            -(1.0 - t) * more / m / (1.0 + share * more),
            -(1.0 - t) * steep / width,
        ]
    )
    active = terms.argmax(axis=0)[None]
    value = np.take_along_axis(terms, active, axis=0)[0] @ widths
    slope = np.take_along_axis(slopes, active, axis=0)[0] @ widths
    return value, slope


def _least_of_tangents(points: Floats, values: Floats, slopes: Floats) -> float:
    """Return the least value between the first and the last point of what lies above all tangents.

    Between two neighbours that is where their tangents cross, or at the nearer end.
    """
    left, right = values[:-1], values[1:]
    a, b, gap = slopes[:-1], slopes[1:], np.diff(points)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = left + a * np.clip((right - left - b * gap) / (a - b), 0.0, gap)
    least = np.where(a >= 0.0, left, np.where(b <= 0.0, right, crossing))
    return float(least.min())
