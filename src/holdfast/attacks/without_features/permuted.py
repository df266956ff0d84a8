"""Theorem 7: any attack with classifiers, on any labels, as good as on uniform ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.attacks.base import TurnBased
from holdfast.attacks.description import Needs
from holdfast.features import row_keys
from holdfast.kernels.keyed import bounded, subkey, wrap
from holdfast.labels import Labels, as_labels, label_dtype
from holdfast.protocols import Answer, Attack, Classifier

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


class Permuted(TurnBased[PermutedClassifier]):
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

    family = "wrappers"
    needs = Needs.ATTACK

    def __init__(self, attack: Attack[Classifier], *, rng: np.random.Generator) -> None:
        super().__init__(attack.problem, rng=rng)
        self._inner = attack

    def ask(self) -> PermutedClassifier | None:
        """Return pi(f) for the inner attack's query f."""
        query = self._inner.ask()
        return None if query is None else self._wrapped(query)

    def tell(self, answer: Answer) -> None:
        """Hand the answer on as it is."""
        self._inner.tell(answer)
        self._answered += 1

    def predict(self) -> PermutedClassifier:
        """Return pi(f) for the inner attack's prediction f."""
        return self._wrapped(self._inner.predict())

    def _wrapped(self, classifier: Classifier) -> PermutedClassifier:
        return PermutedClassifier(classifier, self._seed, self._problem.n_classes)
