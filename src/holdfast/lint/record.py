"""Lint findings: unsafe settings by line, and the exposure of each phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Exposure", "Issue", "Phase", "Report"]

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Issue:
    """One unsafe setting. `line` is that of the setting, or of its phase where a default acts."""

    line: int
    code: str
    severity: Severity
    what: str
    why: str
    fix: str


@dataclass(frozen=True)
class Phase:
    """Looks that one account has in a phase, as configured or by default, and what shows them.

    `release` is the rule that the host's software follows: a score that is rounded on display
    only is exact to whoever asks the interface.
    """

    name: str
    line: int
    looks: int
    looks_text: str
    visible: bool = True
    release: str = "exact"
    metrics: int = 1


@dataclass(frozen=True)
class Exposure:
    """What a phase exposes, for a test set of known size: looks times bits, and gains in points.

    `possible` is what the strongest attack with a formula is expected to gain, `allowed` what no
    attack can exceed in expectation.
    """

    phase: str
    line: int
    looks: int
    looks_text: str
    release: str
    bits_per_look: float
    bits: float
    possible: float
    allowed: float | None


@dataclass(frozen=True)
class Report:
    """All that lint finds in one file."""

    file: str
    host: str
    issues: tuple[Issue, ...]
    phases: tuple[Phase, ...]
    exposures: tuple[Exposure, ...] = field(default=())

    @property
    def unsafe(self) -> bool:
        """Whether any setting is more than a note."""
        return any(issue.severity != "note" for issue in self.issues)
