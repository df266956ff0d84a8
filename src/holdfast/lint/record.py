"""Lint findings: settings by line, and the exposure of each phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from holdfast.lint.metrics import MetricColumn

__all__ = ["CODES", "Exposure", "Issue", "Phase", "Report"]

Severity = Literal["error", "warning", "note"]
SeenBy = Literal["everyone", "own team", "hosts"]

# Every code of a finding, and what it is about.
CODES = {
    "bad-limit": "a limit that is no whole number",
    "display-rounding": "the host rounds on display only (once per file)",
    "ends-before-start": "a phase that ends before it starts, as the host reads its dates",
    "high-limit": "a limit so high that an account has more than 500 looks",
    "hosts-only": "phases whose scores only the hosts see",
    "many-metrics": "several metrics of every submission are shown",
    "no-end": "no end date that the host can read",
    "no-limit": "a limit that is missing or that the host takes as none",
    "not-accuracy": "columns that are no accuracy",
    "own-scores": "what Codabench hides on the board, an account still sees of its own",
    "same-labels": "phases that score the same labels, so that their looks add up",
    "selection": "how many submissions count in the private ranking",
    "template-names": "columns that are called as in the host's template, which names no metric",
    "undated": "looks that depend on a length which the file doesn't tell",
    "unknown-setting": "a setting that the host doesn't read",
    "visible-output": "participants can download what the scoring program wrote",
    "visible-scores": "phases whose scores everyone sees",
    "zero-limit": "a 0 that CodaLab takes as no submission, Codabench as no limit",
}


@dataclass(frozen=True)
class Issue:
    """One finding. `line` is that of the setting, or of its phase where a default acts.

    Errors and warnings are about what the file can change; all else is a note.
    """

    line: int
    code: str
    severity: Severity
    what: str
    why: str
    fix: str


@dataclass(frozen=True)
class Phase:
    """Looks that one account has in a phase, as configured or by default, and what shows them.

    Parameters
    ----------
    name, line
        What the file calls it, and where.
    looks, looks_text
        Scored submissions of one account, and where the number comes from; None: no limit.
    seen_by
        Who sees the scores of a submission.
    release
        What the scoring program releases. A score that is rounded on display only is exact to
        whoever asks the interface.
    columns
        What is shown of the same labels, an accuracy at least.
    labels
        The files or tasks that hold the labels, as the file names them.

    Attributes
    ----------
    metrics, accuracy
        How many metrics of the same labels are shown, and whether all are taken for accuracies.
    """

    name: str
    line: int
    looks: int | None
    looks_text: str
    seen_by: SeenBy = "everyone"
    release: str = "exact"
    columns: tuple[MetricColumn, ...] = (MetricColumn(("accuracy",), 0),)
    labels: tuple[str, ...] = ()
    metrics: int = field(init=False)
    accuracy: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", len(self.columns))
        object.__setattr__(self, "accuracy", all(each.kind is None for each in self.columns))


@dataclass(frozen=True)
class Exposure:
    """What a phase exposes, for a test set of known size: looks times bits, and gains.

    Gains are fractions, differences of accuracies: labels that are known, whatever is shown of
    them. `possible` is what the strongest attack with a formula is expected to gain through any
    one column; None: no formula covers the rule or the columns. `allowed` is what no attack by
    somebody who knows nothing of the labels beforehand can exceed in expectation; None: several
    metrics, or one of which nothing is proved.
    """

    phase: str
    line: int
    looks: int | None
    looks_text: str
    release: str
    bits_per_look: float
    bits: float
    possible: float | None
    allowed: float | None


@dataclass(frozen=True)
class Report:
    """All that lint finds in one file; `ignored` counts findings whose code was to be ignored."""

    file: str
    host: str
    issues: tuple[Issue, ...]
    phases: tuple[Phase, ...]
    exposures: tuple[Exposure, ...] = field(default=())
    ignored: int = 0

    @property
    def unsafe(self) -> bool:
        """Whether any finding is more than a note."""
        return any(issue.severity != "note" for issue in self.issues)
