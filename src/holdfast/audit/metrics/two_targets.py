"""Errors of numbers as accuracies: each target is called high or low.

Attacks on accuracies that live with noise, or climb, play through what `high_or_low` makes of
errors. Single targets weigh more or less than others there, so that no count is ever exact:
rounding is played as if it were noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.audit.metrics.high_or_low import Errors, errors_of
from holdfast.audit.metrics.match_counts import on_counts
from holdfast.audit.metrics.starts import Start
from holdfast.audit.metrics.two_levels import NAME, in_accuracies
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.mechanisms import Exact, Gaussian, Rounding, Rule
from holdfast.metrics import (
    R2,
    Clipped,
    MeanAbsoluteError,
    MeanSquaredError,
    Metric,
    RootMeanSquaredError,
)
from holdfast.problem import Problem
from holdfast.protocols import Answer, one_number

__all__ = ["TwoTargets", "on_two_targets"]

SUMMARY = "calls targets high or low"
LINEAR = (MeanSquaredError, RootMeanSquaredError, R2, MeanAbsoluteError)


def on_two_targets(metric: Metric) -> list[tuple[str, str, Callable[..., Any]]]:
    """Return the attacks on accuracies that play through errors: as `on_two_levels`."""
    inner = metric.inner if isinstance(metric, Clipped) else metric
    if not isinstance(inner, LINEAR):
        return []
    return [
        (f"{NAME}, {each.name}", f"{SUMMARY}, {each.summary}", partial(_made, metric, at))
        for at, each in enumerate(on_counts(Start(), Exact()))
    ]


def _made(
    metric: Metric,
    at: int,
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    hidden: NDArray[Any],
) -> Any:
    """Put the attack at a place on an error; of `hidden` the errors of constants are used.

    They are public, as far as looks at constants tell them.
    """
    if all(stage.keeps_exact for stage in rule.stages):
        raise NotSupported("it is made for values that are changed, and these are exact.")
    if problem.n_examples != hidden.size:
        raise NotSupported("it needs errors of constants, and a group's are not public.")

    def make(problem: Problem, rule: Rule) -> Any:
        return on_counts(Start(), rule)[at].make(problem, rng=rng, exact=False)

    return TwoTargets(problem, make, errors=errors_of(metric, hidden.astype(float)), rule=rule)


class TwoTargets:
    """Play an attack on accuracies of two classes where an error of numbers is shown.

    Squared errors are counted in variances and C in standard deviations, so that R2 and a mean
    squared error are the same game. An error e at distance d tells C = (1 + d^2 - e) / (2 d), from
    -1 to 1, and (1 + C) / 2 is the accuracy that the attack is told. d is 1, or less where the
    range that errors are clipped to would hide the worst guess, (1 + d)^2.

    The last look is at the attack's own guess, and tells how far to trust it: of squares, C itself
    is the distance from the mean that costs least.

    Parameters
    ----------
    problem
        The sizes to play for.
    make
        Makes the attack from a problem and the rule that accuracies seem to go through.
    errors
        What signs beside a centre are worth, which looks at constants tell.
    rule
        The rule that releases it.
    """

    # It guesses: what the attack inside has proved of two made-up classes is no proof here.
    proves_labels: ClassVar[bool] = False
    tells_class_sizes: ClassVar[bool] = False

    def __init__(
        self, problem: Problem, make: Callable[..., Any], *, errors: Errors, rule: Rule
    ) -> None:
        n, _, k = problem
        if k < 2:
            raise NotSupported("it needs a look besides that at its guess.")
        self.problem = Problem(n, 2, k)
        self._errors = errors
        heard = _as_noise(in_accuracies(rule, errors.unit), n)
        self._noisy = any(stage.adds_noise for stage in heard.stages)
        self._inner = make(Problem(n, 2, k - 1), heard)
        self._guess: Labels | None = None
        self._away = 0.0

    def ask(self) -> NDArray[np.float64] | None:
        """Return the attack's next query as numbers beside the centre; last its guess."""
        if self._guess is not None:
            return None
        query = self._inner.ask()
        if query is None:
            query = self._guess = np.asarray(self._inner.predict())
        return self._numbers(np.asarray(query), self._errors.away)

    def tell(self, answer: Answer) -> None:
        """Tell the attack the accuracy that an error stands for."""
        along = self._errors.along(one_number(answer))
        if self._guess is not None:
            self._away = self._errors.best_away(along)
            return
        accuracy = (1.0 + along) / 2.0
        self._inner.tell(accuracy if self._noisy else min(1.0, max(0.0, accuracy)))

    def predict(self) -> NDArray[np.float64]:
        """Return the numbers that cost least for so many that are called right."""
        guess = self._inner.predict() if self._guess is None else self._guess
        return self._numbers(np.asarray(guess), self._away)

    def _numbers(self, labels: Labels, away: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._errors.centre + np.where(labels == 1, away, -away)
        return found


def _as_noise(rule: Rule, n_examples: int) -> Rule:
    """Return noise in the place of rounding: as wide, and at least as wide as one match."""
    if not isinstance(rule, Rounding):
        return rule
    return Gaussian(max(float(rule.rounds_to), 1.0 / n_examples) / math.sqrt(12.0))
