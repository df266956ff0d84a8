r"""Queries fixed in advance: what a gain costs if the answers are sums over the examples.

If no query depends on an answer, the answers are a sum of independent terms, one per example, and

    n cost(gain/n) <= H(answers) <= H(Bin(n,p)) + (k-1) (H(Bin(n,p)) - [m = 2] ln 2),    p = 1/m,

where cost(x) is about x^2 ln(1/x) and so grows faster than the divergence KL(p+x || p), which is
what a gain costs an analyst who may ask anything. docs/bounds/queries.md has the proof. The cost is
an integral over a share t of the examples that hide the one in question, rounded down here: the
integrands are convex in t, so sums over midpoints are lower sums.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import divergence, entropy, excesses
from holdfast.bounds.bisection import largest
from holdfast.bounds.guess_laws import guess_prices
from holdfast.bounds.label_model import ROUNDING
from holdfast.bounds.record import EVERYTHING, Bound, with_parity
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
# Lines below the cost are kept at gains in this ratio.
RATIO_OF_GAINS = 1.06
# By so many of them a target is looked for at first.
STRIDE = 4


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
    585
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
    r"""Return the largest mean gain whose mean cost is at most `target`, rounded up.

    Examples may share the cost unevenly, and their guesses may differ in width: what counts is the
    convex hull of the costs for all widths. For every slope s > 0 the line s x + min(cost - s x) is
    below it, and the least gain over some slopes is returned, or what the divergence alone leaves.
    """
    alone = largest(lambda x: divergence(x, m) <= target, 0.0, 1.0 - 1.0 / m)
    start = max(0, math.floor(math.log((1.0 - 1.0 / m) / alone) / math.log(RATIO_OF_GAINS)))
    place = start
    while _lines(place, m)[0].min() > target:
        place += STRIDE
    while place > start and _lines(place - 1, m)[0].min() <= target:
        place -= 1
    slopes = {_slope(max(0, place + more), m) for more in (-1, 0, 1)} - {0.0}
    return min([alone, *((target - _intercept(slope, place, m)) / slope for slope in slopes)])


def _grid(place: int, m: int) -> float:
    """Return the gains at which lines below the costs are kept, from the largest one down."""
    return float((1.0 - 1.0 / m) * RATIO_OF_GAINS**-place)


def _slope(place: int, m: int) -> float:
    """Return the slope of the lowest cost at a gain of the grid."""
    values, slopes = _lines(place, m)
    return float(slopes[values.argmin()])


def _intercept(slope: float, place: int, m: int) -> float:
    """Return at most the least of cost - slope x over all gains x and all widths."""
    low, high = place + 1, place
    while (_lines(low, m)[1] >= slope).any():
        low += 1
    while high > 0 and (_lines(high, m)[1] < slope).any():
        high -= 1
    kept = range(low, high - 1, -1)
    gains = np.array([_grid(each, m) for each in kept])[:, None]
    values, slopes = (np.stack(each) for each in zip(*(_lines(i, m) for i in kept), strict=True))
    return _least_of_tangents(gains, values - slope * gains, slopes - slope)


def fixed_queries(problem: Problem, *, abstentions: bool = False) -> Bound:
    """Return `fixed_accuracy` as a record."""
    return Bound(
        name="fixed-queries",
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
    """Return at most the least nats that a gain on one example costs, for three classes or more."""
    if gain <= 0.0:
        return 0.0
    return max(0.0, float(_below(gain, n_classes)[0].min()))


@functools.lru_cache(maxsize=4096)
def _lines(place: int, m: int) -> tuple[Floats, Floats]:
    return _below(_grid(place, m), m)


def _below(x: float, m: int) -> tuple[Floats, Floats]:
    r"""Return a line below the cost for each width W, by its value and its slope at the gain x.

    The cost is \int_0^1 max{c X, KL(p+x || p), K(x, w), s_m x^2/w} dt with w = tW + (1-t)X, at the
    best X from 0 to W. The integrand is convex in x and X together: planes that touch it bound it
    everywhere, and two of them, mixed so that X drops out, bound the cost.
    """
    widths, prices = (each[:, None] for each in guess_prices(m))
    smallest = min(0.5, SMALLEST_SHARE * x * x)
    count = max(8, math.ceil(math.log(1.0 / smallest) / math.log(RATIO)))
    edges = np.concatenate([[0.0], np.geomspace(smallest, 1.0, count + 1)])
    low = np.minimum(x * x / (1.0 - 1.0 / m), 0.5 * widths)
    points = low * (widths / low) ** np.linspace(0.0, 1.0, COARSE)
    rough = np.append(edges[:-1:4], 1.0)
    best = _planes(points, x, m, rough, widths, prices)[0].argmin(axis=1)[:, None]
    start, end = (np.take_along_axis(points, np.clip(best + i, 0, COARSE - 1), 1) for i in (-1, 1))
    inner = start * (end / start) ** np.linspace(0.0, 1.0, FINE)
    points = np.sort(np.concatenate([points[:, :1], inner, points[:, -1:]], axis=1))
    values, in_x, in_points = _planes(points, x, m, edges, widths, prices)
    at_zero = values - in_points * points
    # The last plane that falls with X, and the one after it.
    last = np.clip((in_points < 0.0).sum(axis=1)[:, None] - 1, 0, points.shape[1] - 2)
    falling, rising = (np.take_along_axis(in_points, last + i, 1) for i in (0, 1))
    apart = rising - falling
    share = np.clip(
        np.where(apart > 0.0, rising / np.where(apart > 0.0, apart, 1.0), 1.0), 0.0, 1.0
    )

    def mixed(planes: Floats) -> Floats:
        left, right = (np.take_along_axis(planes, last + i, 1) for i in (0, 1))
        return share * left + (1.0 - share) * right

    lowest = mixed(at_zero) + np.minimum(mixed(in_points), 0.0) * widths
    return lowest[:, 0] * (1.0 - ROUNDING), mixed(in_x)[:, 0]


def _planes(
    points: Floats, x: float, m: int, edges: Floats, widths: Floats, prices: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the integral at some X, for each width, and its slopes in x and in X."""
    t, parts = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    width = t * widths[..., None] + (1.0 - t) * points[..., None]
    share = width / m
    ratio = x / share
    s = np.minimum(np.log1p(ratio), STEEPEST)
    for _ in range(ROUNDS):
        s = np.minimum(np.log1p(ratio * (1.0 + share * (np.expm1(s) - s))), STEEPEST)
    more = np.expm1(s) - s
    steep = (m - 1.0) * math.log(m - 1.0) / (m - 2.0) * x * x / width
    alone, p = divergence(x, m), 1.0 / m
    told = (prices * points)[..., None]
    least = np.maximum(told, alone)
    tilted = s * x - np.log1p(share * more)
    value = np.maximum(np.maximum(least, tilted), steep)
    by_tilt, by_square = tilted >= np.maximum(least, steep), steep > np.maximum(least, tilted)
    by_price = ~by_tilt & ~by_square & (told >= alone)
    rise = math.log1p(x / p) - math.log1p(-min(x / (1.0 - p), 1.0 - 1e-12))
    in_x = np.select([by_tilt, by_square, by_price], [s, 2.0 * steep / x, 0.0], rise)
    in_points = np.select(
        [by_tilt, by_square, by_price],
        [
            -(1.0 - t) * more / m / (1.0 + share * more),
            -(1.0 - t) * steep / width,
            np.broadcast_to(prices[..., None], width.shape),
        ],
        0.0,
    )
    return value @ parts, in_x @ parts, in_points @ parts


def _least_of_tangents(points: Floats, values: Floats, slopes: Floats) -> float:
    """Return the least value between the first and the last point of what lies above all tangents.

    Between two neighbours that is where their tangents cross, or at the nearer end.
    """
    left, right = values[:-1], values[1:]
    a, b, gap = slopes[:-1], slopes[1:], np.diff(points, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = left + a * np.clip((right - left - b * gap) / (a - b), 0.0, gap)
    least = np.where(a >= 0.0, left, np.where(b <= 0.0, right, crossing))
    return float(least.min())
