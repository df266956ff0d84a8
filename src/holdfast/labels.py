"""Label arrays: one unsigned integer per example, in the smallest dtype that holds the classes."""

from __future__ import annotations

from functools import lru_cache
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.quoting import quoted, shortened

__all__ = ["MOST_CLASSES", "Labels", "as_labels", "count_classes", "label_dtype"]

# A label per example: uint8, uint16 or uint32, as `label_dtype` says.
Labels: TypeAlias = NDArray[Any]

# Tables with an entry per class are made in several places; beyond this a label is no class.
MOST_CLASSES = 1_000_000


@lru_cache(maxsize=256)
def label_dtype(n_classes: int) -> np.dtype[Any]:
    """Return the smallest unsigned dtype that holds the labels 0 .. n_classes - 1.

    >>> label_dtype(256), label_dtype(257)
    (dtype('uint8'), dtype('uint16'))
    """
    return np.min_scalar_type(n_classes - 1)


def as_labels(
    values: object,
    n_classes: int,
    *,
    name: str = "labels",
    n_examples: int | None = None,
    error: type[InvalidInput] = InvalidInput,
) -> Labels:
    """Return `values` as a label array, or raise `error` saying which rule they break.

    An array that already has the right dtype is returned as it is, not copied.

    Parameters
    ----------
    values
        A one-dimensional array or sequence of integers from 0 to n_classes - 1. Floats that are
        whole numbers and truth values are taken for the integers that they are.
    n_classes
        Number of classes.
    name
        What the message calls the values.
    n_examples
        Required length; None: any length but zero.
    error
        The exception to raise, `InvalidInput` or a subclass of it.

    Examples
    --------
    >>> as_labels([0, 2, 1], 3)
    array([0, 2, 1], dtype=uint8)
    >>> as_labels([0, 3], 3)
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: labels must lie in 0 .. 2, got 3 at position 1.
    """
    array = _one_dimensional(values, name, error)
    if n_examples is not None and array.size != n_examples:
        raise error(f"{name} must have length {n_examples}, got {array.size}.")
    if array.size == 0:
        raise error(f"{name} must not be empty.")
    array = _whole(array, name, error)
    if array.max() >= n_classes or (array.dtype.kind != "u" and array.min() < 0):
        outside = (array < 0) | (array >= n_classes)
        where = int(np.argmax(outside))
        raise error(
            f"{name} must lie in 0 .. {n_classes - 1}, got {_shown(array[where])} "
            f"at position {where}."
        )
    return array.astype(label_dtype(n_classes), copy=False)


def count_classes(labels: object, *, name: str = "labels") -> int:
    """Return the largest label plus one, and 2 at least: how many classes labels speak of.

    Raises
    ------
    InvalidInput
        A label is not below `MOST_CLASSES`, or not a whole number.

    Examples
    --------
    >>> count_classes([0, 3, 1]), count_classes([True, False]), count_classes([0.0, 2.0])
    (4, 2, 3)
    """
    array = _one_dimensional(labels, name, InvalidInput)
    if array.size == 0:
        return 2
    array = _whole(array, name, InvalidInput)
    where = int(np.argmax(array))
    if array[where] >= MOST_CLASSES:
        raise InvalidInput(
            f"{name} must lie below {MOST_CLASSES:,}, got {_shown(array[where])} at position "
            f"{where}; number the classes 0, 1, 2, ..."
        )
    return max(int(array[where]) + 1, 2)


def _one_dimensional(values: object, name: str, error: type[InvalidInput]) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as problem:  # a list of lists of several lengths
        raise error(f"{name} must be an array, got: {shortened(str(problem))}.") from None
    if array.ndim != 1:
        raise error(f"{name} must be one-dimensional, got shape {quoted(array.shape)}.")
    return array


def _whole(array: NDArray[Any], name: str, error: type[InvalidInput]) -> NDArray[Any]:
    """Return integers as they are, truth values as 0 and 1, and floats that are whole numbers."""
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    if array.dtype.kind == "O" and all(isinstance(v, Real | np.bool_) for v in array.tolist()):
        try:
            array = array.astype(np.float64)  # what pandas makes of integers that may be missing
        except (OverflowError, TypeError, ValueError):
            raise error(f"{name} must be integers, got one that is too large.") from None
    if array.dtype.kind != "f":
        raise error(f"{name} must be integers, got dtype {shortened(str(array.dtype))}.")
    broken = ~(np.isfinite(array) & (array == np.trunc(array)))
    if broken.any():
        where = int(np.argmax(broken))
        raise error(f"{name} must be integers, got {_shown(array[where])} at position {where}.")
    return array


def _shown(value: Any) -> str:
    """Return a number as it would be written in a file."""
    if np.isnan(value):
        return "NaN"
    number = value.item()
    return quoted(int(number) if number == number // 1 and abs(number) < 1e15 else number)
