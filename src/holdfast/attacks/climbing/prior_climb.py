"""Hill climbing from a prior: a few of a model's labels changed per look."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import ExactAnswers, NewBestAnswers, RankAnswers
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.description import Needs, NewBestBoard, Reads
from holdfast.errors import InvalidInput
from holdfast.kernels.keyed import hash_keys, subkey
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["PriorClimb"]

# Labels of an example that are tried, the most likely first.
LABELS_TRIED = 8
# Group sizes that are considered: all small ones, and from there on about a fifth larger each.
GROUP_SIZES = tuple(sorted({math.ceil(1.2**power) for power in range(50)}))
# Up to this size the surplus of a group is summed over its whole law, above it is nearly normal.
MOST_SUMMED_GROUP = 40


class PriorClimb(LabelAttack):
    r"""Start from the most likely labels, and challenge small groups of them with the next ones.

    The board only has to tell whether a submission beat the best one, by its threshold. A group
    of g examples whose labels have probability a and whose challengers have b changes the score
    by a sum of g steps: +1 with probability b, -1 with a. Where a model is sure the steps fall,
    and a single example is the best group: it wins with probability b. Where it is not, luck
    grows with the square root of the group, and so does what a threshold asks for. The group
    size with the largest expected gain for the looks that are left is used, those examples
    first whose challengers are the most likely.

    A group that lost may hold winners: the next round mixes it with others. A single example that
    lost has one label less.

    Departures
    ----------
    No paper; `HillClimb` started from a model's labels is the nearest relative.

    Parameters
    ----------
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities. None:
        all labels are equally likely.
    step
        By how much accuracy the board wants to be beaten; 0: any improvement is shown.
    threshold
        By how many standard errors of the difference it wants to be beaten.

    Examples
    --------
    >>> prior = Prior.dense([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]])
    >>> attack = PriorClimb(Problem(3, 2, 3), rng=np.random.default_rng(0), prior=prior)
    >>> for answer in (1 / 3, 2 / 3, 1 / 3):
    ...     query = attack.ask()
    ...     attack.tell(answer)
    >>> attack.predict()
    array([0, 1, 0], dtype=uint8)
    """

    family = "climbing"
    summary = "challenges a model's labels in groups"
    adaptive = True
    reads = Reads.NEW_BEST
    needs = Needs.PRIOR
    takes_prior = True
    tolerates = frozenset({ExactAnswers, RankAnswers, NewBestAnswers})
    intolerance = "noise or rounding would decide what it keeps"
    strongest_on = frozenset({Reads.SCORES, Reads.NEW_BEST})
    effort = 6.0

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with; None: a prior, and ranks or new bests."""
        if setting.ordered and setting.prior is not None:
            return None
        return "made for boards that show a new best only, and for whoever has a prior"

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:  # noqa: ARG003
        """Return how much a look has to climb to be shown."""
        return {"step": board.step or board.rounding, "threshold": board.standard_errors}

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        step: float = 0.0,
        threshold: float = 0.0,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        n, m, _ = self._problem
        if not 0.0 <= step <= 1.0:
            raise InvalidInput(f"step must lie in [0, 1], got {step}.")
        if not (math.isfinite(threshold) and threshold >= 0.0):
            raise InvalidInput(f"threshold must be at least 0 and finite, got {threshold}.")
        known = Prior.uniform(n, m) if prior is None else prior
        known = known if isinstance(known, Prior) else Prior.dense(known)
        known.check_fits(self._problem)
        labels, self._odds = known.relative(self._shifts).ranked(min(LABELS_TRIED, m))
        self._labels = labels.astype(np.uint32)
        self._step, self._threshold = step * n, threshold
        self._next = np.ones(n, dtype=np.int64)  # which label of an example is to be tried
        self._best = self._labels[:, 0].copy()
        self._open = np.ones(n, dtype=bool)  # shows its first label, and has a challenger left
        self._order: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._at = self._rounds = 0
        self._group: NDArray[np.intp] | None = None
        self._standing = -math.inf

    def _query(self, index: int) -> Labels | None:
        if index == 0:
            return self._shifted(self._best)
        if self._at >= self._order.size and not self._new_round():
            return None
        first = self._order[self._at]
        a, b = self._odds[first, 0], self._odds[first, self._next[first]]
        size = _group_size(
            round(float(a), 3),
            round(float(b), 3),
            self._step,
            self._threshold,
            _bucket(self._problem.n_queries - index),
            _bucket(int(np.count_nonzero(self._open))),
        )
        self._group = self._order[self._at : self._at + size]
        self._at += size
        trial = self._best.copy()
        trial[self._group] = self._labels[self._group, self._next[self._group]]
        return self._shifted(trial)

    def _receive(self, count: float) -> None:
        rose, group = count > self._standing, self._group
        if rose:
            self._standing = count
        if group is None:
            return
        if rose:
            self._best[group] = self._labels[group, self._next[group]]
            self._open[group] = False
        elif group.size == 1:
            self._next[group] += 1
            self._open[group] = self._next[group] < self._labels.shape[1]

    def _guess(self) -> Labels:
        return self._shifted(self._best)

    def _new_round(self) -> bool:
        """Put the examples that are still open in order, the most doubtful first."""
        where = np.flatnonzero(self._open)
        if where.size == 0:
            return False
        doubt = self._odds[where, self._next[where]] - self._odds[where, 0]
        words = hash_keys(self._keys[where], subkey(self._seed, f"round {self._rounds}"))
        self._order = where[np.lexsort((words, -np.round(doubt, 6)))]
        self._at, self._rounds = 0, self._rounds + 1
        return True


def _bucket(count: int) -> int:
    """Return a count to about a tenth, so that few different group sizes are computed."""
    return round(1.1 ** round(math.log(max(1, count)) / math.log(1.1)))


@functools.lru_cache(maxsize=4096)
def _group_size(
    a: float, b: float, step: float, threshold: float, looks: int, examples: int
) -> int:
    """Return the group size with the largest expected gain for so many looks.

    A group that wins is used up. One that loses is, too, as far as that was news: where half of
    them win, a loss tells as much as a win; where few do, the next round can mix them again.
    """
    best, size = 0.0, 1
    for g in GROUP_SIZES:
        if g > examples:
            break
        needed = max(1.0, step, math.floor(threshold * math.sqrt((a + b) * g)) + 1.0)
        chance, gain = _surplus(a, b, g, needed)
        total = gain * min(looks, examples / max(1.0, g * min(1.0, 2.0 * chance)))
        if total > best:
            best, size = total, g
    return size


@functools.lru_cache(maxsize=4096)
def _surplus(a: float, b: float, g: int, needed: float) -> tuple[float, float]:
    """Return the chance that a group's surplus is `needed` or more, and its mean above that."""
    if g <= MOST_SUMMED_GROUP:
        one = np.array([a, max(0.0, 1.0 - a - b), b])
        law = np.ones(1)
        for _ in range(g):
            law = np.convolve(law, one)
        surplus = np.arange(-g, g + 1)
        enough = surplus >= needed
        return float(law[enough].sum()), float((law * surplus)[enough].sum())
    mean, spread = g * (b - a), math.sqrt(max(1e-12, g * (a + b - (b - a) ** 2)))
    z = (needed - 0.5 - mean) / spread
    chance = 0.5 * math.erfc(z / math.sqrt(2.0))
    return chance, mean * chance + spread * math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
