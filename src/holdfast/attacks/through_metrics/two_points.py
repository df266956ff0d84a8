"""Submissions of two values: attacks on accuracies play through losses and errors of numbers.

Each example is given one of two values, which a query of two or more classes chooses between: a
class is called likely or not, a target high or low. Then a metric is affine in how many choices are
right, and any attack on accuracies plays through it, under any rule that attack knows: noise and
steps count in units of what the metric differs by between no match and all.

It is far less than the digits of a loss tell, and all that is left where a rule adds noise, shows
new bests alone, or rounds until no digits are left. What a metric makes of two values is a
`Points`: `likely_or_not` for losses of probabilities, `high_or_low` for errors of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.description import (
    LATTICE,
    AroundAttack,
    MetricBoard,
    OnCounts,
    Told,
    proved_by,
)
from holdfast.attacks.through_metrics.digits import Digits
from holdfast.attacks.through_metrics.high_or_low import ERRORS, errors_of
from holdfast.attacks.through_metrics.likely_or_not import LikelyOrNot
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.metrics import Metric
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem
from holdfast.protocols import Answer, one_number

__all__ = ["Points", "TwoLevels", "TwoPoints", "TwoTargets", "check_blurred"]


class Points(Protocol):
    """What a metric makes of submissions of two values.

    Attributes
    ----------
    n_classes
        How many classes the attack inside plays with.
    unit
        By how much the metric differs between no match and all.
    """

    @property
    def n_classes(self) -> int:
        """How many classes the attack inside plays with."""

    @property
    def unit(self) -> float:
        """By how much the metric differs between no match and all."""

    def submitted(self, labels: Labels) -> NDArray[np.float64]:
        """Return what is submitted for a query."""

    def accuracy(self, value: float) -> float:
        """Return the accuracy of a query that a value stands for."""

    def final(
        self, guess: Labels, sure: NDArray[np.bool_], accuracy: float | None
    ) -> NDArray[np.float64]:
        """Return the best submission for a guess with this accuracy, of which some is proved."""


class TwoPoints(AroundAttack):
    """Play an attack on accuracies where a loss or an error is shown.

    The last look is at the attack's own guess: it tells how often that is right, and so with which
    values it is submitted in the end. To be sure of a guess that is right in two of three cases
    would cost more than to say nothing; 2/3 is the forecast that costs least.

    Parameters
    ----------
    problem
        The sizes to play for.
    make
        Makes the attack inside from its problem.
    points
        What the metric makes of two values.
    noisy
        Whether values may lie beyond those of no match and of all.
    """

    reads_decimals: ClassVar[bool] = False

    def __init__(
        self,
        problem: Problem,
        make: Callable[[Problem], Any],
        *,
        points: Points,
        noisy: bool = False,
    ) -> None:
        n, _, k = problem
        if k < 2:
            raise NotSupported("it needs a look besides that at its guess.")
        self.problem = Problem(n, points.n_classes, k)
        self._points, self._noisy = points, noisy
        self._inner = make(self.problem._replace(n_queries=k - 1))
        self._guess: Labels | None = None
        self._accuracy: float | None = None

    def ask(self) -> NDArray[np.float64] | None:
        """Return the attack's next query as two values; last its guess."""
        if self._guess is not None:
            return None
        query = self._inner.ask()
        if query is None:
            query = self._guess = np.asarray(self._inner.predict())
        return self._points.submitted(np.asarray(query))

    def tell(self, answer: Answer) -> None:
        """Tell the attack the accuracy that a value stands for."""
        accuracy = self._points.accuracy(one_number(answer))
        if self._guess is not None:
            self._accuracy = accuracy
        else:
            self._inner.tell(accuracy if self._noisy else min(1.0, max(0.0, accuracy)))

    def predict(self) -> NDArray[np.float64]:
        """Return what costs least for a guess that is right so often."""
        sure = proved_by(self._inner, self.problem.n_examples)
        # What is proved goes on being proved after the last look was planned.
        guess = self._inner.predict() if self._guess is None or sure.any() else self._guess
        return self._points.final(np.asarray(guess), sure, self._accuracy)


class TwoLevels(TwoPoints):
    """Play an attack on accuracies where a loss of probabilities is shown.

    A query's labels become probabilities, all alike but for which class is meant; a loss L becomes
    the accuracy (miss - L) / (miss - hit), where hit and miss are what one example costs.

    A Brier score of three classes: sure and right costs 0, sure and wrong 2 (the squares of two
    classes), so n examples with M matches cost 2 (1 - M/n) on average. A loss of 0.7 is an accuracy
    of 65 %, and noise of 0.02 in the loss is noise of 0.01 in the accuracy: the attack plays the
    rule `gaussian:0.01`.

    Departures
    ----------
    Not in the paper: its attacks, in another unit.
    See docs/metrics.md.
    """

    summary = "calls each class likely or not"
    takes_climbers: ClassVar[bool] = True

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is a loss of probabilities."""
        return isinstance(metric, ProbabilityMetric)

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> TwoLevels:
        """Make it for a board whose values can't be read as digits, which tells far more."""
        check_blurred(problem, board)
        points = LikelyOrNot.on(problem, board)
        make = partial(inner.make, rng=rng, told=Told(points.unit))
        return cls(problem, make, points=points, noisy=bool(board.noise))


class TwoTargets(TwoPoints):
    """Play an attack on accuracies of two classes where an error of numbers is shown.

    Numbers a distance above or below a centre are submitted (`high_or_low`). Single targets weigh
    more or less than others, so that no count is ever exact: rounding is played as if it were
    noise.

    Departures
    ----------
    Not in the paper: its attacks, in another unit.
    See docs/metrics.md.
    """

    summary = "calls targets high or low"
    takes_prior: ClassVar[bool] = False  # of two made-up classes nothing is known

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it is an error of numbers that falls with how well signs follow."""
        return isinstance(metric, ERRORS)

    @classmethod
    def on_board(
        cls,
        problem: Problem,
        board: MetricBoard,
        *,
        rng: np.random.Generator,
        inner: OnCounts = LATTICE,
    ) -> TwoTargets:
        """Make it for changed values of an error, whose errors of constants are public."""
        if board.changed is None and board.decimals is None:
            raise NotSupported("it is made for values that are changed, and these are exact.")
        if board.targets is None or len(board.targets) != problem.n_examples:
            raise NotSupported("it needs errors of constants, and a group's are not public.")
        points = errors_of(board)
        told = Told(points.unit)
        if board.rounding and not board.noise and board.noise is not None:
            width = max(board.rounding / points.unit, 1.0 / problem.n_examples)
            told = Told(None, blur=width / math.sqrt(12.0))
        make = partial(inner.make, rng=rng, told=told)
        noisy = bool(board.noise) or bool(told.blur)
        return cls(problem, make, points=points, noisy=noisy)


def check_blurred(problem: Problem, board: MetricBoard) -> None:
    """Raise `NotSupported` where values can be read as digits, which tells far more."""
    assert isinstance(board.metric, ProbabilityMetric)
    if board.changed is not None:
        return
    try:
        Digits.digits_fitting(problem, board)
    except NotSupported:
        return
    raise NotSupported("it is made for what digits can't be read from, and the rule shows them.")
