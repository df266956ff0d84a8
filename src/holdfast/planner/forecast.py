"""The forecast of one attack in a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from holdfast.attacks.description import Described
from holdfast.planner.formulas import estimate, most_accuracy
from holdfast.planner.rehearsal import Rehearsal, settings_of
from holdfast.rules import Rule
from holdfast.setting import Setting

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
    >>> Forecast(attack="constant", gain=0.0, looks=0, reason="it asks nothing").rank
    0.0
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

    def doubted(self, why: str) -> Forecast:
        """Return the same without a gain, where the figure is known not to hold: games are real."""
        if self.gain is None or self.rehearsed:
            return self
        return replace(self, gain=None, error=None, reason=f"{why}, so its gain is not known")


def forecast(
    cls: type[Described], setting: Setting, *, rule: Rule | None = None, in_head: bool = False
) -> Forecast:
    """Return what one attack is expected to gain, or why it can't be said.

    Parameters
    ----------
    cls, setting
        The attack, and what is known before the first look.
    rule
        The board's release rule, under which games are played; None: one that answers as the
        setting says.
    in_head
        Whether there is time to simulate games.

    Examples
    --------
    >>> from holdfast.attacks import BlockMajority
    >>> from holdfast.problem import Problem
    >>> round(forecast(BlockMajority, Setting(Problem(10_000, 10, 101))).gain, 1)
    177.5
    """
    reason = cls.obstacle(setting)
    found = estimate(cls, Rehearsal(setting, rule, in_head)) if reason is None else None
    if found is None:
        reason = reason or "nothing is known of its gain"
        return Forecast(attack=cls.name, gain=None, looks=0, reason=reason, adaptive=cls.adaptive)
    gain = min(found.gain, _most(setting))
    error = FORMULA_ERROR * abs(gain) if found.error is None else found.error
    return Forecast(
        attack=cls.name,
        gain=gain if found.known else None,
        rank=gain,
        looks=found.looks,
        reason=found.reason,
        adaptive=cls.adaptive,
        settings=settings_of(cls, setting),
        error=error if found.known else None,
        rehearsed=found.error is not None,
    )


def _most(setting: Setting) -> float:
    """Return a gain that no attack exceeds: normal limits do so where there are few examples."""
    n, m, _ = setting.problem
    if setting.prior is None:
        return n * (most_accuracy(setting.problem) - 1.0 / m)
    right = min(1.0, max(1.0 / m, setting.start / n))
    return max(0.0, n * most_accuracy(setting.problem, right) - setting.start)
