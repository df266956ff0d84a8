"""Ids of examples: integers or strings, told apart and found again without sorting them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["IdIndex", "Ids", "as_ids", "as_plain_integers", "distinct_keys", "id_keys"]

Ids: TypeAlias = NDArray[Any]  # int64 or str_
Keys: TypeAlias = NDArray[np.uint64]

# 2^64 over the golden ratio, odd: multiplicative (Fibonacci) hashing.
GOLDEN_RATIO_64 = np.uint64(0x9E3779B97F4A7C15)
# Slots per key of a table, as a power of two: few keys share one, and the table stays in cache.
SPARE_SLOT_BITS = 3


def _multipliers(count: int) -> Keys:
    """Return odd numbers without a pattern, always the same ones."""
    mask, state, numbers = 2**64 - 1, 0, []
    for _ in range(count):
        state = (state + int(GOLDEN_RATIO_64)) & mask
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
        numbers.append((mixed ^ (mixed >> 31)) | 1)
    return np.array(numbers, dtype=np.uint64)


# One per character of the longest id that a file may have.
MULTIPLIERS = _multipliers(256)


def as_ids(texts: NDArray[Any]) -> Ids:
    """Return integers if every id is written as one; else the strings.

    Plain integers are those that Python would write the same way: "7", not "007". Ids of which
    every single one ends in ".0" are what pandas makes of a column of integers in which a value
    was missing, and are the integers again; a mixture of "1.0" and "1.1" is left alone.

    >>> as_ids(np.array(["7", "12"])), as_ids(np.array(["1.0", "2.0"]))
    (array([ 7, 12]), array([1, 2]))
    >>> as_ids(np.array(["1.0", "1.1"])), as_ids(np.array(["007", "7"]))
    (array(['1.0', '1.1'], dtype='<U3'), array(['007', '7'], dtype='<U3'))
    """
    numbers = as_plain_integers(texts)
    if numbers is not None:
        return numbers
    # One look at the first id spares most files the rest.
    if texts.size and str(texts[0]).endswith(".0") and np.char.endswith(texts, ".0").all():
        numbers = as_plain_integers(np.array([text[:-2] for text in texts.tolist()]))
        if numbers is not None:
            return numbers
    return texts


def as_plain_integers(texts: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the texts as integers if every one is written plainly; else None."""
    try:
        numbers = texts.astype(np.int64)
    except (ValueError, OverflowError):
        return None
    return numbers if np.array_equal(numbers.astype(np.str_), texts) else None


def id_keys(ids: Ids) -> Keys:
    """Return one 64-bit key per id: the integer itself, or a hash of the string.

    Equal strings have equal keys in arrays of any width, since the padding adds nothing.
    """
    if ids.dtype.kind != "U":
        return ids.astype(np.int64, copy=False).view(np.uint64)
    width = ids.dtype.itemsize // 4
    if width > MULTIPLIERS.size:
        return np.array([hash(text) for text in ids.tolist()], dtype=np.int64).view(np.uint64)
    native = np.ascontiguousarray(ids, dtype=np.dtype(f"=U{width}"))
    letters = native.view(np.uint32).reshape(ids.size, width)
    return letters.astype(np.uint64) @ MULTIPLIERS[:width]


def distinct_keys(keys: Keys) -> bool:
    """Return whether no two keys are the same."""
    ordered = np.sort(keys)
    return not (ordered[1:] == ordered[:-1]).any()


def _slots(keys: Keys, bits: int) -> NDArray[np.int64]:
    return ((keys * GOLDEN_RATIO_64) >> np.uint64(64 - bits)).view(np.int64)


def _bits(count: int) -> int:
    return max(count - 1, 1).bit_length() + SPARE_SLOT_BITS


class IdIndex:
    """Finds the rows of ids again in another file, in any order.

    >>> index = IdIndex(np.array([7, 9, 4]))
    >>> index.places_in(np.array([4, 7, 9])), index.places_in(np.array([4, 7, 8]))
    (array([1, 2, 0]), array([ 1, -1,  0]))
    """

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._keys = id_keys(ids)
        self._by_key = distinct_keys(self._keys)
        if self._by_key:
            # One row per slot; where several fall into one, the others are found by their order.
            # A slot that no key has holds row 0: whoever looks there has to compare.
            rows = np.arange(ids.size, dtype=np.int32)
            slots = _slots(self._keys, _bits(ids.size))
            self._table = np.zeros(1 << _bits(ids.size), dtype=np.int32)
            self._table[slots] = rows
            lost = np.flatnonzero(self._table[slots] != rows)
            self._lost = lost[np.argsort(self._keys[lost])]
            self._lost_keys = self._keys[self._lost]

    def places_in(self, theirs: Ids) -> NDArray[np.int64]:
        """Return where each of the index's ids stands among `theirs`; -1: nowhere.

        `theirs` are distinct.
        """
        mine = self._ids
        if theirs.dtype.kind != mine.dtype.kind:
            return IdIndex(mine.astype(np.str_)).places_in(theirs.astype(np.str_))
        if theirs.size == mine.size and np.array_equal(theirs, mine):
            return np.arange(mine.size)
        places = np.full(mine.size, -1, dtype=np.int64)
        rows = self._rows(theirs) if self._by_key else self._rows_by_order(theirs)
        known = np.flatnonzero(rows >= 0)
        places[rows[known]] = known
        return places

    def _rows(self, theirs: Ids) -> NDArray[np.int64]:
        """Return which of the index's rows each of `theirs` is; -1: none."""
        keys = id_keys(theirs)
        rows = self._table[_slots(keys, _bits(self._keys.size))].astype(np.int64)
        others = np.flatnonzero(self._keys[rows] != keys)
        if others.size and self._lost.size:
            at = np.searchsorted(self._lost_keys, keys[others]).clip(max=self._lost.size - 1)
            rows[others] = self._lost[at]
        # Equal keys are not yet equal ids.
        rows[self._ids[rows] != theirs] = -1
        return rows

    def _rows_by_order(self, theirs: Ids) -> NDArray[np.int64]:
        """As `_rows`, for the ids of which two have one key."""
        order = np.argsort(self._ids, kind="stable")
        at = np.searchsorted(self._ids, theirs, sorter=order).clip(max=self._ids.size - 1)
        rows: NDArray[np.int64] = order[at].astype(np.int64)
        rows[self._ids[rows] != theirs] = -1
        return rows
