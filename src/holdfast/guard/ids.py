"""Ids of examples: one form for every spelling, one order for every file."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["order_by_id"]


def order_by_id(
    ids: object, n_examples: int, *, composed: bool = True
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ids in their common form and in order, and where each of them stood.

    If every id is an integer, or a text that is one written plainly ("7", not "07" or "7.0"), they
    are integers and ordered as such; else they are texts, letter for letter, in the order of
    their code points. So it makes no difference whether a reader saw numbers or texts, nor whether
    an accented letter is one character or two.

    Parameters
    ----------
    ids
        One distinct id per example: integers, texts, or whole numbers as floats.
    n_examples
        How many there must be.
    composed
        Whether texts are brought to Unicode's composed normal form (NFC), which earlier versions
        did not do.

    Examples
    --------
    >>> order_by_id(["10", "9"], 2)
    (array([ 9, 10]), array([1, 0]))
    >>> order_by_id([10, 9], 2)
    (array([ 9, 10]), array([1, 0]))
    """
    array = np.asarray(ids)
    if array.ndim != 1 or array.size != n_examples:
        raise InvalidInput(f"ids must be one per example, {n_examples}, got shape {array.shape}.")
    common = _in_common_form(array, composed)
    order = np.argsort(common, kind="stable")
    ordered = common[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if same.size:
        raise InvalidInput(f"ids must be distinct, got {quoted(str(ordered[same[0]]))} twice.")
    return ordered, order


def _in_common_form(ids: NDArray[Any], composed: bool) -> NDArray[Any]:
    if ids.dtype.kind == "f":
        whole = ids.astype(np.int64, copy=True) if np.isfinite(ids).all() else np.zeros(0)
        if not np.array_equal(whole, ids):
            raise InvalidInput("ids must be integers or texts, got floats that are not whole.")
        ids = whole
    if ids.dtype.kind == "i" or (ids.dtype.kind == "u" and ids.max(initial=0) < 2**63):
        return ids.astype("<i8")
    if ids.dtype.kind in "uO":
        ids = np.array([str(id_) for id_ in ids.tolist()], dtype=np.str_)
    if ids.dtype.kind != "U":
        raise InvalidInput(f"ids must be integers or texts, got dtype {ids.dtype}.")
    try:
        numbers = ids.astype("<i8")
    except (ValueError, OverflowError):
        pass
    else:
        if np.array_equal(numbers.astype(np.str_), ids):
            return numbers
    if composed and not all(text.isascii() for text in ids.tolist()):
        ids = np.array([unicodedata.normalize("NFC", text) for text in ids.tolist()])
    # As wide as the longest, so that the same ids are the same bytes.
    longest = max(int(np.char.str_len(ids).max()), 1)
    return ids.astype(f"<U{longest}")
