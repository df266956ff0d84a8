"""Class attributes of attacks through a metric: what audits, plans and sweeps select them by.

Two kinds play where another number than one accuracy is shown. A *reader* reads a metric's values
by itself: it says which in `reads_metric`, is made for a board by `on_board`, and tells in
`forecast_on` what looks are worth. The others (`CountReader`, `MatchReader`, `TopK`, `ByGroup`) put
an attack on match counts, which is given to them, on such a board, or need to know more of the
labels; they say their name and summary here, and who plays them knows what they need.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from holdfast.attacks.description import kebab_case
from holdfast.metrics import Metric
from holdfast.problem import Problem

__all__ = ["MetricBoard", "MetricEstimate", "ThroughMetric"]


class MetricBoard(NamedTuple):
    """What is public of a board that shows one number per look.

    Parameters
    ----------
    metric
        The metric whose values are shown.
    decimals
        How many decimals of them; None: all that a float has.
    low, high
        The least and the largest hidden number, where numbers are hidden.
    """

    metric: Metric
    decimals: int | None = None
    low: int = 0
    high: int = 1


class MetricEstimate(NamedTuple):
    """What looks at a metric are expected to be worth.

    Attributes
    ----------
    gain
        Examples that are right above guessing.
    certain
        Examples that are proved after all the looks; None: that is not known beforehand.
    looks_for_all
        Looks after which every example is known; None: that is not known beforehand.
    reason
        Where the figures come from.
    """

    gain: float
    certain: int | None
    looks_for_all: int | None
    reason: str

    @classmethod
    def of_proved(cls, proved: int, looks: int, reason: str, problem: Problem) -> MetricEstimate:
        """Return the estimate of an attack that proves so many labels and guesses the others."""
        return cls(proved * (1.0 - problem.baseline), proved, looks, reason)


class ThroughMetric:
    """What is true of an attack through a metric, said once: a subclass overrides what differs.

    Attributes
    ----------
    name
        The class in kebab-case, as tables show it.
    summary
        What it does, in at most six words that follow its name and a colon.
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = kebab_case(cls.__name__)

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:  # noqa: ARG003
        """Tell whether it reads values of this metric without any other attack."""
        return False

    @classmethod
    def on_board(
        cls,
        problem: Problem,  # noqa: ARG003
        board: MetricBoard,  # noqa: ARG003
        *,
        rng: np.random.Generator,  # noqa: ARG003
    ) -> Any:
        """Make it for a board whose metric it reads."""
        raise TypeError(f"{cls.__name__} reads no metric by itself.")

    @classmethod
    def forecast_on(cls, problem: Problem, board: MetricBoard) -> MetricEstimate:  # noqa: ARG003
        """Forecast what it gains on a board whose metric it reads, of equally likely targets.

        Raises `NotSupported`, with the reason, where it can't play.
        """
        raise TypeError(f"{cls.__name__} reads no metric by itself.")
