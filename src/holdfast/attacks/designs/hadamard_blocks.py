"""Hadamard designs over blocks with two labels each, for noisy or rounded answers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.answer_likelihood import Floats, ReleasedCounts, effective_variance, slopes
from holdfast.attacks.description import Reads
from holdfast.attacks.informed import InformedAttack
from holdfast.kernels.keyed import subkey
from holdfast.kernels.permutations import permutation
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["HadamardBlocks"]

# Rounds of expectation-maximisation for the common offset. One is enough for exact answers; two
# decimals at n = 10,000 hide three quarters of the information, and .75^40 is nothing.
OFFSET_ROUNDS = 40


class _Layout(NamedTuple):
    """How many signs a row has, and how many examples the constant column's block has."""

    order: int
    constant: int
    gain: float


def signs(index: int, order: int) -> NDArray[np.int8]:
    """Return row `index` of the Sylvester matrix of this order, a power of two.

    >>> signs(2, 4)
    array([ 1,  1, -1, -1], dtype=int8)
    """
    row = np.ones(1, dtype=np.int8)
    while row.size < order:
        half = -row if index & row.size else row
        row = np.concatenate((row, half))
    return row


def transform(values: Floats, order: int) -> Floats:
    """Return the product of the Sylvester matrix with `values`, padded with zeros.

    >>> transform(np.array([1.0, 2.0, 3.0]), 4)
    array([ 6.,  2.,  0., -4.])
    """
    out = np.zeros(order)
    out[: values.size] = values
    width = 1
    while width < order:
        pairs = out.reshape(-1, 2, width)
        out = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1).reshape(-1)
        width *= 2
    return out


def _layout(problem: Problem, answers: AnswerModel) -> _Layout:
    """Choose the order and the size of the constant column's block; predict the gain.

    With v the variance of half a block's surplus (its size / 2m), t that of the common offset
    T/2, and s the noise: a column sees k v^2 / (K v + s) of its block's variance, the constant
    column k v0^2 / (K v + s + k (v0 + t - v)). A block gains sqrt(2/pi) times the root of it.
    """
    n, m, k = problem
    order = 1 << (k - 1).bit_length()
    offset = n / (2 * m) * (1 - 2 / m)
    noise = effective_variance(answers, n / (2 * m), offset, problem)

    def gain(constant: int) -> float:
        own = constant / (2 * m)
        other = (n - constant) / (2 * m * (order - 1)) if order > 1 else 0.0
        base = order * other + noise
        common = base + k * (own + offset - other)
        total = (order - 1) * other * math.sqrt(k / base) if base > 0.0 else 0.0
        if common > 0.0 and constant:
            total += own * math.sqrt(k / common)
        return math.sqrt(2 / math.pi) * total

    if order == 1:
        return _Layout(order, n, gain(n))
    shares = [0.0, *(2.0**e for e in range(-3, order.bit_length()))]
    sizes = sorted({min(n, round(share * n / order)) for share in shares})
    best = max(sizes, key=gain)
    return _Layout(order, best, gain(best))


def _open_to_doubt(odds: Floats, order: int, problem: Problem, answers: AnswerModel) -> int:
    """Return how many examples, by smallest prior lead, are worth a place in a block.

    An example whose two labels differ in prior probability by `lead`, with variance v of their
    difference, in a block of s such examples: the answers move the lead by a normal amount of
    standard deviation w = sqrt(v f / s), f the share of a block's variance that is seen, and the
    guess gains the expected excess of that over the lead.
    """
    n, m, k = problem
    sort = np.argsort(odds[:, 0] - odds[:, 1], kind="stable")
    likely, less = odds[sort].T
    lead, variance = likely - less, likely + less - (likely - less) ** 2
    columns = max(order - 1, 1)
    best, most = 0, 0.0
    sizes = {min(n, max(1, round(columns * 2 ** (e / 2)))) for e in range(2 * n.bit_length())}
    for used in sorted(sizes):
        total = variance[:used].sum() / 4
        noise = effective_variance(answers, max(total, 1e-9), n / (2 * m), problem)
        share = k / order * total / max(total + noise, 1e-9)
        move = np.sqrt(variance[:used] * share * columns / used) + 1e-12
        t = lead[:used] / move
        gain = float((move * (np.exp(-t * t / 2) / math.sqrt(2 * math.pi) - t * ndtr(-t))).sum())
        if gain > most:
            best, most = used, gain
    return best


class HadamardBlocks(InformedAttack):
    r"""Decide between two labels per block, with every block's sign in every query.

    The examples are cut into blocks, and query i shows label 0 on the blocks whose sign in row i
    of a Sylvester matrix is +, label 1 on the others. With D_b the surplus of 0s over 1s in block
    b and T the number of examples that have one of the two labels, the count is

        A_i = T/2 + (1/2) sum over b of H_ib D_b.

    Rows of H are orthogonal, so the sum over i of H_ib A_i isolates D_b, and an error in one
    answer is spread over all blocks instead of deciding two of them, as it does in the chain of
    neighbouring queries of `BlockMajority`. Independent errors of variance s^2 leave an error of
    4 s^2 / k in D_b, not 2 s^2.

    No Hadamard matrix of order k is needed. The first k rows of a larger one, of order K, see K
    smaller blocks, each D_b with correlation sqrt(k/K): K sqrt(k/K) sqrt(n/K) = sqrt(k n), the
    same gain as k blocks seen exactly. So K is the next power of two and any k works.

    The offset T/2 is common to all queries and looks like the column of ones; that column's block
    is left empty unless k is so small (or m = 2, where T = n) that it pays.

    With a prior, the two labels are each example's most likely two, each example weighs its own
    prior odds against its block's evidence, and examples that the prior is too sure of to be
    changed by so many answers show their most likely label throughout.

    Departures
    ----------
    Not in the paper: it has the accuracy of A^small (1/m + .564 sqrt(k/(mn)) in the Gaussian
    limit) under answers that A^small does not survive.

    Parameters
    ----------
    prior
        What a model says of the labels.
    answers
        What a released answer tells.

    Examples
    --------
    >>> attack = HadamardBlocks(Problem(6, 2, 2), rng=np.random.default_rng(0), permuted=False)
    >>> for matches in (4, 3):
    ...     query = attack.ask()
    ...     attack.tell(matches / 6)
    >>> attack.predict()
    array([0, 0, 0, 0, 0, 0], dtype=uint8)
    """

    family = "designs"
    summary = "tests all blocks in every query"
    tolerates = frozenset({ExactAnswers, RoundedAnswers, NoisyAnswers, SubsetAnswers})
    intolerance = "it adds and subtracts counts, which a bare order does not give"
    strongest_on = frozenset({Reads.SCORES, Reads.NEW_BEST})
    accounts = None
    effort = 10.0

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
        n, m, k = self._problem
        known = self._prior if self._prior is not None else Prior.uniform(n, m)
        labels, self._odds = known.ranked(2)
        self._first, self._second = self._shifted(labels[:, 0]), self._shifted(labels[:, 1])
        self._order, constant, _ = _layout(self._problem, self._answers)
        if self._odds.max() <= 1 / m + 1e-12:  # a prior that says nothing, but for rounding
            self._odds[:] = 1 / m
        lead = self._odds[:, 0] - self._odds[:, 1]
        if lead.any() and self._order > 1:  # with one block, everything is in it
            constant = n - _open_to_doubt(self._odds, self._order, self._problem, self._answers)
        self._block = self._assign(constant, lead)
        self._released = ReleasedCounts.empty(k)

    @classmethod
    def expected_accuracy(cls, problem: Problem, *, answers: AnswerModel | None = None) -> float:
        """Return the accuracy in the Gaussian limit, without a prior.

        >>> round(HadamardBlocks.expected_accuracy(Problem(10_000, 10, 128)), 4)
        0.1201
        """
        gain = _layout(problem, answers or ExactAnswers()).gain / problem.n_examples
        return min(problem.baseline + gain, 2.0 / problem.n_classes)

    def _assign(self, constant: int, lead: Floats) -> NDArray[np.int64]:
        """Deal the examples to blocks: the clearest to the constant one, the rest at random."""
        n = self._problem.n_examples
        place = permutation(np.arange(n), subkey(self._seed, "blocks"), n).astype(np.int64)
        clearest = place[np.argsort(-lead[place], kind="stable")[:constant]]
        block = np.ones(n, dtype=np.int64)
        block[clearest] = 0
        others = place[block[place] > 0]
        if others.size:
            block[others] = 1 + np.arange(others.size) * (self._order - 1) // others.size
        return block

    def _query(self, index: int) -> Labels:
        plus = signs(index, self._order)[self._block] > 0
        return np.where(plus, self._first, self._second)

    def _learn(self, low: int, high: int, estimate: float) -> None:
        self._released.put(self._answered, low, high, estimate)

    def _guess(self) -> Labels:
        if self._answered == 0:
            return self._first.copy()
        likely, less = self._odds[:, 0], self._odds[:, 1]
        lead = likely - less
        with np.errstate(divide="ignore"):
            logit = np.log(likely) - np.log(less)
        evidence, cavity = self._evidence(lead, likely + less)
        logit = logit + evidence[self._block] + cavity * lead
        return np.where(logit >= 0.0, self._first, self._second)

    def _evidence(self, lead: Floats, either: Floats) -> tuple[Floats, float]:
        """Return each block's log-odds for its first labels, and the weight of one's own lead.

        `lead` is the prior probability of the first label minus that of the second, `either`
        their sum. The covariance of the counts is base * I + common * ones: rows are orthogonal
        but for the missing or uneven constant column and the offset T/2.
        """
        order, answers, problem = self._order, self._answers, self._problem
        released = self._released.first(self._answered)
        seen = released.low.size
        # Half the surplus of every block's first labels, and T/2: expectations and variances.
        mean = np.bincount(self._block, lead, minlength=order) / 2
        spread = np.bincount(self._block, either - lead**2, minlength=order) / 4
        middle, offset = either.sum() / 2, float((either * (1 - either)).sum()) / 4
        other = spread[1:].sum() / max(order - 1, 1)
        variance = max(order * other if order > 1 else spread[0] + offset, 1e-9)
        common = max(spread[0] + offset - other, 0.0) if order > 1 else 0.0
        noise = effective_variance(answers, variance, offset, problem)
        shrink = common * seen / (variance + common * seen)

        means = middle + transform(mean, order)[:seen]
        level = 0.0
        for _ in range(OFFSET_ROUNDS):
            slope = slopes(answers, released, means + level, variance, problem)
            # The exact counts are expected at level + variance * slope above their means.
            level = shrink * (level + variance * float(slope.mean()))
        slope = slopes(answers, released, means + level, variance, problem)
        return transform(slope, order), seen / (2 * (variance + noise))
