"""Classifiers built on keyed functions of the features, and the attacks that ask with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.features import row_keys
from holdfast.kernels.keyed import Keys, bounded, subkey
from holdfast.labels import Labels, label_dtype

__all__ = ["ClassifierAttack", "KeyedClassifier"]


@dataclass(frozen=True)
class KeyedClassifier:
    """A function from the whole feature space to labels, defined by a seed and a few numbers.

    It is frozen, picklable and as small as its fields; it gives a row the same label in every
    process, in every order and among any other rows.
    """

    seed: int
    n_classes: int
    permuted: bool

    def predict(self, X: Any) -> Labels:
        """Return one label for each row of features, in scikit-learn's sense."""
        return self.labels(row_keys(X))

    def labels(self, keys: Keys) -> Labels:
        """Return one label for each 64-bit key: a row's hash, or its index if that is shown."""
        labels = np.empty(keys.size, dtype=label_dtype(self.n_classes))
        self._write(keys, self._shifts(keys), labels)
        return labels

    def _shifts(self, keys: Keys) -> NDArray[np.uint32]:
        """Return the keyed permutation pi_x of each row: a uniform cyclic shift."""
        if not self.permuted:
            return np.zeros(keys.size, dtype=np.uint32)
        return bounded(keys, subkey(self.seed, "shift"), self.n_classes)

    def _write(self, keys: Keys, shifts: NDArray[np.uint32], labels: Labels) -> None:
        raise NotImplementedError


class ClassifierAttack(TurnBased[KeyedClassifier]):
    """An attack whose queries and prediction are keyed classifiers; it never sees the test set."""

    def _classifier(self, kind: Callable[..., KeyedClassifier], **fields: Any) -> KeyedClassifier:
        """Return a classifier with the attack's seed and permutation."""
        m = self._problem.n_classes
        return kind(seed=self._seed, n_classes=m, permuted=self._permuted, **fields)
