"""Bisection of targets in parallel: whole numbers read off mean absolute errors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import Turns
from holdfast.attacks.exact.lattice import Lattice
from holdfast.attacks.exact.lattice.looks import lattice_affordable
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
    proved_by,
)
from holdfast.attacks.through_metrics.fractional_offsets import OffsetDigits, read_sides
from holdfast.bounds.bisection import least
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.metrics import MeanAbsoluteError, Metric
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Attack

__all__ = ["TargetBisection", "round_looks"]


class TargetBisection(Turns[NDArray[np.float64]], ThroughMetric):
    """Read whole-number targets by halving each one's range, all examples at once.

    Raise one submitted number from v to v + r, with r at most 1, and its absolute error falls by r
    if the target is above v, and else rises by r. A few offsets below 1 in a geometric sequence are
    read off the sum of errors like binary digits: each tells on which side its target is. Offsets
    of 1 of a set of other numbers tell, in the same look, how many of these targets are above: a
    match count of two classes, with which an attack on accuracies finds the side of each. Then
    every range is half as long, and the next round begins. A round takes two looks besides, at no
    number raised by 1 and at all of them; these have digits, too.

    Every side that is read as a digit is proved, as in `Digits`: within the error of rounding and
    of adding floats only one choice of sides has the answer. Those that are counted are proved if
    the inner attack proves its labels, as `Lattice` does.

    Departures
    ----------
    Not in the paper.
    See docs/attacks/numbers.md.

    Parameters
    ----------
    n_examples, n_queries
        The sizes to play for.
    low, high
        The least and the largest target that is possible, whole numbers.
    rng
        Where the order of the examples and the inner attacks' seeds come from.
    make
        The inner attack, called with a problem of two classes and `rng`; None: `Lattice`.
    decimals
        How many decimals are released; None: all that a float has.

    Examples
    --------
    >>> from holdfast import metrics, oracles, play
    >>> hidden = np.random.default_rng(1).integers(0, 8, size=500)
    >>> board = oracles.MetricOracle(hidden, metrics.MeanAbsoluteError(), n_queries=100)
    >>> attack = TargetBisection(500, 100, low=0, high=7, rng=np.random.default_rng(0))
    >>> found = play(attack, board)
    >>> bool((found == hidden).all()), board.looks < 50
    (True, True)
    """

    summary = "halves the range of each target"
    proves_labels = True
    narrows = True

    # What a round asks: the open examples that wait for a digit, and those that are counted.
    _middle: NDArray[np.int64]
    _line: NDArray[np.intp]
    _counted: NDArray[np.intp]
    _counting: bool
    # What the next look raises: by one, and by less.
    _raised: NDArray[np.bool_]
    _offsets: tuple[float, ...]
    _slack: Fraction
    _span: int

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is a mean absolute error."""
        return isinstance(metric, MeanAbsoluteError)

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> TargetBisection:
        """Make it for a board that shows a mean absolute error."""
        n, _, k = problem
        return cls(n, k, low=board.low, high=board.high, rng=rng, decimals=board.decimals)

    def __init__(
        self,
        n_examples: int,
        n_queries: int,
        *,
        low: int,
        high: int,
        rng: np.random.Generator,
        make: Callable[..., Attack[Labels]] | None = None,
        decimals: int | None = None,
    ) -> None:
        # Numbers have no classes: 2 stands there.
        super().__init__(Problem(n_examples, 2, n_queries))
        self._n = self._problem.n_examples
        if high <= low:
            raise InvalidInput(f"high must lie above low = {low}, got {high}.")
        if decimals is not None and self._n > 10 ** check_at_least("decimals", decimals, 0):
            raise NotSupported(
                f"{decimals} decimals do not show one of {self._n} errors: a sum that is read may "
                "be off by half of the last one."
            )
        self._decimals, self._largest = decimals, float(max(abs(low), abs(high)))
        self._make, self._rng = make or Lattice, rng
        self._low = np.full(self._n, low, dtype=np.int64)
        self._high = np.full(self._n, high, dtype=np.int64)
        # The sum of errors with no number raised by one, and how many counted targets are above.
        self._base: int | None = None
        self._above: int | None = None
        self._inner: Attack[Labels] | None = None
        self._begin_round()

    def _query(self, index: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return the next submission; None when all targets are known."""
        if not self._prepared():
            return None
        shown = self._middle.astype(np.float64)
        shown[self._counted[self._raised]] += 1.0
        shown[self._line[: len(self._offsets)]] += self._offsets
        return shown

    def _take(self, answer: float) -> None:
        """Take the released error of the last submission."""
        raised = int(np.count_nonzero(self._raised))
        left = Fraction(answer) * self._n + sum(map(Fraction, self._offsets))
        if self._base is not None:
            left += raised - self._base
        found = read_sides(left, self._offsets, self._slack, self._span)
        if found is None or found[0] < 0 or (self._base is not None and found[0] > raised):
            raise InconsistentAnswer(
                f"answer must be a mean absolute error of whole-number targets, got {answer}."
            )
        whole, above = found
        if self._counting:
            self._count(raised, whole)  # first: an answer that the inner attack refuses is refused
        read = self._line[: len(above)]
        _halve(self._low, self._high, self._middle, read, np.array(above, dtype=np.bool_))
        self._line = self._line[len(above) :]
        if self._base is None:
            self._base = whole
            self._share_out()

    def targets(self) -> NDArray[np.int64]:
        """Return the target of each example; the middle of its range where it is not known."""
        low, high = self.ranges()
        return (low + high) // 2

    def _guess(self) -> NDArray[np.float64]:
        """Return the targets as a submission."""
        return self.targets().astype(np.float64)

    def certain(self) -> NDArray[np.bool_]:
        """Tell which targets are proved."""
        low, high = self.ranges()
        known: NDArray[np.bool_] = low == high
        return known

    def ranges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest value that each target can still have."""
        low, high, size = self._low.copy(), self._high.copy(), self._counted.size
        if self._above is not None and self._above in (0, size):
            _halve(low, high, self._middle, self._counted, np.full(size, self._above > 0))
        elif self._inner is not None:
            known = proved_by(self._inner, size)
            side = np.asarray(self._inner.predict()) == 1
            _halve(low, high, self._middle, self._counted[known], side[known])
        return low, high

    # -- rounds

    def _begin_round(self) -> None:
        """Begin to ask on which side of its middle each target is."""
        self._middle = (self._low + self._high) // 2
        self._width = int((self._high - self._low).sum())
        self._line = self._rng.permutation(np.flatnonzero(self._low < self._high))
        self._counted = self._line[:0]
        self._raised = np.zeros(0, dtype=np.bool_)
        self._inner = self._base = self._above = None
        self._counting = False

    def _prepared(self) -> bool:
        """Prepare the next look; tell whether there is one."""
        if self._counting:
            self._counting = self._next_raised()
        if not self._counting and not self._line.size:
            self._low, self._high = self.ranges()
            if int((self._high - self._low).sum()) == self._width:
                return False  # nothing was proved, and no further round will
            self._begin_round()
            if not self._line.size:
                return False
        self._fit_offsets()
        return True

    def _share_out(self) -> None:
        """Share out what is left of the round: so many are counted that all end together."""
        self._fit_offsets()
        digits, size = len(self._offsets), self._line.size
        left = self._problem.n_queries - self._answered - 1  # the look that is told is taken
        if not size or not left:
            return
        looks = round_looks(digits, size, left)
        n_counted = max(0, size - digits * looks)
        self._counted, self._line = np.sort(self._line[:n_counted]), self._line[n_counted:]
        self._counting = n_counted > 0
        self._raised = np.zeros(n_counted, dtype=np.bool_)

    def _next_raised(self) -> bool:
        """Choose whom to raise by one; tell whether there is anything to count."""
        size = self._counted.size
        if self._above is None:
            self._raised = np.ones(size, dtype=np.bool_)
            return True
        self._raised = np.zeros(size, dtype=np.bool_)
        if self._above in (0, size):
            return False  # the side of each is known
        if self._inner is None:
            left = self._problem.n_queries - self._answered
            self._inner = self._make(Problem(size, 2, left), rng=self._rng)
        query = self._inner.ask()
        if query is None:
            return False
        self._raised = np.asarray(query) == 1
        return True

    def _count(self, raised: int, below: int) -> None:
        """Take how many targets that were raised by one are not above."""
        if self._above is None:
            self._above = raised - below
            return
        assert self._inner is not None
        size = self._counted.size
        matches = (raised - below) + (size - self._above - below)
        self._inner.tell(matches / size)

    def _fit_offsets(self) -> None:
        """Choose offsets below one for the next look."""
        if self._base is None:
            most = float(np.maximum(self._high - self._middle, self._middle - self._low).sum())
        else:
            most = float(self._base + self._counted.size)
        self._span = 1 if self._base is None else 2
        digits = OffsetDigits.largest_set(
            self._n, most, span=self._span, largest=self._largest, decimals=self._decimals
        )
        self._offsets, self._slack = digits.sizes[: self._line.size], digits.slack


def _halve(
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    middle: NDArray[np.int64],
    rows: NDArray[np.intp],
    above: NDArray[np.bool_],
) -> None:
    """Replace the ranges of some examples by the half on their side of the middle."""
    low[rows[above]] = middle[rows[above]] + 1
    high[rows[~above]] = middle[rows[~above]]


def round_looks(digits: int, size: int, left: int) -> int:
    """Return how many looks so many sides take, at most those left: digits, and counts beside them.

    One of the looks counts all that are above.
    """
    problem = Problem(size, 2, left)

    def enough(looks: int) -> bool:
        return digits * looks + lattice_affordable(looks - 1, problem) >= size

    return min(left, least(enough, 0, 2 * size + 2))
