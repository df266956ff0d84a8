"""Keep a rule's state from whoever reads the ledger but does not own the labels.

Some rules must remember what they did not release: a ranking needs the earlier scores, a batch
its pending ones. Their state is encrypted under a key that is derived from the labels, so the
database holds no score that was not released, and authenticated, so that it can't be edited.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets

import numpy as np

from holdfast.errors import LedgerError
from holdfast.protocols import State

__all__ = ["seal", "sign", "unseal"]

NONCE = 16
TAG = 32


def seal(state: State, key: bytes) -> bytes:
    """Return the state encrypted, then authenticated, under a fresh nonce.

    >>> unseal(seal({"best": 3}, b"k" * 32), b"k" * 32)
    {'best': 3}
    """
    text = json.dumps(state, sort_keys=True, separators=(",", ":")).encode()
    nonce = secrets.token_bytes(NONCE)
    hidden = nonce + _xor(text, key, nonce)
    return hidden + _tag(hidden, key)


def unseal(sealed: bytes, key: bytes) -> State:
    """Return the state, or raise `LedgerError` if it is not what was sealed with this key."""
    hidden, tag = sealed[:-TAG], sealed[-TAG:]
    if len(hidden) < NONCE or not hmac.compare_digest(tag, _tag(hidden, key)):
        raise LedgerError("the rule's state in the ledger was edited; nothing was released.")
    nonce, text = hidden[:NONCE], hidden[NONCE:]
    state: State = json.loads(_xor(text, key, nonce))
    return state


def sign(text: str, key: bytes) -> str:
    """Return a mark under `text` that only the owner of the labels can make."""
    return hashlib.blake2b(text.encode(), key=key, digest_size=16, person=b"sign").hexdigest()


def _tag(hidden: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(hidden, key=key, digest_size=TAG, person=b"tag").digest()


def _xor(text: bytes, key: bytes, nonce: bytes) -> bytes:
    """XOR with a keystream that is used once: SHAKE-256 of the key and a random nonce."""
    stream = hashlib.shake_256(b"holdfast state" + key + nonce).digest(len(text))
    return (np.frombuffer(text, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()
