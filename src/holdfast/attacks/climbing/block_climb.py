"""Blockwise hill climbing, for boards that show only significant improvements."""

from __future__ import annotations

import math
from functools import lru_cache
from heapq import heapify, heapreplace
from itertools import pairwise
from typing import Any

import numpy as np

from holdfast.answers import ExactAnswers, NewBestAnswers, RankAnswers
from holdfast.attacks.base import LabelAttack
from holdfast.attacks.climbing.belief import (
    Belief,
    Rise,
    best_number_of_blocks,
    first_belief,
    urgency,
)
from holdfast.attacks.description import NewBestBoard, Reads
from holdfast.errors import InvalidInput
from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least

__all__ = ["BlockClimb"]


# Rows of whole labels are kept in games that are this small, in examples times classes.
MOST_LABELS_HELD = 1 << 20


@lru_cache(maxsize=4)
def _blocks_of(n_examples: int, n_blocks: int) -> tuple[slice, ...]:
    """Return where each block lies; blocks differ in size by one at most."""
    edges = [n_examples * block // n_blocks for block in range(n_blocks + 1)]
    return tuple(slice(start, stop) for start, stop in pairwise(edges))


class BlockClimb(LabelAttack):
    r"""Challenge one block's label at a time, and always the block that promises most.

    A best-so-far board tells whether a submission beat the best one by its threshold. Changing
    the label of a single block makes the difference small and its standard error too, so a
    threshold of some standard errors, as the parameter-free Ladder has, is passed by luck:
    with threshold t a block of b examples gains phi(t) sqrt(2b/m) on average.

    Each block has a champion label. For every block the attack keeps the distribution of its
    champion's matches, given which challengers it withstood or how it came to be champion, and
    challenges the block with the largest expected gain. A single example whose challenge rose is
    right, and is left alone. With more looks than examples blocks are single examples, or few;
    the number of blocks is the one with the largest expected gain.

    Departures
    ----------
    No paper; `HillClimb`, which takes the blocks in turn, is the nearest relative. It hears only
    whether the answer rose, so it works on boards that release scores, Ladder steps or single bits.

    Parameters
    ----------
    threshold
        By how many standard errors of the difference the board wants to be beaten.
    ties
        Whether an answer rises for as good a look, too: ranks do, which equals share.
    n_blocks
        How many blocks; None: as many as gain most by expectation.

    Examples
    --------
    >>> attack = BlockClimb(Problem(4, 3, 5), rng=np.random.default_rng(0), permuted=False,
    ...                     n_blocks=2)
    >>> for answer in (0.25, 0.5):        # the first challenge rises
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
    results = 2  # since 2: blocks are cut, and challenged, by the exact law of their matches
    in_turn = False  # whether blocks are challenged one after the other, pass by pass

    @classmethod
    def number_of_blocks(cls, problem: Problem, rise: Rise) -> int:
        """Return into how many blocks it cuts the examples if it is not told."""
        return best_number_of_blocks(problem, rise)

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:  # noqa: ARG003
        """Return when the board shows a rise."""
        return {"threshold": board.standard_errors, "ties": board.ties}

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        threshold: float = 0.0,
        ties: bool = False,
        n_blocks: int | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted)
        n, m, _ = self._problem
        if not (math.isfinite(threshold) and threshold >= 0.0):
            raise InvalidInput(f"threshold must be at least 0 and finite, got {threshold}.")
        rise = Rise(threshold, ties)
        if n_blocks is None:
            n_blocks = self.number_of_blocks(self._problem, rise)
        if check_at_least("n_blocks", n_blocks, 1) > n:
            raise InvalidInput(f"n_blocks must be at most n_examples = {n}, got {n_blocks}.")
        self._blocks = _blocks_of(n, n_blocks)
        first = {size: first_belief(size, m, rise) for size in {n // n_blocks, -(-n // n_blocks)}}
        self._beliefs = [first[each.stop - each.start] for each in self._blocks]
        # The most urgent block lies on top; of equal ones the first.
        self._queue = [(self._urgency(each), block) for block, each in enumerate(self._beliefs)]
        heapify(self._queue)
        self._best = self._shifted(0)
        self._challenge = self._best[:0]
        # Whole rows of small games, to cut challenges from.
        self._rows: dict[int, Labels] | None = {} if n * m <= MOST_LABELS_HELD else None
        self._standing = -math.inf

    def _urgency(self, belief: Belief) -> float:
        return urgency(belief, self.in_turn)

    def _query(self, index: int) -> Labels | None:
        trial = self._best.copy()
        if index:
            urgency, block = self._queue[0]
            if urgency == math.inf:
                return None
            here = self._blocks[block]
            label = self._beliefs[block].tried + 1
            if self._rows is None:
                self._challenge = self._shifted(label, here)
            else:
                if label not in self._rows:
                    self._rows[label] = self._shifted(label)
                self._challenge = self._rows[label][here]
            trial[here] = self._challenge
        return trial

    def _receive(self, count: float) -> None:
        rose, self._standing = count > self._standing, max(count, self._standing)
        if self._answered == 0:
            return
        _, block = self._queue[0]
        if rose:
            self._best[self._blocks[block]] = self._challenge
        self._beliefs[block] = belief = self._beliefs[block].after(rose)
        heapreplace(self._queue, (self._urgency(belief), block))

    def _guess(self) -> Labels:
        return self._best.copy()
