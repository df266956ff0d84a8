"""Final submissions of attacks that prove part of the truth: the best fallback for the rest.

Such an attack submits the middle of all possibilities where it knows nothing. Whoever knows the
class shares, or how often each number is a target, does better there: with one positive in fifty an
even forecast costs eight times as much, and all that was read would not show in the score.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Described
from holdfast.attacks.outer import Outer
from holdfast.attacks.through_metrics.best_expected import best_submission, expected_value
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
    label_metric,
    proved_by,
)
from holdfast.attacks.through_metrics.target_digits import SQUARED
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.metrics import LabelMetric, Metric, RocAuc
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.protocols import Answer, one_number

__all__ = ["Elsewhere", "Uncut", "best_class", "with_fallback"]

# What floats lose of a limit, with room to spare.
FLOAT_ROOM = 2.0**-40


class Elsewhere(Outer):
    """Plays an attack, and submits a fallback wherever it has proved nothing.

    Parameters
    ----------
    inner
        The attack, one that proves labels.
    fallback
        Makes the final submission of the attack that has played.
    """

    proves_labels = True

    def __init__(self, inner: Any, fallback: Callable[[Any], NDArray[Any]]) -> None:
        super().__init__(inner)
        self._fallback = fallback

    def certain(self) -> NDArray[np.bool_]:
        """Tell which examples the attack has proved: none, if it proves none."""
        return proved_by(self._inner, self.problem.n_examples)

    def predict(self) -> NDArray[Any]:
        """Return the attack's submission, with the fallback where nothing is known."""
        return self._fallback(self._inner)


class Uncut(Outer):
    """Plays an attack that proves what values tell, as long as no value is cut off.

    A value at the limit to which a metric is clipped is not the value of the submission: who reads
    it proves what is not so. The look is spent, and what was proved before is submitted.

    Parameters
    ----------
    inner
        The attack, one that proves labels.
    board
        What is public of the board whose values it reads.
    """

    proves_labels = True

    def __init__(self, inner: Any, board: MetricBoard) -> None:
        super().__init__(inner)
        # Clipped values are rounded afterwards.
        room = board.rounding / 2.0 + FLOAT_ROOM * (abs(board.highest) + abs(board.lowest))
        self._lowest, self._highest = board.lowest + room, board.highest - room
        self._is_cut = False

    def ask(self) -> Any:
        """Return the attack's next query; None once a value was cut off."""
        return None if self._is_cut else super().ask()

    def tell(self, answer: Answer) -> None:
        """Pass a value on, unless it is cut off."""
        if self._lowest < one_number(answer) < self._highest:
            super().tell(answer)
            return
        if not self.answered:
            raise NotSupported("values are cut off where it reads them.")
        self._is_cut = True

    def certain(self) -> NDArray[np.bool_]:
        """Tell which examples the attack has proved."""
        return proved_by(self._inner, self.problem.n_examples)


def with_fallback(
    attack: Any, cls: type[ThroughMetric], board: MetricBoard, ranks: Metric | None = None
) -> Any:
    """Let an attack submit the best constant of a metric wherever it has read nothing.

    The class shares for probabilities, the mean for squared errors, the median for absolute ones,
    and of labels the class with the best value of the metric that ranks. It is public, or one look
    at a constant tells it.

    Gains count from that constant, so an attack that has read nothing yet must end at it: one that
    submitted a coin flip elsewhere would seem to lose by looking.

    Parameters
    ----------
    attack
        The attack, ready to play.
    cls
        What it says of itself: whether it proves labels, or narrows targets down.
    board
        What is public of the board whose metric it reads.
    ranks
        The metric that ranks; None: the one that it reads.
    """
    ranks = board.metric if ranks is None else ranks
    if attack.tells_class_sizes and isinstance(ranks, LabelMetric | RocAuc):
        return Elsewhere(attack, partial(best_class, metric=label_metric(ranks)))
    if cls.narrows:
        if board.targets is None:
            return attack
        return Elsewhere(attack, partial(median_in_range, targets=np.sort(board.targets)))
    if not cls.proves_labels:
        return attack
    if isinstance(board.metric, SQUARED) and board.targets is not None:
        return Elsewhere(attack, partial(constant, value=float(np.mean(board.targets))))
    if isinstance(board.metric, ProbabilityMetric) and board.shares is not None:
        row = np.asarray(board.shares)
        return Elsewhere(attack, partial(constant, value=row if row.size > 2 else row[1]))
    return attack


def constant(attack: Any, *, value: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what an attack proved, and a constant number or row for the rest."""
    rows = np.array(attack.predict(), dtype=np.float64)
    rows[~attack.certain()] = value
    return rows


def median_in_range(attack: Any, *, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of the targets in each range that an attack has narrowed down.

    Where a few targets are large, the middle of a range that has lost nothing else is far from all
    others. `targets` are sorted.
    """
    low, high = attack.ranges()
    first = np.searchsorted(targets, low, side="left")
    last = np.searchsorted(targets, high, side="right") - 1
    # A proved range holds its target, so there is one.
    lower, upper = (first + last) // 2, (first + last + 1) // 2
    medians: NDArray[np.float64] = (targets[lower] + targets[upper]) / 2.0
    return medians


def best_class(attack: Any, *, metric: LabelMetric) -> Labels:
    """Return proved labels, and what is expected to score best for the rest.

    An attack on match counts guesses what is likeliest where it has proved nothing, which is best
    for accuracies. Other metrics are lost by it: with half of the examples positive, F1 of
    everything called positive is 67 %, and of an even guess 50 %. An attack that has learned
    something of the other examples, too, submits its own guess.
    """
    guess: Labels = np.array(attack.predict())
    sizes, counting = attack.class_sizes, attack.inner
    # One that has not begun, or that is itself made of others, says nothing of what it knows.
    if sizes is None or not (isinstance(counting, Described) and counting.knows_only_proved):
        return guess
    sure = attack.certain()
    if not sure.any():
        return guess
    # Of the rest it is known how many each class has, and no more.
    true = np.asarray(sizes, dtype=np.float64)
    left = true - np.bincount(guess[sure], minlength=true.size)
    chances = np.tile(left / max(1.0, left.sum()), (guess.size, 1))
    chances[sure] = np.eye(true.size)[guess[sure]]
    best: Labels = best_submission(metric, chances, true)
    better = expected_value(metric, best, chances, true) > expected_value(
        metric, guess, chances, true
    )
    return best if better else guess
