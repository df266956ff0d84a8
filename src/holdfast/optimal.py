r"""The optimal adaptive strategy for tiny problems, by exhaustive search.

Hidden labels are uniform on the m^n vectors, which by the paper's minimax argument (Corollary 1) is
the worst case. What k answers have left possible is a set S of vectors, and the best that can be
done from there is

    V(S, 0) = sum over examples of the size of S's largest label class,
    V(S, k) = max over queries of the sum over answers of V(S with that answer, k - 1),

the number of matches, added up over the vectors of S. All numbers are integers, so the result is an
exact fraction.

Queries that differ by a symmetry of S are tried once: examples that were shown the same labels so
far are alike, and so are the labels that an example was not shown yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, groupby, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import NotSupported
from holdfast.kernels import njit
from holdfast.problem import Problem

__all__ = ["optimal"]

# The search is over sets of label vectors; beyond this many vectors it takes hours.
MOST_VECTORS = 1024

Vectors = NDArray[np.uint8]
# What each example was shown so far, in its own names: the first label shown is 0, and so on.
History = tuple[tuple[int, ...], ...]


@njit(cache=True)
def _last_look(vectors: Any, queries: Any, n_classes: Any) -> Any:
    """Return the most matches, over all vectors, that one more query allows."""
    size, n = vectors.shape
    best = 0
    tally = np.zeros((n + 1, n, n_classes), np.int64)
    for q in range(queries.shape[0]):
        tally[:] = 0
        for z in range(size):
            matches = 0
            for j in range(n):
                matches += vectors[z, j] == queries[q, j]
            for j in range(n):
                tally[matches, j, vectors[z, j]] += 1
        total = 0
        for answer in range(n + 1):
            for j in range(n):
                most = 0
                for label in range(n_classes):
                    most = max(most, tally[answer, j, label])
                total += most
        best = max(best, total)
    return best


def _without_look(vectors: Vectors, n_classes: int) -> int:
    """Return the most matches, over all vectors, of a single guess."""
    shown = vectors[:, :, None] == np.arange(n_classes, dtype=np.uint8)
    return int(shown.sum(axis=0).max(axis=1).sum())


def _next_queries(history: History, n_classes: int) -> Iterator[tuple[int, ...]]:
    """Yield one query of every kind; `history` lists examples that are alike side by side."""
    parts = []
    for column, alike in groupby(history):
        known = max(column, default=-1) + 1
        labels = range(min(known + 1, n_classes))
        parts.append(list(combinations_with_replacement(labels, len(list(alike)))))
    for choice in product(*parts):
        yield tuple(label for part in choice for label in part)


class _Search:
    """The recursion, with every set that was solved before."""

    def __init__(self, n_classes: int) -> None:
        self._m = n_classes
        self._known: dict[tuple[bytes, int], int] = {}

    def value(self, vectors: Vectors, history: History, looks: int) -> int:
        """Return V(S, looks). Rows of `vectors` are S; columns are ordered as `history`."""
        size, n = vectors.shape
        if looks == 0 or size == 1:
            return _without_look(vectors, self._m)
        key = (vectors.tobytes(), looks)
        if key in self._known:
            return self._known[key]
        queries = np.array(list(_next_queries(history, self._m)), dtype=np.uint8)
        if looks == 1:
            best = int(_last_look(vectors, queries, self._m))
        else:
            best = 0
            for query in queries:
                best = max(best, self._after(query, vectors, history, looks))
                if best == size * n:  # every label is found: nothing can be better
                    break
        self._known[key] = best
        return best

    def _after(
        self, query: NDArray[np.uint8], vectors: Vectors, history: History, looks: int
    ) -> int:
        """Return the sum over answers of the value of what is left."""
        matches = (vectors == query).sum(axis=1)
        columns = [(*column, int(label)) for column, label in zip(history, query, strict=True)]
        # Alike examples stand side by side, so that equal sets have equal arrays.
        order = sorted(range(len(columns)), key=columns.__getitem__)
        longer = tuple(columns[j] for j in order)
        total = 0
        for answer in np.unique(matches):
            left = vectors[matches == answer][:, order]
            left = left[np.lexsort(left.T[::-1])]
            total += self.value(np.ascontiguousarray(left), longer, looks - 1)
        return total


def optimal(n_examples: int, n_classes: int, n_queries: int) -> Fraction:
    """Return the largest expected accuracy that any adaptive attack reaches, exact answers.

    Parameters
    ----------
    n_examples
        n; m^n may be at most 1024.
    n_classes
        m.
    n_queries
        k; the time grows steeply with it until all labels are found.

    Examples
    --------
    >>> optimal(2, 2, 1), optimal(4, 2, 2), optimal(3, 3, 2)
    (Fraction(3, 4), Fraction(13, 16), Fraction(59, 81))
    """
    n, m, k = Problem(n_examples, n_classes, n_queries)
    if m**n > MOST_VECTORS:
        raise NotSupported(
            f"optimal searches at most {MOST_VECTORS} label vectors, got {m}^{n} = {m**n}."
        )
    vectors = np.array(list(product(range(m), repeat=n)), dtype=np.uint8)
    history: History = tuple(() for _ in range(n))
    return Fraction(_Search(m).value(vectors, history, k), n * m**n)
