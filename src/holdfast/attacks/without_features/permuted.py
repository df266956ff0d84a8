"""Theorem 7: any attack with classifiers, on any labels, as good as on uniform ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.attacks.outer import Outer
from holdfast.features import row_keys
from holdfast.kernels.keyed import bounded, subkey, wrap
from holdfast.labels import Labels, as_labels, label_dtype
from holdfast.protocols import Attack, Classifier

__all__ = ["Permuted", "PermutedClassifier"]


@dataclass(frozen=True)
class PermutedClassifier:
    """pi_x(f(x)) for a classifier f and a keyed permutation pi_x of each row's labels."""

    inner: Classifier
    seed: int
    n_classes: int

    def predict(self, X: Any) -> Labels:
        """Return the inner classifier's labels, each moved by its row's permutation."""
        m = self.n_classes
        labels = as_labels(self.inner.predict(X), m, name="predicted labels")
        shifts = bounded(row_keys(X), subkey(self.seed, "shift"), m)
        return wrap(labels + shifts, m).astype(label_dtype(m))


class Permuted(Outer):
    r"""Play another attack through a keyed permutation of each row's labels.

    If the inner attack asks f, ask x -> pi_x(f(x)); if it predicts f, predict x -> pi_x(f(x)).
    The wrapped attack scores on the worst labels what the inner one scores on uniform labels.

    Implements: acharya2020 thm:reduction_features (Theorem 7)
    Guarantee: acharya2020 cor:minmax_features (Corollary 8), distinct features, any mechanism

    Departures
    ----------
    pi_x is a uniform cyclic shift, which is all that the proof uses.

    Parameters
    ----------
    attack
        An attack whose queries are classifiers.
    rng
        Where the permutations are drawn from; independent of the attack's own generator.

    Examples
    --------
    >>> from holdfast import Problem
    >>> from holdfast.attacks.without_features import BlockMajority
    >>> rng = np.random.default_rng(0)
    >>> attack = Permuted(BlockMajority(Problem(9, 3, 2), rng=rng, permuted=False), rng=rng)
    >>> bool(attack.ask().predict(["a", "b", "c"]).max() < 3)
    True
    """

    def __init__(self, attack: Attack[Classifier], *, rng: np.random.Generator) -> None:
        super().__init__(attack)
        self._seed = int(rng.integers(2**63))

    def send(self, query: Classifier) -> PermutedClassifier:
        """Return pi(f)."""
        return PermutedClassifier(query, self._seed, self.problem.n_classes)
