"""EvalAI's `challenge_config.yaml`.

Defaults are those of EvalAI's ChallengePhase model: 100,000 submissions a day, a month and in all.
"""

from __future__ import annotations

from holdfast.lint.looks import MANY_LOOKS, MANY_LOOKS_PER_DAY, days_between, limit_issues, looks_of
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree

__all__ = ["HOST", "matches", "read"]

HOST = "EvalAI"
DEFAULT_LIMIT = 100_000
PUBLIC_VISIBILITY = 3


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like EvalAI's."""
    return tree.get("challenge_phases") is not None


def read(tree: Tree, days: int) -> tuple[list[Issue], list[Phase]]:
    """List unsafe settings and the looks of every phase."""
    issues: list[Issue] = []
    phases: list[Phase] = []
    listed = tree.get("challenge_phases")
    metrics = _metrics(tree)
    for phase in listed.entries() if listed is not None else []:
        lasts, known = days_between(phase.get("start_date"), phase.get("end_date"), days)
        limits: dict[str, int] = {}
        for name, most in (
            ("max_submissions_per_day", MANY_LOOKS_PER_DAY),
            ("max_submissions", MANY_LOOKS),
        ):
            setting = phase.get(name)
            value = DEFAULT_LIMIT if setting is None else setting.number()
            issues += limit_issues(setting, phase, name, value, f"{DEFAULT_LIMIT:,}", most)
            limits[name] = DEFAULT_LIMIT if value is None else value
        month = phase.get("max_submissions_per_month")
        monthly = DEFAULT_LIMIT if month is None or month.number() is None else month.number() or 0
        total = min(limits["max_submissions"], monthly * -(-lasts // 30))
        looks, text = looks_of(lasts, limits["max_submissions_per_day"], total)
        name_ = phase.get("name", "codename")
        phases.append(
            Phase(
                str(name_.value) if name_ is not None else f"phase at line {phase.line}",
                phase.line,
                looks,
                text,
                metrics=metrics,
            )
        )
        if not known:
            issues.append(_undated(phase, lasts))
        public = phase.get("is_submission_public")
        if public is not None and public.value is True:
            issues.append(
                Issue(
                    public.line,
                    "public-submissions",
                    "warning",
                    "is_submission_public makes every submission and its score visible.",
                    "Teams learn from each other's looks: they all count as one attacker's.",
                    "Set it to False.",
                )
            )
    issues += _displayed(tree)
    if metrics > 1:
        board = tree.get("leaderboard")
        issues.append(
            Issue(
                board.line if board is not None else 1,
                "many-metrics",
                "warning",
                f"The leaderboard shows {metrics} metrics of every submission.",
                "Every visible metric on the same labels is one more answer to the same look.",
                "Show one metric; compute the others after the end.",
            )
        )
    return issues, phases


def _metrics(tree: Tree) -> int:
    board = tree.get("leaderboard")
    counts = [1]
    for each in board.entries() if board is not None else []:
        schema = each.get("schema")
        labels = schema.get("labels") if schema is not None else None
        if labels is not None:
            counts.append(len(labels.entries()))
    return max(counts)


def _displayed(tree: Tree) -> list[Issue]:
    issues = []
    splits = tree.get("challenge_phase_splits")
    for split in splits.entries() if splits is not None else []:
        decimals = split.get("leaderboard_decimal_places")
        issues.append(
            Issue(
                decimals.line if decimals is not None else split.line,
                "display-rounding",
                "warning",
                "leaderboard_decimal_places rounds on display only."
                if decimals is not None
                else "Scores are rounded on display only, by default to two decimals.",
                "The interface and the result files give the score as the evaluation script "
                "returned it, with every digit.",
                "Round, or apply a Ladder, in the evaluation script.",
            )
        )
        visibility = split.get("visibility")
        if visibility is None or visibility.number() == PUBLIC_VISIBILITY:
            issues.append(
                Issue(
                    visibility.line if visibility is not None else split.line,
                    "visible-scores",
                    "note",
                    "Scores of this split are visible to everyone.",
                    "All teams' looks are then one attacker's looks.",
                    "Keep a split for the final ranking with visibility 1 (host only).",
                )
            )
    return issues


def _undated(phase: Tree, days: int) -> Issue:
    return Issue(
        phase.line,
        "undated",
        "note",
        "The phase has no start and end date that could be read.",
        f"Its looks are counted for {days:,} days.",
        "Give it dates, or say --days.",
    )
