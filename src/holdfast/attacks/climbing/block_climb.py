"""Blockwise hill climbing, for boards that show only significant improvements."""

from __future__ import annotations

import math
from functools import lru_cache
from heapq import heapreplace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import ExactAnswers, NewBestAnswers, RankAnswers
from holdfast.attacks._rehearsal import rehearsed, rehearsed_if_hard
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.climbing._belief import first_belief
from holdfast.attacks.climbing._blocks import blocks_of
from holdfast.attacks.climbing._challenges import Challenges, worth_counting
from holdfast.attacks.description import NewBestBoard, Reads
from holdfast.errors import InvalidInput
from holdfast.forecasts import Estimate, Setting
from holdfast.forecasts.tables import along, table
from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least

__all__ = ["BlockClimb"]

# With fewer examples per class a block's matches are rare, and it is played in the head.
EXAMPLES_PER_CLASS = 10
# Rows of whole labels are kept in games that are this small, in examples times classes.
MOST_LABELS_HELD = 1 << 20


@lru_cache(maxsize=8)
def _first_heap(margin: float, n_blocks: int) -> tuple[tuple[float, int], ...]:
    """Return a heap of what a first challenge of each block costs: the same for many games."""
    first = first_belief(margin)
    worth = np.tile(first.density, (n_blocks, 1)) @ first.challenge.gains
    return tuple(sorted((-each, block) for block, each in enumerate(worth.tolist())))


def _n_blocks(problem: Problem, passes: int) -> int:
    """Return how many blocks get so many challenges each on average."""
    n, m, k = problem
    return min(n, max(1, (k - 1) // min(passes, m - 1)))


class _Order:
    """Which block is challenged next, by which label: the one whose challenge gains most.

    Of blocks that gain the same, the first. `block` is None when all labels of all blocks were
    tried.
    """

    __slots__ = ("_beliefs", "_challengers", "_heap", "_last", "_open", "block", "label")

    def __init__(self, threshold: float, n_blocks: int, n_classes: int) -> None:
        # The difference of two labels' matches has sqrt(2) times the spread of one.
        margin = threshold * math.sqrt(2.0)
        self._last = n_classes - 1
        self._beliefs = [first_belief(margin)] * n_blocks
        # What each block's challenge loses, and the block: the next one lies on top.
        self._heap = list(_first_heap(margin, n_blocks))
        self._challengers = [0] * n_blocks
        # Blocks with a label that was never tried.
        self._open = n_blocks
        self.block: int | None = self._heap[0][1]
        self.label = 1

    def learn(self, block: int, rose: bool) -> None:
        """Take in whether the challenge of that block, which was next, rose; choose another."""
        self._challengers[block] = tried = self.label
        heap = self._heap
        if tried < self._last:
            self._beliefs[block] = belief = self._beliefs[block].after(rose)
            heapreplace(heap, (-belief.worth, block))
        else:  # whatever is believed, no label is left to try
            heapreplace(heap, (math.inf, block))
            self._open -= 1
            if not self._open:
                self.block = None
                return
        self.block = block = heap[0][1]
        self.label = self._challengers[block] + 1


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
        few = n < EXAMPLES_PER_CLASS * m and not setting.informed
        played = rehearsed_if_hard(cls, setting, hard=True) if few else None
        if played is not None:
            return played
        measured = table(cls.name)
        factor = along(measured["classes"], measured["constant"], m)
        gain = min(factor * math.sqrt((k - 1) * n / m), n * (1.0 - 1.0 / m))
        return setting.from_scratch(gain, k, "several labels per block: measured constant")

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:  # noqa: ARG003
        """Return the board's threshold in standard errors, and how many tries a block gets."""
        return {"threshold": board.standard_errors, "passes": 4 if board.standard_errors else 2}

    @classmethod
    def drawn_matches(cls, problem: Problem, rng: np.random.Generator) -> int:
        """Return the matches of one game with exact scores, drawn without labels.

        A challenge rises where the block has more of the challenger than of the champion; of the
        examples whose label was not among the first j, each is the next with probability
        1/(m - j). Which block is next follows from what rose before. Time and memory follow k.

        >>> problem = Problem(10**12, 10, 101)
        >>> 0 < BlockClimb.drawn_matches(problem, np.random.default_rng(0)) - 10**11 < 10**8
        True
        """
        n, m, k = problem
        settings = cls.settings_for(problem, NewBestBoard())
        n_blocks = _n_blocks(problem, settings["passes"])
        order = _Order(settings["threshold"], n_blocks, m)
        edges = [n * block // n_blocks for block in range(n_blocks + 1)]
        rest = np.array([stop - start for start, stop in pairwise(edges)], dtype=np.int64)
        champion = rng.binomial(rest, 1 / m)
        rest -= champion
        for _ in range(k - 1):
            if (block := order.block) is None:
                break
            challenger = int(rng.binomial(rest[block], 1 / (m - order.label)))
            rest[block] -= challenger
            order.learn(block, bool(challenger > champion[block]))
            champion[block] = max(champion[block], challenger)
        return int(champion.sum())

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
        n, m, _ = self._problem
        if not (math.isfinite(threshold) and threshold >= 0.0):
            raise InvalidInput(f"threshold must be at least 0 and finite, got {threshold}.")
        n_blocks = _n_blocks(self._problem, check_at_least("passes", passes, 1))
        self._blocks = blocks_of(n, n_blocks)
        self._threshold, self._order = threshold, _Order(threshold, n_blocks, m)
        self._best = self._shifted(0)
        self._challenge = self._best[:0]
        self._standing = -math.inf
        # Whole rows of labels to cut from.
        self._rows: list[Labels] | None = [self._best.copy()] if n * m <= MOST_LABELS_HELD else None

    def fixed_queries(self) -> Challenges | None:
        """Return all queries of a small game, whose answers follow from each block's counts."""
        began = self._waiting or self._answered
        if type(self) is not BlockClimb or began or not worth_counting(self._problem):
            return None
        _, m, k = self._problem
        n_blocks = len(self._blocks)
        looks = min(k, 1 + n_blocks * (m - 1))
        return Challenges(looks, n_blocks, m, self._shifts, self._climbed)

    def _climbed(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the matches of all queries, of how often each label is right in each block.

        Which block is challenged follows from which challenges rose, in an order of its own: this
        one learns what it is told.
        """
        n_blocks, m = counts.shape
        order, of_labels = _Order(self._threshold, n_blocks, m), counts.tolist()
        champions = [of_block[0] for of_block in of_labels]
        standing = sum(champions)
        answers = [standing]
        for _ in range(self._problem.n_queries - 1):
            if (block := order.block) is None:
                break
            challenger = of_labels[block][order.label]
            more = challenger - champions[block]
            answers.append(standing + more)
            if more > 0:
                standing += more
                champions[block] = challenger
            order.learn(block, more > 0)
        return np.array(answers)

    def _take_all(self, answers: NDArray[np.float64]) -> None:
        order = self._order
        champions = np.zeros(len(self._blocks), dtype=np.uint32)
        standing, *others = answers.tolist()
        for answer in others:
            block = order.block
            assert block is not None
            if rose := answer > standing:
                standing = answer
                champions[block] = order.label
            order.learn(block, rose)
        sizes = [block.stop - block.start for block in self._blocks]
        self._best = self._shifted(np.repeat(champions, sizes))
        self._standing = standing * self._problem.n_examples

    def _query(self, index: int) -> Labels | None:
        best = self._best
        if index == 0:
            return best.copy()
        block, label = self._order.block, self._order.label
        if block is None:
            return None
        here, rows, trial = self._blocks[block], self._rows, best.copy()
        if rows is None:
            challenge = self._shifted(label, here)
        else:
            if label == len(rows):  # every label is first tried after the one before it
                rows.append(self._shifted(label))
            challenge = rows[label][here]
        trial[here] = self._challenge = challenge
        return trial

    def _receive(self, count: float) -> None:
        rose = count > self._standing
        if rose:
            self._standing = count
        if self._answered == 0:
            return
        block = self._order.block
        assert block is not None
        if rose:
            self._best[self._blocks[block]] = self._challenge
        self._order.learn(block, rose)

    def _guess(self) -> Labels:
        return self._best.copy()
