"""Mixed-radix digits in a sum of products: whole-number targets read off squared errors."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.base import Turns
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
)
from holdfast.attacks.through_metrics.digits import SPACING, adding_error
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.metrics import R2, MeanSquaredError, Metric, RootMeanSquaredError
from holdfast.problem import Problem, check_at_least

__all__ = ["TargetDigits"]

SQUARED = (MeanSquaredError, RootMeanSquaredError, R2)
# Rounds in which the smallest weight settles: it sets the largest, whose square sets the error.
WEIGHT_ROUNDS = 60
# The constants of R2's first looks, as ranges beside the middle. The third decides between two
# solutions of the first two.
CONSTANTS = (0, 1, -1)
# What floats lose of a solution, with room to spare.
FLOAT_ROOM = 2.0**-40
# Answers that leave a sum more open than this tell no variance.
MOST_CHOICES = 200
OPEN_VARIANCE = "the released decimals of r2 do not tell the targets' variance."


class TargetDigits(Turns[NDArray[np.float64]], ThroughMetric):
    """Read whole-number targets as digits of the cross term of a squared error.

    The sum of (s - t)^2 is the sum of t^2, which a first look at zeros tells, less twice the sum of
    s t, plus the sum of s^2, which is public. Submitted numbers in a geometric sequence, as far
    apart as targets range, make the sum of s t a number whose digits are targets. The largest
    weight's square costs precision: floats leave about half of their digits.

    Every target comes with a proof, as in `Digits`: within the error of rounding and of adding
    floats only one choice of targets has the answer.

    Departures
    ----------
    Not in the paper. R2 has the targets' variance in it: two looks at constants tell it, or three
    where these fit two variances.
    See docs/attacks/numbers.md.

    Parameters
    ----------
    n_examples, n_queries
        The sizes to play for.
    low, high
        The least and the largest target that is possible, whole numbers.
    rng
        Where the order of the examples comes from.
    metric
        Mean squared error, its root, or R2; None: mean squared error.
    decimals
        How many decimals are released; None: all that a float has.

    Examples
    --------
    >>> from holdfast import oracles, play
    >>> hidden = np.random.default_rng(1).integers(0, 101, size=60)
    >>> board = oracles.MetricOracle(hidden, MeanSquaredError(), n_queries=60)
    >>> attack = TargetDigits(60, 60, low=0, high=100, rng=np.random.default_rng(0))
    >>> found = play(attack, board)
    >>> bool((found == hidden).all()), board.looks <= 12
    (True, True)
    """

    summary = "reads targets as digits"
    proves_labels = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is made of squared errors."""
        return isinstance(metric, SQUARED)

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> TargetDigits:
        """Make it for a board that shows squared errors."""
        n, _, k = problem
        low, high, decimals = board.low, board.high, board.decimals
        return cls(n, k, low=low, high=high, rng=rng, metric=board.metric, decimals=decimals)

    def __init__(
        self,
        n_examples: int,
        n_queries: int,
        *,
        low: int,
        high: int,
        rng: np.random.Generator,
        metric: Metric | None = None,
        decimals: int | None = None,
    ) -> None:
        # Numbers have no classes: 2 stands there.
        super().__init__(Problem(n_examples, 2, n_queries))
        self._n = self._problem.n_examples
        if high <= low:
            raise InvalidInput(f"high must lie above low = {low}, got {high}.")
        self._metric = MeanSquaredError() if metric is None else metric
        if not isinstance(self._metric, SQUARED):
            raise NotSupported(
                f"{self._metric} has no cross term with weights of one's choice: mse, rmse, r2 do."
            )
        self._error = (
            None if decimals is None else 0.5 * 10.0 ** -check_at_least("decimals", decimals, 0)
        )
        # Targets are counted from the middle, which keeps their squares small.
        self._middle = (low + high) // 2
        self._low, self._radix = low - self._middle, high - low + 1
        self._line = rng.permutation(self._n).tolist()
        self._targets = np.full(self._n, self._middle, dtype=np.int64)
        self._sure = np.zeros(self._n, dtype=np.bool_)
        self._squares: int | None = None
        self._open = 0.0  # how far the sum of squares may be off
        self._variation: Fraction | None = None
        self._first: list[Fraction] = []
        self._pairs: list[tuple[int, int]] = []
        self._asked: list[int] = []
        self._weights: list[float] = []
        self._shown = np.zeros(0)

    @property
    def looks_before(self) -> int:
        """How many looks at constants come before the first digit."""
        return 2 if isinstance(self._metric, R2) else 1

    def _query(self, index: int) -> NDArray[np.float64] | None:  # noqa: ARG002
        """Return the next submission; None when all targets are known."""
        if not self._line:
            return None
        if self._squares is None:
            shift = CONSTANTS[len(self._first)] * self._radix
            self._shown = np.full(self._n, float(self._middle + shift))
            return self._shown.copy()
        self._weights = self._designed()
        self._asked = self._line[: len(self._weights)]
        self._shown = np.full(self._n, float(self._middle))
        self._shown[self._asked] += self._weights[: len(self._asked)]
        return self._shown.copy()

    def _take(self, answer: float) -> None:
        """Take the released value of the last submission."""
        if self._squares is None:
            self._learn_constants(Fraction(answer))
        else:
            self._read(Fraction(answer))

    def targets(self) -> NDArray[np.int64]:
        """Return the target of each example; the middle where it is not known."""
        return self._targets.copy()

    def certain(self) -> NDArray[np.bool_]:
        """Return which targets are proved."""
        return self._sure.copy()

    def _guess(self) -> NDArray[np.float64]:
        """Return the best submission so far."""
        return self._targets.astype(np.float64)

    def digits_of_uniform_targets(self) -> int:
        """Return how many targets a look reads where all values are equally frequent."""
        if self._squares is not None:
            raise OutOfTurn("digits_of_uniform_targets() must come before the first answer.")
        squares = round(self._n * (self._radix**2 - 1) / 12.0)
        self._variation = Fraction(squares)
        self._squares = self._whole(Fraction(squares), "squares")
        try:
            return len(self._designed())
        finally:
            self._squares = self._variation = None
            self._open = 0.0

    # -- reading

    def _squared_sum(self, value: Fraction) -> Fraction:
        """Return the sum of squared errors that a value tells."""
        if isinstance(self._metric, R2):
            assert self._variation is not None
            return (1 - value) * self._variation
        is_root = isinstance(self._metric, RootMeanSquaredError)
        return self._n * (value * value if is_root else value)

    def _learn_constants(self, value: Fraction) -> None:
        """Learn the sum of squares from a look at zeros; for R2 from another constant, too."""
        if not isinstance(self._metric, R2):
            self._squares = self._whole(self._squared_sum(value), "squares")
            if self._squares == 0 and not self._open:
                self._sure[:] = True  # all are the middle
                self._line = []
            return
        self._first.append(1 - value)
        if len(self._first) < 2:
            return
        if len(self._first) == 2:
            self._pairs = self._possible_pairs()
        else:
            self._pairs = [each for each in self._pairs if self._fits(*each)]
        if len(self._pairs) == 1:
            [(squares, total)] = self._pairs
            self._squares = squares
            self._variation = squares - Fraction(total * total, self._n)
        elif not self._pairs or len(self._first) == len(CONSTANTS):
            raise NotSupported(OPEN_VARIANCE)

    def _possible_pairs(self) -> list[tuple[int, int]]:
        """Return the sums of squares and of targets that two answers for constants leave.

        With z and d the first answer and what the second adds, the targets' sum T and variation V
        have T^2 = n V (z - 1) and V = r (n r - 2 T) / d, so that with c = n r (z - 1) / d the sum
        solves T^2 + 2 c T = c n r. Of its two solutions both may be whole numbers.
        """
        zero, added = float(self._first[0]), float(self._first[1] - self._first[0])
        n, r = self._n, self._radix
        errors = [self._told_within(each) for each in self._first]
        fewest, most = added - sum(errors), added + sum(errors)
        if fewest <= 0.0:
            return []
        middles = [
            n * r * max(0.0, near) / step
            for near, step in ((zero - 1.0 - errors[0], most), (zero - 1.0 + errors[0], fewest))
        ]
        found = []
        for sign in (1.0, -1.0):
            ends = sorted(-c + sign * math.sqrt(c * c + c * n * r) for c in middles)
            for total in _whole_numbers(*ends):
                room = r * (n * r - 2 * total)
                variations = [room / most, room / fewest]
                for squares in _whole_numbers(*(v + total * total / n for v in variations)):
                    if self._fits(squares, total) and (squares, total) not in found:
                        found.append((squares, total))
        return found

    def _told_within(self, seen: Fraction) -> float:
        """Return how far an answer for a constant may be off."""
        error = 2.0**-45 if self._error is None else self._error * SPACING
        return error * max(1.0, float(seen))

    def _fits(self, squares: int, total: int) -> bool:
        """Tell whether both first answers follow from these sums."""
        variation = squares - Fraction(total * total, self._n)
        if variation <= 0:
            return False
        return all(
            abs(seen - self._around(shift, squares, total) / variation) <= self._told_within(seen)
            for seen, shift in zip(self._first, CONSTANTS, strict=False)
        )

    def _around(self, shift: int, squares: int, total: int) -> int:
        """Return the sum of squares around a constant: so many ranges beside the middle."""
        step = shift * self._radix
        return squares - 2 * step * total + self._n * step * step

    def _whole(self, number: Fraction, what: str) -> int:
        nearest = round(number)
        if abs(number - nearest) > self._slack(float(number)):
            raise InconsistentAnswer(f"answer must belong to whole-number targets, got {what}.")
        slack = self._slack(float(number))
        if slack >= 0.5:
            # Several whole numbers fit: every later answer is off by that much more.
            self._open = slack + 0.5
        return nearest

    def _read(self, value: Fraction) -> None:
        assert self._squares is not None
        weights = [Fraction(weight) for weight in self._shown_weights()]
        own = sum((weight * weight for weight in weights), Fraction(0))
        left = (self._squares + own - self._squared_sum(value)) / 2
        left -= self._low * sum(weights, Fraction(0))
        slack = Fraction(self._slack(float(self._squares + own))) / 2
        found = []
        for weight in reversed(weights):
            digit = min(math.floor((left + slack) / weight), self._radix - 1)
            found.append(digit)
            left -= digit * weight
        if abs(left) > slack or min(found) < 0:
            raise InconsistentAnswer(
                f"answer must be a value of {self._metric} for whole-number targets, "
                f"got {float(value)}."
            )
        self._targets[self._asked] = np.array(found[::-1]) + self._low + self._middle
        self._sure[self._asked] = True
        self._line = self._line[len(self._asked) :]

    def _shown_weights(self) -> list[float]:
        """Return the weights as they were sent: a float near the middle loses digits."""
        shown: list[float] = (self._shown[self._asked] - self._middle).tolist()
        return shown

    # -- the design

    def _slack(self, squared_sum: float) -> float:
        """Return how far a sum of squares can be off that is computed from an answer."""
        slack = adding_error(self._n) * squared_sum + self._open
        if self._error is None:
            return slack
        if isinstance(self._metric, R2):
            assert self._variation is not None
            return slack + self._error * float(self._variation)
        if isinstance(self._metric, RootMeanSquaredError):
            root = math.sqrt(squared_sum / self._n)
            return slack + self._n * self._error * (2.0 * root + self._error)
        return slack + self._n * self._error

    def _designed(self) -> list[float]:
        """Return as many weights as the answers can tell apart."""
        assert self._squares is not None
        best: list[float] = []
        for count in range(1, len(self._line) + 1):
            weights = self._with_digits(count, float(self._squares))
            if weights is None:
                break
            best = weights
        if not best:
            raise NotSupported(f"the released decimals of {self._metric} show no single target.")
        return best

    def _with_digits(self, count: int, squares: float) -> list[float] | None:
        """Return weights for so many targets; None: the answers can't tell them apart."""
        # Squared errors that numpy computes from s - t carry the float's error of each, too.
        unit = SPACING * self._slack(squares)
        for _ in range(WEIGHT_ROUNDS):
            weights = [unit * (1.0 + 1e-9) ** place * self._radix**place for place in range(count)]
            needed = SPACING * self._slack(squares + sum(weight**2 for weight in weights))
            if needed <= unit and self._kept_apart(weights, needed / SPACING):
                return weights
            # What floats near the middle lose of small weights must not bring digits together.
            unit = needed if needed > unit else 2.0 * unit
            if not math.isfinite(unit) or unit > 1e30:
                return None
        return None

    def _kept_apart(self, weights: list[float], slack: float) -> bool:
        """Tell whether weights, as floats near the middle hold them, leave one choice of digits."""
        below = Fraction(0)
        for weight in weights:
            shown = Fraction((self._middle + weight) - self._middle)
            if shown - below <= slack:
                return False
            below += (self._radix - 1) * shown
        return True


def _whole_numbers(low: float, high: float) -> range:
    """Return the whole numbers of a range, with room for what floats lose."""
    first = math.ceil(low - FLOAT_ROOM * max(1.0, abs(low)))
    last = math.floor(high + FLOAT_ROOM * max(1.0, abs(high)))
    if last - first > MOST_CHOICES:
        raise NotSupported(OPEN_VARIANCE)
    return range(first, last + 1)
