"""Games drawn from the law of counts, without labels: 10^12 examples are an ordinary point.

The law is that of exact scores on uniform labels, or on any labels through a random permutation of
each example's. Time and memory follow k, or the few examples that are asked about, and not n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.attacks import BlockMajority, ColumnVote, Constant, UniformVote
from holdfast.attacks.paper.block_majority import n_blocks_for
from holdfast.bounds.column_vote import voted_examples
from holdfast.labels import label_dtype
from holdfast.problem import Problem

__all__ = ["drawn_matches"]

# Labels of all queries on the examples that are asked about, at most: a few megabytes.
MOST_LABELS = 1 << 22


def drawn_matches(attack: Any, problem: Problem, rng: np.random.Generator) -> int | None:
    """Return the matches of one game of an attack's class; None: it needs labels.

    >>> problem, rng = Problem(10**12, 10, 101), np.random.default_rng(0)
    >>> 0 < drawn_matches(BlockMajority, problem, rng) - 10**11 < 10**8
    True
    """
    draw = LAWS.get(attack)
    return None if draw is None else draw(problem, rng)


def _constant(problem: Problem, rng: np.random.Generator) -> int:
    """Draw a binomial number: each example is right with probability 1/m."""
    return int(rng.binomial(problem.n_examples, 1 / problem.n_classes))


def _block_majority(problem: Problem, rng: np.random.Generator) -> int:
    """Draw Bin(b, 2/m) of both labels in a block of b examples; the more frequent is kept."""
    n, m, k = problem
    if k == 1:
        zeros = int(rng.binomial(n, 1 / m))
        return zeros if m * zeros >= n else int(rng.binomial(n - zeros, 1 / (m - 1)))
    size, larger = divmod(n, n_blocks_for(problem))
    sizes = np.full(n_blocks_for(problem), size, dtype=np.int64)
    sizes[:larger] += 1
    both = rng.binomial(sizes, 2 / m)
    first = rng.binomial(both, 0.5)
    return int(np.maximum(first, both - first).sum())


def _live_columns(
    cls: type[ColumnVote | UniformVote],
) -> Callable[[Problem, np.random.Generator], int | None]:
    """Return the draw of column votes: the t live examples are played, the others are one number.

    They add it to all answers, which changes no difference of averages.
    """

    def draw(problem: Problem, rng: np.random.Generator) -> int | None:
        n, m, k = problem
        live = voted_examples(problem)
        small = cls(Problem(live, m, k), rng=rng)
        queries = small.fixed_queries(MOST_LABELS)
        if queries is None:
            return None
        labels = rng.integers(m, size=live).astype(label_dtype(m))
        others = int(rng.binomial(n - live, 1 / m))
        small.tell_all((queries.matches(labels) + others) / live)
        return others + int(np.count_nonzero(small.predict() == labels))

    return draw


# By the very class: with other settings its law is another one.
LAWS: dict[Any, Callable[[Problem, np.random.Generator], int | None]] = {
    Constant: _constant,
    BlockMajority: _block_majority,
    ColumnVote: _live_columns(ColumnVote),
    UniformVote: _live_columns(UniformVote),
}
