"""Feature rows of any kind: a fingerprint of them, and two sets of them in one."""

from __future__ import annotations

import hashlib
from numbers import Real
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.quoting import quoted

__all__ = ["fingerprint_of_rows", "hidden_labels_after", "n_rows", "stacked"]


def n_rows(X: Any) -> int:
    """Return the number of rows of an array, a frame, a sparse matrix or a list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def fingerprint_of_rows(X: Any) -> str:
    """Return a digest that is the same for the same rows in the same order, however they are kept.

    A loop cuts its test rows from a larger set, which may be wider in its numbers or its texts.

    >>> rows = np.array([[1, 2], [3, 4]], dtype=np.float32)
    >>> fingerprint_of_rows(rows) == fingerprint_of_rows([[1, 2], [3, 4]])
    True
    >>> fingerprint_of_rows(rows) == fingerprint_of_rows(rows[::-1])
    False
    """
    digest = hashlib.blake2b(digest_size=16)
    if hasattr(X, "tocsr"):
        matrix = X.tocsr(copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        digest.update(f"sparse {matrix.shape}".encode())
        for part in (matrix.indptr, matrix.indices, matrix.data):
            digest.update(_numbers(part))
        return digest.hexdigest()
    values = np.asarray(X)
    digest.update(f"{values.shape}".encode())
    if values.dtype.kind in "biuf":
        digest.update(_numbers(values))
    else:
        for value in values.ravel().tolist():
            text = repr(float(value)) if isinstance(value, Real) else repr(str(value))
            digest.update(f"{len(text)} {text}".encode())
    return digest.hexdigest()


def _numbers(values: Any) -> bytes:
    """Return numbers as bytes: one width, one zero, one way to write that none is there."""
    wide = np.asarray(values, dtype=np.float64) + 0.0
    wide[np.isnan(wide)] = np.nan
    return np.ascontiguousarray(wide).tobytes()


def stacked(first: Any, second: Any) -> Any:
    """Return the rows of two sets below each other, in their own kind."""
    if hasattr(first, "tocsr") or hasattr(second, "tocsr"):
        from scipy.sparse import vstack

        return vstack([first, second]).tocsr()
    if hasattr(first, "iloc") and hasattr(second, "iloc"):
        import pandas

        if hasattr(first, "columns") and list(first.columns) != list(second.columns):
            raise InvalidInput(
                f"X must have the holdout's columns, got {quoted(list(first.columns))}."
            )
        return pandas.concat([first, second], ignore_index=True)
    if hasattr(first, "columns") and type(first) is type(second):
        with needed_for("a frame that is not of pandas"):
            import narwhals
        frames = [narwhals.from_native(each, eager_only=True) for each in (first, second)]
        if frames[0].columns != frames[1].columns:
            raise InvalidInput(
                f"X must have the holdout's columns, got {quoted(frames[0].columns)}."
            )
        return narwhals.concat(frames).to_native()
    if isinstance(first, list) and isinstance(second, list):
        return first + second
    first, second = np.asarray(first), np.asarray(second)
    if first.shape[1:] != second.shape[1:]:
        raise InvalidInput(
            f"X must have rows of the holdout's shape {second.shape[1:]}, got {first.shape[1:]}."
        )
    return np.concatenate([first, second])


def hidden_labels_after(y: Any, count: int) -> Any:
    """Return labels followed by so many that are hidden: NaN, which no classifier trains on.

    >>> hidden_labels_after([1, 0], 2)
    array([ 1.,  0., nan, nan])
    """
    known = np.asarray(y)
    if known.ndim != 1:
        raise InvalidInput(f"y must be one-dimensional, got shape {known.shape}.")
    kind = np.float64 if known.dtype.kind in "biuf" else np.object_
    return np.concatenate([known.astype(kind), np.full(count, np.nan, dtype=kind)])
