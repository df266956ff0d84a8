"""Codabench's and CodaLab's `competition.yaml`.

Defaults are those of their Phase models: Codabench 5 a day and 100 in all; CodaLab 999 a day and
100 in all.
"""

from __future__ import annotations

from holdfast.lint.looks import MANY_LOOKS, MANY_LOOKS_PER_DAY, days_between, limit_issues, looks_of
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree

__all__ = ["HOST", "matches", "read"]

HOST = "Codabench or CodaLab"


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like Codabench's or CodaLab's."""
    return tree.get("phases") is not None


def read(tree: Tree, days: int) -> tuple[list[Issue], list[Phase]]:
    """List unsafe settings and the looks of every phase."""
    issues: list[Issue] = []
    phases: list[Phase] = []
    listed = tree.get("phases")
    columns = _columns(tree)
    entries = listed.entries() if listed is not None else []
    old = any(phase.get("phasenumber") is not None for phase in entries)
    defaults = {"max_submissions_per_day": 999 if old else 5, "max_submissions": 100}
    for at, phase in enumerate(entries):
        start, end = phase.get("start", "start_date"), phase.get("end", "end_date")
        if end is None and at + 1 < len(entries):
            end = entries[at + 1].get("start", "start_date")  # the next phase ends it
        lasts, _ = days_between(start, end, days)
        limits: dict[str, int] = {}
        for name, most in (
            ("max_submissions_per_day", MANY_LOOKS_PER_DAY),
            ("max_submissions", MANY_LOOKS),
        ):
            setting = phase.get(name) or (
                phase.get("max_submissions_per_person") if name == "max_submissions" else None
            )
            default = defaults[name]
            value = default if setting is None else setting.number()
            issues += limit_issues(setting, phase, name, value, f"{default:,}", most)
            limits[name] = default if value is None else value
        looks, text = looks_of(lasts, *limits.values())
        label = phase.get("name", "label")
        phases.append(
            Phase(
                str(label.value) if label is not None else f"phase {at + 1}",
                phase.line,
                looks,
                text,
                metrics=max(1, len(columns)),
            )
        )
        issues += _output(phase)
    shown = [column for column in columns if _is_false(column.get("hidden"))]
    if len(shown) > 1:
        issues.append(
            Issue(
                shown[1].line,
                "many-metrics",
                "warning",
                f"The leaderboard shows {len(shown)} metrics of every submission.",
                "Every visible metric on the same labels is one more answer to the same look.",
                "Show one metric; hide the others until the end.",
            )
        )
    for column in shown:
        precision = column.get("precision", "numeric_format")
        issues.append(
            Issue(
                precision.line if precision is not None else column.line,
                "display-rounding",
                "warning",
                "The column's precision rounds on display only."
                if precision is not None
                else "The column shows the score as the scoring program wrote it, or rounds on "
                "display only.",
                "The detailed results and the interface give the score with every digit.",
                "Round, or apply a Ladder, in the scoring program before it writes the scores.",
            )
        )
    return issues, phases


def _columns(tree: Tree) -> list[Tree]:
    boards = tree.get("leaderboards", "leaderboard")
    if boards is None:
        return []
    columns: list[Tree] = []
    nested = boards.get("columns")
    for board in [*boards.entries()] if nested is None else [boards]:
        listed = board.get("columns")
        columns += listed.entries() if listed is not None else []
    return columns


def _is_false(setting: Tree | None) -> bool:
    return setting is None or setting.value is not True


def _output(phase: Tree) -> list[Issue]:
    hidden = [phase.get(name) for name in ("hide_output", "hide_score_output")]
    if any(not _is_false(setting) for setting in hidden):
        return []
    return [
        Issue(
            phase.line,
            "visible-output",
            "warning",
            "hide_output is not set: participants can download what the scoring program wrote.",
            "Logs and score files often hold more than the one released number.",
            "Set hide_output: true, and print nothing about the labels.",
        )
    ]
