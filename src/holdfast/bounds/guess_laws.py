r"""Nats that tell how far the law of a guess given the label lies from its law.

A final guess has a law P on the m labels, and given the hidden label a law Q. Its width is
W = 1 - |P|^2, at most 1 - 1/m. What the guess tells of the label is the mean of

    KL(Q || P) >= c |Q - P|^2,

with c = 1 for every P (Pinsker). If P puts a on its likeliest label and at most b on every other,

    c = 0.93 min{ (1-a)/(1-a+b) ln((1-a)/a)/(1-2a), 1/(2b) }

will do as well, on each of the `CELLS` in a and b: docs/bounds/queries.md has the proof where Q
puts no less than a on that label, and tests/bounds/guess_cells.py the one by cells elsewhere.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CELLS", "GuessCells", "guess_prices"]

Floats = NDArray[np.float64]

# By what factor c is below what it would be if Q could put no less than a on the likeliest label.
MARGIN = 0.93
# Ends of the cells in a, and of those in b as shares of the upper end in a.
TOPS = np.concatenate([np.linspace(0.0, 0.04, 5), np.linspace(0.05, 0.65, 61)])
SHARES = np.array([0.0, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.22, 0.3, *np.linspace(0.4, 1.0, 7)])
# Laws up to this width may be those of two labels of 1/2 each, where c is 1: a is smaller than the
# last end above for all that are wider, and the width of these is told apart in so many steps.
NARROW, WIDTHS = 0.58, 32


class GuessCells(NamedTuple):
    """Cells of laws: a from `low` to `top`, the next one from `least` to `others`, and their c."""

    low: Floats
    top: Floats
    least: Floats
    others: Floats
    price: Floats


def _cells() -> GuessCells:
    low, least = (x.ravel() for x in np.meshgrid(TOPS[:-1], SHARES[:-1], indexing="ij"))
    top, most = (x.ravel() for x in np.meshgrid(TOPS[1:], SHARES[1:], indexing="ij"))
    others = np.minimum(most * top, 1.0 - low)
    # ln((1-a)/a)/(1-2a) falls up to a = 1/2, where it is 2, and rises from there.
    nearest = np.where(low > 0.5, low, np.minimum(top, 0.5))
    off = 1.0 - 2.0 * nearest
    with np.errstate(divide="ignore", invalid="ignore"):
        coin = np.where(np.abs(off) < 1e-6, 2.0, np.log1p(off / nearest) / off)
    price = np.minimum((1.0 - top) / (1.0 - top + others) * coin, 0.5 / others)
    return GuessCells(low, top, least * top, others, np.maximum(1.0, MARGIN * price))


CELLS = _cells()


@functools.lru_cache(maxsize=64)
def guess_prices(n_classes: int) -> tuple[Floats, Floats]:
    """Return widths, rising, and for each a c that holds for all laws at least as wide as the last.

    >>> widths, prices = guess_prices(10)
    >>> widths[[0, -1]].tolist(), [round(price, 2) for price in prices[[0, -1]].tolist()]
    ([0.58, 0.9], [1.0, 1.83])
    """
    m = n_classes
    rest = np.maximum(0.0, 1.0 - CELLS.top - CELLS.others)
    # The squares of the likeliest two are at least these, and the others' least if they are alike.
    second = np.maximum(CELLS.least, (1.0 - CELLS.top) / (m - 1.0))
    width = 1.0 - CELLS.low**2 - second**2 - rest**2 / max(1.0, m - 2.0)
    # Labels of at most `top` and `others` must be enough for all that is guessed.
    possible = CELLS.top + (m - 1.0) * CELLS.others >= 1.0 - 1e-9
    most = 1.0 - 1.0 / m
    ends = 1.0 - (1.0 - NARROW) * ((1.0 - most) / (1.0 - NARROW)) ** np.linspace(0, 1, WIDTHS + 1)
    ends[-1] = most
    wide = possible & (width >= ends[:-1, None] - 1e-9)
    return ends, np.append(1.0, np.where(wide, CELLS.price, np.inf).min(axis=1))
