"""Salted fingerprints of label sets.

A budget belongs to the hidden labels, not to a file name: a copy, a renamed file or renamed
classes are the same data set, and so are the same rows in another order where they have ids. The
ledger holds only a salted, deliberately slow hash, so whoever reads it can't cheaply test guesses
of the last few labels against it.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.labels import Labels
from holdfast.ledger.sealing import Fingerprint

__all__ = ["coding", "fingerprint", "has_negative_zeros"]

# 16 MiB and some 50 ms per guess; paid once when a guard is made.
SCRYPT_COST = 2**14
SCRYPT_BLOCK = 8


def fingerprint(
    labels: Labels, salt: bytes, *, ids: NDArray[Any] | None = None, canonical: bool = True
) -> Fingerprint:
    """Return the fingerprint of a label set under a ledger's salt.

    Parameters
    ----------
    labels
        One class number per example; or the numbers or label sets that are hidden, as floats or
        truth values.
    salt
        The ledger's salt.
    ids
        The examples' ids in their common form and in order, as `order_by_id` returns them, with
        `labels` in that order; None: the labels are known by their own order.
    canonical
        Whether -0.0 is the number 0.0, as it is to every metric; earlier versions told them apart.

    Examples
    --------
    >>> a = fingerprint(np.array([0, 1, 0, 2], dtype=np.uint8), b"salt")
    >>> b = fingerprint(np.array([2, 0, 2, 1], dtype=np.uint8), b"salt")
    >>> a.data_set == b.data_set, a.coding == b.coding
    (True, False)
    """
    if _are_values(labels):
        # Numbers and label sets are known by what they are: no other name means the same.
        one_zero = canonical and labels.dtype.kind == "f"
        content = (labels + 0.0 if one_zero else labels).tobytes()
        what = f"values {labels.shape} {labels.dtype.kind}"
    else:
        what, content = f"labels {labels.size}", _by_first_appearance(labels)[0]
    if ids is None:
        digest = hashlib.blake2b(f"{what} ".encode())
    else:
        digest = hashlib.blake2b(f"{what} by id {ids.dtype.str} ".encode())
        digest.update(ids.data if ids.dtype.kind == "i" else ids.tobytes())
    digest.update(content)
    secret = _slow_hash(digest.digest(), salt)
    key = secret[32:]
    return Fingerprint(secret[:32].hex(), coding(labels, key), key)


def coding(labels: Labels, key: bytes) -> str:
    """Return a check of how a label set numbers its classes that says nothing without the key."""
    order = b"values" if _are_values(labels) else _by_first_appearance(labels)[1]
    return hashlib.blake2b(order, key=key, digest_size=8).hexdigest()


def has_negative_zeros(labels: Labels) -> bool:
    """Tell whether a number among the labels is -0.0."""
    return labels.dtype.kind == "f" and bool((np.signbit(labels) & (labels == 0)).any())


def _are_values(labels: Labels) -> bool:
    """Tell whether these are numbers or label sets, and no class numbers."""
    return labels.dtype.kind in "fb"


# A host that makes a guard per submission pays for a label set once.
@lru_cache(maxsize=64)
def _slow_hash(digest: bytes, salt: bytes) -> bytes:
    return hashlib.scrypt(digest, salt=salt, n=SCRYPT_COST, r=SCRYPT_BLOCK, p=1, dklen=64)


def _by_first_appearance(labels: Labels) -> tuple[bytes, bytes]:
    """Return the labels with classes numbered as they first appear, and which class is which."""
    n = labels.size
    firsts = np.full(int(labels.max()) + 1, n, dtype=np.int64)
    firsts[labels[::-1]] = np.arange(n - 1, -1, -1)  # the last write, so the first place, stays
    order = np.argsort(firsts, kind="stable")[: np.count_nonzero(firsts < n)]
    number = np.zeros(firsts.size, dtype=np.min_scalar_type(order.size))
    number[order] = np.arange(order.size)
    return number[labels].tobytes(), order.astype("<u4").tobytes()
