"""Fractional raises: the sides of whole-number targets as binary digits of a sum of errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from holdfast.attacks.through_metrics.digits import ADDITIONS_IN_BLOCK, BLOCK, SPACING

__all__ = ["Raises", "read_sides"]


@dataclass(frozen=True)
class Raises:
    """Raises by less than one, and how far a sum of errors can be off that an answer tells.

    A submitted whole number v that is raised by r has an error that is r larger if the target is at
    most v, and r smaller if it is above: two sums that differ by 2 r. Raises in a geometric
    sequence are read off like binary digits, up to `span`, by which sums of whole numbers differ.
    """

    sizes: tuple[float, ...]
    slack: Fraction

    @classmethod
    def fitting(
        cls, n_examples: int, most: float, *, span: int, largest: float, decimals: int | None
    ) -> Raises:
        """Return as many raises as answers can tell apart.

        Parameters
        ----------
        n_examples
            How many errors are averaged.
        most
            What their sum can be at most, which decides how exactly floats add it up.
        span
            Sums of errors but for the raises are known to differ by multiples of this.
        largest
            No number of a larger size is submitted: raises are multiples of a float's step there,
            so that a raised number is what it was meant to be.
        decimals
            How many decimals are released; None: all that a float has.
        """
        additions = ADDITIONS_IN_BLOCK + max(0, math.ceil(math.log2(n_examples / BLOCK)))
        adding = additions * 2.0**-53 * (most + 1.0)
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
    left: Fraction, raises: Sequence[float], slack: Fraction, span: int
) -> tuple[int, list[bool]] | None:
    """Return how many spans a sum has, and which raised targets are above; None: no sum is such.

    >>> read_sides(Fraction(6) + Fraction(1, 2), [0.125, 0.25], Fraction(1, 100), 2)
    (3, [True, False])
    """
    spans = math.floor((left + slack) / span)
    left -= spans * span
    above = []
    for size in reversed(raises):
        below = left + slack >= 2 * Fraction(size)
        left -= 2 * Fraction(size) * below
        above.append(not below)
    return (spans, above[::-1]) if abs(left) <= slack else None
