r"""The inequality c1 J - c2 l <= N(J, l) behind the bound for two classes, proved cell by cell.

N(J, l) = \int_0^1 g(J(f)) df - h(l)/2 with g(u) = ((1+s) ln(1+s) + (1-s) ln(1-s))/2, s = sqrt(u),
h the entropy of a coin, and 1/(1-J(f)) = 1/(1-J) + (1/f-1)/(1/l-1). The integral rises with J and
with l, so on a cell it is at least its value at the lower corner; h(l) is at most its largest
value, c1 J that at the upper end, c2 l at least that at the lower end. A cell where this is not
enough is cut in four.

J(f) falls with f, so sums over right ends are lower sums; and where l <= 1/(2-J) it is convex in f,
and so is g(J(f)), so that sums over midpoints are lower sums too.

For l <= 1e-3 the inequality is proved by hand in docs/bounds/queries.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMALLEST = 1e-3
# The cells to begin with.
SQUARES, LEVERAGES = np.linspace(0.0, 1.0, 33), np.geomspace(SMALLEST, 1.0, 33)
# Where the integral is cut.
EDGES = np.concatenate([[0.0], np.geomspace(1e-7, 1.0, 300)])
# What a cell must have to spare, for rounding.
SPARE = 1e-9
PIECE = 2048


def price(squares: Floats) -> Floats:
    """Return g: the nats of a fair coin whose bias has this square."""
    bias = np.sqrt(np.clip(squares, 0.0, 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = np.where(bias < 1.0, (1.0 - bias) * np.log1p(-bias), 0.0)
    result: Floats = 0.5 * ((1.0 + bias) * np.log1p(bias) + lower)
    return result


def coin(shares: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(x > 0.0, -x * np.log(x), 0.0) for x in (shares, 1.0 - shares)]
    result: Floats = terms[0] + terms[1]
    return result


def path(f: Floats, square: Floats, leverage: Floats) -> Floats:
    """Return J(f), started at J(1) = square."""
    a, c = 1.0 / (1.0 - square), leverage / (1.0 - leverage)
    result: Floats = 1.0 - f / ((a - c) * f + c)
    return result


def integral(square: Floats, leverage: Floats) -> Floats:
    """Return a lower sum of the integral of g(J(f)), for J and l below 1."""
    ends = EDGES[1:]
    middles, widths = 0.5 * (EDGES[1:] + EDGES[:-1]), np.diff(EDGES)
    convex = leverage * (2.0 - square) <= 1.0
    at = np.where(convex[:, None], middles, ends)
    result: Floats = price(path(at, square[:, None], leverage[:, None])) @ widths
    return result


def integrals(square: Floats, leverage: Floats) -> Floats:
    """Return `integral` in pieces, so that no large table is made."""
    pieces = range(0, len(square), PIECE)
    return np.concatenate(
        [integral(square[i : i + PIECE], leverage[i : i + PIECE]) for i in pieces]
    )


def cells_that_fail(
    price_of_square: float,
    credit: float,
    deepest: int,
    squares: Floats = SQUARES,
    leverages: Floats = LEVERAGES,
) -> tuple[int, int]:
    """Return how many cells were looked at, and how many are not proved after all cuts."""
    low_j, low_l = (x.ravel() for x in np.meshgrid(squares[:-1], leverages[:-1]))
    high_j, high_l = (x.ravel() for x in np.meshgrid(squares[1:], leverages[1:]))
    looked = 0
    for _ in range(deepest):
        looked += len(low_j)
        inside = (low_l <= 0.5) & (high_l >= 0.5)
        entropy = np.where(inside, np.log(2.0), np.maximum(coin(low_l), coin(high_l)))
        lower = integrals(low_j, low_l) - 0.5 * entropy
        failed = ~(price_of_square * high_j - credit * low_l + SPARE <= lower)
        if not failed.any():
            return looked, 0
        a, b, c, d = (x[failed] for x in (low_j, high_j, low_l, high_l))
        half_j, half_l = 0.5 * (a + b), np.sqrt(c * d)
        low_j, high_j = (
            np.concatenate([a, half_j, a, half_j]),
            np.concatenate([half_j, b, half_j, b]),
        )
        low_l, high_l = (
            np.concatenate([c, c, half_l, half_l]),
            np.concatenate([half_l, half_l, d, d]),
        )
    return looked, len(low_j) // 4
