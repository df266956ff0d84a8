"""Integer weights that tell the joint values of a few variables apart, modulo a radix.

A sum of g variables with v equally likely values each leaves several joint values, its *options*.
To tell them apart in one digit, member i shows its value x in |w_i[x]| rows of the sign of w_i[x],
so that option o adds the weight w_1[o_1] + .. + w_g[o_g]. It is a digit in mixed radix if these
weights differ *modulo the radix*; they need not be consecutive.

With v = 2 a member shows its value 1 alone. From v = 3 on the weights of each member add up to 0:
each of its labels is shown in as many rows of sign + as of sign -, so that no label of it has to be
known to be wrong.

Most of the weights below waste nothing, that is, the radix is the number of options. They were
found by local search, which takes seconds: moves of one or two weights, with two equal residues
worth ten rows.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

__all__ = ["WEIGHTS", "Weights", "options", "summand"]

SUMMANDS = {2: (0, 1), 3: (-1, 0, 1), 4: (-1, 0, 0, 1), 5: (-1, 0, 0, 0, 1)}
"""What each of v values adds to a sum: the last is shown against the first, with two alone."""


class Weights(NamedTuple):
    """By member and value; options of the sum have different weights modulo the radix."""

    radix: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def need(self) -> int:
        """Rows of one sign that a member takes, at most, in units."""
        signed = [[sum(w for w in row if w * s > 0) * s for s in (1, -1)] for row in self.rows]
        return max(max(each) for each in signed)


def _two(radix: int, *weights: int) -> Weights:
    return Weights(radix, tuple((0, w) for w in weights))


# By number of values, of members, and the absolute sum. The others are mirror images.
_FOUND = {
    (2, 2, 1): _two(2, 1, 0),
    (2, 3, 1): _two(3, 1, 0, -1),
    (2, 4, 1): _two(4, 0, 1, -1, 2),
    (2, 4, 2): _two(6, 2, 0, -2, 1),
    (2, 5, 1): _two(5, 2, 0, -1, -2, 1),
    (2, 5, 2): _two(11, -4, 2, 4, 0, 1),
    (2, 6, 1): _two(6, 0, -2, 3, -1, 2, 1),
    (2, 6, 2): _two(19, -1, -6, 5, 4, 2, 6),
    (2, 6, 3): _two(20, 7, -4, 0, -7, -2, -1),
    (3, 2, 0): Weights(3, ((-1, 1, 0), (0, 0, 0))),
    (3, 2, 1): Weights(2, ((0, 1, -1), (1, 0, -1))),
    (3, 3, 0): Weights(7, ((-1, 0, 1), (2, 0, -2), (0, 0, 0))),
    (3, 3, 1): Weights(6, ((-1, -1, 2), (-2, 0, 2), (2, 0, -2))),
    (3, 3, 2): Weights(3, ((0, 0, 0), (1, 0, -1), (-1, 0, 1))),
    (3, 4, 0): Weights(19, ((-4, 0, 4), (1, 0, -1), (3, 0, -3), (4, 0, -4))),
    (3, 4, 1): Weights(16, ((-3, -1, 4), (3, 0, -3), (0, 0, 0), (2, 1, -3))),
    (3, 4, 2): Weights(10, ((2, -2, 0), (0, 0, 0), (1, -1, 0), (-1, -2, 3))),
    (3, 4, 3): Weights(4, ((1, -1, 0), (0, 0, 0), (-1, 1, 0), (0, 1, -1))),
    (4, 2, 0): Weights(6, ((-1, 0, 1, 0), (-2, 2, 0, 0))),
    (4, 2, 1): Weights(4, ((0, 0, 1, -1), (1, -1, 0, 0))),
    (4, 3, 0): Weights(21, ((2, 2, -2, -2), (0, -7, 7, 0), (-2, 4, 3, -5))),
    (4, 3, 1): Weights(15, ((-3, 5, -2, 0), (-1, -1, 4, -2), (-3, 1, 3, -1))),
    (4, 3, 2): Weights(6, ((-2, 0, 1, 1), (-1, 0, 2, -1), (0, 0, -2, 2))),
    (5, 2, 0): Weights(11, ((-2, 0, -1, 1, 2), (0, 4, 0, -4, 0))),
    (5, 2, 1): Weights(6, ((1, 2, 0, -1, -2), (-2, 0, -1, 3, 0))),
}


def _mirrored() -> dict[tuple[int, int, int], Weights]:
    """Add the sums that the table leaves out: 1s and 0s, or first and last values, exchanged."""
    out = dict(_FOUND)
    for (v, g, total), (radix, rows) in _FOUND.items():
        if v == 2:
            out[v, g, g - total] = Weights(radix, rows)
        elif total:
            out[v, g, -total] = Weights(radix, tuple(row[::-1] for row in rows))
    return out


WEIGHTS = _mirrored()
"""By number of values, number of members, and the sum that left them."""


@cache
def options(values: int, members: int) -> dict[int, list[tuple[int, ...]]]:
    """Return all joint values of some variables, by their sum.

    >>> options(2, 3)[1]
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    out: dict[int, list[tuple[int, ...]]] = {}
    for joint in product(range(values), repeat=members):
        out.setdefault(sum(summand(values, x) for x in joint), []).append(joint)
    return out


def summand(values: int, value: int) -> int:
    """Return what a value adds to the sum of its block.

    >>> [summand(4, value) for value in range(4)]
    [-1, 0, 0, 1]
    """
    return SUMMANDS[values][value]
