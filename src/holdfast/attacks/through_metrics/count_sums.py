r"""Weighted sums of counts: which counts a value belongs to, and a proof that no others do.

A value is x = sum of h_c a_c / b_c over some counts h_c, each in a known range of R_c + 1 numbers,
with quotients a_c / b_c in lowest terms. Let B be the least common multiple of all b_c, and
f_c = b_c / gcd(b_c, least common multiple of the other b's). Claims, proved in
docs/attacks/counts.md:

- two choices of counts with different values are at least 1/B apart;
- with equal values, f_c divides the difference of their counts h_c. So where f_c > R_c the value
  determines h_c: x B is a whole number, and modulo f_c no other count takes part in it.

A count that is determined is taken away, and the f of the others is computed without it. The last
one is what is left of the value over its weight, however large its range is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["CountSum"]


@dataclass(frozen=True)
class CountSum:
    """A sum of counts with a weight each.

    Parameters
    ----------
    weights
        A positive weight for each count.
    lows, highs
        The range of each count, both ends possible.

    Examples
    --------
    >>> both = CountSum((Fraction(1, 7), Fraction(1, 10)), (0, 0), (4, 4))
    >>> both.read(Fraction(3, 7) + Fraction(2, 10), Fraction(1, 1000))
    (3, 2)
    >>> CountSum((Fraction(1, 5), Fraction(1, 10)), (0, 0), (4, 4)).tells(Fraction(0))
    False
    """

    weights: tuple[Fraction, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...]

    def tells(self, error: Fraction) -> bool:
        """Tell whether every value that is off by at most `error` belongs to one choice."""
        return 2 * error * self._common(range(len(self.weights))) < 1 and self._order() is not None

    def read(self, value: Fraction, error: Fraction) -> tuple[int, ...] | None:
        """Return the counts that a value belongs to; None if there are none or several."""
        order = self._order()
        common = self._common(range(len(self.weights)))
        whole = round(value * common)
        if order is None or 2 * error * common >= 1 or abs(whole - value * common) > error * common:
            return None
        left, counts = Fraction(whole, common), [0] * len(self.weights)
        rest = list(range(len(self.weights)))
        for at, modulus in order[:-1]:
            weight, common = self.weights[at], self._common(rest)
            # Every other term of left * common is a multiple of the modulus.
            factor = int(weight * common) % modulus
            if (left * common).denominator != 1:
                return None
            found = int(left * common) * pow(factor, -1, modulus) % modulus
            counts[at] = self.lows[at] + (found - self.lows[at]) % modulus
            left -= counts[at] * weight
            rest.remove(at)
        last = left / self.weights[rest[0]]
        counts[rest[0]] = round(last)
        limits = zip(self.lows, counts, self.highs, strict=True)
        possible = last.denominator == 1 and all(
            low <= count <= high for low, count, high in limits
        )
        return tuple(counts) if possible else None

    def _common(self, places: Sequence[int]) -> int:
        return math.lcm(*(self.weights[at].denominator for at in places))

    def _order(self) -> list[tuple[int, int]] | None:
        """Return the counts in the order in which they are determined, each with its f."""
        rest, order = list(range(len(self.weights))), []
        while rest:
            for at in rest:
                below = self.weights[at].denominator
                others = self._common([other for other in rest if other != at])
                modulus = below // math.gcd(below, others)
                if len(rest) == 1 or modulus > self.highs[at] - self.lows[at]:
                    order.append((at, modulus))
                    rest.remove(at)
                    break
            else:
                return None
        return order
