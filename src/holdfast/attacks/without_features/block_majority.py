"""The paper's attack for few queries, features unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from holdfast.attacks.paper.block_majority import BlockRule
from holdfast.attacks.without_features.keyed_classifier import ClassifierAttack, KeyedClassifier
from holdfast.kernels.keyed import LEAST_SLICE, Keys, keyed64, scaled, subkey, wrapped
from holdfast.kernels.threads import over_slices
from holdfast.labels import Labels

__all__ = ["BlockMajority", "ChainClassifier", "MajorityClassifier"]


@njit(cache=True, nogil=True)
def _write_blocks(
    keys: Any, block_seed: Any, is_one: Any, shifts: Any, n_classes: Any, out: Any
) -> None:
    n_blocks = np.uint64(is_one.size)
    for j in range(keys.size):
        one = is_one[scaled(keyed64(keys[j], block_seed), n_blocks)]
        out[j] = wrapped(shifts[j] + one, np.uint32(n_classes))


@dataclass(frozen=True)
class _BlockClassifier(KeyedClassifier):
    """Label 0 or 1 by the block that a keyed function g(x) puts the row in."""

    n_blocks: int

    def _write(self, keys: Keys, shifts: NDArray[np.uint32], labels: Labels) -> None:
        seed, is_one = subkey(self.seed, "block"), self._is_one()
        over_slices(
            lambda s: _write_blocks(keys[s], seed, is_one, shifts[s], self.n_classes, labels[s]),
            keys.size,
            least=LEAST_SLICE,
        )

    def _is_one(self) -> NDArray[np.uint8]:
        """Return 1 for each block that gets label 1, 0 for the others."""
        raise NotImplementedError


@dataclass(frozen=True)
class ChainClassifier(_BlockClassifier):
    """Query i of the chain: blocks below `first_one` get label 0, the others label 1."""

    first_one: int

    def _is_one(self) -> NDArray[np.uint8]:
        return (np.arange(self.n_blocks) >= self.first_one).astype(np.uint8)


@dataclass(frozen=True)
class MajorityClassifier(_BlockClassifier):
    """The final prediction: one bit per block says which of the two labels it gets."""

    ones: bytes

    def _is_one(self) -> NDArray[np.uint8]:
        return np.unpackbits(np.frombuffer(self.ones, dtype=np.uint8), count=self.n_blocks)


class BlockMajority(BlockRule[KeyedClassifier], ClassifierAttack):
    r"""Guess each block's more frequent of two labels, without seeing the test features.

    As `holdfast.attacks.BlockMajority`, with blocks cut by a random function g of the features
    instead of by position: B_i = {x : g(x) = i}. Some blocks come out smaller than others, which
    costs little: (n, m, k) = (10000, 10, 101) gains .017729 instead of .017751.

    Implements: acharya2020 fig:smallk-unk (Figure 3)
    Guarantee: acharya2020 thm:small (Theorem 3), with 1/16, distinct features, exact answers

    Parameters
    ----------
    problem
        The sizes to play for; n_queries at most n_examples + 1.
    permuted
        Play through a keyed permutation of each row's labels (Theorem 7).

    Examples
    --------
    >>> from holdfast import Problem
    >>> attack = BlockMajority(Problem(1000, 10, 11), rng=np.random.default_rng(0))
    >>> classifier = attack.ask()
    >>> classifier.predict(["some row", "another"]).shape
    (2,)
    """

    def _query(self, index: int) -> KeyedClassifier:
        blocks, only_query = self._n_blocks, self._problem.n_queries == 1
        first_one = blocks if only_query else index
        return self._classifier(ChainClassifier, n_blocks=blocks, first_one=first_one)

    def _guess(self) -> KeyedClassifier:
        ones = np.packbits(self._second_label_wins()).tobytes()
        return self._classifier(MajorityClassifier, n_blocks=self._n_blocks, ones=ones)
