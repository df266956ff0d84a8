"""Mixed-radix digits in a sum of losses: labels read off a log-loss or a Brier score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import TurnBased
from holdfast.attacks.exact.lattice import Lattice
from holdfast.attacks.exact.lattice.looks import lattice_affordable
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
)
from holdfast.bounds.bisection import least
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import LogLoss, Metric
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem, check_at_least

__all__ = ["SPACING", "Digits", "adding_error", "looks_for_digits"]

# numpy adds in eight lanes of blocks of 128 and then in pairs: a summand goes through 16 additions
# of its lane, 3 of the lanes and one per halving. A few more for the logarithm and the mean.
BLOCK, ADDITIONS_IN_BLOCK = 128, 25
# Digits are kept this much further apart than two answers can be off.
SPACING = 1.01
# Rounds in which the design settles: labels read as counts decide how exact a sum is, and back.
DESIGN_ROUNDS = 4
# Values are kept below this share of a limit to which they are cut.
ROOM_BELOW = 0.99


def adding_error(n_examples: int) -> float:
    """Return by which share of its size a sum of so many floats may be off, as numpy adds them."""
    halvings = max(0, math.ceil(math.log2(n_examples / BLOCK)))
    return (ADDITIONS_IN_BLOCK + halvings) * 2.0**-53


@dataclass(frozen=True)
class _Design:
    """What a look asks: digits of so many examples, below the weight of one match."""

    units: tuple[float, ...]
    weight: float
    slack: Fraction
    n_counted: int


class Digits(TurnBased[NDArray[np.float64]], ThroughMetric):
    """Read labels as digits of a sum of losses, and others from the match count above them.

    A loss per example adds up. An example whose forecast makes class c cost c units more than class
    0 adds a digit, and units in a geometric sequence are read off like the digits of a number:
    from the largest that the metric has room for (a log-loss is clipped) down to what the released
    decimals, or floats, still show. All other examples that are asked about have one label at a
    weight above all digits: how many of them match is one more number, and it is what `Lattice`
    plays with. Examples that are not asked about are forecast evenly and add a constant.

    Every label comes with a proof: the answer must be a sum of the stated costs within the error
    of rounding and of floating-point addition, which is bounded, and only one is.

    Implements: the digits of whitehill2018 and aggarwal2021 (all labels in one answer of unlimited
    precision), as far as real answers reach.

    Departures
    ----------
    Both let one answer carry all it can; here the match count above the digits is used, too, over
    many looks.
    See docs/attacks/numbers.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the order of the examples and the inner attack's seed come from.
    metric
        A metric of probabilities; None: log-loss.
    decimals
        How many decimals are released; None: all that a float has.
    highest
        Where values are cut off: no look's value reaches it.

    Examples
    --------
    >>> from holdfast import oracles
    >>> hidden = np.random.default_rng(1).integers(2, size=500)
    >>> board = oracles.MetricOracle(hidden, LogLoss(), n_queries=100)
    >>> attack = Digits(Problem(500, 2, 100), rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.labels() == hidden).all()), board.looks < 20
    (True, True)
    """

    adaptive = True
    summary = "reads labels as digits"
    proves_labels = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is a metric of probabilities, which adds up over examples."""
        return isinstance(metric, ProbabilityMetric)

    @classmethod
    def on_board(cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator) -> Digits:
        """Make it for a board that shows a metric of probabilities."""
        assert isinstance(board.metric, ProbabilityMetric)
        return cls(
            problem, rng=rng, metric=board.metric, decimals=board.decimals, highest=board.highest
        )

    @staticmethod
    def digits_fitting(problem: Problem, board: MetricBoard) -> int:
        """Return how many labels a look reads as digits on a board.

        Raises `NotSupported` where its decimals and limits have no room for any.
        """
        assert isinstance(board.metric, ProbabilityMetric)
        return len(_designed(problem, board.metric, board.decimals, board.highest).units)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        metric: ProbabilityMetric | None = None,
        decimals: int | None = None,
        highest: float = math.inf,
    ) -> None:
        super().__init__(problem, rng=rng)
        self._metric = LogLoss() if metric is None else metric
        if not isinstance(self._metric, ProbabilityMetric):
            raise InvalidInput(f"metric must be one of probabilities, got {metric}.")
        if decimals is not None:
            check_at_least("decimals", decimals, 0)
        n, m, k = self._problem
        generator = np.random.default_rng(self._seed)
        self._design = _designed(self._problem, self._metric, decimals, highest)
        order = generator.permutation(n)
        counted = self._design.n_counted
        self._counted, self._read_next = np.sort(order[:counted]), order[counted:]
        self._inner = (
            Lattice(Problem(counted, m, k), rng=generator, permuted=True) if counted else None
        )
        self._known = np.zeros(n, dtype=np.bool_)
        self._labels = np.zeros(n, dtype=label_dtype(m))
        self._rows = [self._metric.graded_row(unit, m) for unit in self._design.units]
        self._costs = [self._metric.costs(row) for row in self._rows]
        self._even = np.full(m, 1.0 / m)
        self._even_cost = self._metric.costs(self._even)[0]
        pointed = self._metric.pointed_row(self._design.weight, m)
        self._pointed = np.stack([np.roll(pointed, label) for label in range(m)])
        self._match_cost, self._miss_cost = self._metric.costs(pointed)[:2]
        self._asked: NDArray[np.int64] = order[:0]
        self._counting = False

    @property
    def digits_per_look(self) -> int:
        """How many labels a look reads as digits, besides its match count."""
        return len(self._design.units)

    @property
    def looks_for_all(self) -> int:
        """The least number of looks in which digits and counts together reach every label."""
        return looks_for_digits(self.digits_per_look, self._problem)

    def _query(self, index: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        n = self._problem.n_examples
        self._asked = self._read_next[: len(self._rows)]
        shown = None if self._inner is None else self._inner.ask()
        self._counting = shown is not None
        if shown is None and not self._asked.size:
            return None
        rows = np.tile(self._even, (n, 1))
        if shown is not None:
            rows[self._counted] = self._pointed[shown]
        for place, row in zip(self._asked, self._rows, strict=False):
            rows[place] = row
        return self._as_submitted(rows)

    def _take(self, answer: float) -> None:
        n, _, _ = self._problem
        design, asked = self._design, len(self._asked)
        costs = self._costs[:asked]
        counted = self._counted.size if self._counting else 0
        even = n - counted - asked
        least_sum = counted * self._match_cost + even * self._even_cost
        left = Fraction(answer) * n - least_sum - sum(min(each) for each in costs)
        misses = 0
        if counted:
            misses = math.floor((left + design.slack) / (self._miss_cost - self._match_cost))
            left -= misses * (self._miss_cost - self._match_cost)
        found = []
        for each in reversed(costs):
            low = min(each)
            within = [label for label, cost in enumerate(each) if cost - low <= left + design.slack]
            label = max(within, key=lambda c: each[c], default=-1)
            if label < 0:
                break
            left -= each[label] - low
            found.append(label)
        if len(found) < asked or abs(left) > design.slack or not 0 <= misses <= counted:
            raise InconsistentAnswer(
                f"Query {self._answered}: no labels have this {self._metric}, got {answer}."
            )
        if self._counting:
            assert self._inner is not None
            self._inner.tell((counted - misses) / counted)
        self._labels[self._asked] = found[::-1]
        self._known[self._asked] = True
        self._read_next = self._read_next[asked:]

    def labels(self) -> Labels:
        """Return the likeliest label of each example."""
        labels = self._labels.copy()
        if self._inner is not None:
            labels[self._counted] = self._inner.predict()
        return labels

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels are proved."""
        known = self._known.copy()
        if self._inner is not None:
            known[self._counted] = self._inner.certain()
        return known

    def _guess(self) -> NDArray[np.float64]:
        """Return a forecast: sure of what is proved, even about the rest."""
        n, m, _ = self._problem
        rows = np.tile(self._even, (n, 1))
        sure = self.certain()
        rows[sure] = np.eye(m)[self.labels()[sure]]
        return self._as_submitted(rows)

    def _as_submitted(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows, or the probability of class 1 where there are two."""
        return rows[:, 1] if self._problem.n_classes == 2 else rows


def _designed(
    problem: Problem, metric: ProbabilityMetric, decimals: int | None, highest: float
) -> _Design:
    """Return digits and counts that take the same number of looks for all labels."""
    n, _, k = problem
    design = _with_counted(0, problem, metric, decimals, highest)
    for _ in range(DESIGN_ROUNDS):
        looks = looks_for_digits(len(design.units), problem)
        design = _with_counted(
            max(0, n - len(design.units) * min(k, looks)), problem, metric, decimals, highest
        )
    if 2.0 * SPACING * float(design.slack) > design.weight:
        raise NotSupported(
            f"{decimals} decimals of {metric} have no room for digits: among {n:,} "
            f"examples a match moves the sum of losses by {design.weight:.3g}, and rounding by "
            f"up to {float(design.slack):.3g} either way."
        )
    return design


def _with_counted(
    n_counted: int,
    problem: Problem,
    metric: ProbabilityMetric,
    decimals: int | None,
    highest: float,
) -> _Design:
    """Return the digits that fit beside so many examples whose matches are counted."""
    n, m, _ = problem
    weight = metric.most_offset(m)
    even = float(metric.costs(np.full(m, 1.0 / m))[0])
    # Digits cost more than even forecasts by less than two weights in all, and values stay below a
    # limit by half a step of rounding and more.
    room = ROOM_BELOW * highest - (0.0 if decimals is None else 10.0**-decimals)
    weight = min(weight, (n * (room - even) - n_counted * even) / (n_counted + 2.0))
    most = n_counted * (weight + even) + n * even + 2.0 * weight
    slack = adding_error(n) * most
    if decimals is not None:
        slack += 0.5 * n * 10.0**-decimals
    unit, units, reach = 2.0 * SPACING * slack, [], 0.0
    while unit * (m - 1) + reach + 2.0 * SPACING * slack <= weight:
        units.append(unit)
        reach += unit * (m - 1)
        unit = (reach + 2.0 * slack) * SPACING
    return _Design(tuple(units), weight, Fraction(slack), n_counted)


@lru_cache(maxsize=1024)  # a bisection in a bisection, and an audit makes hundreds of attacks
def looks_for_digits(digits: int, problem: Problem) -> int:
    """Return the least number of looks in which digits and counts together reach every label."""
    n = problem.n_examples
    return least(lambda looks: digits * looks + lattice_affordable(looks, problem) >= n, 0, n + 1)
