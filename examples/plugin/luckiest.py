"""The luckiest of k random submissions: an attack that another package brings."""

from __future__ import annotations

import numpy as np

from holdfast import Problem
from holdfast.attacks.description import Described, Reads


class Luckiest(Described):
    """Submit random labels, and keep the submission that scored best.

    The best of k has about sqrt(2 log k) standard deviations more matches than n/m.
    """

    family = "climbing"
    summary = "keeps the luckiest random submission"
    reads = Reads.NEW_BEST

    def __init__(self, problem: Problem, *, rng: np.random.Generator) -> None:
        self.problem, self.answered = Problem(*problem), 0
        self._seed = int(rng.integers(2**63))
        self._best, self._standing = self._draw(0), -np.inf

    def _draw(self, look: int) -> np.ndarray:
        n, m, _ = self.problem
        return np.random.default_rng([self._seed, look]).integers(m, size=n)

    def ask(self) -> np.ndarray | None:
        """Return the next random labels."""
        return None if self.answered == self.problem.n_queries else self._draw(self.answered)

    def tell(self, answer: float) -> None:
        """Keep them if they scored better than all before."""
        if answer > self._standing:
            self._best, self._standing = self._draw(self.answered), answer
        self.answered += 1

    def predict(self) -> np.ndarray:
        """Return the luckiest labels so far."""
        return self._best.copy()
