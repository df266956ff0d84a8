"""Hill climbing: random changes, each kept if the score rises."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel, ExactAnswers, NewBestAnswers, RankAnswers
from holdfast.attacks._rehearsal import rehearsed
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.climbing._blocks import blocks_of
from holdfast.attacks.climbing._challenges import Challenges, worth_counting
from holdfast.attacks.description import Reads
from holdfast.attacks.paper.block_majority import BlockMajority, block_gain
from holdfast.errors import InvalidInput
from holdfast.forecasts import Estimate, Setting
from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least

__all__ = ["HillClimb"]


def climb_gain(problem: Problem, answers: AnswerModel) -> tuple[float, int]:
    """Return the expected gain of `HillClimb` and the looks it takes.

    One pass is `BlockMajority`, but a single look has nothing to be compared with. With more looks
    than examples every block is one example, and each look is right with the chance 1/m of the
    label it tries.

    >>> from holdfast.answers import ExactAnswers
    >>> climb_gain(Problem(100, 10, 5000), ExactAnswers())
    (90.0, 901)
    """
    n, m, k = problem
    if k == 1:
        return 0.0, 1
    if k <= n + 1:
        return block_gain(problem, answers), k
    looks = min(k, 1 + n * (m - 1))
    return (looks - 1) / m, looks


def _climbed(looks: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the matches of all queries, of how often each label is right in each block."""
    champions = counts[:, 0]
    standing = int(champions.sum())
    answers = np.empty(looks, dtype=np.int64)
    answers[0] = standing
    n_blocks = champions.size
    for label, start in enumerate(range(1, looks, n_blocks), start=1):
        more = counts[: looks - start, label] - champions[: looks - start]
        kept = np.maximum(more, 0)
        before = standing + np.cumsum(kept) - kept
        answers[start : start + n_blocks] = before + more
        standing += int(kept.sum())
        champions = np.maximum(champions, counts[:, label])
    return answers


class HillClimb(LabelAttack):
    r"""Change one block's label at a time and keep the change if the score rises.

    The first query is all 0. Each later one gives the next block the next label; when every
    block was tried with label 1 the second pass tries label 2, and so on. One pass over k - 1
    blocks reaches exactly what `BlockMajority` reaches, but adaptively: it only needs to hear
    whether the score rose.

    Implements: acharya2020 fig:smallk (Figure 1), climbing instead of comparing neighbours

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    n_blocks
        How many blocks; None: k - 1, at most one per example. Fewer blocks mean more passes.

    Examples
    --------
    >>> attack = HillClimb(Problem(4, 2, 3), rng=np.random.default_rng(0), permuted=False)
    >>> for matches in (1, 2, 1):
    ...     query = attack.ask()
    ...     attack.tell(matches / 4)
    >>> attack.predict()
    array([1, 1, 0, 0], dtype=uint8)
    """

    family = "climbing"
    summary = "changes blocks, keeps what scores higher"
    adaptive = True
    reads = Reads.NEW_BEST
    tolerates = frozenset({ExactAnswers, RankAnswers, NewBestAnswers})
    intolerance = "noise or rounding would decide what it keeps"
    strongest_on = frozenset({Reads.SCORES, Reads.NEW_BEST})

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain, and fewer looks if all labels were tried."""
        answers = setting.answers
        if isinstance(answers, NewBestAnswers) and (answers.step or answers.standard_errors):
            return rehearsed(cls, setting)
        # It hears only whether the score rose, which ranks and new bests tell as well.
        gain, looks = climb_gain(setting.problem, ExactAnswers())
        return setting.from_scratch(gain, looks, "two labels per block: exact sum")

    @classmethod
    def drawn_matches(cls, problem: Problem, rng: np.random.Generator) -> int:
        """Return the matches of one game, drawn from their law.

        One pass over k - 1 blocks keeps the more frequent of two labels in each, as
        `BlockMajority` does. With more looks every block is one example: after q whole passes and
        one over r examples, r of them tried q + 2 labels and the others q + 1, of m.

        >>> problem = Problem(10**12, 10, 101)
        >>> 0 < HillClimb.drawn_matches(problem, np.random.default_rng(0)) - 10**11 < 10**8
        True
        """
        n, m, k = problem
        if k == 1:
            return int(rng.binomial(n, 1 / m))
        if k - 1 <= n:
            return BlockMajority.drawn_matches(problem, rng)
        passes, rest = divmod(k - 1, n)
        tried = min(passes + 1, m), min(passes + 2, m)
        return int(rng.binomial(n - rest, tried[0] / m) + rng.binomial(rest, tried[1] / m))

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        n_blocks: int | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        n, _, k = self._problem
        if n_blocks is None:
            n_blocks = min(max(k - 1, 1), n)
        if check_at_least("n_blocks", n_blocks, 1) > n:
            raise InvalidInput(f"n_blocks must be at most n_examples = {n}, got {n_blocks}.")
        self._blocks = blocks_of(n, n_blocks)
        self._best = self._shifted(0)
        self._best_count = -np.inf
        # The label that is tried in this pass, everywhere, and where it was tried last.
        self._row, self._tried = self._best, slice(0, 0)

    def fixed_queries(self) -> Challenges | None:
        """Return all queries of a small game, whose answers follow from each block's counts."""
        began = self._waiting or self._answered
        if type(self) is not HillClimb or began or not worth_counting(self._problem):
            return None
        _, m, k = self._problem
        n_blocks = len(self._blocks)
        looks = min(k, 1 + n_blocks * (m - 1))
        return Challenges(looks, n_blocks, m, self._shifts, partial(_climbed, looks))

    def _take_all(self, answers: NDArray[np.float64]) -> None:
        # As of the count that one look tells: equal scores are equal numbers.
        best = np.maximum.accumulate(answers)
        rose = answers[1:] > best[:-1]
        champions = np.zeros(len(self._blocks), dtype=np.uint32)
        for label, start in enumerate(range(0, rose.size, champions.size), start=1):
            tried = rose[start : start + champions.size]
            champions[: tried.size][tried] = label
        sizes = [block.stop - block.start for block in self._blocks]
        self._best = self._shifted(np.repeat(champions, sizes))
        self._best_count = best[-1] * self._problem.n_examples

    def _query(self, index: int) -> Labels | None:
        if index == 0:
            return self._best.copy()
        label, block = divmod(index - 1, len(self._blocks))
        if block == 0:
            if label + 1 >= self._problem.n_classes:
                return None
            self._row = self._shifted(label + 1)
        self._tried = tried = self._blocks[block]
        trial = self._best.copy()
        trial[tried] = self._row[tried]
        return trial

    def _receive(self, count: float) -> None:
        if count > self._best_count:
            self._best_count = count
            self._best[self._tried] = self._row[self._tried]

    def _guess(self) -> Labels:
        return self._best.copy()
