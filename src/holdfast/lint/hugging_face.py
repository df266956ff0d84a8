"""Hugging Face competitions' `conf.json`: daily limits and exact public scores."""

from __future__ import annotations

from holdfast.lint.looks import MANY_LOOKS_PER_DAY, limit_issues, looks_of
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree

__all__ = ["HOST", "matches", "read"]

HOST = "Hugging Face competitions"


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like a Hugging Face competition's."""
    return tree.get("SUBMISSION_LIMIT", "SELECTION_LIMIT", "EVAL_METRIC") is not None


def read(tree: Tree, days: int) -> tuple[list[Issue], list[Phase]]:
    """List unsafe settings and the looks of the competition."""
    issues: list[Issue] = []
    limit = tree.get("SUBMISSION_LIMIT")
    value = None if limit is None else limit.number()
    issues += limit_issues(limit, tree, "SUBMISSION_LIMIT", value, "no limit", MANY_LOOKS_PER_DAY)
    looks, text = looks_of(days, value, None)
    selection = tree.get("SELECTION_LIMIT")
    chosen = None if selection is None else selection.number()
    if chosen is None or chosen == 0 or chosen > 2:
        issues.append(
            Issue(
                selection.line if selection is not None else tree.line,
                "selection",
                "warning",
                "Teams do not name one or two submissions for the private ranking."
                if not chosen
                else f"Teams may name {chosen} submissions for the private ranking.",
                "The best of many private scores is ahead by chance alone: every submission is "
                "then a look at the private part.",
                "Set SELECTION_LIMIT to 1 or 2.",
            )
        )
    metric = tree.get("SCORING_METRIC", "EVAL_METRIC")
    issues.append(
        Issue(
            metric.line if metric is not None else tree.line,
            "whole-metric",
            "warning",
            "The public score is stored and shown as the metric returned it.",
            "Every digit is released: with n public examples a look tells up to log2(n + 1) bits.",
            "Use a custom metric that rounds or applies a Ladder.",
        )
    )
    end = tree.get("END_DATE")
    if end is None or end.day() is None:
        issues.append(
            Issue(
                end.line if end is not None else tree.line,
                "no-end",
                "warning",
                "END_DATE is missing or can't be read.",
                "Without an end the number of looks has no limit.",
                "Set END_DATE to a date such as 2026-12-31.",
            )
        )
    line = limit.line if limit is not None else tree.line
    return issues, [Phase("public", line, looks, text)]
