"""Label vectors as text, so that a rule's state can hold a submission.

A rule that compares a submission with an earlier one keeps the earlier submission, which is its
sender's own data, and never its score or its correctness: both are computed again, inside the
release, from the hidden labels.
"""

from __future__ import annotations

import base64
import zlib

import numpy as np

from holdfast.labels import Labels, label_dtype

__all__ = ["matches_of", "pack", "unpack"]


def pack(labels: Labels) -> str:
    """Return labels as compressed text."""
    little = labels.astype(labels.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(zlib.compress(little.tobytes(), 1)).decode("ascii")


def unpack(text: str, n_classes: int) -> Labels:
    """Return the labels that `pack` turned into text.

    >>> unpack(pack(np.array([2, 0, 1], dtype=np.uint8)), 3)
    array([2, 0, 1], dtype=uint8)
    """
    dtype = label_dtype(n_classes)
    raw = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(raw, dtype=dtype.newbyteorder("<")).astype(dtype, copy=False)


def matches_of(text: str, labels: Labels, n_classes: int) -> int:
    """Return how many of a packed submission's labels are right."""
    return int(np.count_nonzero(unpack(text, n_classes) == labels))
