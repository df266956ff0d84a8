"""Theorem 2: any attack, on any labels, as good as on uniform ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.outer import Outer
from holdfast.kernels.keyed import bounded, subkey, wrap
from holdfast.labels import Labels, label_dtype
from holdfast.protocols import Attack

__all__ = ["Permuted"]


class Permuted(Outer):
    r"""Play another attack through a random permutation of each example's labels.

    If the inner attack asks q, ask pi(q); if it guesses z, guess pi(z). The answer to pi(q) on
    the labels z is the answer to q on pi^-1(z), and pi^-1(z) is uniform whatever z is: the
    wrapped attack scores on the worst label vector what the inner one scores on uniform labels.

    Implements: acharya2020 thm:reduction (Theorem 2)
    Guarantee: acharya2020 cor:minmax (Corollary 1), for every label vector, any mechanism

    Departures
    ----------
    The proof draws pi_j uniformly from all permutations; it only uses that pi_j^-1(z_j) is
    uniform, so a uniform cyclic shift does. The output is pi(z), never pi^-1(z) (the paper's
    "alternative view" has it the wrong way round).

    Parameters
    ----------
    attack
        The attack to wrap; give it `permuted=False` if it has the option, once is enough.
    rng
        Where the permutations are drawn from; independent of the attack's own generator.

    Examples
    --------
    >>> from holdfast import Problem
    >>> from holdfast.attacks import BlockMajority
    >>> rng = np.random.default_rng(0)
    >>> inner = BlockMajority(Problem(6, 3, 2), rng=rng, permuted=False)
    >>> attack = Permuted(inner, rng=rng)
    >>> inner_view = (attack.ask().astype(int) - attack.shifts) % 3
    >>> inner_view.tolist()
    [1, 1, 1, 1, 1, 1]
    """

    summary = "plays another attack on shuffled labels"

    def __init__(self, attack: Attack[Labels], *, rng: np.random.Generator) -> None:
        super().__init__(attack)
        n, m, _ = attack.problem
        seed = subkey(int(rng.integers(2**63)), "shift")
        self._shifts = bounded(np.arange(n, dtype=np.uint64), seed, m)

    @property
    def shifts(self) -> NDArray[np.uint32]:
        """How far each example's labels are shifted."""
        return self._shifts.copy()

    def send(self, query: Labels) -> Labels:
        """Return pi(q)."""
        m = self.problem.n_classes
        return wrap(self._shifts + np.asarray(query, dtype=np.uint32), m).astype(label_dtype(m))
