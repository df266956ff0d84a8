"""Blocks of K labels as classes: an attack on accuracies plays a board of top-K accuracies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.climbing.block_climb import BlockClimb
from holdfast.attacks.description import NewBestBoard, Reads
from holdfast.attacks.outer import Outer
from holdfast.attacks.through_metrics.description import (
    LATTICE,
    AroundAttack,
    MetricBoard,
    OnCounts,
    Told,
)
from holdfast.errors import NotSupported
from holdfast.kernels.keyed import bounded, subkey
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import Metric, TopKAccuracy
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Attack

__all__ = ["TopK"]


class TopK(AroundAttack, Outer):
    """Play an attack on m/K classes where K labels per example may be named.

    The labels of each example are cut into blocks of K, at a random place. Naming a block scores
    if the label is in it, so the blocks are the classes of a smaller problem whose accuracy is the
    top-K accuracy. A board with K guesses per example is as easy to overfit as one with m/K
    classes.

    If K does not divide m, the last block is filled with labels of the first: then an example may
    score with two blocks, which match counts can't be read from. What keeps what scores better
    plays there all the same, on the ceiling of m/K classes.

    Departures
    ----------
    Not in the paper: its attacks and guarantees for m/K classes.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes of the board, of more than K classes.
    k
        How many labels are named per example.
    make
        Makes the attack on blocks from its problem and a generator: one that needs new bests alone
        if K does not divide the number of classes.
    rng
        Where the blocks and the attack's generator come from.

    Examples
    --------
    >>> from holdfast import attacks, metrics, oracles
    >>> hidden = np.random.default_rng(1).integers(10, size=40)
    >>> board = oracles.MetricOracle(hidden, metrics.TopKAccuracy(5), n_queries=40)
    >>> attack = TopK(Problem(40, 10, 40), 5, attacks.Lattice, rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> metrics.TopKAccuracy(5).score(hidden, attack.predict())
    1.0
    """

    summary = "plays blocks of k labels"
    reads_decimals = False  # accuracies of blocks are what the rule makes of accuracies
    takes_prior = False  # blocks are cut at random: class shares and models say nothing of them

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is a top-K accuracy."""
        return isinstance(metric, TopKAccuracy)

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> TopK:
        """Make it for a board that shows a top-K accuracy."""
        assert isinstance(board.metric, TopKAccuracy)
        size = board.metric.k
        if problem.n_classes % size == 0:
            return cls(problem, size, partial(inner.make, told=Told()), rng=rng)
        settings = BlockClimb.settings_for(problem, NewBestBoard(board.step))
        return cls(problem, size, partial(BlockClimb, **settings), rng=rng)

    def __init__(
        self,
        problem: Problem,
        k: int,
        make: Callable[..., Attack[Labels]],
        *,
        rng: np.random.Generator,
    ) -> None:
        self._problem = Problem(*problem)
        n, m, looks = self._problem
        self._k = check_at_least("k", k, 1)
        if m <= self._k:
            raise NotSupported(f"K must be less than the number of classes, got {k} for {m}.")
        examples = np.arange(n, dtype=np.uint64)
        key = subkey(int(rng.integers(2**63)), "shift")
        self._shifts = bounded(examples, key, m).astype(np.int64)
        super().__init__(make(Problem(n, _blocks(m, self._k), looks), rng=rng))
        if m % self._k and getattr(self._inner, "reads", None) is not Reads.NEW_BEST:
            raise NotSupported(
                f"K must divide the number of classes for an attack that reads scores, got {k} for "
                f"{m}: blocks overlap, and may both be right. One that climbs will do."
            )

    @property
    def problem(self) -> Problem:
        """The sizes of the board."""
        return self._problem

    @property
    def inner(self) -> Attack[Labels]:
        """The attack on blocks."""
        return self._inner

    def send(self, query: Labels) -> NDArray[np.generic]:
        """Return K labels per example, those of its block."""
        m = self._problem.n_classes
        # The last block of a cut that does not end well goes on with the labels of the first.
        first = query.astype(np.int64) * self._k + self._shifts
        labels = (first[:, None] + np.arange(self._k)) % m
        return labels.astype(label_dtype(m))


def _blocks(n_classes: int, size: int) -> int:
    """Return how many blocks of this size hold all classes."""
    return -(-n_classes // size)
