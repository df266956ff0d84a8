"""Blockwise hill climbing, for boards that show only significant improvements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from holdfast.answers import ExactAnswers, NewBestAnswers, RankAnswers
from holdfast.attacks._rehearsal import rehearsed
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.description import NewBestBoard, Reads
from holdfast.errors import InvalidInput
from holdfast.forecasts import Estimate, Setting
from holdfast.forecasts.tables import along, table
from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least

__all__ = ["BlockClimb"]

# Where a block's number of matches can lie, in standard deviations about its mean.
DEVIATIONS = np.linspace(-5.0, 6.0, 221)


class BlockClimb(LabelAttack):
    r"""Challenge one block's label at a time, and always the block that looks weakest.

    A best-so-far board tells whether a submission beat the best one by its threshold. Changing
    the label of a single block makes the difference small and its standard error too, so a
    threshold of some standard errors, as the parameter-free Ladder has, is passed by luck:
    with threshold t a block of b examples gains phi(t) sqrt(2b/m) on average.

    Each block has a champion label. For every block the attack keeps the distribution of its
    champion's matches, given which challengers it withstood or how it came to be champion, and
    challenges the block with the largest expected gain. One pass over k - 1 blocks in order,
    which is `HillClimb`, gains .342 sqrt(k/(mn)) at a threshold of one standard error; four
    passes in this order gain .45.

    Departures
    ----------
    No paper; `HillClimb` with several passes is the nearest relative. It hears only whether the
    answer rose, so it works on boards that release scores, Ladder steps or single bits.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    threshold
        By how many standard errors of the difference the board wants to be beaten.
    passes
        Challenges per block on average, at most m - 1; more passes mean larger blocks.

    Examples
    --------
    >>> attack = BlockClimb(Problem(4, 3, 5), rng=np.random.default_rng(0), permuted=False)
    >>> for answer in (0.25, 0.5, 0.5, 0.5, 0.5):
    ...     query = attack.ask()
    ...     attack.tell(answer)
    >>> attack.predict()
    array([1, 1, 0, 0], dtype=uint8)
    """

    family = "climbing"
    summary = "challenges the weakest block each time"
    adaptive = True
    reads = Reads.NEW_BEST
    tolerates = frozenset({ExactAnswers, RankAnswers, NewBestAnswers})
    intolerance = "noise or rounding would decide what it keeps"
    strongest_on = frozenset({Reads.NEW_BEST})
    accounts = 2
    effort = 6.0

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain: a measured constant times sqrt((k-1) n/m).

        The first look is at the labels that are challenged by the others.

        >>> BlockClimb.forecast(Setting(Problem(1000, 10, 1))).gain
        0.0
        """
        if setting.ordered:
            return rehearsed(cls, setting)
        n, m, k = setting.scored
        measured = table(cls.name)
        factor = along(measured["classes"], measured["constant"], m)
        gain = min(factor * math.sqrt((k - 1) * n / m), n * (1.0 - 1.0 / m))
        return setting.from_scratch(gain, k, "several labels a block: measured constant")

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:  # noqa: ARG003
        """Return the board's threshold in standard errors, and how many tries a block gets."""
        return {"threshold": board.standard_errors, "passes": 4 if board.standard_errors else 2}

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        threshold: float = 1.0,
        passes: int = 4,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        n, m, k = self._problem
        if not (math.isfinite(threshold) and threshold >= 0.0):
            raise InvalidInput(f"threshold must be at least 0 and finite, got {threshold}.")
        passes = min(check_at_least("passes", passes, 1), m - 1)
        n_blocks = min(n, max(1, (k - 1) // passes))
        self._edges = [n * block // n_blocks for block in range(n_blocks + 1)]
        # The difference of two labels' matches has sqrt(2) times the spread of one.
        self._margin = threshold * math.sqrt(2.0)
        density = np.exp(-(DEVIATIONS**2) / 2)
        self._prior: NDArray[np.float64] = density / density.sum()
        self._withstood = ndtr(DEVIATIONS + self._margin)
        tail = 1.0 - self._withstood
        above = np.exp(-((DEVIATIONS + self._margin) ** 2) / 2) / math.sqrt(2.0 * math.pi)
        self._gains = above - DEVIATIONS * tail
        self._beliefs = np.tile(self._prior, (n_blocks, 1))
        self._worth = self._beliefs @ self._gains
        self._challengers = np.zeros(n_blocks, dtype=np.int64)
        self._best = self._shifted(0)
        self._trial = self._best
        self._block: int | None = None
        self._standing = -math.inf

    def _query(self, index: int) -> Labels | None:
        if index == 0:
            return self._best.copy()
        block = int(np.argmax(self._worth))
        if not math.isfinite(self._worth[block]):
            return None
        self._block = block
        self._challengers[block] += 1
        here = slice(self._edges[block], self._edges[block + 1])
        self._trial = self._best.copy()
        self._trial[here] = self._shifted(int(self._challengers[block]), here)
        return self._trial.copy()

    def _receive(self, count: float) -> None:
        rose, block = count > self._standing, self._block
        if rose:
            self._standing = count
        if block is None:
            return
        if rose:
            self._best = self._trial
        belief = self._after(self._beliefs[block], rose)
        self._beliefs[block] = belief
        tried_all = self._challengers[block] >= self._problem.n_classes - 1
        self._worth[block] = -math.inf if tried_all else float(belief @ self._gains)

    def _after(self, belief: NDArray[np.float64], rose: bool) -> NDArray[np.float64]:
        """Return the distribution of the champion's matches after a challenge."""
        if rose:
            # The new champion is at y with the prior's density, times P(old champion < y - margin).
            below = np.interp(DEVIATIONS - self._margin, DEVIATIONS, np.cumsum(belief), left=0.0)
            changed = self._prior * below
        else:
            changed = belief * self._withstood
        total = changed.sum()
        return changed / total if total > 0.0 else self._prior

    def _guess(self) -> Labels:
        return self._best.copy()
