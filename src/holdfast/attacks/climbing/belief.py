"""Belief about a block's champion label after the challenges that it withstood or lost.

A block of b examples shows its champion. A challenge shows a label that was never shown there, and
rises if the board's rule lets it. Of every example the label is equally likely to be any of the m,
so with c the champion's matches and r the examples that have none of the labels tried so far,

    challenger's matches x ~ Binomial(r, 1/(m - labels tried)),
    rises:     (c, r) -> (x, r - x),    x > c and (x - c)^2 > threshold^2 (x + c),
    does not:  (c, r) -> (c, r - x),

or x >= c where a tie counts as a rise, as it does on ranks, which equals share.

So a single example whose challenge rose is right, and of one that withstood the next is likelier to
rise. Of large blocks c alone is followed, on a grid, with x ~ Binomial(b - c, 1/(m - 1)).

A belief follows from the sizes and from which challenges rose, so blocks and games share it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, binom, ndtr

from holdfast.problem import Problem

__all__ = ["Belief", "Rise", "best_number_of_blocks", "expected_gain", "first_belief", "urgency"]

# Up to this size all counts of a block are followed; of larger ones the champion's, on a grid.
MOST_EXAMPLES_FOLLOWED = 16
# The grid, in standard deviations of a label's matches about their mean.
DEVIATIONS = np.linspace(-5.0, 6.0, 81)
# From this size on a binomial law is taken for normal.
NORMAL_FROM = 20_000
# Histories up to this length are kept for others.
LONGEST_KEPT = 9
# Challenges per block that are compared; the best is flat, and never far from 3 where blocks are
# large: 343, 344 and 336 matches with 2, 3 and 4 at (10,000, 10, 301).
TRIES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0)
# Beliefs that an expectation follows, and the parts of the blocks that it begins one after another.
MOST_FOLLOWED, PARTS = 300, 16

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Rise(NamedTuple):
    """When the answer to a challenge rises: by how many standard errors, and whether for ties."""

    threshold: float = 0.0
    ties: bool = False


class _Challenge(NamedTuple):
    """What a challenge does in each state: chances of each outcome, and what it gains."""

    held: Floats
    rose: Floats
    gain: Floats


class _Block:
    """The states that a block can be in, and what challenges do to it."""

    def __init__(self, size: int, n_classes: int, rise: Rise) -> None:
        self.n_classes, self._followed = n_classes, size <= MOST_EXAMPLES_FOLLOWED
        if self._followed:
            values = np.arange(size + 1)
            champion, rest = np.nonzero(values[:, None] + values <= size)
            place = np.zeros((size + 1, size + 1), dtype=np.intp)
            place[champion, rest] = np.arange(champion.size)
            left = np.maximum(rest[:, None] - values, 0)
            self._held_to, self._rose_to = place[champion[:, None], left], place[values, left]
            self._rest = rest
            first = _binomial(champion, np.array(size), 1.0 / n_classes) * (champion + rest == size)
        else:
            spread = math.sqrt(size * (n_classes - 1)) / n_classes
            grid = np.rint(size / n_classes + spread * DEVIATIONS)
            values = champion = np.unique(np.clip(grid, 0, size))
            states = np.arange(champion.size)
            self._held_to, self._rose_to = np.meshgrid(states, states, indexing="ij")
            self._rest = size - champion
            first = _binomial_on(values, np.array([size]), 1.0 / n_classes)[0]
        self._values: NDArray[Any] = values
        more, both = values - champion[:, None], values + champion[:, None]
        rises = (more > 0) & (more**2 > rise.threshold**2 * both)
        if rise.ties:
            rises |= more == 0
        self._rises, self._surplus = rises, np.where(rises, more, 0.0)
        self._challenges: dict[int, _Challenge] = {}
        self.first = Belief(self, first / first.sum(), 0)

    def challenge(self, tried: int) -> _Challenge:
        """Return what the next challenge does when so many were made."""
        key = tried if self._followed else 0  # on a grid the rest is not followed
        if key not in self._challenges:
            share = 1.0 / (self.n_classes - 1 - key)
            chances = (
                _binomial(self._values, self._rest[:, None], share)
                if self._followed
                else _binomial_on(self._values, self._rest, share)
            )
            gain = (self._surplus * chances).sum(axis=1)
            rose = np.where(self._rises, chances, 0.0)
            self._challenges[key] = _Challenge(chances - rose, rose, gain)
        return self._challenges[key]

    def changed(self, density: Floats, tried: int, rose: bool) -> Floats:
        """Return how likely each state is after a challenge, times the chance of its outcome."""
        challenge = self.challenge(tried)
        chances, to = (challenge.rose, self._rose_to) if rose else (challenge.held, self._held_to)
        weights = (density[:, None] * chances).ravel()
        found: Floats = np.bincount(to.ravel(), weights, minlength=density.size).astype(float)
        return found


def _binomial(values: NDArray[Any], totals: NDArray[Any], share: float) -> Floats:
    """Return the binomial laws of small totals."""
    others = np.maximum(totals - values, 0)
    chances: Floats = binom(totals, values) * share**values * (1.0 - share) ** others
    return chances


def _binomial_on(values: NDArray[Any], totals: NDArray[Any], share: float) -> Floats:
    """Return the binomial laws of these totals on a grid: each value has its surroundings."""
    middles, totals = np.floor((values[1:] + values[:-1]) / 2.0), totals[:, None]
    if totals.max() < NORMAL_FROM:
        others = totals - middles
        below = betainc(np.maximum(others, 1.0), middles + 1.0, 1.0 - share)
        below = np.where(others > 0.0, below, 1.0)
    else:
        spread = np.sqrt(np.maximum(totals * share * (1.0 - share), 1e-9))
        below = ndtr((middles + 0.5 - totals * share) / spread)
    edges = np.ones((totals.size, 1))
    return np.diff(np.hstack([0.0 * edges, below, edges]), axis=1)


class Belief:
    """How likely each state of a block is, and what its next challenge gains on average.

    Never changed: copies of an attack share it.
    """

    __slots__ = ("_after", "_block", "_density", "rises", "tried", "worth")

    def __init__(self, block: _Block, density: Floats, tried: int) -> None:
        self._block, self._density, self.tried = block, density, tried
        self._after: list[Belief | None] = [None, None]
        self.worth = self.rises = 0.0
        if tried < block.n_classes - 1:
            challenge = block.challenge(tried)
            self.worth = float(density @ challenge.gain)
            self.rises = float(density @ challenge.rose.sum(axis=1))

    def __deepcopy__(self, memo: dict[int, Any]) -> Belief:
        return self

    def after(self, rose: bool) -> Belief:
        """Return the belief after a challenge."""
        known = self._after[rose]
        if known is None:
            density = self._block.changed(self._density, self.tried, rose)
            total = density.sum()
            # What can't be, such as a second rise of a single example, leaves nothing to gain.
            known = Belief(self._block, density / total if total else density, self.tried + 1)
            if self.tried < LONGEST_KEPT:
                self._after[rose] = known
        return known


@lru_cache(maxsize=64)
def _block(size: int, n_classes: int, rise: Rise) -> _Block:
    return _Block(size, n_classes, rise)


def first_belief(size: int, n_classes: int, rise: Rise) -> Belief:
    """Return what is believed of a block that was never challenged.

    A single example: the label shown is right or not. The challenger is right with probability
    1/m, then 1/(m - 1); when it rose, nothing is left to gain.

    >>> first = first_belief(1, 10, Rise())
    >>> [round(each.worth, 4) for each in (first, first.after(False), first.after(True))]
    [0.1, 0.1111, 0.0]
    """
    return _block(size, n_classes, rise).first


@lru_cache(maxsize=1024)
def expected_gain(problem: Problem, n_blocks: int, rise: Rise, in_turn: bool = False) -> float:
    """Return the expected gain of challenges in the order of their worth, or in turn.

    That of many blocks: so many of them have each history as is likely.

    >>> round(expected_gain(Problem(60, 4, 150), 60, Rise()), 1)
    45.0
    """
    n, m, k = problem
    size, larger = divmod(n, n_blocks)
    kinds = [(size, 1.0 - larger / n_blocks), (size + 1, larger / n_blocks)]
    looks, gain = (k - 1) / n_blocks, 0.0
    # One that withstood a challenge may come before those that had none: not all begin at once.
    parts = PARTS if size <= 2 else 1
    order = count()
    queue: list[tuple[float, int, Belief, float]] = []
    for each, share in kinds:
        first = first_belief(each, m, rise)
        queue += [(urgency(first, in_turn), next(order), first, share / parts)] * parts
    heapify(queue)
    for _ in range(MOST_FOLLOWED + 2 * parts):
        if not queue or looks <= 0.0:
            break
        _, _, belief, share = heappop(queue)
        gain += min(share, looks) * belief.worth
        looks -= share
        for rose, chance in ((False, 1.0 - belief.rises), (True, belief.rises)):
            after = belief.after(rose)
            if after.worth:
                heappush(queue, (urgency(after, in_turn), next(order), after, share * chance))
    return n_blocks * gain


def urgency(belief: Belief, in_turn: bool) -> float:
    """Return what a block is challenged by, the least first; inf: nothing is left to gain.

    In turn: by how often it was challenged; else by what its challenge gains.
    """
    if not belief.worth:
        return math.inf
    return float(belief.tried) if in_turn else -belief.worth


@lru_cache(maxsize=1024)
def best_number_of_blocks(problem: Problem, rise: Rise) -> int:
    """Return into how many blocks to cut the examples for the largest expected gain.

    >>> best_number_of_blocks(Problem(60, 4, 150), Rise())
    60
    """
    n, m, k = problem
    able = {(k - 1) / tries for tries in TRIES if tries <= max(1, m - 1)}
    able |= {n / size for size in range(1, 5) if n / size < 2 * k}
    numbers = sorted({max(1, min(n, math.ceil(number))) for number in able})
    return max(numbers, key=lambda number: expected_gain(problem, number, rise))
