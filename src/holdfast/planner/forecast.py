"""The forecast of one attack in a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from holdfast.attacks._rehearsal import board_of
from holdfast.attacks.description import Described
from holdfast.certificates import certify
from holdfast.forecasts import Setting
from holdfast.problem import Problem

__all__ = ["FORMULA_ERROR", "Forecast", "forecast"]

# The standard error of a formula or a measured table, as a share of the gain: that of the table of
# champion-challenger (docs/attacks/choosing.md); exact sums have less.
FORMULA_ERROR = 0.04


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
    rank
        What the planner orders by: the gain, or where none is known a figure that is no forecast;
        None: it can't be played here.
    error
        The standard error of the gain; None: there is no gain.
    rehearsed
        Whether games were played for it, so that chance is in the figure.

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
    rank: float | None = None
    error: float | None = None
    rehearsed: bool = False

    def __post_init__(self) -> None:
        if self.rank is None:
            object.__setattr__(self, "rank", self.gain)

    @property
    def playable(self) -> bool:
        """Whether it can be played and its gain is known."""
        return self.gain is not None

    def doubted(self, why: str) -> Forecast:
        """Return the same without a gain where the figure is known not to hold."""
        if self.gain is None:
            return self
        return replace(self, gain=None, error=None, reason=f"{why}, so its gain is not known")


def forecast(cls: type[Described], setting: Setting) -> Forecast:
    """Return what one attack is expected to gain, or why it can't be said.

    Examples
    --------
    >>> from holdfast.attacks import BlockMajority
    >>> round(forecast(BlockMajority, Setting(Problem(10_000, 10, 101))).gain, 1)
    177.5
    """
    n, m, _ = setting.problem
    setting = replace(setting, most=n * (most_accuracy(setting.problem) - 1.0 / m))
    reason = cls.obstacle(setting)
    estimate = cls.forecast(setting) if reason is None else None
    if estimate is None:
        reason = reason or "nothing is known of its gain"
        return Forecast(attack=cls.name, gain=None, looks=0, reason=reason, adaptive=cls.adaptive)
    gain = min(estimate.gain, _most(setting))
    error = FORMULA_ERROR * abs(gain) if estimate.error is None else estimate.error
    return Forecast(
        attack=cls.name,
        gain=gain if estimate.known else None,
        rank=gain,
        looks=estimate.looks,
        reason=estimate.reason,
        adaptive=cls.adaptive,
        settings=_settings(cls, setting),
        error=error if estimate.known else None,
        rehearsed=estimate.error is not None,
    )


def _settings(cls: type[Described], setting: Setting) -> dict[str, Any]:
    """Return what a board without scores of every look asks of the attack."""
    return cls.settings_for(setting.problem, board_of(setting)) if setting.ordered else {}


def _most(setting: Setting) -> float:
    """Return a gain that no attack exceeds: normal limits do so where there are few examples."""
    n, m, _ = setting.problem
    if setting.prior is None:
        return setting.most
    right = min(1.0, max(1.0 / m, setting.start / n))
    return max(0.0, n * most_accuracy(setting.problem, right) - setting.start)


@lru_cache(maxsize=256)
def most_accuracy(problem: Problem, model: float | None = None) -> float:
    """Return the accuracy that no attack on exact answers exceeds in expectation.

    `model`: that of the models that it may start from.
    """
    return certify(problem, knows=model).accuracy
