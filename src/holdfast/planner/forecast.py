"""What a plan is made for, and what it says of one attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.answers import AnswerModel, ExactAnswers
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Forecast", "Setting"]


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
    def start(self) -> float:
        """Expected matches before the first look: the model's, or n/m."""
        n, m, _ = self.problem
        return n / m if self.prior is None else float(self.prior.ranked(1)[1].sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What one attack is expected to gain.

    Parameters
    ----------
    attack
        Its name, as `holdfast attack` takes it; a mixture is played by `auto` alone.
    gain
        Expected matches above the start (n/m, or what the model has right); None: it can't be
        played here, or nothing is known of it.
    looks
        How many looks it is expected to take.
    reason
        Where the figure comes from, or why there is none.
    adaptive
        Whether its queries depend on the answers before.
    settings
        What to make the attack with, besides the setting.

    Examples
    --------
    >>> Forecast(attack="constant", gain=0.0, looks=0, reason="it asks nothing").playable
    True
    """

    attack: str
    gain: float | None
    looks: int
    reason: str
    adaptive: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def playable(self) -> bool:
        """Whether it can be played and its gain is known."""
        return self.gain is not None
