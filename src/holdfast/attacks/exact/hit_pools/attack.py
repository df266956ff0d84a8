"""Hit pools: adaptive group tests for labels, read as digits of detecting designs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks.exact.hit_pools import tuning
from holdfast.attacks.exact.hit_pools.groups import Group, GroupSplit, Members
from holdfast.attacks.exact.hit_pools.packing import (
    RADICES,
    NodeDigits,
    block_size,
    pack,
    room_for_tests,
)
from holdfast.attacks.exact.hit_pools.round import HitPoolRound
from holdfast.attacks.exact.hit_pools.sizes import sizes
from holdfast.attacks.exact.hit_pools.tested_labels import TestedLabels
from holdfast.attacks.informed import InformedAttack
from holdfast.bounds.bisection import least
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["HitPools"]


class HitPools(InformedAttack):
    r"""Test blocks of examples for two labels at a time, and guess each block by its hit.

    With many classes a block of b examples has b/m of a given label: none, or one, now and then
    two. So the exact surplus of one label over another in the block is 0, 1 or -1 nearly always,
    and 1 is a *hit*: one match for the whole block. Such small sums need digits of radix 3 or 5
    only, and a round of the detecting design (`PooledDetecting`) reads 1.7 of them per look. Blocks
    with a hit are split in two or three, until they are small enough to be left alone; the parts
    without go back to the others, and the next round tests these for two other labels.

    A sum outside its digit's window is misread, and spoils sums below it. That is far less likely
    than the one sum was, so the digits are moved while the likelihood of the round rises.

    Departures
    ----------
    Not in the paper. Nothing is certain: a hit may be two and one of the other label. From a prior
    every example is tested for its likeliest labels first, in smaller blocks; examples whose
    likeliest label is likelier than a match by hits are left to the prior. If all are, nothing is
    asked.

    Parameters
    ----------
    problem
        The sizes to play for; it gains most with 30 classes or more.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    prior
        What a model says of the labels, such as the shares of the classes: a `Prior`, or an (n, m)
        array of probabilities.
    answers
        Exact, or rounded to less than one match.

    Examples
    --------
    >>> hidden = np.random.default_rng(1).integers(100, size=2000)
    >>> attack = HitPools(Problem(2000, 100, 300), rng=np.random.default_rng(2))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell((query == hidden).mean())
    >>> int((attack.predict() == hidden).sum()) > 130
    True
    """

    family = "exact"
    summary = "tests blocks for hits, splits those"
    plays_rest = True
    strongest_by_forecast = True
    adaptive = True
    intolerance = "a count that is off by one spoils the sums of every node below"
    effort = 20.0
    results = 2  # since 2: it starts from a prior

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, prior=prior, answers=answers)
        self._tested = TestedLabels(self._problem, self._prior)
        self._unhit: Members = self._tested.played
        self._groups: list[Group] = []
        self._rounds = 0  # finished
        if self._unhit.size:
            self._sizes = sizes(self._here())
            self._begin(self._problem.n_queries)

    def _query(self, index: int) -> Labels | None:  # noqa: ARG002 - the round counts
        if not self._tested.played.size:
            return None
        return self._round.row(self._alternative, self._base)

    def _learn(self, low: int, high: int, estimate: float) -> None:  # noqa: ARG002 - low = high
        if self._round.tell(low):
            split = {id(each.group) for each in self._round.splits}
            groups, without = self._round.outcome()
            self._groups = [each for each in self._groups if id(each) not in split] + groups
            if without or groups:
                self._unhit = np.concatenate([self._unhit[:0], *without])
            self._rounds += 1
            left = self._problem.n_queries - self._answered - 1
            if left:
                self._begin(left)

    def _guess(self) -> Labels:
        # Blocks without a hit have few of the labels that were tested: another one is likelier.
        return self._sent(self._shown(self._tested.untested(self._rounds)))

    def _sent(self, symbols: NDArray[np.uint32]) -> Labels:
        """Return the labels to send for the symbols of all examples."""
        return self._shifted(self._tested.labels(symbols))

    def _shown(self, otherwise: int) -> NDArray[np.uint32]:
        """Return the symbol of every example: its group's, or this one if it is played."""
        symbols = np.zeros(self._problem.n_examples, dtype=np.uint32)
        symbols[self._tested.played] = otherwise
        for group in self._groups:
            symbols[group.members] = group.label
        return symbols

    # -- the next round

    def _here(self) -> Problem:
        """Return the sizes of the examples that are played, as if classes were equally likely."""
        n, m = self._tested.played.size, self._tested.classes(self._rounds)
        return Problem(n, m, self._problem.n_queries)

    def _begin(self, looks: int) -> None:
        """Plan the next round of those that are left."""
        here = self._here()
        left_alone = self._sizes.left_alone(here, len(self._groups), looks)
        splits = self._splits(left_alone)
        wanted = self._unhit.size / (self._sizes.block * left_alone)

        def enough(rows: int) -> bool:
            return room_for_tests(rows, _by_radix(splits)) >= max(wanted, 1e-9)

        rows = least(enough, 1, looks) if enough(looks) else (looks + 1) // 2
        smallest = 0.0
        fewest = min(tuning.LOOKS_FOR_A_ROUND, self._problem.n_queries // 3)
        if looks - rows < fewest:
            # The last round: no later one could use what a split tells.
            rows, splits, smallest = looks, [], tuning.LAST_BLOCK * left_alone
        nodes = pack(rows, _by_radix(splits))
        pair = self._tested.pair(self._rounds)
        blocks = self._blocks(nodes, smallest)
        self._round = HitPoolRound(nodes, splits, blocks, pair, self._shown(0), here.n_classes)
        self._alternative = self._sent(self._round.alternative)
        self._base = self._sent(self._round.base)

    def _splits(self, left_alone: float) -> list[GroupSplit]:
        """Return the groups that are too large to be left alone, in parts."""
        found = []
        for group in self._groups:
            size, one = group.members.size, group.hits == 1
            if size < max(
                2.0, left_alone * (tuning.SPLIT_FROM if one else tuning.SPLIT_SEVERAL_FROM)
            ):
                continue
            halved = size < 3 or (one and size < tuning.HALVE_BELOW * left_alone)
            split = GroupSplit.of(group, 2 if halved else 3)
            if split.radix in RADICES:
                found.append(split)
        return found

    def _blocks(self, nodes: list[NodeDigits], smallest: float) -> list[Members]:
        """Deal the examples without a hit to the tests, none much smaller than `smallest`."""
        shares = np.array([block_size(d) for _, digits in nodes for d in digits if not d.split])
        if not shares.size:
            return []
        if shares.sum() * smallest > self._unhit.size:
            best_first = np.argsort(-shares, kind="stable")
            kept = int(np.searchsorted(shares[best_first].cumsum() * smallest, self._unhit.size))
            shares[best_first[max(1, kept) :]] = 0.0
        ends = np.rint(shares.cumsum() / shares.sum() * self._unhit.size).astype(np.int64)
        dealt = np.random.default_rng([self._seed, self._rounds]).permutation(self._unhit)
        return np.split(dealt, ends[:-1])


def _by_radix(splits: list[GroupSplit]) -> tuple[int, ...]:
    return tuple(sum(split.radix == radix for split in splits) for radix in RADICES)
