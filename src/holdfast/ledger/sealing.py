"""Encrypted states of release rules, under a key derived from the hidden labels.

Some rules must remember what they did not release: a ranking needs the earlier scores, a batch
its pending ones. Their state is encrypted under a key that is derived from the labels, so the
database holds no score that was not released, and authenticated, so that it can't be edited.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from holdfast.errors import LedgerError

__all__ = ["seal", "seal_bytes", "sign", "unseal", "unseal_bytes"]

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
