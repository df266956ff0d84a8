"""Kept predictions: what the private part is scored from when the board closes.

They are kept in the ledger's own database, in the transaction of their look, so that whatever was
answered can be scored later, and found by the digest that the look's entry holds. A prediction of
a good model is nearly the hidden labels, so it is sealed like a rule's state.
"""

from __future__ import annotations

import hashlib
import zlib

import numpy as np

from holdfast.errors import LedgerError
from holdfast.guard.sealing import seal_bytes, unseal_bytes
from holdfast.labels import Labels, label_dtype

__all__ = ["digest_of", "is_whole", "packed", "unpacked"]


def digest_of(prediction: Labels) -> str:
    """Return the name of a prediction, in hexadecimal."""
    return hashlib.blake2b(np.ascontiguousarray(prediction).data, digest_size=20).hexdigest()


def packed(prediction: Labels, key: bytes) -> bytes:
    """Return a prediction compressed and sealed: some log2(m)/8 bytes per example."""
    # Labels have few different values and no repetitions worth the time to look for them.
    code = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    content = code.compress(np.ascontiguousarray(prediction).data) + code.flush()
    return seal_bytes(content, key)


def unpacked(sealed: bytes, key: bytes, digest: str, n_classes: int) -> Labels:
    """Return a kept prediction, or raise `LedgerError` if it is not the one with this digest.

    >>> labels = np.array([0, 2, 1], dtype=np.uint8)
    >>> unpacked(packed(labels, b"k" * 32), b"k" * 32, digest_of(labels), 3)
    array([0, 2, 1], dtype=uint8)
    """
    content = _content(sealed, key, digest)
    if content is None:
        raise LedgerError(f"the kept prediction {digest[:12]} was edited; nothing was scored.")
    return np.frombuffer(content, dtype=label_dtype(n_classes))


def is_whole(sealed: bytes | None, key: bytes, digest: str) -> bool:
    """Return whether this is the kept prediction with this digest, as it was sealed."""
    return sealed is not None and _content(sealed, key, digest) is not None


def _content(sealed: bytes, key: bytes, digest: str) -> bytes | None:
    compressed = unseal_bytes(sealed, key)
    if compressed is None:
        return None
    content = zlib.decompress(compressed)
    return content if digest_of(np.frombuffer(content, np.uint8)) == digest else None
