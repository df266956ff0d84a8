"""Classifiers keyed by the example's index: f(x, i) = q_i."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.attacks.outer import Outer
from holdfast.attacks.without_features.keyed_classifier import KeyedClassifier
from holdfast.kernels.keyed import Keys
from holdfast.labels import Labels

__all__ = ["ByIndex", "IndexClassifier"]


@dataclass(frozen=True)
class IndexClassifier:
    """A classifier of (row, index) that ignores the row."""

    inner: KeyedClassifier

    def predict(self, X: Any, index: Keys) -> Labels:  # noqa: ARG002 - the row is not looked at
        """Return one label for each index."""
        return self.inner.labels(np.asarray(index, dtype=np.uint64))


class ByIndex(Outer):
    r"""Key an attack without features by the example's index instead of its features.

    If the test set is always evaluated in one order, a classifier may look at the index alone,
    and overfitting is as easy as with known features. Duplicate rows then get labels of their
    own, which no function of the features can give them.

    Implements: acharya2020 remark:index (Remark 3)

    Parameters
    ----------
    attack
        An attack of `holdfast.attacks.without_features`.

    Examples
    --------
    >>> from holdfast import Problem
    >>> from holdfast.attacks.without_features import BlockMajority
    >>> attack = ByIndex(BlockMajority(Problem(4, 2, 2), rng=np.random.default_rng(0)))
    >>> attack.ask().predict(["same"] * 4, np.arange(4)).shape
    (4,)
    """

    def send(self, query: KeyedClassifier) -> IndexClassifier:
        """Return the inner attack's classifier, keyed by index."""
        return IndexClassifier(query)
