"""Lindström's design for m labels: one round, no error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks.designs._forecast import design_gain
from holdfast.attacks.exact._detecting_kernels import decode_nodes, write_row
from holdfast.attacks.exact._lindstrom import (
    DesignPlan,
    capacity,
    plan_exact,
    plan_pooled,
    too_many_to_plan,
)
from holdfast.attacks.exact._pool_odds import label_odds
from holdfast.attacks.exact._subset_lattice import bit_counts, moebius
from holdfast.attacks.informed import InformedAttack
from holdfast.errors import InconsistentAnswer
from holdfast.forecasts import Estimate, Setting
from holdfast.kernels.keyed import wrap
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Detecting", "PooledDetecting"]


class Detecting(InformedAttack):
    r"""Identify labels without error in one round of queries fixed in advance.

    Queries are the sets of bits 0 .. K-1, and an example sits at one of them, its node. What it
    shows depends on the query's bits inside its node, arranged so that the alternating sum of the
    answers over the node's subsets adds a digit that tells its label, while examples elsewhere
    cancel or are known already. Large nodes are read first. See `_lindstrom`.

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

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain."""
        problem, plan = setting.problem, cls._plan(setting.problem)
        gain = plan.gain
        if setting.prior is not None:
            gain = setting.sure_gain(cls.capacity(problem.n_classes, problem.n_queries))
        return Estimate(gain, plan.n_queries, "one round that proves as many labels as fit")

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
        self._assign_places(plan, queue)
        self._counts = np.zeros(self._n_asked, dtype=np.int64)
        self._symbols = np.zeros(n, dtype=np.int64)
        self._sure = np.zeros(n, dtype=np.bool_)
        self._surplus = np.zeros(self._n_asked, dtype=np.int64)
        self._held_share = 1.0 / self._problem.n_classes  # of held examples with symbol 0

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

    def _assign_places(self, plan: DesignPlan, queue: NDArray[np.int64]) -> None:
        """Give the examples in `queue` their places: digits first, then pools, then none."""
        n = self._problem.n_examples
        nodes = plan.n_queries
        self._size = bit_counts(nodes)
        self._node = np.zeros(n, dtype=np.int64)
        self._labels = np.zeros(n, dtype=np.int64)
        self._unit = np.ones(n, dtype=np.int64)
        self._first = np.zeros(nodes, dtype=np.int64)
        self._count = np.zeros(nodes, dtype=np.int64)
        self._odd = np.zeros(nodes, dtype=np.bool_)
        self._pool_unit = np.zeros(nodes, dtype=np.int64)
        self._pool_size = np.zeros(nodes, dtype=np.int64)
        order = sorted(range(1, nodes), key=lambda a: (-a.bit_count(), a))
        taken = 0
        hosts = []
        for a in order:
            held = plan.nodes[a.bit_count()]
            seats = min(len(held.digits), n - taken)
            self._first[a], self._count[a], self._odd[a] = taken, seats, held.odd
            for digit, j in zip(held.digits, queue[taken : taken + seats], strict=False):
                self._node[j], self._labels[j], self._unit[j] = a, digit.labels, digit.unit
            taken += seats
            if held.pool:
                hosts.append(a)
                self._pool_unit[a] = held.pool
        self._placed = queue[:taken]
        rest = queue[taken:]
        shares = np.arange(rest.size) * len(hosts) // max(rest.size, 1)
        for j, host in zip(rest, shares, strict=True):
            if hosts:
                a = hosts[host]
                self._node[j], self._unit[j] = a, self._pool_unit[a]
                self._pool_size[a] += 1
        self._held = rest if not hosts else rest[:0]
        self._order = np.array(
            [a for a in order if self._count[a] or self._pool_size[a]], dtype=np.int64
        )
        self._inside = np.zeros(nodes, dtype=np.int64)

    def _query(self, index: int) -> Labels | None:
        if index >= self._n_asked:
            return None
        symbols = np.empty(self._problem.n_examples, dtype=np.uint32)
        odd = self._odd[self._node]
        write_row(
            index, self._inside, self._size, self._node, self._labels, self._unit, odd, symbols
        )
        return self._in_host_terms(symbols)

    def _in_host_terms(self, symbols: NDArray[Any]) -> Labels:
        """Return the labels that these symbols stand for: relative to the base label, permuted."""
        m = self._problem.n_classes
        relative = wrap(self._base.astype(np.uint32) + symbols.astype(np.uint32), m)
        return self._shifted(relative)

    def _learn(self, low: int, high: int, estimate: float) -> None:  # noqa: ARG002 - low = high
        self._counts[self._answered] = low
        if self._answered + 1 == self._n_asked:
            self._decode()

    def _decode(self) -> None:
        """Read all nodes, or raise if the answers contradict each other."""
        m = self._problem.n_classes
        sums = self._counts.copy()
        moebius(sums)
        digit = np.zeros(self._placed.size, dtype=np.int64)
        surplus = np.zeros(self._n_asked, dtype=np.int64)
        bad = decode_nodes(
            sums, self._size, self._order, self._first, self._count, self._pool_unit,
            self._pool_size, self._labels[self._placed], self._unit[self._placed], self._odd,
            m == 2, digit, surplus,
        )  # fmt: skip
        if bad:
            raise InconsistentAnswer(
                f"the answers to the subsets of query {bad} contradict "
                f"each other; no labels give them all.",
                query=self._answered,
            )
        left = self._left_over(int(sums[0]), surplus)
        symbols, sure = self._read(digit, surplus)
        if self._held.size:
            # All that is known of them is how many have symbol 0, the prior's choice if there is
            # one.
            poor = left == 0 if self._prior is not None else m * left < self._held.size
            symbols[self._held] = int(poor)
            self._held_share = left / self._held.size
            sure[self._held] = left == self._held.size or (left == 0 and m == 2)
        self._symbols, self._sure, self._surplus = symbols, sure, surplus

    def _read(
        self, digit: NDArray[np.int64], surplus: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Turn digits and surpluses into symbols, and say which of them are proved."""
        n, m, _ = self._problem
        symbols, sure = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
        placed = self._placed
        asked = self._labels[placed]
        run = np.where(self._odd[self._node[placed]], (np.abs(digit) - 1) // 2, np.abs(digit) - 1)
        named = 2 * run + (digit < 0)
        # A digit of 0 says: none of the labels asked about. One other label may be left.
        symbols[placed] = np.where(digit == 0, np.minimum(asked, m - 1), named)
        sure[placed] = (digit != 0) | (asked == m - 1)
        pooled = np.flatnonzero((self._node > 0) & (self._labels == 0))
        more = surplus[self._node[pooled]]
        # As many 1s as 0s: both are rarer than a label that the pool was not asked about.
        symbols[pooled] = np.where(more == 0, 2 if m > 2 else 0, more > 0)
        sure[pooled] = np.abs(more) == self._pool_size[self._node[pooled]]
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
        return self._in_host_terms(self._symbols)


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
    results = 2  # since 2: tiny problems compare the design without pools

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with: its exact sum would take too long."""
        return super().obstacle(setting) or too_many_to_plan(setting.problem)

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain."""
        gain = design_gain(cls, setting.problem, setting.answers)
        reason = "one round: digits, and a block's majority in what room they leave; exact sum"
        return setting.from_scratch(gain, setting.problem.n_queries, reason)

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
        asked, node = self._labels[examples], self._node[examples]
        if asked.max(initial=0) >= m:
            raise InconsistentAnswer("a digit of the design rules out every label of an example.")
        width = min(m, max(2, int(asked.max(initial=0))))
        # Label l < h of h labels asked about: impossible; all others are alike.
        rows = (np.arange(width) >= asked[:, None]) / np.maximum(m - asked, 1)[:, None]
        pooled = np.flatnonzero((asked == 0) & (node > 0))
        hosts, host = np.unique(node[pooled], return_inverse=True)
        laws, law = np.unique(
            np.stack([self._pool_size[hosts], self._surplus[hosts]]), axis=1, return_inverse=True
        )
        odds = np.array([label_odds(int(g), int(s), m) for g, s in laws.T]).reshape(-1, 3)
        rows[pooled, :2] = odds[law[host], :2]
        rows[pooled, 2:] = odds[law[host], 2:]
        rows[node == 0] = (1.0 - self._held_share) / (m - 1)
        rows[node == 0, 0] = self._held_share
        if width == m:
            rows /= rows.sum(axis=1, keepdims=True)
        symbols = np.broadcast_to(np.arange(width, dtype=np.uint32), rows.shape)
        labels = wrap(symbols + self._shifts[examples, None], m).astype(self._dtype)
        return Prior.candidates(labels, rows, m)
