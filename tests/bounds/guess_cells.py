r"""KL(Q || P) >= c |Q - P|^2 where Q puts less than P on the likeliest label, proved cell by cell.

P puts a on that label and at most b on every other; S = 1 - a. Q falls there by y, by D in all
where others fall, and rises by T = y + D in all at the rest, of mass s under P. With
d(q, p) = q ln(q/p) - q + p, psi(r) = (1-r) ln(1-r) + r, phi(r) = (1+r) ln(1+r) - r:

- the first label is worth a psi(y/a) - c y^2;
- the others that fall, with 2cb <= 1, are worth S' psi(D/S') - c b D^2/S' or more, S' = S - s, as
  psi(r) - c b r^2 is convex;
- those that rise by x_i >= 0, for every mu >= 0, sum_i x_i = T and sum_i p_i <= s: at least
  T min_x (g(x)/x - c x) - mu s, where g(x) = min_{p <= b} (p phi(x/p) + mu p). With
  mu = r - ln(1+r) it is x ln(1+r) up to x = b r, and b phi(x/b) + mu b from there.

All three are divided by T^2 and bounded on cells of T, of y/T, of s and of x/T, with
psi(r)/r^2 rising, phi(r)/r^2 and (r - ln(1+r))/r^2 falling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TOTALS = np.concatenate([[0.0], np.geomspace(0.02, 1.0, 61)])
FALLS = np.linspace(0.0, 1.0, 41)
MASSES = np.linspace(0.0, 1.0, 61)
RISES = np.geomspace(1e-6, 1.0, 150)
MULTIPLIERS = np.geomspace(0.1, 30.0, 40)
# What a cell must have to spare, for rounding.
SPARE = 1e-9


def falling(r: Floats) -> Floats:
    """Return psi(r)/r^2, at most."""
    r = np.clip(r, 1e-9, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(r < 1.0, (1.0 - r) * np.log1p(-np.minimum(r, 1.0 - 1e-16)), 0.0)
    result: Floats = np.where(r < 1e-3, 0.5, (logs + r) / r**2)
    return result


def rising(r: Floats) -> Floats:
    """Return phi(r)/r^2, at most."""
    r = np.maximum(r, 1e-9)
    result: Floats = np.where(r < 1e-3, 0.5 - r / 6.0, ((1.0 + r) * np.log1p(r) - r) / r**2)
    return result


def multiplier(r: Floats) -> Floats:
    """Return (r - ln(1+r))/r^2, at most by a last digit."""
    r = np.maximum(r, 1e-9)
    result: Floats = np.where(r < 1e-3, 0.5 - r / 3.0, (r - np.log1p(r)) / r**2)
    return result


def least_left(low: float, top: float, others: float, price: float) -> float:
    """Return at most the least of KL - c |Q - P|^2 over T^2, for a in [low, top] and b = others."""
    a, b, c, whole = top, others, price, 1.0 - low
    assert 2.0 * c * b <= 1.0
    start, end = TOTALS[:-1, None], TOTALS[1:, None]
    few, many = FALLS[:-1], FALLS[1:]
    first = falling(few * start / a) / a - c
    first = np.where(first > 0.0, few**2 * first, many**2 * first)
    left = whole * (1.0 - MASSES[:-1])
    by_others = ((1.0 - many) * start)[:, None, :]
    rest = (falling(by_others / left[:, None]) - c * b) / left[:, None] * (1.0 - many) ** 2
    possible = (few * start <= a)[:, None, :] & (by_others <= left[:, None])
    fall = np.where(possible, first[:, None, :] + rest, np.inf).min(axis=2)
    small, large = RISES[:-1], RISES[1:]
    each = rising(large * end / b) / b - c
    each = np.where(each > 0.0, small * each, large * each)
    rise = np.full(fall.shape, -np.inf)
    for f in MULTIPLIERS:
        fewest, most = (f**2 * multiplier(f * x) for x in (end, start))
        if b * f < 1.0:
            found = np.where(large < b * f, np.inf, each + fewest * b / large).min(axis=1)
        else:
            found = (np.log1p(f * end) / end - c)[:, 0]
        rise = np.maximum(rise, found[:, None] - most * whole * MASSES[1:])
    return float(np.where(np.isfinite(fall), rise + fall, np.inf).min()) - SPARE
