"""The record of an audit of a metric: frozen dataclasses, ready for JSON.

Gains are in the unit that the record names, above what the best constant submission scores. Every
number that was computed from the labels is rounded to `grain`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from holdfast.audit.result import Finding, Reproduce, Word

__all__ = ["MetricAudit", "MetricFix", "MetricGain", "MetricRule", "metric_audit_as_json"]


@dataclass(frozen=True, slots=True)
class MetricGain:
    """POSSIBLE. What one attack gained from one show with so many looks, or why it can't play.

    `low` and `high` are the ends of a 95 % interval; None after a single play.
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

    @property
    def upper(self) -> float:
        """The upper end of what was found."""
        return self.high if self.high is not None else self.gain or 0.0


@dataclass(frozen=True, slots=True)
class MetricRule:
    """One release rule: the strongest attack on each show, and the blur for honest teams.

    `strongest` has one gain for each show of the audit; one without a gain has the reason.
    `labels_right` is the share of labels in per cent that nobody is certified to exceed in
    expectation who sees all that the board shows; None: no bound excludes that all are known.
    """

    rule: str
    is_policy: bool
    strongest: tuple[MetricGain, ...]
    labels_right: float | None
    blur: float


@dataclass(frozen=True, slots=True)
class MetricFix:
    """A change of what is shown, or of the rule, under which no attack reached the gap."""

    rule: str
    show: str
    gain: float
    text: str


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
    word, sentence
        The verdict, and the sentence that says why.
    gains
        What every attack gained from every show under the policy, the strongest first.
    curve
        The strongest attack of each show at fewer looks.
    rules
        Other release rules, with each show.
    certified
        What is certified under the policy, in a sentence.
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
    grain: float
    constant: float
    rule: str
    looks: int
    gap: float
    word: Word
    sentence: str
    fixes: tuple[MetricFix, ...]
    shows: tuple[str, ...]
    findings: tuple[Finding, ...]
    gains: tuple[MetricGain, ...]
    curve: tuple[MetricGain, ...]
    rules: tuple[MetricRule, ...]
    certified: str
    not_covered: tuple[str, ...]
    reproduce: Reproduce
    seconds: float
    date: str

    @property
    def strongest(self) -> MetricGain:
        """The gain that the verdict is about: the largest under the policy."""
        return self.gains[0]


def metric_audit_as_json(audit: MetricAudit) -> dict[str, Any]:
    """Return the record as plain data; gains are in its unit."""
    return asdict(audit)
