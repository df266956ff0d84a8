"""Problem sizes: number of examples, of classes and of queries."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple, SupportsIndex

from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["Problem", "check_at_least"]

# Labels and sums of two of them are computed in four bytes.
MOST_CLASSES = 2**31


def check_at_least(name: str, value: SupportsIndex, least: int) -> int:
    """Return `value` as an int, or raise `InvalidInput` naming the argument, rule and value.

    >>> check_at_least("n_classes", 1, 2)
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: n_classes must be at least 2, got 1.
    """
    # The type first: whether something is an Integral takes longer than all the rest.
    if type(value) is not int and (isinstance(value, bool) or not isinstance(value, Integral)):
        raise InvalidInput(f"{name} must be an integer, got {quoted(value)}.")
    if value < least:
        raise InvalidInput(f"{name} must be at least {least}, got {quoted(value)}.")
    return int(value)


class _Sizes(NamedTuple):
    n_examples: int
    n_classes: int
    n_queries: int


class Problem(_Sizes):
    """How many examples are hidden, among how many classes, and how many looks are allowed.

    Inside a formula write `n, m, k = problem`, the paper's letters.

    >>> Problem(n_examples=10_000, n_classes=10, n_queries=101).baseline
    0.1
    """

    __slots__ = ()

    def __new__(cls, n_examples: int, n_classes: int, n_queries: int) -> Problem:
        """Check the sizes; they are plain integers afterwards."""
        n = check_at_least("n_examples", n_examples, 1)
        m = check_at_least("n_classes", n_classes, 2)
        k = check_at_least("n_queries", n_queries, 1)
        if m > MOST_CLASSES:
            raise InvalidInput(f"n_classes must be at most {MOST_CLASSES}, got {m}.")
        return super().__new__(cls, n, m, k)

    @classmethod
    def of(cls, sizes: tuple[int, int, int]) -> Problem:
        """Return sizes as they are if they were checked already, else checked.

        >>> Problem.of((5, 2, 1))
        Problem(n_examples=5, n_classes=2, n_queries=1)
        """
        return sizes if type(sizes) is cls else cls(*sizes)

    @property
    def baseline(self) -> float:
        """Accuracy of a guess that has seen no answer: 1/m."""
        return 1.0 / self.n_classes
