r"""A second round of the detecting design, on labels that a first one left open.

A digit that asked about h of the m labels and read 0 leaves c = m - h of them, and the h others
are known to be wrong. Shown as the base label a wrong one adds nothing to any count, so c
candidates take c consecutive digits and no value is wasted: log2(c) bits for 1 - 1/c of a match,
where a label of which nothing is known takes log2(m) bits for 1 - 1/m.

The last place of a node holds a pool, as in the first round, of examples whose likeliest labels
are equally likely: those of a pool without a surplus, and those of digits that found no place. Two
such labels of probability p each are shown against each other; the surplus of one over the other
says of all of them which is likelier, or that a third one is, as in a pool of 1/p classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.detecting import PooledDetecting
from holdfast.attacks.exact.pool_odds import label_odds
from holdfast.attacks.exact.rounds.digit_blocks import narrowed_single
from holdfast.attacks.exact.rounds.layout import Contradiction, Round
from holdfast.attacks.exact.rounds.placing import place_count, place_single
from holdfast.attacks.two_stages import TwoStages
from holdfast.bounds.multinomial import expected_distance
from holdfast.errors import InconsistentAnswer
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["MOST_CANDIDATES", "NodeFilling", "SecondRound", "TwoRounds", "fillings", "pool_gain"]

Floats = NDArray[np.float64]

# Candidates of an example that gets a digit of its own, at most: more take much of a node.
MOST_CANDIDATES = 8
# Matches that the tail would gain of such an example if it got no digit. By hand: from 0 to 0.12
# the forecasts at (10000, 10) with 3,000 and 5,000 looks do not move.
TAIL_GAIN_FORGONE = 0.06
# Likeliest labels whose probabilities differ by less are equally likely: they differ by rounding.
EQUALLY_LIKELY_WITHIN = 1e-9


def pool_gain(size: int, share: float) -> float:
    """Return what a pool gains that shows two labels of this probability each.

    As a pool of 1/p classes: 2 g p P(S = 0), S the surplus among g - 1 examples; E|S|/2 of g if
    every label is one of the two.

    >>> round(pool_gain(2, 0.1), 6), pool_gain(3, 0.5)
    (0.32, 0.75)
    """
    if share >= 0.5:
        return 0.5 * expected_distance(size, 2)
    variance = 2.0 * share * size
    points = min(size, math.ceil(40.0 + 12.0 * math.sqrt(variance)))
    angles = 2.0 * np.pi * np.arange(points) / points
    back = np.mean((1.0 - 2.0 * share + 2.0 * share * np.cos(angles)) ** (size - 1))
    return 2.0 * size * share * float(back)


class NodeFilling(NamedTuple):
    """What a node holds: the candidates of each digit, and the unit of its pool (0: none)."""

    digits: tuple[int, ...]
    pool: int


@lru_cache(maxsize=4096)
def _filling(node_capacity: int, worth: float, stocked: tuple[int, ...]) -> NodeFilling:
    """Return what a node gains most from, if examples with so many candidates are in stock."""
    needs = {c: narrowed_single(c).need for c in stocked}

    @cache
    def best(unit: int) -> tuple[float, tuple[int, ...], int]:
        value: tuple[float, tuple[int, ...], int]
        value = (worth, (), unit) if unit <= node_capacity else (0.0, (), 0)
        for c in stocked:
            if needs[c] * unit <= node_capacity:
                gain, digits, pool = best(unit * c)
                gain += 1.0 - 1.0 / c - TAIL_GAIN_FORGONE
                if gain > value[0] + 1e-12:
                    value = (gain, (c, *digits), pool)
        return value

    _, digits, pool = best(1)
    return NodeFilling(digits, pool)


def fillings(
    n_rows: int, stock: Mapping[int, int], pooled: float, share: float
) -> Iterator[tuple[int, NodeFilling]]:
    """Yield each node of a round and what it holds, the largest nodes first.

    Parameters
    ----------
    n_rows
        Rows of the round.
    stock
        How many examples have so many candidates.
    pooled, share
        How many examples the pools are to hold, and the probability of the labels they show.

    Examples
    --------
    >>> dict(fillings(16, {4: 5}, 900, 0.1))[15]
    NodeFilling(digits=(4,), pool=4)
    """
    left = {c: count for c, count in sorted(stock.items()) if 2 <= c <= MOST_CANDIDATES}
    # A host more takes its examples from the others: it is worth half of what it gains.
    worth = 0.5 * pool_gain(max(1, round(pooled / n_rows)), share) if pooled else 0.0
    for node in sorted(range(1, n_rows), key=lambda a: (-a.bit_count(), a)):
        node_capacity = 1 << (node.bit_count() - 1)
        # A node has fewer digits than bits: a stock of so many does not run out within one.
        stocked = tuple(c for c, count in left.items() if count >= node.bit_count())
        found = _filling(node_capacity, worth, stocked)
        for c in found.digits:
            left[c] -= 1
        yield node, found


class SecondRound:
    """One round on examples that are open: what it shows, and what its answers say.

    Parameters
    ----------
    labels, probabilities
        (examples, listed labels): the labels that each example may have, likeliest first, and how
        likely they are.
    wrong
        A label that is known to be wrong, by example; -1: none.
    n_rows
        Rows of the round.
    rng
        Which of equal examples get a place.
    """

    proves_labels = True

    def __init__(
        self,
        labels: Labels,
        probabilities: Floats,
        wrong: NDArray[np.int64],
        n_rows: int,
        rng: np.random.Generator,
    ) -> None:
        self._labels, self._odds = labels, probabilities.copy()
        self._sure = np.zeros(len(labels), dtype=np.bool_)
        stock, pooled = self._sorted(wrong, rng)
        share = float(self._odds[pooled, 0].mean()) if pooled.size else 0.0
        counts = {c: len(members) for c, members in stock.items()}
        self._round = Round(n_rows, halved=False)
        base = labels[:, 0].copy()
        hosts = []
        for node, found in fillings(n_rows, counts, pooled.size, share):
            unit = 1
            for place, c in enumerate(found.digits, 1):
                j = stock[c].pop()
                base[j] = wrong[j]
                last = place == len(found.digits) and not found.pool
                block = narrowed_single(c)
                shown = labels[j, :c].tolist()
                self._round.add(node, place_single(block, j, shown, unit, last, (j, c)))
                unit *= c
            if found.pool:
                hosts.append((node, found.pool))
        left = [j for members in stock.values() for j in members]
        members = np.concatenate([pooled, np.array(left, dtype=np.int64)])
        self._pools(members, hosts, base)
        self._round.close(lambda _, shown: shown.astype(base.dtype), base)
        self._counts: list[int] = []

    def _sorted(
        self, wrong: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[dict[int, list[int]], NDArray[np.int64]]:
        """Return the examples that may get digits, by candidates, and those for pools."""
        top = self._odds[:, :1]
        alike = np.abs(self._odds - top) <= EQUALLY_LIKELY_WITHIN
        candidates = alike.sum(axis=1)
        # Equally likely labels that are all there is, beside one that can be shown as the base.
        whole = (candidates * top[:, 0] > 1.0 - EQUALLY_LIKELY_WITHIN) & (wrong >= 0)
        digits = whole & (candidates >= 2) & (candidates <= MOST_CANDIDATES)
        stock = {
            int(c): rng.permutation(np.flatnonzero(digits & (candidates == c))).tolist()
            for c in np.unique(candidates[digits])
        }
        pooled = np.flatnonzero(~digits & (candidates >= 2))
        return stock, rng.permutation(pooled)

    def _pools(
        self, members: NDArray[np.int64], hosts: list[tuple[int, int]], base: Labels
    ) -> None:
        """Deal examples to the nodes that have room for a pool, alike ones to the same pool."""
        # A pool says most if its labels are equally likely: a stable sort keeps them shuffled.
        order = members[np.argsort(-self._odds[members, 0], kind="stable")]
        parts = np.array_split(order, len(hosts)) if hosts else []
        for (node, unit), part in zip(hosts, parts, strict=True):
            if part.size:
                base[part] = self._labels[part, 1]
                shown = self._labels[part, 0].tolist()
                block = place_count(part.tolist(), shown, -part.size, 0, unit, part)
                self._round.add(node, block)

    def ask(self) -> Labels | None:
        """Return what the examples show in the next row; None after the last one."""
        if len(self._counts) == self._round.size:
            return None
        row: Labels = self._round.row(len(self._counts))
        return row

    def tell(self, answer: float) -> None:
        """Take the accuracy of the row; after the last one all sums are read.

        Raises
        ------
        InconsistentAnswer
            No labels give these counts.
        """
        self._counts.append(round(answer * self._sure.size))
        if len(self._counts) < self._round.size:
            return
        try:
            values = self._round.read(self._counts)
        except Contradiction as error:
            raise InconsistentAnswer(
                f"the answers to the subsets of row {error.node} of the second round contradict "
                f"each other; no labels give them all."
            ) from None
        for tag, value in zip(self._round.tags, values.tolist(), strict=True):
            if isinstance(tag, tuple):
                j, candidates = tag
                self._record_proved(j, candidates, value)
            else:
                self._update_pool(tag, value)

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels are proved."""
        return self._sure.copy()

    def predict(self) -> Labels:
        """Return the likeliest labels."""
        best = self._odds.argmax(axis=1)[:, None]
        likeliest: Labels = np.take_along_axis(self._labels, best, axis=1)[:, 0]
        return likeliest

    def posterior(self) -> tuple[Labels, Floats]:
        """Return the labels of all examples and how likely they are."""
        return self._labels, self._odds

    def _record_proved(self, j: int, candidates: int, value: int) -> None:
        """Take the digit of an example with its own place: it names one of the candidates."""
        block = narrowed_single(candidates)
        self._odds[j] = 0.0
        self._odds[j, block.outcomes[value - block.low]] = 1.0
        self._sure[j] = True

    def _update_pool(self, part: NDArray[np.int64], surplus: int) -> None:
        """Take the surplus of first over second labels in a pool."""
        share = min(0.5, float(self._odds[part, 0].mean()))
        second, first, _ = label_odds(part.size, surplus, 1.0 / share)
        rest = max(0.0, 1.0 - first - second) / (1.0 - 2.0 * share) if share < 0.5 else 0.0
        odds = self._odds[part]
        odds *= np.array([first / share, second / share, *[rest] * (odds.shape[1] - 2)])
        self._odds[part] = odds / odds.sum(axis=1, keepdims=True)
        if abs(surplus) == part.size:
            self._odds[part] = 0.0
            self._odds[part, 0 if surplus > 0 else 1] = 1.0
            self._sure[part] = True


class TwoRounds(TwoStages):
    """Play `PooledDetecting`, then a `SecondRound`; both are exact, and what they prove is proved.

    Parameters
    ----------
    problem
        The sizes to play for; the looks are those of both rounds.
    rng
        Where the seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels.
    second
        How many of the looks are the second round's, at least 2.
    """

    def __init__(
        self, problem: Problem, *, rng: np.random.Generator, permuted: bool, second: int
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, k = self._problem
        self._rows = second
        self._first = PooledDetecting(
            Problem(n, m, k - second),
            rng=np.random.default_rng([self._seed, 1]),
            permuted=permuted,
        )

    def posterior(self, examples: NDArray[np.intp]) -> Prior:
        """Return what the answers say of some examples whose labels they do not prove."""
        if self._second is None:
            prior: Prior = self._first.posterior(examples)
            return prior
        at = np.searchsorted(self._open, examples)
        labels, odds = self._second.posterior()
        return Prior.candidates(labels[at], odds[at], self._problem.n_classes)

    def _second_stage(self, open_: NDArray[np.intp], looks: int) -> SecondRound:  # noqa: ARG002
        rng = np.random.default_rng([self._seed, 2])
        labels, odds = self._first.posterior(open_).ranked(self._problem.n_classes)
        # Of equally likely labels a random one comes first, whatever the numbers of the classes.
        order = np.lexsort((rng.random(odds.shape), -odds), axis=1)
        labels = np.take_along_axis(labels, order, axis=1)
        odds = np.take_along_axis(odds, order, axis=1)
        wrong = np.where(odds[:, -1] == 0.0, labels[:, -1].astype(np.int64), -1)
        return SecondRound(labels, odds, wrong, self._rows, rng)
