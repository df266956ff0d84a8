"""Thresholdout, the reusable holdout."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import NoisyAnswers
from holdfast.bounds.binomial import log_patterns
from holdfast.errors import BudgetExhausted, InvalidInput
from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.quoting import quoted
from holdfast.rules.additive import laplace_difference
from holdfast.rules.base import Reading, Rule, WorksOn
from holdfast.rules.checks import as_fraction, check_count, check_scale, check_step
from holdfast.rules.noise import Channel, draw, with_noise
from holdfast.rules.told import Told, Wording

__all__ = ["Thresholdout"]


@dataclass(frozen=True)
class Thresholdout(Rule):
    """Answer with the reference unless the accuracy is far from it; then pay from a budget.

    The analyst already knows the reference. Only a look whose accuracy differs from it by more
    than a noisy threshold learns something, a noisy accuracy, and each such look costs one unit
    of the budget. When the budget is spent every further look is refused.

    Implements: dwork2015 Figure 1 (Thresholdout)

    Departures
    ----------
    The paper compares with the same function's score on the training set. A board has no
    training set of the submitter's: here the reference is the value released last, 1/m before
    the first, or a constant that the host supplies. The noise of the threshold is drawn at the
    first look, since `init` draws nothing, and again only after an exceedance.

    Parameters
    ----------
    threshold
        The paper's T.
    scale
        The paper's sigma: the released value gets Laplace noise of this parameter, the threshold
        twice and the comparison four times as much.
    budget
        The paper's B: how many looks may exceed the threshold.
    reference
        A constant reference in [0, 1]; None: the value released last.

    Examples
    --------
    >>> str(Thresholdout(threshold=0.04, scale=0.01, budget=50))
    'thresholdout:threshold=0.04,scale=0.01,budget=50'
    """

    threshold: float
    scale: float
    budget: int
    reference: float | None = None

    name: ClassVar[str] = "thresholdout"
    source: ClassVar[str] = "Dwork et al. 2015, Figure 1 (Thresholdout)"
    text_forms: ClassVar[tuple[str, ...]] = ("thresholdout:threshold=0.01,scale=0.002,budget=50",)
    unbounded: ClassVar[bool] = True
    speaks: ClassVar[bool] = True
    adds_noise: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ACCURACIES
    accuracies_because: ClassVar[str] = "it begins with the accuracy of guessing"

    def __post_init__(self) -> None:
        check_step("threshold", self.threshold)
        check_scale("scale", self.scale)
        check_count("budget", self.budget, 1)
        if self.reference is not None and not 0.0 <= self.reference <= 1.0:
            raise InvalidInput(f"reference must lie in [0, 1], got {quoted(self.reference)}.")

    def init(self, problem: Problem) -> State:
        """Return the state before the threshold's first noise is drawn."""
        last = problem.baseline if self.reference is None else self.reference
        return {"budget": self.budget, "threshold": None, "last": last}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the reference, or a noisy accuracy at the price of one unit of the budget.

        Raises
        ------
        BudgetExhausted
            The budget is spent; nothing is drawn and the state stays as it was.
        """
        budget, threshold, last = state["budget"], state["threshold"], state["last"]
        if budget < 1:
            raise BudgetExhausted(f"thresholdout has spent its budget of {self.budget}.")
        if threshold is None:
            threshold = self._noisy_threshold(rng)
        limit = Fraction(threshold) + draw("laplace", 4 * self.scale, rng)
        exceeds = abs(reading.value - Fraction(last)) > limit
        if exceeds:
            answer = float(with_noise(reading.value, "laplace", self.scale, rng))
            budget, threshold = budget - 1, self._noisy_threshold(rng)
        else:
            answer = last
        kept = answer if self.reference is None else last
        after = {"budget": budget, "threshold": threshold, "last": kept}
        return reading.telling(Fraction(answer), own=exceeds), after

    def _noisy_threshold(self, rng: Generator) -> float:
        return float(as_fraction(self.threshold) + draw("laplace", 2 * self.scale, rng))

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for a value of its own, or for the reference."""
        if told.own is False:
            near = f"reference: this submission differs from it by about {self.threshold} at most"
            return so_far.about(near)
        if told.own is None:
            so_far = so_far.about(f"reference, or {so_far.head}")
        return so_far.then(f" plus Laplace noise of parameter {self.scale}")

    def difference_blur(self, problem: Problem, chance: float) -> float:
        """Return the quantile of the difference of two draws."""
        return laplace_difference(self.scale, chance)

    def answer_model(self, problem: Problem) -> NoisyAnswers:
        """Return the noise of a value of the submission's own."""
        return NoisyAnswers(scale=math.sqrt(2.0) * self.scale)

    def resolution(self, problem: Problem) -> float:
        """Return the threshold: an accuracy this close to the reference is not told from it."""
        return max(self.threshold, 1.0 / problem.n_examples)

    def own_nats(self, problem: Problem) -> float:
        """Return which looks exceeded, and what `budget` noisy values can tell."""
        k = problem.n_queries
        paid = min(self.budget, k)
        return log_patterns(k, paid) + paid * Channel.of("laplace", self.scale).most
