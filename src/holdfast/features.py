"""Feature rows hashed to 64-bit keys: all that an attack without features sees of a row.

A classifier that is asked about a row can only use its features. Hashing them gives each distinct
row its own key, and everything that the attack draws for the row is a keyed function of it. The
same bytes give the same key in every process and on every platform; equal rows get equal keys.
Numbers are hashed by their bytes, so features must arrive in one dtype throughout.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.hashing import GOLDEN64
from holdfast.kernels import njit
from holdfast.kernels.keyed import Keys, keyed64, mix64
from holdfast.kernels.threads import over_slices

__all__ = ["row_keys"]

# Bytes per thread below which a second thread costs more than it saves.
LEAST_BYTES = 1 << 20

_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)


@njit(cache=True, nogil=True, inline="always")
def _absorb(state: Any, word: Any) -> Any:
    """Take in eight bytes: one multiplication, so that hashing keeps up with memory."""
    state = (state ^ word) * _MULTIPLIER
    return state ^ (state >> np.uint64(32))


@njit(cache=True, nogil=True)
def _hash_words(words: Any, n_bytes: Any, out: Any) -> None:
    for j in range(words.shape[0]):
        state = np.uint64(n_bytes) + GOLDEN64
        for w in range(words.shape[1]):
            state = _absorb(state, words[j, w])
        out[j] = mix64(state)


@njit(cache=True, nogil=True, inline="always")
def _word(content: Any, at: Any) -> Any:
    """Read eight bytes, little-endian: written out so that it compiles to one load."""
    return (
        np.uint64(content[at])
        | np.uint64(content[at + 1]) << np.uint64(8)
        | np.uint64(content[at + 2]) << np.uint64(16)
        | np.uint64(content[at + 3]) << np.uint64(24)
        | np.uint64(content[at + 4]) << np.uint64(32)
        | np.uint64(content[at + 5]) << np.uint64(40)
        | np.uint64(content[at + 6]) << np.uint64(48)
        | np.uint64(content[at + 7]) << np.uint64(56)
    )


@njit(cache=True, nogil=True)
def _hash_bytes(content: Any, edges: Any, out: Any) -> None:
    for j in range(out.size):
        start, stop = edges[j], edges[j + 1]
        state = np.uint64(stop - start) + GOLDEN64
        whole = start + (stop - start) // 8 * 8
        for at in range(start, whole, 8):
            state = _absorb(state, _word(content, at))
        if whole < stop:
            word = np.uint64(0)
            for at in range(whole, stop):
                word |= np.uint64(content[at]) << np.uint64(8 * (at - whole))
            state = _absorb(state, word)
        out[j] = mix64(state)


@njit(cache=True, nogil=True)
def _combine(keys: Any, column: Any) -> None:
    for j in range(keys.size):
        keys[j] = keyed64(column[j], keys[j])


def _of_array(X: NDArray[Any]) -> Keys:
    """Hash each row's bytes, eight at a time."""
    if not len(X):
        return np.empty(0, dtype=np.uint64)
    rows = np.ascontiguousarray(X.reshape(len(X), -1))
    if sys.byteorder == "big":
        rows = rows.astype(rows.dtype.newbyteorder("<"))
    n, width = rows.shape[0], rows.shape[1] * rows.dtype.itemsize
    as_bytes = rows.view(np.uint8).reshape(n, width)
    out = np.empty(n, dtype=np.uint64)
    least = LEAST_BYTES // max(width, 1) + 1
    if width % 8 == 0 and width:
        words = as_bytes.view("<u8").astype(np.uint64, copy=False)
        over_slices(lambda s: _hash_words(words[s], width, out[s]), n, least=least)
    else:
        content, edges = as_bytes.reshape(-1), np.arange(n + 1, dtype=np.int64) * width
        over_slices(
            lambda s: _hash_bytes(content, edges[s.start : s.stop + 1], out[s]), n, least=least
        )
    return out


def _of_texts(rows: Sequence[Any]) -> Keys:
    """Hash bytes or strings of any lengths."""
    encoded = [row.encode() if isinstance(row, str) else row for row in rows]
    for position, row in enumerate(encoded):
        if not isinstance(row, bytes | bytearray | memoryview):
            raise InvalidInput(
                f"X must hold bytes, strings or numbers, got {type(row).__name__} "
                f"at position {position}."
            )
    edges = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in encoded], out=edges[1:])
    content = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
    out = np.empty(len(encoded), dtype=np.uint64)
    _hash_bytes(content, edges, out)
    return out


def _of_frame(X: Any) -> Keys:
    """Hash a frame column by column."""
    keys = np.full(X.shape[0], GOLDEN64, dtype=np.uint64)
    for values in _columns(X):
        column = (
            _of_array(values) if values.dtype.kind in "iufbmM" else _of_texts([*map(str, values)])
        )
        _combine(keys, column)
    return keys


def _columns(X: Any) -> Iterator[NDArray[Any]]:
    """Yield the columns of a frame of pandas, polars, pyarrow or the like."""
    if hasattr(X, "iloc"):  # pandas itself, where narwhals need not be there
        yield from (X[name].to_numpy() for name in X.columns)
        return
    with needed_for("a frame that is not of pandas"):
        import narwhals
    frame = narwhals.from_native(X, eager_only=True)
    yield from (frame[name].to_numpy() for name in frame.columns)


def row_keys(X: Any) -> Keys:
    """Return one 64-bit key per row of X.

    Parameters
    ----------
    X
        A numpy array with one row per example (any numeric dtype, any number of axes), a list
        of bytes or strings, or a frame of pandas, polars, pyarrow or the like.

    Examples
    --------
    >>> keys = row_keys(["one row", "another", "one row"])
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    if hasattr(X, "columns"):
        return _of_frame(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufbmM":
        if X.ndim == 0:
            raise InvalidInput("X must have one row per example, got a single number.")
        return _of_array(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "SU":
        return _of_texts(X.tolist())
    rows = list(X)
    if rows and isinstance(rows[0], str | bytes | bytearray | memoryview):
        return _of_texts(rows)
    array = np.asarray(rows)
    if array.dtype.kind not in "iufb":
        raise InvalidInput(f"X must hold numbers, bytes or strings, got dtype {array.dtype}.")
    return _of_array(array)
