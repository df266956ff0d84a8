"""Label arrays: one unsigned integer per example, in the smallest dtype that holds the classes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput

__all__ = ["Labels", "as_labels", "label_dtype"]

Labels: TypeAlias = NDArray[Any]  # uint8, uint16 or uint32, as label_dtype says


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
        A one-dimensional array or sequence of integers from 0 to n_classes - 1.
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
    array = np.asarray(values)
    if array.ndim != 1:
        raise error(f"{name} must be one-dimensional, got shape {array.shape}.")
    if n_examples is not None and array.size != n_examples:
        raise error(f"{name} must have length {n_examples}, got {array.size}.")
    if array.size == 0:
        raise error(f"{name} must not be empty.")
    if array.dtype.kind not in "iu":
        if array.dtype.kind == "f" and np.isnan(array).any():
            where = int(np.flatnonzero(np.isnan(array))[0])
            raise error(f"{name} must be integers, got NaN at position {where}.")
        raise error(f"{name} must be integers, got dtype {array.dtype}.")
    outside = (array < 0) | (array >= n_classes) if array.dtype.kind == "i" else array >= n_classes
    if outside.any():
        where = int(np.argmax(outside))
        raise error(
            f"{name} must lie in 0 .. {n_classes - 1}, got {array[where]} at position {where}."
        )
    return array.astype(label_dtype(n_classes), copy=False)
