"""Lindström's design for m labels: one round, no error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks.exact.lindstrom import (
    DesignPlan,
    capacity,
    plan_exact,
    plan_pooled,
    too_many_to_plan,
)
from holdfast.attacks.exact.pool_odds import label_odds
from holdfast.attacks.exact.rounds.digit_blocks import (
    DigitBlock,
    narrowed_single,
    odd_single,
    unknown_single,
)
from holdfast.attacks.exact.rounds.layout import Contradiction, Round
from holdfast.attacks.exact.rounds.packing import nodes_by_size
from holdfast.attacks.exact.rounds.placing import place_count, place_single
from holdfast.attacks.informed import InformedAttack
from holdfast.errors import InconsistentAnswer
from holdfast.kernels.keyed import wrap
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["Detecting", "PooledDetecting"]


class Detecting(InformedAttack):
    r"""Identify labels without error in one round of queries fixed in advance.

    Queries are the sets of bits 0 .. K-1, and an example sits at one of them, its node. What it
    shows depends on the query's bits inside its node, arranged so that the alternating sum of the
    answers over the node's subsets adds a digit that tells its label, while examples elsewhere
    cancel or are known already. Large nodes are read first. See `lindstrom`.

    k = 2^s queries identify k log2(k) / 2 labels of two classes, of three 3,082 with k = 1024; for
    any hidden labels, so `certain` is never wrong. If the budget is too small for all labels, as
    many as possible are identified and the other examples are held at one label; if it is larger
    than needed, the rest is not asked.

    Departures
    ----------
    Not in the paper. Lindström (1965) has m = 2 and K a power of two; the digits extend it to m
    labels.

    Parameters
    ----------
    problem
        The sizes to play for; any number of queries.
    rng
        Where the attack's seed is drawn from. The queries are the same for every seed but for
        the permutation.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2). Exactness does
        not need it.
    prior
        What a model says of the labels: the examples it is least sure of are identified, the
        others are held at their most likely label.
    answers
        Exact, or rounded to less than one match.

    Examples
    --------
    >>> hidden = np.array([0, 1, 1, 0, 1])
    >>> attack = Detecting(Problem(5, 2, 4), rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(np.mean(query == hidden))
    >>> attack.predict(), bool(attack.certain().all())
    (array([0, 1, 1, 0, 1], dtype=uint8), True)
    """

    family = "exact"
    summary = "proves labels with queries fixed beforehand"
    proves_labels = True
    intolerance = "a count that is off by one spoils the digits of every node below"
    effort = 10.0
    results = 2  # since 2: its rows are those of the rounds

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
        n = self._problem.n_examples
        plan = self._plan(self._problem)
        self._n_asked = plan.n_queries
        self._base: Labels = np.zeros(n, dtype=self._dtype)
        queue = np.arange(n)
        if self._prior is not None:
            # Symbol 0 is the most likely label, and the least sure examples are placed first.
            self._base = self._prior.top()
            queue = np.argsort(self._prior.probability(self._base), kind="stable")
        self._counts = np.zeros(self._n_asked, dtype=np.int64)
        self._symbols = np.zeros(n, dtype=np.int64)
        self._sure = np.zeros(n, dtype=np.bool_)
        self._held_share = 1.0 / self._problem.n_classes  # of held examples with symbol 0
        self._lay_out(plan, queue)

    @staticmethod
    def _plan(problem: Problem) -> DesignPlan:
        return plan_exact(problem)

    @classmethod
    def expected_accuracy(cls, problem: Problem, *, answers: AnswerModel | None = None) -> float:
        """Return the expected accuracy without a prior; the baseline unless answers are exact.

        >>> Detecting.expected_accuracy(Problem(5121, 2, 1024))
        1.0
        """
        if answers is not None and answers.variance(problem) > 0.0:
            return problem.baseline
        return problem.baseline + cls._plan(problem).gain / problem.n_examples

    @staticmethod
    def capacity(n_classes: int, n_queries: int) -> int:
        """Return how many labels this many queries identify, whatever they are."""
        return capacity(n_classes, n_queries)

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels of `predict` the answers prove."""
        return self._sure.copy()

    def _lay_out(self, plan: DesignPlan, queue: NDArray[np.int64]) -> None:
        """Give the examples in `queue` their places: digits first, then pools, then none."""
        n, m, _ = self._problem
        self._round = Round(self._n_asked, halved=m == 2)
        # How many labels an example's digit asks about, 0 if it has none; and its pool, -1 if none.
        self._asked = np.zeros(n, dtype=np.int64)
        self._pool = np.full(n, -1, dtype=np.int64)
        taken = 0
        hosts = []
        for bits, nodes in nodes_by_size(self._n_asked):
            held = plan.nodes[bits]
            for node in nodes:
                seated = queue[taken : taken + len(held.digits)].tolist()
                taken += len(seated)
                for place, (digit, j) in enumerate(zip(held.digits, seated, strict=False), 1):
                    block = _digit(digit.labels, m, held.odd)
                    last = place == len(seated) and not held.pool
                    labels = range(digit.labels)
                    placed = place_single(block, j, labels, digit.unit, last, (j, block))
                    self._round.add(node, placed)
                    self._asked[j] = digit.labels
                if held.odd and m > 2:
                    # Values -(m - 1), .., -1, 1, .., m - 1 are read as 0 .. m - 1.
                    units = [digit.unit for digit in held.digits[: len(seated)]]
                    self._round.halve(node, (m - 1) * sum(units))
                if held.pool:
                    hosts.append((node, held.pool))
        self._placed, rest = np.split(queue, [min(taken, n)])
        self._held = rest if not hosts else rest[:0]
        ends = [-(-i * rest.size // len(hosts)) for i in range(1, len(hosts))]
        parts = np.split(rest, ends) if hosts else []
        self._pool_size = np.array([part.size for part in parts], dtype=np.int64)
        self._surplus = np.zeros_like(self._pool_size)
        for i, ((node, unit), part) in enumerate(zip(hosts, parts, strict=True)):
            self._pool[part] = i
            # With two classes it counts the 1s alone.
            low = 0 if m == 2 else -part.size
            if part.size:
                shown = np.ones_like(part)
                self._round.add(node, place_count(part, shown, low, 0, unit, i))
        everyone = np.arange(n)
        self._round.close(self._sent, self._sent(everyone, np.zeros_like(everyone)))

    def _query(self, index: int) -> Labels | None:
        if index >= self._n_asked:
            return None
        query: Labels = self._round.row(index)
        self._extra = self._round.extra(query)
        return query

    def _sent(self, examples: NDArray[Any], symbols: NDArray[Any]) -> Labels:
        """Return the labels that symbols stand for: relative to the base label, permuted."""
        m = self._problem.n_classes
        relative = wrap((self._base[examples] + symbols).astype(np.uint32), m)
        return wrap(relative + self._shifts[examples], m).astype(self._dtype)

    def _learn(self, low: int, high: int, estimate: float) -> None:  # noqa: ARG002 - low = high
        self._counts[self._answered] = low + self._extra
        if self._answered + 1 == self._n_asked:
            self._decode()

    def _decode(self) -> None:
        """Read all nodes, or raise if the answers contradict each other."""
        n, m, _ = self._problem
        try:
            values = self._round.read(self._counts)
        except Contradiction as error:
            raise InconsistentAnswer(
                f"the answers to the subsets of query {error.node} contradict "
                f"each other; no labels give them all.",
                query=self._answered,
            ) from None
        named, surplus = np.full(n, -1), np.zeros_like(self._surplus)
        for tag, value in zip(self._round.tags, values.tolist(), strict=True):
            if isinstance(tag, int):
                surplus[tag] = 2 * value - self._pool_size[tag] if m == 2 else value
            else:
                j, block = tag
                named[j] = block.outcomes[value - block.low]
        left = self._left_over(self._round.base_matches - int((named == 0).sum()), surplus)
        symbols, sure = self._read(named, surplus)
        if self._held.size:
            # All that is known of them is how many have symbol 0, the prior's choice if there is
            # one.
            poor = left == 0 if self._prior is not None else m * left < self._held.size
            symbols[self._held] = int(poor)
            self._held_share = left / self._held.size
            sure[self._held] = left == self._held.size or (left == 0 and m == 2)
        self._symbols, self._sure, self._surplus = symbols, sure, surplus

    def _read(
        self, named: NDArray[np.int64], surplus: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Turn what digits named (-1: nothing) and surpluses into symbols; say which are proved."""
        m = self._problem.n_classes
        # A digit of 0 says: none of the labels asked about. One other label may be left.
        symbols = np.where(named < 0, np.minimum(self._asked, m - 1), named)
        sure = (named >= 0) | (self._asked == m - 1)
        pooled = np.flatnonzero(self._pool >= 0)
        more = surplus[self._pool[pooled]]
        # As many 1s as 0s: both are rarer than a label that the pool was not asked about.
        symbols[pooled] = np.where(more == 0, 2 if m > 2 else 0, more > 0)
        sure[pooled] = np.abs(more) == self._pool_size[self._pool[pooled]]
        return symbols, sure

    def _left_over(self, left: int, surplus: NDArray[np.int64]) -> int:
        """Return how many held examples have label 0, or raise if that can't be.

        `left` is what the empty set's answer leaves: matches of label 0 in the pools and among
        the held examples. A pool of g examples with surplus w has at least -w and at most
        (g - w)/2 of them, exactly that many if there are two classes.
        """
        size = self._pool_size
        most = (size - surplus) // 2
        least = most if self._problem.n_classes == 2 else np.maximum(0, -surplus)
        low, high = int(least.sum()), int(most.sum()) + self._held.size
        if not low <= left <= high:
            raise InconsistentAnswer(
                f"the answers leave {left} matches to query 0 where "
                f"{low} to {high} are possible; no labels give them all.",
                query=self._answered,
            )
        return left - low

    def _guess(self) -> Labels:
        return self._sent(np.arange(self._symbols.size), self._symbols)


class PooledDetecting(Detecting):
    r"""Gain the most that one round of the detecting design can, certain or not.

    `Detecting` leaves room unused: a node too small for a whole digit, and what lies above the last
    digit of the others. Here a digit may ask about h < m labels, which guesses an example right
    with probability (h+1)/m, and the last place of a node holds a pool: any number of examples
    that show one of two labels, whose exact surplus decides for all of them. They are guessed to
    have the more frequent of the two, as a block in `BlockMajority`, or a third label if there are
    as many of both. Every node is filled for the largest expected gain, examples being scarce at
    one common price. So the gain of k blocks comes on top of the digits, in one round.

    What is proved is still marked by `certain`. If the budget identifies every label, it plays as
    `Detecting`.

    Departures
    ----------
    Not in the paper. It replaces both of its attacks for exact answers: two labels per block in
    every node, and whole labels where there is room.

    Parameters
    ----------
    problem
        The sizes to play for; any number of queries.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    answers
        Exact, or rounded to less than one match.

    Examples
    --------
    >>> problem = Problem(10_000, 10, 1000)
    >>> round(problem.n_examples * (PooledDetecting.expected_accuracy(problem) - 0.1))
    1403
    """

    summary = "proves labels, guesses the remaining ones"
    plays_rest = True
    strongest_by_forecast = True
    takes_prior = False
    results = 3  # since 3: as `Detecting`, version 2

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with: its exact sum would take too long."""
        return super().obstacle(setting) or too_many_to_plan(setting.problem)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        answers: AnswerModel | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, answers=answers)

    @staticmethod
    def _plan(problem: Problem) -> DesignPlan:
        return plan_pooled(problem)

    def posterior(self, examples: NDArray[np.intp]) -> Prior:
        """Return what the answers say of some examples whose labels they do not prove.

        A digit of 0 rules out the labels asked about. A pool's examples have label 1 or 0 as its
        surplus makes likely, and any other label with what is left; of two classes the expected
        matches of any label, pool by pool, are the true ones. That they add up to known numbers is
        not in it.

        Raises
        ------
        InconsistentAnswer
            The answers leave an example no label: they were no match counts.
        """
        m = self._problem.n_classes
        asked, pool = self._asked[examples], self._pool[examples]
        if asked.max(initial=0) >= m:
            raise InconsistentAnswer("a digit of the design rules out every label of an example.")
        width = min(m, max(2, int(asked.max(initial=0))))
        # Label l < h of h labels asked about: impossible; all others are alike.
        rows = (np.arange(width) >= asked[:, None]) / np.maximum(m - asked, 1)[:, None]
        pooled = np.flatnonzero(pool >= 0)
        hosts, host = np.unique(pool[pooled], return_inverse=True)
        laws, law = np.unique(
            np.stack([self._pool_size[hosts], self._surplus[hosts]]), axis=1, return_inverse=True
        )
        odds = np.array([label_odds(int(g), int(s), m) for g, s in laws.T]).reshape(-1, 3)
        rows[pooled, :2] = odds[law[host], :2]
        rows[pooled, 2:] = odds[law[host], 2:]
        held = (asked == 0) & (pool < 0)
        rows[held] = (1.0 - self._held_share) / (m - 1)
        rows[held, 0] = self._held_share
        if width == m:
            rows /= rows.sum(axis=1, keepdims=True)
        symbols = np.broadcast_to(np.arange(width, dtype=np.uint32), rows.shape)
        labels = wrap(symbols + self._shifts[examples, None], m).astype(self._dtype)
        return Prior.candidates(labels, rows, m)


def _digit(labels: int, n_classes: int, odd: bool) -> DigitBlock:
    """Return the block of an example that is asked about so many labels."""
    if n_classes == 2:
        return narrowed_single(2)
    return odd_single(n_classes) if odd else unknown_single(labels, n_classes)
