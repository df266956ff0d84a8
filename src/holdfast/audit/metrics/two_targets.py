"""Squared errors as accuracies: each target is called high or low.

With signs s, the mean mu and the variance V of the targets t, and all numbers submitted d beside
the mean, the mean squared error is V + d^2 - 2 d C, where C is the mean of (t - mu) s. It is to C
what a loss is to the matches: attacks on accuracies that live with noise, or climb, play through
it. In the end mu + C s is submitted, which costs V - C^2.

Ten targets of variance 4, called high or low at d = 2: an error of 4 is C = 1, that is half a
standard deviation, or 75 % of the signs if all targets were equally far from their mean. Submitting
mu + s then costs 4 - 1 = 3, a quarter less than the mean alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.audit.metrics.match_counts import on_counts
from holdfast.audit.metrics.starts import Start
from holdfast.audit.metrics.two_levels import NAME, check_blurred, in_accuracies
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.mechanisms import Exact, Rule
from holdfast.metrics import R2, Clipped, MeanSquaredError, Metric
from holdfast.problem import Problem
from holdfast.protocols import Answer, one_number

__all__ = ["TwoTargets", "on_two_targets"]

SUMMARY = "calls targets high or low"


def on_two_targets(metric: Metric) -> list[tuple[str, str, Callable[..., Any]]]:
    """Return the attacks on accuracies that play through a squared error.

    As `on_two_levels`: name, what it does, and `make(problem, rng=, rule=, hidden=)`, which returns
    a `TwoTargets`. R2 is 1 - error / V, and is read the same way. Any other metric: none.
    """
    inner = metric.inner if isinstance(metric, Clipped) else metric
    if not isinstance(inner, MeanSquaredError | R2):
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
    """Put the attack at a place on a squared error; of `hidden` the mean and variance are used.

    Both are public, as far as the best constant and a look at it tell them.
    """
    check_blurred(rule)
    if problem.n_examples != hidden.size:
        raise NotSupported("it needs the targets' mean and variance, and a group's is not public.")
    mean, variance = float(np.mean(hidden)), float(np.var(hidden))

    def make(problem: Problem, rule: Rule) -> Any:
        return on_counts(Start(), rule)[at].make(problem, rng=rng, exact=False)

    return TwoTargets(problem, make, metric=metric, rule=rule, mean=mean, variance=variance)


class TwoTargets:
    """Play an attack on accuracies of two classes where a squared error is shown.

    Errors are counted in variances and C in standard deviations, so that R2 and a mean squared
    error are the same game. An error e at distance d tells C = (1 + d^2 - e) / (2 d), from -1 to 1,
    and (1 + C) / 2 is the accuracy that the attack is told. d is 1, or less where the range that
    errors are clipped to would hide the worst guess, (1 + d)^2.

    The last look is at the attack's own guess, and tells how far to trust it: C itself is the
    distance from the mean that costs least.

    Parameters
    ----------
    problem
        The sizes to play for.
    make
        Makes the attack from a problem and the rule that accuracies seem to go through.
    metric
        Mean squared error or R2, clipped or not.
    rule
        The rule that releases it.
    mean, variance
        The targets' mean and variance: the best constant, and what a look at it tells.
    """

    # It guesses: what the attack inside has proved of two made-up classes is no proof here.
    proves_labels: ClassVar[bool] = False
    tells_class_sizes: ClassVar[bool] = False

    def __init__(
        self,
        problem: Problem,
        make: Callable[..., Any],
        *,
        metric: Metric,
        rule: Rule,
        mean: float,
        variance: float,
    ) -> None:
        n, _, k = problem
        if k < 2:
            raise NotSupported("it needs a look besides that at its guess.")
        if variance == 0.0:
            raise NotSupported("all targets are equal: there is nothing to learn.")
        self.problem = Problem(n, 2, k)
        self._mean, self._spread = mean, math.sqrt(variance)
        inner = metric.inner if isinstance(metric, Clipped) else metric
        self._is_r2 = isinstance(inner, R2)
        self._noisy = any(stage.adds_noise for stage in rule.stages)
        # The worst of all guesses must not be clipped: it costs (1 + away)^2 variances.
        most = 1.0 - metric.low if self._is_r2 else metric.high / variance
        self._away = min(1.0, math.sqrt(most) - 1.0)
        if self._away <= 0.0:
            raise NotSupported("the range to which errors are clipped hides those of constants.")
        unit = 4.0 * self._away * (1.0 if self._is_r2 else variance)
        self._inner = make(Problem(n, 2, k - 1), in_accuracies(rule, unit))
        self._guess: Labels | None = None
        self._trust = 0.0

    def ask(self) -> NDArray[np.float64] | None:
        """Return the attack's next query as numbers beside the mean; last its guess."""
        if self._guess is not None:
            return None
        query = self._inner.ask()
        if query is None:
            query = self._guess = np.asarray(self._inner.predict())
        return self._numbers(np.asarray(query), self._away * self._spread)

    def tell(self, answer: Answer) -> None:
        """Tell the attack the accuracy that an error stands for."""
        value = one_number(answer)
        error = (1.0 - value) if self._is_r2 else value / self._spread**2  # in variances
        along = (1.0 + self._away**2 - error) / (2.0 * self._away)  # C in spreads, -1 to 1
        if self._guess is not None:
            self._trust = min(1.0, max(0.0, along))
            return
        accuracy = (1.0 + along) / 2.0
        self._inner.tell(accuracy if self._noisy else min(1.0, max(0.0, accuracy)))

    def predict(self) -> NDArray[np.float64]:
        """Return the numbers that cost least for so many that are called right."""
        guess = self._inner.predict() if self._guess is None else self._guess
        return self._numbers(np.asarray(guess), self._trust * self._spread)

    def _numbers(self, labels: Labels, away: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._mean + np.where(labels == 1, away, -away)
        return found
