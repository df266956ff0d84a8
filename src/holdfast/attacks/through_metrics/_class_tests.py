"""Class tests: which of some examples are of one class, found by attacks that are told counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice import Lattice
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.problem import Problem

__all__ = ["ClassTest", "MakeInner", "lattice_for_share"]

# Makes the attack of a test from its problem, a generator, and the share of the class.
MakeInner = Callable[..., Any]
# Between these shares of one class `Lattice` takes fewer looks without being told the share.
EVEN_SHARES = 0.25, 0.75


def lattice_for_share(problem: Problem, *, rng: np.random.Generator, share: float) -> Lattice:
    """Return `Lattice`, told the share of the class where it is far from a half."""
    if EVEN_SHARES[0] < share < EVEN_SHARES[1]:
        return Lattice(problem, rng=rng)
    return Lattice(problem, rng=rng, prior=np.tile([1.0 - share, share], (problem.n_examples, 1)))


class ClassTest:
    """Some examples, one class, and an attack that finds out which of them are of the class.

    The first pool is all of them, and counts the class. Then the attack's queries are pools: it is
    told how many matches it has, which the pool's count gives.
    """

    def __init__(
        self, members: NDArray[np.intp], label: int, make: MakeInner, rng: np.random.Generator
    ) -> None:
        self.members, self.label = members, label
        self._make, self._rng = make, rng
        self.inside: int | None = None
        self.inner: Any = None
        self.done = False
        self._pool: NDArray[np.bool_] | None = None

    def pool(self, looks_left: int) -> NDArray[np.bool_] | None:
        """Return which members the next look asks about; None when nothing is open."""
        if self.done or self._pool is not None:
            return self._pool
        if self.inside is None:
            self._pool = np.ones(self.members.size, dtype=np.bool_)
            return self._pool
        if self.inner is None:
            share = self.inside / self.members.size
            problem = Problem(self.members.size, 2, looks_left)
            self.inner = self._make(problem, rng=self._rng, share=share)
            if not getattr(self.inner, "proves_labels", False):
                raise NotSupported(
                    f"counts of later looks rest on labels that are proved, and "
                    f"{type(self.inner).__name__} proves none."
                )
        query = self.inner.ask()
        self.done = query is None
        self._pool = None if query is None else np.asarray(query) == 1
        return self._pool

    def limits(self, size: int, most: int) -> tuple[int, int]:
        """Return the range of the count in a pool of this size; `most` are of the class."""
        if self.inside is None:
            return 0, min(size, most)
        return max(0, size + self.inside - self.members.size), min(size, self.inside)

    def tell(self, count: int) -> None:
        """Take the number of examples of the class in the pool that was asked about."""
        assert self._pool is not None
        size = int(self._pool.sum())
        self._pool = None
        if self.inside is None:
            self.inside = count
            self.done = count in (0, self.members.size)
            return
        matches = self.members.size - self.inside - size + 2 * count
        self.inner.tell(matches / self.members.size)

    def found(self) -> tuple[Labels, NDArray[np.bool_]]:
        """Return a guess for which members are of the class, and which of these are proved."""
        n = self.members.size
        if self.inside is not None and self.inside in (0, n):
            return np.full(n, self.inside > 0, dtype=np.uint8), np.ones(n, dtype=np.bool_)
        if self.inner is None:
            return np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.bool_)
        return self.inner.predict(), np.asarray(self.inner.certain())
