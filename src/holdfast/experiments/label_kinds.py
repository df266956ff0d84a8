"""Hidden label vectors of every kind that an attack should be tried on."""

from __future__ import annotations

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.labels import Labels, label_dtype
from holdfast.quoting import choice

__all__ = ["LABEL_KINDS", "hidden_labels"]

# Beyond this many classes the rarest of a skewed vector would never appear.
_SKEWED_CLASSES = 60


def hidden_labels(kind: str, n_examples: int, n_classes: int, rng: np.random.Generator) -> Labels:
    """Draw a hidden label vector.

    Parameters
    ----------
    kind
        `uniform`: every label independent and uniform, the paper's average case. `balanced`: each
        class as often as any other, in random order, like many public test sets. `sorted`:
        balanced, one class after the other. `constant`: a single class. `skewed`: each class
        half as frequent as the one before it, in random order.
    n_examples, n_classes
        The sizes.
    rng
        Where the labels are drawn from.

    Examples
    --------
    >>> hidden_labels("sorted", 7, 3, np.random.default_rng(0))
    array([0, 0, 1, 1, 2, 2, 2], dtype=uint8)
    """
    dtype = label_dtype(n_classes)
    if kind == "uniform":
        return rng.integers(n_classes, size=n_examples, dtype=np.uint32).astype(dtype)
    if kind == "balanced":
        return rng.permutation(_balanced(n_examples, n_classes, rng))
    if kind == "sorted":
        return _balanced(n_examples, n_classes, rng)
    if kind == "constant":
        return np.full(n_examples, rng.integers(n_classes), dtype=dtype)
    if kind == "skewed":
        weights = 0.5 ** np.arange(min(n_classes, _SKEWED_CLASSES))
        return rng.choice(weights.size, size=n_examples, p=weights / weights.sum()).astype(dtype)
    raise InvalidInput(f"label_kind must be {choice(kind, LABEL_KINDS)}")


# Kinds of hidden labels that experiments draw.
LABEL_KINDS = ("uniform", "balanced", "sorted", "constant", "skewed")


def _balanced(n: int, m: int, rng: np.random.Generator) -> Labels:
    counts = np.full(m, n // m)
    counts[rng.choice(m, size=n % m, replace=False)] += 1
    return np.repeat(np.arange(m, dtype=label_dtype(m)), counts)
