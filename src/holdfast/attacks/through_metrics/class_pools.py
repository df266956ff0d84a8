"""Random pools of examples, decoded by approximate message passing from counts by class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import Turns
from holdfast.attacks.through_metrics.beside import Beside
from holdfast.attacks.through_metrics.description import MetricBoard, ThroughMetric
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.kernels.keyed import bounded, subkey
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import Accuracy
from holdfast.metrics.by_class import ByClass
from holdfast.metrics.one_submission import taker_for
from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["ClassPools"]

# The iteration stops when the probabilities move less than this on average, or after so many.
SETTLED, ROUNDS = 1e-4, 60
# How much of a new estimate is taken over: large steps overshoot where pools are few.
DAMPING = 0.7
# A variance below this is no chance: all counts are explained.
LEAST_VARIANCE = 1e-9
# Entries of the pools' matrix times classes: what is solved in a few seconds.
MOST_WORK = 3 * 10**7


class ClassPools(Turns[Labels], ThroughMetric):
    """Read labels from per-class recalls or from a confusion matrix.

    A submission of random labels cuts the examples into m pools. A confusion matrix tells how
    many of each class are in each pool, m x m counts in one look; recalls tell of each class how
    many are in the pool of its own name, m counts. Both are sums over unknown one-hot rows, as in
    the pooled data problem, and approximate message passing finds the rows: the residual of every
    count is handed to the examples of its pool, each example weighs its classes, and a correction
    keeps what it said before out of what it hears.

    Departures
    ----------
    Not in the paper. The decoder is that of elalaoui2019 for pooled data, here with the pools
    that a submission can ask for.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the pools come from.
    class_sizes
        The number of examples of each class, which must be public where recalls are shown; None:
        the first confusion matrix tells it.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> hidden = np.random.default_rng(1).integers(4, size=200)
    >>> board = oracles.MetricOracle(hidden, metrics.ConfusionMatrix(4), n_queries=60)
    >>> attack = ClassPools(Problem(200, 4, 60), rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.predict() == hidden).all())
    True
    """

    summary = "reads pools of each class"

    @classmethod
    def on_columns(
        cls, problem: Problem, board: MetricBoard, shown: ByClass, *, rng: np.random.Generator
    ) -> Beside:
        """Make it for a board that shows numbers of each class beside the metric that ranks.

        Rounding and noise only blur the counts, which message passing bears. It uses fewer looks
        where all of them would take too long.
        """
        n, m, k = problem
        if board.noise is None:
            raise NotSupported(
                "it reads the counts of every look, and the rule does not tell them."
            )
        most = MOST_WORK // max(n * m, m * m * m)
        if most < 1:
            raise NotSupported(f"counts of {m:,} classes of {n:,} examples take too long to solve.")
        return Beside(
            partial(cls, class_sizes=board.sizes),
            problem._replace(n_queries=min(k, most)),
            rng=rng,
            column=Accuracy(),
            ranks=board.metric,
            taker=taker_for((board.metric, Accuracy())),
            heard=partial(_counts, shown=shown, n=n),
        )

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        class_sizes: Sequence[int] | None = None,
    ) -> None:
        super().__init__(problem)
        n, m, _ = self._problem
        self._seed = int(rng.integers(2**63))
        self._keys = np.arange(n, dtype=np.uint64)
        self._sizes: NDArray[np.float64] | None = None
        if class_sizes is not None:
            self._sizes = np.asarray(class_sizes, dtype=np.float64)
            if self._sizes.shape != (m,) or self._sizes.sum() != n or self._sizes.min() < 0:
                raise InvalidInput(f"class_sizes must be {m} numbers that add up to {n}.")
        # For each look the counts of a class in a pool: m x m, or what recalls show of them.
        self._counts: list[NDArray[np.float64]] = []

    def _query(self, index: int) -> Labels:
        return self._pools(index)

    def _checked(self, answer: Answer) -> NDArray[np.float64]:
        return np.asarray(answer, dtype=np.float64).ravel()

    def _take(self, told: NDArray[np.float64]) -> None:
        """Take the released recalls, or the released confusion matrix row by row."""
        m = self._problem.n_classes
        if told.size == m * m:
            counts = told.reshape(m, m).T  # by pool, then by class
            if self._sizes is None:
                self._sizes = counts.sum(axis=0)
        elif told.size == m:
            if self._sizes is None:
                raise InvalidInput("class_sizes must be given where recalls are shown.")
            counts = np.round(told * self._sizes)
        else:
            raise InconsistentAnswer(
                f"answer must be {m} recalls or {m * m} counts, got {told.size} numbers."
            )
        if self._counts and counts.shape != self._counts[0].shape:
            raise InconsistentAnswer("answer must show what the looks before it showed.")
        self._counts.append(counts)

    def _guess(self) -> Labels:
        """Return the likeliest label of each example."""
        if not self._counts:
            return self._pools(0)
        guess: Labels = self._decoded().argmax(axis=1).astype(self._pools(0).dtype)
        return guess

    def _pools(self, look: int) -> Labels:
        m = self._problem.n_classes
        drawn = bounded(self._keys, subkey(self._seed, f"look {look}"), m)
        return drawn.astype(label_dtype(m))

    def _decoded(self) -> NDArray[np.float64]:
        """Return the probability of each label of each example."""
        from scipy.sparse import csr_matrix  # slow to load, and other attacks do without

        n, m, _ = self._problem
        looks, share = len(self._counts), 1.0 / m
        assert self._sizes is not None
        labels = np.stack([self._pools(look) for look in range(looks)]).astype(np.int64)
        rows = (labels + m * np.arange(looks)[:, None]).ravel()
        columns = np.tile(np.arange(n), looks)
        pools = csr_matrix((np.ones(rows.size), (rows, columns)), shape=(looks * m, n))
        back = pools.T.tocsr()
        # Recalls show class c in pool c alone.
        whole = self._counts[0].ndim == 2
        shown = np.ones((m, m), dtype=bool) if whole else np.eye(m, dtype=bool)
        mask = np.tile(shown, (looks, 1))
        counts = np.concatenate([each if whole else np.diag(each) for each in self._counts])
        wanted = np.where(mask, counts - share * self._sizes, 0.0)
        # Entries of the centred matrix have this variance; so many rows tell of each class.
        spread = share * (1.0 - share)
        n_rows = looks * (m if whole else 1)
        norm = n_rows * spread
        prior = np.maximum(self._sizes, 0.5) / max(n, 1)
        believed = np.tile(prior / prior.sum(), (n, 1))
        residual, slope = np.zeros_like(wanted), np.zeros(m)
        for _ in range(ROUNDS):
            expected = pools @ believed - share * believed.sum(axis=0)
            fresh = np.where(mask, wanted - expected, 0.0) + residual * slope
            residual = fresh if not residual.any() else DAMPING * fresh + (1 - DAMPING) * residual
            noise = np.maximum((residual**2).sum(axis=0) / n_rows, LEAST_VARIANCE) / norm
            if whole:
                # Counts of all classes in one pool add up: what one tells, the others tell again.
                noise /= 1.0 - noise / noise.sum()
            heard = back @ residual - share * residual.sum(axis=0)
            evidence = np.log(prior) + (believed + heard / norm - 0.5) / noise
            evidence -= evidence.max(axis=1, keepdims=True)
            weights = np.exp(evidence)
            after = weights / weights.sum(axis=1, keepdims=True)
            slope = (n / n_rows) * (after * (1.0 - after)).mean(axis=0) / noise
            moved = float(np.abs(after - believed).mean())
            believed = after
            if moved < SETTLED:
                break
        return believed


def _counts(numbers: tuple[float, ...], *, shown: ByClass, n: int) -> Answer:
    """Return the recalls as they are, or the counts behind the shares of a confusion matrix.

    The first number is the metric that ranks, which the attack does not read.
    """
    if isinstance(shown.metric, Accuracy):
        return numbers[1:]
    return tuple(float(round(share * n)) for share in numbers[1:])
