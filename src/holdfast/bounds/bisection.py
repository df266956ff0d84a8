"""Bisection: the end of a range in which a condition holds, for numbers and for counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

__all__ = ["fewest", "largest", "least"]


def largest(
    possible: Callable[[float], bool], low: float, high: float = 1.0, *, tolerance: float = 0.0
) -> float:
    """Return the end of the range from `low` on in which `possible` holds, rounded up.

    It is too high by at most `tolerance` of its distance from `low`, or by a last digit.

    The bracket does not depend on the condition, so whatever is possible under a stricter condition
    never ends higher than under a looser one, however the last digits fall.

    >>> round(largest(lambda a: a * a <= 0.5, 0.0), 12)
    0.707106781187
    """
    if possible(high):
        return high
    start = low
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high or high - low <= tolerance * (low - start):
            return high
        if possible(middle):
            low = middle
        else:
            high = middle


def least(enough: Callable[[int], bool], above: int, most: int) -> int:
    """Return the least number above `above` that is enough, where `most` is known to be.

    >>> least(lambda k: k * k >= 50, 0, 50)
    8
    """
    while most - above > 1:
        middle = (above + most) // 2
        above, most = (above, middle) if enough(middle) else (middle, most)
    return most


@overload
def fewest(enough: Callable[[int], bool], *, start: int = 1) -> int: ...
@overload
def fewest(enough: Callable[[int], bool], *, start: int = 1, most: int) -> int | None: ...
def fewest(enough: Callable[[int], bool], *, start: int = 1, most: int | None = None) -> int | None:
    """Return the least number from `start` on that is enough; None: not even `most` is.

    The number is doubled until it is enough, so that no limit need be known.

    >>> fewest(lambda k: k * k >= 50), fewest(lambda k: k * k >= 50, most=7)
    (8, None)
    """
    below, number = start - 1, start
    while not enough(number):
        if most is not None and number >= most:
            return None
        below, number = number, 2 * number if most is None else min(2 * number, most)
    return least(enough, below, number)
