"""Lengths of rounds: looks that bits take later on, lengths worth trying, and measured openings.

A round of K rows is judged by K and the looks that the bits it leaves will take. That estimate has
two constants, and a third one says how short a round may be; which of a few settings suits a game,
and which lengths its first rounds have, was found by playing whole games with each. Games hardly
differ from each other (their looks have standard deviations of .2 to 1 %), so what was best for
some labels is for others. It decides how many looks a game takes, never what is right.
"""

from __future__ import annotations

import math
from math import log2
from typing import NamedTuple

import numpy as np

from holdfast.bounds.bisection import least

__all__ = ["LENGTHS", "Pace", "expected_looks", "opening", "worth_trying"]


class Pace(NamedTuple):
    """What a game expects of its later rounds."""

    slope: float
    start: float
    """B bits left will take B / max(1, slope log2 B - start) looks."""
    most_rounds: float
    """A round has at least so many times less rows than all that is left takes."""
    longest: float = 0.5
    """Share of the looks to come that one round is expected to have."""

    def looks(self, bits: float) -> float:
        """Return the looks that so many bits take, in all rounds to come.

        >>> round(PACES[0].looks(10_000)), round(PACES[-1].looks(10_000))
        (2791, 2253)
        """
        if bits <= 0.0:
            return 0.0
        return bits / max(1.0, self.slope * log2(bits + 2.0) - self.start) + LOOKS_OF_AN_END

    def room(self, looks: float) -> float:
        """Return the capacity of an average node of the longest round of the looks to come.

        What a block leaves must find room later: groups of three four-valued positions, say, take
        up to seven rows of one sign for each unit.

        >>> PACES[0].room(2048), PACES[0].room(128)
        (16.0, 4.0)
        """
        return max(1.0, math.sqrt(self.longest * max(0.0, looks)) / 2.0)


LOOKS_OF_AN_END = 3.0
"""Looks added to that: whatever is left takes a round."""

PACES = (
    Pace(0.30, 0.4, 3.5),
    Pace(0.38, 1.0, 5.0),
    Pace(0.42, 1.3, 5.0),
    Pace(0.455, 1.7, 3.5),
    Pace(0.455, 1.7, 5.0),
    Pace(0.48, 1.9, 5.0),
    Pace(0.48, 2.0, 4.0),
    Pace(0.50, 2.2, 4.0),
)
"""Those that were tried for every opening; the first two are lines through games of the engine."""

RATES = {
    2: (0.37, 0.41),
    3: (0.37, 0.41),
    4: (0.31, 0.38),
    6: (0.27, 0.355),
    10: (0.225, 0.315),
    16: (0.18, 0.27),
    22: (0.155, 0.22),
}
"""By classes: of B bits left, measured games tell so many times log2 B in each look to come, with
64 bits left and with 4,096 or more."""

CAUTION = 0.92
"""Bits per look, relative to the average, by which lengths are chosen if looks are too few."""

RATE_AT_LEAST = 0.8
"""Bits per look, at least, in that estimate."""

FIRST_CHECK_SHARE, FIRST_CHECK_ROWS = 0.055, 16
"""Rows of a first round in which groups are only checked: a share of all looks, at least a few."""

LENGTHS = sorted(
    {int(2 ** (p / 2)) for p in range(2, 28)} | {3 << p for p in range(10)} | {5, 7, 14, 28}
)
"""Lengths worth trying: powers of two and of its root, 3 2^p, and a few between."""

SHORT = 40
"""Rounds up to this length are always tried, so that something fits whatever is left."""


def worth_trying(bits: float, pace: Pace, limit: int) -> list[int]:
    """Return the lengths that the next round may have, with so many bits and looks left.

    >>> worth_trying(1000.0, PACES[0], 10**6)
    [128, 181, 192, 256, 362, 384]
    >>> worth_trying(1000.0, PACES[0], 20)
    [20]
    """
    guess = pace.looks(bits)
    most = min(limit, max(1.2 * guess, SHORT))
    found = [rows for rows in LENGTHS if guess / pace.most_rounds <= rows <= most]
    return found or [max(2, int(most))]


def first_check(looks: float) -> int:
    """Return the rows of a round before which nothing is known of any group.

    It can only check groups, one per node, and leaves lower places empty that later rounds fill
    with splits of what it finds. So it is short: a twentieth of the looks to come.

    >>> first_check(100), first_check(2000)
    (16, 110)
    """
    return max(FIRST_CHECK_ROWS, int(FIRST_CHECK_SHARE * looks))


def expected_looks(bits: float, m: int) -> float:
    """Return the looks that so many bits take with m classes, on average.

    >>> [round(expected_looks(n * log2(10), 10)) for n in (100, 1000, 10_000)]
    [152, 915, 7021]
    """
    few, many = _rates(m)
    scale = log2(bits + 2.0)
    rate = few + (many - few) * min(1.0, max(0.0, (scale - 6.0) / 6.0))
    return bits / max(RATE_AT_LEAST, rate * scale)


def bits_for(looks: int, m: int) -> float:
    """Return the bits that so many looks tell with m classes, on average.

    >>> round(expected_looks(bits_for(500, 10), 10))
    500
    """
    return float(least(lambda bits: expected_looks(bits, m) > looks, 0, 64 * looks + 1))


def _rates(m: int) -> tuple[float, float]:
    few, many = zip(*RATES.values(), strict=True)
    return float(np.interp(m, list(RATES), few)), float(np.interp(m, list(RATES), many))


def tight(m: int) -> Pace:
    """Return the pace of a game whose looks are just enough: what games take on average.

    >>> tight(10)
    Pace(slope=0.2898, start=0.0, most_rounds=5.0, longest=0.25)
    """
    return Pace(CAUTION * _rates(m)[1], 0.0, 5.0, 0.25)


OPENINGS: dict[int, dict[int, tuple[int, tuple[int, ...]]]] = {
    2: {
        300: (0, (64, 16)),
        1000: (0, (192, 32, 16)),
        3000: (0, (512, 64)),
        10000: (0, ()),
    },
    3: {
        300: (1, (64,)),
        1000: (3, (256, 64)),
        3000: (0, (512, 384, 6)),
        10000: (1, (1536,)),
    },
    4: {
        300: (0, ()),
        1000: (1, (256, 192, 48)),
        3000: (5, (512, 724, 2)),
        14042: (4, (2048, 2048, 512, 128)),
    },
    6: {
        300: (1, (64, 128, 32, 16)),
        1000: (0, (512, 96, 32)),
    },
    10: {
        300: (1, ()),
        1000: (0, (512, 256, 96, 24)),
        3000: (2, ()),
        10000: (1, (4096, 1536)),
    },
    16: {
        100: (1, ()),
        300: (4, (192, 256, 64, 16)),
        1000: (3, ()),
        3000: (3, (1024, 768)),
    },
}
"""By classes and positions: the pace, and the lengths of the first rounds if the pace chooses
worse ones."""

BETWEEN, FEW_BETWEEN = Pace(0.37, 0.0, 5.0, 0.25), 3
"""The pace of games of other sizes, and up to how many classes: at (1700, 2), (4000, 2) and
(7250, 2) it takes 4 to 9 % fewer looks than those of measured games."""

SAME_SIZE = 1.1
"""Positions, times more or less, for which the first lengths of a measured game are good."""


def opening(n_positions: int, n_classes: int) -> tuple[Pace, list[int]]:
    """Return the pace of a game, and the lengths of its first rounds as far as they are known.

    Those of the measured game that is nearest in classes, then in positions. Lengths suit their own
    number of positions alone: they are powers of two and 3 2^p, wherever the game is between.

    >>> opening(10_000, 3)
    (Pace(slope=0.38, start=1.0, most_rounds=5.0, longest=0.5), [1536])
    >>> opening(8000, 3)
    (Pace(slope=0.37, start=0.0, most_rounds=5.0, longest=0.25), [])
    """
    classes = min(OPENINGS, key=lambda m: abs(math.log(m / n_classes)))
    sizes = OPENINGS[classes]
    size = min(sizes, key=lambda n: abs(math.log(n / max(1, n_positions))))
    pace, lengths = sizes[size]
    if classes == n_classes and 1 / SAME_SIZE <= n_positions / size <= SAME_SIZE:
        return PACES[pace], list(lengths)
    return (BETWEEN if n_classes <= FEW_BETWEEN else PACES[pace]), []
