"""Kept predictions: what the private part is scored from when the board closes.

They are kept in the ledger's own database, in the transaction of their look, so that whatever was
answered can be scored later, and found by the name that the look's entry holds. The name says that
it was kept, so one that is gone is missed. A prediction of a good model is nearly the hidden
labels, so it is sealed like a rule's state.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import LedgerError
from holdfast.ledger.sealing import seal_bytes, unseal_bytes

__all__ = ["KEPT_PREFIX", "digest_of", "is_whole", "kept_name", "packed", "unpacked"]

# How the name of a prediction begins that was kept; the rest is its digest.
KEPT_PREFIX = "kept-"


def digest_of(prediction: NDArray[Any]) -> str:
    """Return the name of a prediction, in hexadecimal."""
    flat = np.ascontiguousarray(prediction).reshape(-1)
    return hashlib.blake2b(flat.data, digest_size=20).hexdigest()


def kept_name(prediction: NDArray[Any]) -> str:
    """Return the name of a prediction that is kept."""
    return KEPT_PREFIX + digest_of(prediction)


def packed(prediction: NDArray[Any], key: bytes) -> bytes:
    """Return a prediction compressed and sealed: some log2(m)/8 bytes per example."""
    # Labels have few different values and no repetitions worth the time to look for them.
    code = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    content = code.compress(np.ascontiguousarray(prediction).reshape(-1).data) + code.flush()
    return seal_bytes(content, key)


def unpacked(
    sealed: bytes, key: bytes, name: str, dtype: np.dtype[Any], shape: tuple[int, ...] = (-1,)
) -> NDArray[Any]:
    """Return a kept prediction, or raise `LedgerError` if it is not the one of this name.

    >>> labels = np.array([0, 2, 1], dtype=np.uint8)
    >>> unpacked(packed(labels, b"k" * 32), b"k" * 32, kept_name(labels), labels.dtype)
    array([0, 2, 1], dtype=uint8)
    """
    content = _content(sealed, key, name)
    if content is None:
        raise LedgerError(f"the kept prediction {name[:17]} was edited; nothing was scored.")
    try:
        return np.frombuffer(content, dtype=dtype).reshape(shape)
    except ValueError:
        raise LedgerError(
            f"the kept prediction {name[:17]} is of another kind than the metric takes; nothing "
            "was scored."
        ) from None


def is_whole(sealed: bytes | None, key: bytes, name: str) -> bool:
    """Return whether this is the kept prediction of this name, as it was sealed."""
    return sealed is not None and _content(sealed, key, name) is not None


def _content(sealed: bytes, key: bytes, name: str) -> bytes | None:
    compressed = unseal_bytes(sealed, key)
    if compressed is None:
        return None
    content = zlib.decompress(compressed)
    return content if kept_name(np.frombuffer(content, np.uint8)) == name else None
