"""How many looks are to come, and so how many rows the next round should have."""

from __future__ import annotations

from math import log2

import numpy as np

__all__ = ["expected_looks", "few_rows", "looks_for", "looks_left", "sizes"]

# Looks for b bits in one round, roughly: K rows yield K (log2(K)/2 + OVERHEAD) bits.
OVERHEAD, FEW_CLASSES = 0.0, -0.2

RATE, START, MOST = 0.36, -0.15, 5.2
"""Bits a look when 2^x bits are left: START + RATE x, at most MOST; measured with ten classes."""

START_FROM_MODEL = -0.4
"""The same where a model's errors are left: groups that are searched take more rounds."""

SLOWEST = 0.8
"""Bits a look, at least."""

FIRST_ROUND, FIRST_ROWS = 0.055, 16
"""Rows of a first round in which groups are only checked: a share of all looks, and a few."""

# Looks taken, relative to `looks_for`, by number of classes; measured.
SLOWDOWN = {2: 1.0, 3: 1.02, 4: 1.1, 5: 1.11, 7: 1.18, 10: 1.27, 13: 1.41, 16: 1.52}


def looks_for(bits: float, m: int) -> float:
    """Return the looks that so many bits would take in one round, roughly.

    >>> round(looks_for(10000.0, 10))
    1844
    """
    overhead = FEW_CLASSES if m <= 4 else OVERHEAD
    k = 2.0
    for _ in range(40):
        k = bits / max(SLOWEST, 0.5 * log2(max(k, 2.0)) + overhead)
    return k


def looks_left(bits: float, from_model: bool = False) -> float:
    """Return the looks that so many bits take in all rounds to come.

    Small rounds yield less a look, so that a bit left for the end costs most.

    >>> round(looks_left(10000.0)), round(looks_left(100.0))
    (2158, 45)
    """
    start = START_FROM_MODEL if from_model else START
    return bits / max(SLOWEST, min(MOST, RATE * log2(max(bits, 1.0)) + start))


def expected_looks(bits: float, m: int) -> float:
    """Return the looks that so many bits take with m classes, on average."""
    classes = sorted(SLOWDOWN)
    slowdown = float(np.interp(m, classes, [SLOWDOWN[c] for c in classes]))
    return slowdown * looks_for(bits, m) + (3.0 * m if m > 3 else 2.0)


def few_rows(looks: float) -> int:
    """Return the rows of a round before which nothing is known of any group."""
    return max(FIRST_ROWS, int(FIRST_ROUND * looks))


def sizes(least: float, finish: int) -> list[int]:
    """Sizes worth trying for a round that is not the last: powers of two, and between them.

    >>> sizes(5, 20)
    [5, 6, 7, 8, 10, 12, 14, 16]
    """
    powers = [2**r for r in range(1, finish.bit_length())]
    found = {power * quarter // 4 for power in powers for quarter in (4, 5, 6, 7)}
    return sorted(size for size in found if least <= size < finish)
