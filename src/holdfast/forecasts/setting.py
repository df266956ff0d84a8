"""The setting of a forecast, and the estimate that an attack makes for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NewBestAnswers,
    RankAnswers,
    SubsetAnswers,
)
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Estimate", "Setting"]


class Estimate(NamedTuple):
    """What an attack is expected to gain.

    Parameters
    ----------
    gain
        Expected matches above the setting's start.
    looks
        How many looks it is expected to take.
    reason
        Where the figure comes from.
    known
        False: the figure is no forecast, and only orders attacks; `reason` says why.
    error
        The standard error of `gain`; None: that of a formula or a measured table.
    """

    gain: float
    looks: int
    reason: str
    known: bool = True
    error: float | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known before the first look: the sizes, a model, and what an answer tells.

    `most` is a gain above n/m that no attack without a model exceeds, for formulas that are true
    of many examples only. `in_head` tells whether a forecast may play games in the head, which
    takes a moment: a plan does, and what compares many settings does not.

    >>> Setting(Problem(1000, 10, 50)).start
    100.0
    """

    problem: Problem
    prior: Prior | None = None
    answers: AnswerModel = field(default_factory=ExactAnswers)
    most: float = math.inf
    in_head: bool = False

    def __post_init__(self) -> None:
        if self.prior is not None:
            self.prior.check_fits(self.problem)

    @property
    def exact(self) -> bool:
        """Whether an answer gives the match count itself."""
        return self.answers.variance(self.problem) == 0.0

    @property
    def informed(self) -> bool:
        """Whether there is a model, and it prefers some labels to others."""
        if self.prior is None:
            return False
        return bool(self.prior.ranked(1)[1].max() > 1.0 / self.problem.n_classes + 1e-9)

    def without_prior(self) -> Setting:
        """Return the setting of somebody who knows no model."""
        return replace(self, prior=None)

    @property
    def ordered(self) -> bool:
        """Whether the board shows ranks or new bests, and no score of each look."""
        return isinstance(self.answers, RankAnswers | NewBestAnswers)

    @property
    def scored(self) -> Problem:
        """The problem on the scored subset: an attack overfits that alone, as if exact."""
        n, m, k = self.problem
        if isinstance(self.answers, SubsetAnswers):
            return Problem(self.answers.size(n), m, k)
        return self.problem

    @property
    def start(self) -> float:
        """Expected matches before the first look: the model's, or n/m."""
        n, m, _ = self.problem
        return n / m if self.prior is None else float(self.prior.ranked(1)[1].sum())

    def from_scratch(self, gain: float, looks: int, reason: str) -> Estimate:
        """Return the estimate for an attack with this gain above n/m that ignores the model."""
        if self.prior is not None:
            gain += self.problem.n_examples / self.problem.n_classes - self.start
        return Estimate(gain, looks, reason)

    def sure_gain(self, sure: int) -> float:
        """Return the gain above the start of knowing so many labels, the least sure ones."""
        if self.prior is None:
            return sure * (1.0 - 1.0 / self.problem.n_classes)
        doubt = np.sort(1.0 - self.prior.ranked(1)[1][:, 0])[::-1]
        return float(doubt[:sure].sum())
