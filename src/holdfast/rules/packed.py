"""Label vectors as text, so that a rule's state can hold a submission.

A rule that compares a submission with an earlier one keeps the earlier submission, which is its
sender's own data, and never its score or its correctness: both are computed again, inside the
release, from the hidden labels. Labels take 1, 2, 4, 8, 16 or 32 bits each: no compression, whose
time is many times that of scoring.
"""

from __future__ import annotations

import base64

import numpy as np

from holdfast.labels import Labels, label_dtype

__all__ = ["matches_of", "pack", "unpack"]


def _bits(n_classes: int) -> int:
    """Return the bits a label takes: a power of two, so that bytes hold whole labels."""
    needed = max(1, (n_classes - 1).bit_length())
    return 1 << (needed - 1).bit_length()


def pack(labels: Labels, n_classes: int) -> str:
    """Return labels as text."""
    bits = _bits(n_classes)
    if bits >= 8:
        raw = labels.astype(label_dtype(n_classes).newbyteorder("<"), copy=False)
        return base64.b64encode(raw.tobytes()).decode("ascii")
    each = 8 // bits
    padded = np.zeros(-(-labels.size // each) * each, dtype=np.uint8)
    padded[: labels.size] = labels
    packed = padded[::each].copy()
    for place in range(1, each):
        packed |= padded[place::each] << np.uint8(bits * place)
    return base64.b64encode(packed.tobytes()).decode("ascii")


def unpack(text: str, n_examples: int, n_classes: int) -> Labels:
    """Return the labels that `pack` turned into text.

    >>> unpack(pack(np.array([2, 0, 1], dtype=np.uint8), 3), 3, 3)
    array([2, 0, 1], dtype=uint8)
    """
    bits, raw = _bits(n_classes), base64.b64decode(text)
    dtype = label_dtype(n_classes)
    if bits >= 8:
        return np.frombuffer(raw, dtype=dtype.newbyteorder("<")).astype(dtype, copy=False)
    packed = np.frombuffer(raw, dtype=np.uint8)
    each = 8 // bits
    labels = np.empty(packed.size * each, dtype=dtype)
    for place in range(each):
        labels[place::each] = (packed >> np.uint8(bits * place)) & np.uint8((1 << bits) - 1)
    return labels[:n_examples]


def matches_of(text: str, labels: Labels, n_classes: int) -> int:
    """Return how many of a packed submission's labels are right."""
    return int(np.count_nonzero(unpack(text, labels.size, n_classes) == labels))
