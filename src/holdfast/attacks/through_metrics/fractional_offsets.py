"""Fractional offsets: on which side whole-number targets are, as binary digits of a sum of errors.

Somebody submits a whole number v plus an offset r below one, and is shown the sum of absolute
errors. If the target is at most v, this error is r larger than without the offset; if it is above
v, it is r smaller. The sum tells the two cases apart, since they differ by 2 r, and offsets of
different sizes can be told apart in one sum, as the digits of a binary number are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from holdfast.attacks.through_metrics.digits import SPACING, adding_error

__all__ = ["OffsetDigits", "read_sides"]


@dataclass(frozen=True)
class OffsetDigits:
    """Offsets for one submission, each larger than all smaller ones together.

    Attributes
    ----------
    sizes
        The offsets, the smallest first. The two sums between which the side of a target decides
        differ by twice its offset.
    slack
        How far the sum that a released answer stands for can be from the true one, by rounding and
        by floats.
    """

    sizes: tuple[float, ...]
    slack: Fraction

    @classmethod
    def largest_set(
        cls, n_examples: int, most: float, *, span: int, largest: float, decimals: int | None
    ) -> OffsetDigits:
        """Return as many offsets as one answer can tell the sides of.

        Parameters
        ----------
        n_examples
            How many errors are averaged.
        most
            What their sum can be at most, which decides how exactly floats add it up.
        span
            Sums of errors without offsets are known to differ by multiples of this: twice all
            offsets together stays below it.
        largest
            No number of a larger size is submitted: offsets are multiples of a float's step there,
            so that a number plus its offset is not rounded.
        decimals
            How many decimals are released; None: all that a float has.
        """
        adding = adding_error(n_examples) * (most + 1.0)
        rounding = 0.0 if decimals is None else 0.5 * n_examples * 10.0**-decimals
        slack, step = adding + rounding, math.ulp(largest + 1.0)
        sizes: list[float] = []
        reach = 0.0
        while True:
            size = step * math.ceil(SPACING * (reach + 2.0 * slack) / 2.0 / step)
            if reach + 2.0 * size + 2.0 * SPACING * slack > span:
                break
            sizes.append(size)
            reach += 2.0 * size
        if not sizes and decimals is not None and 10**decimals % n_examples == 0:
            slack = adding  # such decimals show means of whole numbers as they are
        return cls(tuple(sizes), Fraction(slack))


def read_sides(
    left: Fraction, offsets: Sequence[float], slack: Fraction, span: int
) -> tuple[int, list[bool]] | None:
    """Return how many spans a sum has, and which targets are above; None: no sum is such.

    >>> read_sides(Fraction(6) + Fraction(1, 2), [0.125, 0.25], Fraction(1, 100), 2)
    (3, [True, False])
    """
    spans = math.floor((left + slack) / span)
    left -= spans * span
    above = []
    for size in reversed(offsets):
        below = left + slack >= 2 * Fraction(size)
        left -= 2 * Fraction(size) * below
        above.append(not below)
    return (spans, above[::-1]) if abs(left) <= slack else None
