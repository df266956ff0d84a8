"""Hugging Face competitions' `conf.json`.

Sources: the package `competitions` (`info.py`, `submissions.py`, `leaderboard.py`). The limit is
per day and team; 0 means no submission. The board rounds to four decimals, a team's list of
submissions doesn't. Of up to SELECTION_LIMIT submissions that a team names, the best private
score counts; of a team that names none, the submission with the best public score.
"""

from __future__ import annotations

import re

from holdfast.lint.column_issues import column_issues
from holdfast.lint.looks import (
    MANY_LOOKS_PER_DAY,
    display_rounding,
    limit_issues,
    looks_of,
    read_limit,
    undated,
)
from holdfast.lint.metrics import MetricColumn, scored
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree

__all__ = ["HOST", "matches", "read"]

HOST = "Hugging Face competitions"
FEW_SELECTED = 2
# The only form that the host reads.
END_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like a Hugging Face competition's."""
    return tree.get("SUBMISSION_LIMIT", "SELECTION_LIMIT", "EVAL_METRIC") is not None


def read(tree: Tree, days: int, n_classes: int | None = None) -> tuple[list[Issue], list[Phase]]:
    """List findings and the looks of the competition."""
    limit = read_limit(
        tree, "SUBMISSION_LIMIT", "Hugging Face", default=None, most=MANY_LOOKS_PER_DAY
    )
    looks, text = looks_of(days, limit.value, None)
    issues = limit_issues([limit], looks) + _selection(tree) + _end(tree)
    if looks:
        issues.append(undated(limit.line, days, "The file has no start date."))
    metric = tree.get("EVAL_METRIC")
    if metric is None or metric.value == "custom":
        metric = tree.get("SCORING_METRIC") or metric
    named = [] if metric is None else [MetricColumn((str(metric.value),), metric.line)]
    issues += column_issues(named, "", n_classes)
    issues.append(
        display_rounding(
            limit.line if metric is None else metric.line,
            "The board rounds to four decimals on display only.",
            "A team's list of submissions gives the public score as the metric returned it.",
            "metric (a custom one)",
        )
    )
    return issues, [Phase("public", limit.line, looks, text, columns=scored(named))]


def _selection(tree: Tree) -> list[Issue]:
    setting = tree.get("SELECTION_LIMIT")
    chosen = None if setting is None else setting.number()
    if chosen is not None and chosen <= FEW_SELECTED:
        return []
    return [
        Issue(
            (setting or tree).line,
            "selection",
            "warning",
            "SELECTION_LIMIT is missing or no whole number."
            if chosen is None
            else f"Teams may name {chosen:,} submissions for the private ranking.",
            "The host needs one."
            if chosen is None
            else "The best private score of them counts, and the best of many is ahead by chance "
            "alone.",
            f"Set SELECTION_LIMIT to 1 or {FEW_SELECTED}.",
        )
    ]


def _end(tree: Tree) -> list[Issue]:
    end = tree.get("END_DATE")
    if end is not None and END_DATE.fullmatch(str(end.value)) and end.day() is not None:
        return []
    return [
        Issue(
            (end or tree).line,
            "no-end",
            "warning",
            "END_DATE is missing or no date of the form 2026-12-31.",
            "The host reads no other form, and without an end the looks have no limit.",
            "Set END_DATE to a date such as 2026-12-31.",
        )
    ]
