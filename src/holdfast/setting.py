"""The setting of a play: what is known before the first look."""

from __future__ import annotations

from dataclasses import dataclass, field

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

__all__ = ["Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known before the first look: the sizes, a model, and what an answer tells.

    >>> Setting(Problem(1000, 10, 50)).start
    100.0
    """

    problem: Problem
    prior: Prior | None = None
    answers: AnswerModel = field(default_factory=ExactAnswers)

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

    def sure_gain(self, sure: int) -> float:
        """Return the gain above the start of knowing so many labels, the least sure ones."""
        if self.prior is None:
            return sure * (1.0 - 1.0 / self.problem.n_classes)
        doubt = np.sort(1.0 - self.prior.ranked(1)[1][:, 0])[::-1]
        return float(doubt[:sure].sum())
