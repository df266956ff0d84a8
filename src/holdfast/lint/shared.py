"""Findings that several hosts share: rounding on display, hidden scores, labels used twice."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.lint.looks import MANY_LOOKS
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree
from holdfast.quoting import listed, shortened

__all__ = ["display_rounding", "name_of", "names", "same_labels", "unknown_setting"]


def name_of(phase: Tree, at: int, *keys: str) -> str:
    """Return what a phase is called, or its number."""
    label = phase.get(*keys)
    return f"phase {at + 1}" if label is None or label.value is None else str(label.value)


def names(phases: Sequence[Phase]) -> str:
    """Return the names of phases for a sentence."""
    return listed([phase.name for phase in phases], quote=False)


def display_rounding(line: int, what: str, why: str, program: str) -> Issue:
    """Return the one note on what the host's own rounding hides: nothing."""
    return Issue(
        line,
        "display-rounding",
        "note",
        what,
        why,
        f"Round, or apply a Ladder, in the {program}, and say so with --release.",
    )


def unknown_setting(setting: Tree, name: str, host: str, fix: str) -> Issue:
    """Return the finding about a setting that the host has not."""
    return Issue(
        setting.line,
        "unknown-setting",
        "warning",
        f"{host} does not read {name} here.",
        "What was meant has no effect.",
        fix,
    )


def same_labels(phases: Sequence[Phase]) -> list[Issue]:
    """Return the phases that score labels of an earlier phase whose scores participants see."""
    issues = []
    for at, phase in enumerate(phases):
        earlier = [
            each
            for each in phases[:at]
            if set(each.labels) & set(phase.labels) and each.seen_by != "hosts" and each.looks != 0
        ]
        if not earlier or phase.looks == 0:
            continue
        seen = [each.looks for each in (*earlier, phase) if each.seen_by != "hosts"]
        total = None if None in seen else sum(count or 0 for count in seen)
        together = "looks without a limit" if total is None else f"{total:,} looks"
        issues.append(
            Issue(
                phase.line,
                "same-labels",
                "note" if total is not None and total <= MANY_LOOKS else "warning",
                f"{shortened(phase.name)} scores the same labels as {names(earlier)}.",
                f"An account sees the scores of {together} at them, and what one phase gives "
                "away counts in the other.",
                "Give every phase labels of its own.",
            )
        )
    return issues
