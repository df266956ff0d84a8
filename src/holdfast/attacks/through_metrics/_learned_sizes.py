"""Class sizes from constant submissions: how a macro average scores one label everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from holdfast.bounds.bisection import least
from holdfast.errors import InconsistentAnswer, NotSupported
from holdfast.metrics import LabelMetric
from holdfast.metrics.confusion import ClassCounts

__all__ = ["learned_sizes"]


def _reaches(of: Callable[[int], Fraction], value: Fraction, size: int) -> bool:
    return of(size) >= value


def learned_sizes(
    metric: LabelMetric, constants: Sequence[Fraction], n_examples: int, error: Fraction
) -> list[int]:
    """Return how many examples each class has, from the value of each constant submission.

    A class scores 0 if, and only if, it is absent. Of one that is present, the score rises with its
    size, and depends on the others by how many are present alone.

    Parameters
    ----------
    metric
        A macro average of F1 or precision, or weighted F1.
    constants
        The value of the submission that shows a label everywhere, for each label.
    n_examples
        How many examples there are.
    error
        How far an answer can be from the value.

    Examples
    --------
    >>> from holdfast.metrics import F1Macro
    >>> hidden = [0] * 5 + [1] * 3 + [2] * 2
    >>> values = [Fraction(F1Macro().score(hidden, [label] * 10)) for label in range(3)]
    >>> learned_sizes(F1Macro(), values, 10, Fraction(1, 10**9))
    [5, 3, 2]
    """
    n, here = n_examples, [label for label, value in enumerate(constants) if value > error]
    sizes, others = [0] * len(constants), len(here) - 1
    most = n - others

    def of(size: int) -> Fraction:
        """Return the value if so many examples are of the class that is shown."""
        rest = [] if not others else [n - size - others + 1] + [1] * (others - 1)
        none = [0] * others
        counts = ClassCounts(n, tuple(range(others + 1)), (size, *rest), (n, *none), (size, *none))
        return Fraction(metric.from_counts(counts))

    for label in here:
        value = constants[label]
        first = least(partial(_reaches, of, value - error), 0, most + 1)
        if first > most or of(first) > value + error:
            raise InconsistentAnswer(f"answer must be a value of {metric}, got {float(value)}.")
        if first < most and of(first + 1) <= value + error:
            raise NotSupported("the answers leave open how large the classes are: give `sizes`.")
        sizes[label] = first
    if sum(sizes) != n:
        raise InconsistentAnswer(
            f"answers must be those of classes that add up to {n}, got {tuple(sizes)}."
        )
    return sizes
