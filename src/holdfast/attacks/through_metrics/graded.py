"""Rank sums with chosen ranks: labels read off an area under the ROC curve."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
)
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import Metric, RocAuc
from holdfast.problem import Problem, check_at_least

__all__ = ["Graded", "positives_by_one"]

# What floats lose of an exact quotient, with room to spare.
FLOAT_SLACK = 2.0**-50
# A look is planned even where two readings of it could exist, if that is rare: both must have the
# number of positives that they say. Then nothing is read, and the examples are asked again.
LEAST_GAP = 0.75


class Graded(TurnBased[NDArray[np.float64]], ThroughMetric):
    """Read labels as digits of the positives' rank sum.

    The area under the ROC curve is a sum of the positives' ranks, up to public constants. Most
    examples get one score and share a middle rank. A few that are asked about stand above them,
    and the gaps between these are filled with examples whose labels are known, so that their ranks
    are D + 1, D + 2, D + 4, ...: each sum belongs to one set of positives. Every label read makes
    the next gap larger, up to about log2(n) labels per look.

    The number of positives is learned from the first look: a single example above all others
    changes the area by one over twice the number of examples of the other class.

    Departures
    ----------
    Not in the paper. whitehill2016 reads labels from areas of small sets by enumeration; ranks in
    a geometric sequence need none.
    See docs/attacks/numbers.md.

    Parameters
    ----------
    problem
        The sizes to play for; two classes.
    rng
        Where the order of the examples comes from.
    decimals
        How many decimals are released; None: all that a float has.
    positives
        The number of positives where it is public; None: the first look tells it, if enough
        decimals are released.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> hidden = (np.arange(300) % 10 < 3).astype(int)
    >>> board = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=300)
    >>> attack = Graded(Problem(300, 2, 300), rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.labels() == hidden).all()), board.looks < 75
    (True, True)
    """

    adaptive = True
    summary = "reads rank sums"
    proves_labels = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether it is an area under the ROC curve, of two classes."""
        return isinstance(metric, RocAuc) and n_classes == 2

    @classmethod
    def on_board(cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator) -> Graded:
        """Make it for a board that shows an area under the ROC curve.

        The number of positives is taken for public where values are rounded, as `CountReader` does.
        """
        positives = None if board.decimals is None else board.positives
        return cls(problem, rng=rng, decimals=board.decimals, positives=positives)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        decimals: int | None = None,
        positives: int | None = None,
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, _ = self._problem
        if m != 2:
            raise InvalidInput(f"n_classes must be 2 for an area under a ROC curve, got {m}.")
        if decimals is not None:
            check_at_least("decimals", decimals, 0)
        self._decimals = decimals
        self._waiting_line = np.random.default_rng(self._seed).permutation(n).tolist()
        self._known: list[int] = []
        self._labels = np.zeros(n, dtype=np.uint8)
        self._sure = np.zeros(n, dtype=np.bool_)
        if positives is not None and not 0 < positives < n:
            raise InvalidInput(f"positives must lie in 1 .. {n - 1}, got {positives}.")
        self._positives = positives
        self._asked: list[int] = []
        self._scores = np.zeros(n)

    @property
    def positives(self) -> int | None:
        """The number of positives, once the first answer told it."""
        return self._positives

    def _query(self, index: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        if not self._waiting_line:
            return None
        n = self._problem.n_examples
        unit = self._unit()
        digits = self._digits(unit)
        if unit > n / 2:
            raise NotSupported(f"{self._decimals} decimals do not show one of {n} examples.")
        self._asked = self._waiting_line[:digits]
        fillers = iter(self._known)
        scores, above = np.zeros(n), 0
        for place, example in enumerate(self._asked):
            while above < unit * (2**place - 1):
                above += 1
                scores[next(fillers)] = above
            above += 1
            scores[example] = above
        self._scores = scores
        return scores.copy()

    def _unit(self) -> int:
        """Return how many ranks two sums must be apart to be told apart."""
        return _unit(self._slack())

    def _slack(self) -> float:
        """Return how far a rank sum can be off that is computed from an answer."""
        n = self._problem.n_examples
        positives = n // 2 if self._positives is None else self._positives
        return _slack(n, positives, self._decimals)

    def _digits(self, unit: int) -> int:
        """Return how many examples a look can ask about: one until the positives are counted."""
        if self._positives is None:
            return 1
        n, fillers = self._problem.n_examples, len(self._known)
        return _digits_beside(fillers, unit, n, len(self._waiting_line))

    @classmethod
    def schedule(cls, problem: Problem, decimals: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield how many labels looks read, and how many looks in a row read as many.

        The first look counts positives, half of all. Labels that an answer leaves open are asked
        again, which is rare and not counted. Looks read more only when enough labels are known to
        stand between: that is when a run ends, and 10^8 examples have few runs.
        """
        n = problem.n_examples
        unit = _unit(_slack(n, n // 2, decimals))
        if unit > n / 2:
            raise NotSupported(f"{decimals} decimals do not show one of {n} examples.")
        yield 1, 1
        known, waiting = 1, n - 1
        while waiting:
            digits = _digits_beside(known, unit, n, waiting)
            short = _fillers(digits, unit) - known  # none are missing where something else ends it
            times = waiting // digits
            if short > 0:
                times = min(times, math.ceil(short / digits))
            yield digits, times
            known, waiting = known + digits * times, waiting - digits * times

    def _take(self, answer: float) -> None:
        if self._positives is None:
            self._count_positives(answer)
            return
        n, positives = self._problem.n_examples, self._positives
        pairs = positives * (n - positives)
        # The area times the pairs is the positives' rank sum less the least that it can be.
        doubled = _doubled_middle_ranks(self._scores)
        rank_sum = Fraction(answer) * pairs + Fraction(positives * (positives + 1), 2)
        known = [j for j in self._known if self._labels[j]]
        # Positives that nobody asks about have the bulk's rank: all others count from there.
        bulk = int(doubled[self._waiting_line[-1]]) if self._rest() else 0
        shared = Fraction((positives - len(known)) * bulk + int(doubled[known].sum()), 2)
        left = rank_sum - shared
        weights = [Fraction(int(doubled[j]) - bulk, 2) for j in self._asked]
        read = _subsets(left, weights, self._slack() + 1e-9)
        if not read:
            raise InconsistentAnswer(f"Query {self._answered}: no labels have this area, {answer}.")
        asked, self._waiting_line = self._asked, self._waiting_line[len(self._asked) :]
        if len(read) > 1:
            self._waiting_line += asked[::-1]
            return
        self._learn(asked, read[0])

    def _rest(self) -> bool:
        """Tell whether some examples are neither known nor asked about."""
        return len(self._waiting_line) > len(self._asked)

    def _count_positives(self, answer: float) -> None:
        """Learn from one example above all others."""
        n = self._problem.n_examples
        error = Fraction(FLOAT_SLACK if self._decimals is None else 0.5 * 10.0**-self._decimals)
        label, self._positives = positives_by_one(
            Fraction(answer), n, error, self._decimals, self._answered
        )
        asked, self._waiting_line = self._asked, self._waiting_line[1:]
        self._learn(asked, [label])

    def _learn(self, examples: list[int], labels: list[int]) -> None:
        self._labels[examples] = labels
        self._sure[examples] = True
        self._known += examples

    def labels(self) -> Labels:
        """Return the label of each example that is known; the others count as negative."""
        return self._labels.copy()

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels are proved."""
        return self._sure.copy()

    def _guess(self) -> NDArray[np.float64]:
        """Return scores: known positives above, known negatives below, the rest between."""
        return np.where(self._sure, self._labels.astype(np.float64), 0.5)


def positives_by_one(
    area: Fraction, n_examples: int, error: Fraction, decimals: int | None, look: int
) -> tuple[int, int]:
    """Return the label of an example above all others, and the number of positives.

    It adds 1/2P to a half if it is positive, and else takes 1/2N away.

    >>> positives_by_one(Fraction(1, 2) + Fraction(1, 60), 100, Fraction(0), None, 0)
    (1, 30)
    """
    n, change = n_examples, area - Fraction(1, 2)
    label = int(change > 0)
    least = 1 / (2 * (abs(change) + error)) if change or error else Fraction(n)
    most = 1 / (2 * max(abs(change) - error, Fraction(1, 2 * n)))
    counts = range(math.ceil(least), math.floor(most) + 1)
    if not counts or not 0 < counts[0] < n:
        raise InconsistentAnswer(f"Query {look}: no labels have this area, {float(area)}.")
    if len(counts) > 1:
        raise NotSupported(
            f"{decimals} decimals leave open how many positives there are, "
            f"{counts[0]} to {counts[-1]}."
        )
    return label, counts[0] if label else n - counts[0]


def _doubled_middle_ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return twice the ranks from 1 on, ties sharing their mean: whole numbers.

    >>> _doubled_middle_ranks(np.array([0., 0., 2., 1.]))
    array([3, 3, 8, 6])
    """
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    doubled: NDArray[np.int64] = (2 * np.cumsum(sizes) - sizes + 1)[place]
    return doubled


def _subsets(total: Fraction, weights: list[Fraction], slack: float) -> list[list[int]]:
    """Return all choices of 0 or 1 for each weight that have this sum, give or take the slack.

    Weights are D + 1, D + 2, D + 4, ... times a unit: for each number of ones the binary digits of
    what is left of the sum are the only candidate.

    >>> _subsets(Fraction(23), [Fraction(11), Fraction(12), Fraction(14)], 0.1)
    [[1, 1, 0]]
    """
    if len(weights) == 1:
        unit, base = weights[0], Fraction(0)
    else:
        unit = weights[1] - weights[0]
        base = weights[0] - unit
    found = []
    for ones in range(len(weights) + 1):
        number = round((total - ones * base) / unit)
        bits = [(number >> place) & 1 for place in range(len(weights))]
        if not 0 <= number < 2 ** len(weights) or sum(bits) != ones:
            continue
        reached = sum(weight * bit for weight, bit in zip(weights, bits, strict=True))
        if abs(reached - total) <= slack:
            found.append(bits)
    return found


def _unit(slack: float) -> int:
    return max(1, math.ceil(2.02 * slack))


def _slack(n: int, positives: int, decimals: int | None) -> float:
    error = FLOAT_SLACK if decimals is None else 0.5 * 10.0**-decimals
    return positives * (n - positives) * error


def _fillers(digits: int, unit: int) -> int:
    """Return how many known examples stand between so many digits and one more."""
    return unit * ((1 << digits) - 1) - digits


def _digits_beside(fillers: int, unit: int, n: int, most: int) -> int:
    """Return how many examples can be asked about, where so many known ones stand between."""
    digits = 1
    while digits < most:
        bulk = n - unit * ((1 << digits) - 1) - 1
        if _fillers(digits, unit) > fillers or bulk < 1:
            break
        if (bulk + 1) / 2 - unit < LEAST_GAP * unit * 2 ** (digits + 1):
            break
        digits += 1
    return digits
