"""Seals: the fingerprint of labels, all that a ledger knows of them, and what its key encrypts.

Some rules must remember what they did not release: a ranking needs the earlier scores, a batch
its pending ones. Their state is encrypted under a key that is derived from the labels, so the
database holds no score that was not released, and authenticated, so that it can't be edited.

Predictions from which a private part is scored when the board closes are sealed in the same way,
in the transaction of their look, since that of a good model is nearly the hidden labels. The look's
entry holds a name that says that one was kept, so that one that is gone is missed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import LedgerError

__all__ = [
    "KEPT_PREFIX",
    "Fingerprint",
    "digest_of",
    "is_whole",
    "kept_name",
    "packed",
    "seal",
    "seal_bytes",
    "sign",
    "unpacked",
    "unseal",
    "unseal_bytes",
]


@dataclass(frozen=True, repr=False)
class Fingerprint:
    """A label set's name in a ledger, and a key that only its owner can compute.

    Attributes
    ----------
    data_set
        The name, in hexadecimal: the same for the same labels in the same ledger.
    coding
        A check of how the classes are numbered: the rule's stored state is in these numbers.
    key
        Derived from the labels and never stored: it seals what the ledger keeps for the rule.
    """

    data_set: str
    coding: str
    key: bytes

    def __repr__(self) -> str:
        return f"Fingerprint({self.data_set})"


NONCE_BYTES = 16
TAG_BYTES = 32


def seal(state: Mapping[str, Any], key: bytes) -> bytes:
    """Return the state encrypted, then authenticated, under a fresh nonce.

    >>> unseal(seal({"best": 3}, b"k" * 32), b"k" * 32)
    {'best': 3}
    """
    return seal_bytes(json.dumps(state, sort_keys=True, separators=(",", ":")).encode(), key)


def unseal(sealed: bytes, key: bytes) -> Mapping[str, Any]:
    """Return the state, or raise `LedgerError` if it is not what was sealed with this key."""
    text = unseal_bytes(sealed, key)
    if text is None:
        raise LedgerError("the rule's state in the ledger was edited; nothing was released.")
    state: Mapping[str, Any] = json.loads(text)
    return state


def seal_bytes(content: bytes, key: bytes) -> bytes:
    """Return any bytes encrypted, then authenticated, under a fresh nonce."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    hidden = nonce + _xor(content, key, nonce)
    return hidden + _tag(hidden, key)


def unseal_bytes(sealed: bytes, key: bytes) -> bytes | None:
    """Return what was sealed; None: not with this key, or it was edited."""
    hidden, tag = sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]
    if len(hidden) < NONCE_BYTES or not hmac.compare_digest(tag, _tag(hidden, key)):
        return None
    return _xor(hidden[NONCE_BYTES:], key, hidden[:NONCE_BYTES])


def sign(text: str, key: bytes) -> str:
    """Return a mark under `text` that only the owner of the labels can make."""
    return hashlib.blake2b(text.encode(), key=key, digest_size=16, person=b"sign").hexdigest()


def _tag(hidden: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(hidden, key=key, digest_size=TAG_BYTES, person=b"tag").digest()


def _xor(text: bytes, key: bytes, nonce: bytes) -> bytes:
    """XOR with a keystream that is used once: SHAKE-256 of the key and a random nonce."""
    stream = hashlib.shake_256(b"holdfast state" + key + nonce).digest(len(text))
    return (np.frombuffer(text, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


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
