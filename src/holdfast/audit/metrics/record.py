"""The record of an audit of a metric: frozen dataclasses, ready for JSON.

Gains are in the unit that the record names, above what the best constant submission scores. Every
number that was computed from the labels is rounded to `rounding_unit`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import in_fractions
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import (
    AS_IT_RISES,
    Finding,
    Interval,
    Knowledge,
    Model,
    Reproduce,
    Verdict,
    Word,
)
from holdfast.audit.scenarios.measurer import Measured

__all__ = ["MetricAudit", "MetricGain", "MetricRule", "gain_of_show", "metric_audit_as_json"]


@dataclass(frozen=True, slots=True)
class MetricGain:
    """POSSIBLE. What one attack gained from one show with so many looks, or why it can't play.

    Attributes
    ----------
    show, reads
        What a look tells, and which of its numbers the attack reads.
    looks, trials
        The looks of one play, and the plays that the mean is of.
    gain
        In the audit's unit; None: it can't play, and `reason` says why.
    low, high
        The ends of a 95 % interval; None after a single play.
    setting
        What the attack knew. A gain from models is above these, or above the constant if that is
        better.
    does
        What the attack does, in about six words.
    """

    show: str
    attack: str
    reads: str
    looks: int
    trials: int
    gain: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    setting: Knowledge = "features"
    does: str = ""

    @property
    def upper(self) -> float:
        """The upper end of what was found: of the interval, or the gain of a single play.

        >>> MetricGain("total only", "lattice", "f1", 30, 4, 12.0, 10.0, 14.0).upper
        14.0
        """
        return self.high if self.high is not None else self.gain or 0.0

    @property
    def climbed(self) -> bool:
        """Whether the attack heard no more than which look was the best."""
        return self.reads.endswith(AS_IT_RISES)

    @property
    def interval(self) -> Interval | None:
        """The gain with its interval; None: it was not played."""
        return None if self.gain is None else Interval(self.gain, self.low, self.high)


@dataclass(frozen=True, slots=True)
class MetricRule:
    """One release rule: the strongest attack on each show, and the blur for honest teams.

    Attributes
    ----------
    strongest
        One gain for each show of the audit; one without a gain has the reason.
    allowed
        ALLOWED: the gain that nobody without a model is certified to exceed in expectation who sees
        all that the board shows; None: none is proved below all that can be gained.
    labels_right
        The share of labels in per cent that nobody is certified to exceed in expectation who sees
        all that the board shows; None: no bound excludes that all are known.
    blur
        How far an honest score may be from the value, in the audit's unit: the price of the rule.
    """

    rule: str
    is_policy: bool
    strongest: tuple[MetricGain, ...]
    allowed: float | None
    labels_right: float | None
    blur: float


@dataclass(frozen=True, slots=True)
class MetricAudit:
    """All that the page shows and `--json` prints of an audit of a metric.

    Attributes
    ----------
    metric, breakdown, also
        What the board shows: the metric that ranks, groups, and metrics beside it.
    board
        The same in words; it stands in the first line.
    unit, scale
        What gains are counted in, and how many of these are a difference of 1 between two values.
    constant
        What the best constant submission scores, in the same unit.
    rule, looks, accounts, teams
        The policy: the release rule, the looks of all accounts that work together, and how many
        accounts and teams there are.
    models
        Models whose predictions attacks start from; their accuracies are rounded.
    model
        What the models' best vote scores, in the same unit; None: no model was given.
    verdict, public
        The verdict on what decides, the final ranking; and that on the public board where that
        does not decide alone.
    gains
        What every attack gained from every show under the policy, the strongest first.
    curve
        The strongest attack of each show at fewer looks, which need not be the same one.
    rules
        Other release rules, with each show.
    certified
        What is certified under the policy, in sentences.
    not_covered
        What this audit does not tell, in sentences.
    """

    name: str
    header: str
    metric: str
    breakdown: str | None
    groups: int
    also: tuple[str, ...]
    board: str
    unit: str
    scale: float
    rounding_unit: float
    constant: float
    rule: str
    looks: int
    looks_text: str
    accounts: int
    teams: int
    final_share: float
    models: tuple[Model, ...]
    model: float | None
    verdict: Verdict
    public: Verdict | None
    shows: tuple[str, ...]
    findings: tuple[Finding, ...]
    gains: tuple[MetricGain, ...]
    curve: tuple[MetricGain, ...]
    rules: tuple[MetricRule, ...]
    certified: tuple[str, ...]
    not_covered: tuple[str, ...]
    reproduce: Reproduce
    seconds: float
    date: str

    @property
    def strongest(self) -> MetricGain:
        """The attack that gained most under the policy, before contenders were measured again."""
        return self.gains[0]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict, and that on the public board where there is one."""
        return (self.verdict,) if self.public is None else (self.verdict, self.public)

    @property
    def counted_in(self) -> str:
        """The unit without a number before it."""
        return self.unit.removeprefix("of ")

    @property
    def word(self) -> Word:
        """The verdict's word."""
        return self.verdict.word

    @property
    def worst(self) -> float:
        """The number that matters: the worst gain found, as far as it counts in the end."""
        return self.verdict.points.mean

    @property
    def gap(self) -> float:
        """The ranking gap that was tested."""
        return self.verdict.gap_points


def gain_of_show(each: Measured, unit: Unit, *, show: str = "", looks: int = 0) -> MetricGain:
    """Return the row of what was measured; of the total it may stand for another show's."""
    scenario = each.scenario
    points = None if each.points is None else unit.from_here(each.points)
    mean, low, high = (None, None, None) if points is None else (points.mean, *points.ends)
    return MetricGain(
        show=show or scenario.show,
        attack=scenario.name,
        reads=scenario.reads,
        looks=looks or each.looks,
        trials=each.trials,
        gain=mean,
        low=low,
        high=high,
        reason=each.reason,
        setting=scenario.setting,
        does=scenario.does,
    )


def metric_audit_as_json(audit: MetricAudit) -> dict[str, Any]:
    """Return the record as plain data; gains are in its unit, and their ends stand beside them."""
    data: dict[str, Any] = in_fractions(audit, point=1.0)
    for verdict in filter(None, (data["verdict"], data["public"])):
        gain = verdict.pop("gain")
        verdict |= {"gain": gain["mean"], "low": gain["low"], "high": gain["high"]}
        for fix in verdict["fixes"]:
            fix["gain"] = fix["possible"]["mean"]
    return data
