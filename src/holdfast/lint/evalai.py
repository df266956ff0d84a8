"""EvalAI's `challenge_config.yaml`.

Sources: EvalAI's models `ChallengePhase` (100,000 looks per day, per month and in all unless limits
are set) and `ChallengePhaseSplit` (`visibility` 1: hosts, 2: the own team too, 3: everyone, the
default; `leaderboard_decimal_precision`), which its web page alone applies.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.lint.column_issues import column_issues
from holdfast.lint.looks import (
    MANY_LOOKS,
    MANY_LOOKS_PER_DAY,
    display_rounding,
    name_of,
    names,
    phase_looks,
    read_limit,
    same_labels,
    unknown_setting,
)
from holdfast.lint.metrics import MetricColumn, scored
from holdfast.lint.record import Issue, Phase, SeenBy
from holdfast.lint.tree import Tree

__all__ = ["HOST", "matches", "read"]

HOST = "EvalAI"
DEFAULT_LIMIT = 100_000
PUBLIC = 3
SEEN_BY: dict[int, SeenBy] = {1: "hosts", 2: "own team", PUBLIC: "everyone"}
PRECISION = "leaderboard_decimal_precision"


@dataclass(frozen=True)
class _PhaseSplit:
    """What one entry of challenge_phase_splits shows, of which phase, to whom."""

    node: Tree
    phase: str | None
    board: str | None
    visibility: int
    line: int


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like EvalAI's."""
    return tree.get("challenge_phases") is not None


def read(tree: Tree, days: int, n_classes: int | None = None) -> tuple[list[Issue], list[Phase]]:
    """List findings and the looks of every phase."""
    issues: list[Issue] = []
    phases: list[Phase] = []
    boards, splits = _boards(tree), _splits(tree)
    used: set[str | None] = set()
    found = tree.get("challenge_phases")
    for at, phase in enumerate(found.entries() if found is not None else []):
        per_day, total = (
            read_limit(phase, name, HOST, default=DEFAULT_LIMIT, most=most)
            for name, most in (
                ("max_submissions_per_day", MANY_LOOKS_PER_DAY),
                ("max_submissions", MANY_LOOKS),
            )
        )
        number = phase.get("id")
        own = [each for each in splits if number is not None and each.phase == str(number.value)]
        visibility = max((each.visibility for each in own), default=PUBLIC)
        seen_by = SEEN_BY.get(visibility, "everyone")
        shown = {each.board for each in own if each.visibility > 1} if own else set(boards)
        used |= shown
        columns = max((boards.get(board, []) for board in shown), key=len, default=[])
        end, seen = phase.get("end_date"), seen_by != "hosts"
        looks, text, wrong = phase_looks(phase, (per_day, total), days, end=end, seen=seen)
        issues += wrong
        phases.append(
            Phase(
                name_of(phase, at, "name", "codename"),
                phase.line,
                looks,
                text,
                seen_by=seen_by,
                columns=scored(columns),
                labels=_labels(tree, phase),
            )
        )
    issues += same_labels(phases)
    for board in (board for board in boards if board in used):
        issues += column_issues(
            boards[board], "Show one metric; compute the others after the end.", n_classes
        )
    return issues + _shown(tree, splits, phases), phases


def _boards(tree: Tree) -> dict[str | None, list[MetricColumn]]:
    """Return the columns of each leaderboard by its id."""
    boards: dict[str | None, list[MetricColumn]] = {}
    found = tree.get("leaderboard")
    for at, board in enumerate(found.entries() if found is not None else []):
        number, schema = board.get("id"), board.get("schema")
        labels = schema.get("labels") if schema is not None else None
        boards[str(at + 1 if number is None else number.value)] = [
            MetricColumn((str(label.value),), label.line)
            for label in (labels.entries() if labels is not None else [])
        ]
    return boards


def _splits(tree: Tree) -> list[_PhaseSplit]:
    found = []
    listed = tree.get("challenge_phase_splits")
    for split in listed.entries() if listed is not None else []:
        phase, board = split.get("challenge_phase_id"), split.get("leaderboard_id")
        setting = split.get("visibility")
        value = None if setting is None else setting.number()
        found.append(
            _PhaseSplit(
                split,
                None if phase is None else str(phase.value),
                None if board is None else str(board.value),
                PUBLIC if value is None else value,
                (setting or split).line,
            )
        )
    return found


def _labels(tree: Tree, phase: Tree) -> tuple[str, ...]:
    """Return the file of labels, unless the labels are elsewhere and the file is a mere filler."""
    elsewhere = (tree.get("remote_evaluation"), tree.get("is_docker_based"))
    held = phase.get("test_annotation_file")
    if held is None or held.blank or any(each is not None and each.true for each in elsewhere):
        return ()
    return (str(held.value),)


def _shown(tree: Tree, splits: list[_PhaseSplit], phases: list[Phase]) -> list[Issue]:
    issues = [
        unknown_setting(setting, "leaderboard_decimal_places", HOST, f"Call it {PRECISION}.")
        for split in splits
        if (setting := split.node.get("leaderboard_decimal_places")) is not None
    ]
    at = tree.get("challenge_phase_splits", "challenge_phases") or tree
    if any(phase.seen_by != "hosts" for phase in phases):
        seen = (each.node.get(PRECISION) for each in splits if each.visibility > 1)
        precision = next((each for each in seen if each is not None), at)
        issues.append(
            display_rounding(
                precision.line,
                f"EvalAI rounds to {PRECISION} on its web page only.",
                "Its interface gives scores as the evaluation script returned them.",
                "evaluation script",
            )
        )
    everyone = [phase for phase in phases if phase.seen_by == "everyone"]
    if everyone:
        public = (each.line for each in splits if each.visibility == PUBLIC)
        issues.append(
            Issue(
                next(public, at.line),
                "visible-scores",
                "note",
                f"Everyone sees the scores of {names(everyone)}.",
                "Teams can learn from each other: their looks may add up.",
                "Keep a split for the final ranking with visibility: 1 (hosts only).",
            )
        )
    hidden = [phase for phase in phases if phase.seen_by == "hosts"]
    if hidden:
        issues.append(
            Issue(
                next((each.line for each in splits if each.visibility == 1), at.line),
                "hosts-only",
                "note",
                f"Only hosts see the scores of {names(hidden)}.",
                "Looks there tell participants nothing, unless the evaluation script puts scores "
                "into submission_result or prints them.",
                "Let the evaluation script return scores in result alone, and print none.",
            )
        )
    return issues
