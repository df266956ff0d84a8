"""CodaLab's `competition.yaml`, whose phases have a `phasenumber`.

Sources: CodaLab's models (`CompetitionPhase`, `CompetitionSubmission.save`,
`CompetitionDefBundle.unpack`) and Codabench's importer of such files (`unpackers/v1.py`). A phase
without limits has 999 looks per day and 100 in all; 0 means no submission. A phase ends when a
later one starts, the last with the competition; one with `phase_never_ends` doesn't.
`leaderboard_management_mode: hide_results` shows scores to the organizers only; there is no
`hide_output`. Phases in parallel (the branch `google-cloud-merged`): a submission to the parent is
scored in all phases that name it as `parent_phasenumber`, and in no other way; `hidden_columns` of
a phase are not shown.
"""

from __future__ import annotations

import re

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
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree
from holdfast.quoting import shortened

__all__ = ["HOST", "matches", "read"]

HOST = "CodaLab"
PER_DAY, TOTAL = 999, 100
HIDE = "Set leaderboard_management_mode: hide_results, which shows scores to organizers only."


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like CodaLab's."""
    phases = tree.get("phases")
    return phases is not None and any(
        phase.get("phasenumber") is not None for phase in phases.entries()
    )


def read(tree: Tree, days: int, n_classes: int | None = None) -> tuple[list[Issue], list[Phase]]:
    """List findings and the looks of every phase."""
    section = tree.get("phases")
    everything = sorted(section.entries() if section is not None else [], key=_number)
    parents = [phase for phase in everything if phase.get("parent_phasenumber") is None]
    entries = parents or everything
    columns = _columns(tree)
    widest: list[MetricColumn] = []
    issues: list[Issue] = []
    phases: list[Phase] = []
    for at, phase in enumerate(entries):
        per_day, total = (
            read_limit(phase, name, HOST, default=default, most=most)
            for name, default, most in (
                ("max_submissions_per_day", PER_DAY, MANY_LOOKS_PER_DAY),
                ("max_submissions", TOTAL, MANY_LOOKS),
            )
        )
        hidden = _hides_results(phase)
        end = _end(tree, entries[at:])
        looks, text, found = phase_looks(phase, (per_day, total), days, end=end, seen=not hidden)
        issues += found
        issues += _not_read(phase)
        shown = _shown(columns, phase)
        widest = widest if hidden else max(widest, shown, key=len)
        phases.append(
            Phase(
                name_of(phase, at, "label"),
                phase.line,
                looks,
                text,
                seen_by="hosts" if hidden else "everyone",
                columns=scored(shown),
                labels=_labels(phase, everything),
            )
        )
    issues += same_labels(phases) + _zero(entries)
    unseen = [phase for phase in phases if phase.seen_by == "hosts"]
    if unseen:
        issues.append(
            Issue(
                unseen[0].line,
                "hosts-only",
                "note",
                f"Only organizers see the scores of {names(unseen)}.",
                "Looks there tell participants nothing, unless the scoring program writes scores "
                "to stderr, which they can read.",
                "Let the scoring program write nothing about the labels to stderr.",
            )
        )
    if len(unseen) < len(phases):
        issues += column_issues(
            widest, "Show one metric; compute the others after the end.", n_classes
        )
        board = tree.get("leaderboard", "leaderboards") or tree
        issues.append(
            display_rounding(
                board.line,
                "CodaLab rounds to numeric_format on the leaderboard only.",
                "Participants can download what the scoring program wrote, with every digit.",
                "scoring program",
            )
        )
    return issues, phases


def _number(phase: Tree) -> int:
    number = phase.get("phasenumber")
    return 0 if number is None else number.number() or 0


def _end(tree: Tree, phases: list[Tree]) -> Tree | None:
    """Return what ends the first phase: a later one that starts after it, or the competition."""
    endless = phases[0].get("phase_never_ends")
    if endless is not None and endless.true:
        return None
    began = phases[0].get("start_date")
    first = began.day() if began is not None else None
    for phase in phases[1:]:
        start = phase.get("start_date")
        day = start.day() if start is not None else None
        if first is not None and day is not None and day > first:
            return start
    return tree.get("end_date")


def _labels(phase: Tree, phases: list[Tree]) -> tuple[str, ...]:
    """Return the reference data of a phase and of those that run in parallel under it."""
    number = phase.get("phasenumber")
    parts = [phase]
    for each in phases:
        parent = each.get("parent_phasenumber")
        if number is not None and parent is not None and parent.value == number.value:
            parts.append(each)
    files = [part.get("reference_data") for part in parts]
    return tuple(dict.fromkeys(str(file.value) for file in files if file and not file.blank))


def _shown(columns: list[MetricColumn], phase: Tree) -> list[MetricColumn]:
    """Return the columns that a phase shows."""
    setting = phase.get("hidden_columns")
    hidden = [] if setting is None else re.split(r"[,\s]+", str(setting.value))
    return [column for column in columns if column.names[-1] not in hidden]


def _hides_results(phase: Tree) -> bool:
    mode = phase.get("leaderboard_management_mode")
    return mode is not None and mode.value == "hide_results"


def _not_read(phase: Tree) -> list[Issue]:
    issues = [
        unknown_setting(setting, name, HOST, HIDE)
        for name in ("hide_output", "hide_score_output", "hide_leaderboard")
        if (setting := phase.get(name)) is not None
    ]
    mode = phase.get("leaderboard_management_mode")
    if mode is not None and mode.value not in ("default", "hide_results"):
        name = f"leaderboard_management_mode: {shortened(str(mode.value))}"
        issues.append(unknown_setting(mode, name, HOST, HIDE))
    return issues


def _zero(entries: list[Tree]) -> list[Issue]:
    """Return one note on limits of 0, which Codabench takes for the opposite."""
    limits = ("max_submissions_per_day", "max_submissions")
    settings = [setting for phase in entries for name in limits if (setting := phase.get(name))]
    zero = [setting.line for setting in settings if setting.number() == 0]
    if not zero:
        return []
    return [
        Issue(
            min(zero),
            "zero-limit",
            "note",
            "CodaLab takes a limit of 0 as no submission.",
            "Codabench, which imports such files, takes 0 as no limit.",
            "Before an import, set it to 1.",
        )
    ]


def _columns(tree: Tree) -> list[MetricColumn]:
    board = tree.get("leaderboard", "leaderboards")
    columns = board.get("columns") if board is not None else None
    found = []
    for key, line, node in columns.items() if columns is not None else []:
        hidden, label = node.get("hidden"), node.get("label")
        if node.get("computed") is not None or (hidden is not None and hidden.true):
            continue  # a computed column tells nothing that the others don't
        names = (key,) if label is None or label.blank else (str(label.value), key)
        found.append(MetricColumn(names, line))
    return found
