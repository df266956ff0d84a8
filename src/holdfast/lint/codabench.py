"""Codabench's `competition.yaml`.

Sources: Codabench's unpackers (`unpackers/v2.py`, `unpackers/utils.py`) and its models of phases,
leaderboards and submissions. A phase without limits has 5 looks per day and 100 in all; 0, null and
blank limits are none. Dates that are no ISO dates are read month first. Phases come in the order
of `index`; all use the first leaderboard. `hidden` takes a board or a column off the leaderboard,
not out of the list of an account's own submissions.
"""

from __future__ import annotations

from holdfast.lint.column_issues import column_issues
from holdfast.lint.looks import (
    MANY_LOOKS,
    MANY_LOOKS_PER_DAY,
    display_rounding,
    name_of,
    phase_looks,
    read_limit,
    same_labels,
    unknown_setting,
)
from holdfast.lint.metrics import MetricColumn, scored
from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree
from holdfast.quoting import listed

__all__ = ["HOST", "matches", "read"]

HOST = "Codabench"
PER_DAY, TOTAL = 5, 100
# Settings of other hosts, or of Codabench's own interface, that a file of this version has not.
NOT_READ = {
    "max_submissions_per_person": "Call it max_submissions.",
    "leaderboard_management_mode": "Set hidden: true for the leaderboard.",
}


def matches(tree: Tree) -> bool:
    """Tell whether the document looks like Codabench's."""
    return tree.get("phases") is not None


def read(tree: Tree, days: int, n_classes: int | None = None) -> tuple[list[Issue], list[Phase]]:
    """List findings and the looks of every phase."""
    section = tree.get("phases")
    entries = sorted(section.entries() if section is not None else [], key=_index)
    board, shown, hidden = _columns(tree)
    board_hidden = _yes(board, "hidden")
    issues: list[Issue] = []
    phases: list[Phase] = []
    for at, phase in enumerate(entries):
        per_day, total = (
            read_limit(phase, name, HOST, default=default, most=most, empty_is_no_limit=True)
            for name, default, most in (
                ("max_submissions_per_day", PER_DAY, MANY_LOOKS_PER_DAY),
                ("max_submissions", TOTAL, MANY_LOOKS),
            )
        )
        looks, text, found = phase_looks(phase, (per_day, total), days, end=phase.get("end"))
        issues += found
        issues += [
            unknown_setting(setting, name, HOST, fix)
            for name, fix in NOT_READ.items()
            if (setting := phase.get(name)) is not None
        ]
        phases.append(
            Phase(
                name_of(phase, at, "name"),
                phase.line,
                looks,
                text,
                seen_by="own team" if board_hidden else "everyone",
                columns=scored(shown)[:1] if board_hidden else scored(shown),
                labels=_labels(tree, phase),
            )
        )
    issues += same_labels(phases) + _output(entries)
    issues += column_issues(
        shown if not board_hidden else shown[:1],
        "Show one metric; leave the others out of the scoring program's scores.json.",
        n_classes,
    )
    at_board = board or section or tree
    concealed = at_board.get("hidden") if board_hidden else None
    if concealed is not None or hidden:
        issues.append(
            Issue(
                hidden[0].line if concealed is None else concealed.line,
                "own-scores",
                "note",
                f"{len(hidden)} of {len(hidden) + len(shown)} columns are hidden."
                if concealed is None
                else "The leaderboard is hidden.",
                "Teams don't see each other's scores there; the list of an account's own "
                "submissions still gives it every score of its own, hidden columns too. Only "
                "what is shown is counted here.",
                "Score what must stay secret in a phase that takes no submissions.",
            )
        )
    precision = next((each for column in _nodes(board) if (each := column.get("precision"))), None)
    issues.append(
        display_rounding(
            (precision or at_board).line,
            "Codabench rounds to a column's precision on the leaderboard only.",
            "The list of an account's own submissions gives its scores with ten decimals.",
            "scoring program",
        )
    )
    return issues, phases


def _index(phase: Tree) -> int:
    index = phase.get("index")
    return 0 if index is None else index.number() or 0


def _yes(node: Tree | None, name: str) -> bool:
    setting = node.get(name) if node is not None else None
    return setting is not None and setting.true


def _nodes(board: Tree | None) -> list[Tree]:
    columns = board.get("columns") if board is not None else None
    return columns.entries() if columns is not None else []


def _columns(tree: Tree) -> tuple[Tree | None, list[MetricColumn], list[MetricColumn]]:
    """Return the leaderboard, the columns that it shows, and those that it hides."""
    boards = tree.get("leaderboards", "leaderboard")
    board = next(iter(boards.entries()), None) if boards is not None else None
    shown: list[MetricColumn] = []
    hidden: list[MetricColumn] = []
    for node in _nodes(board):
        computed = node.get("computation")
        if computed is not None and not computed.blank:
            continue  # it tells nothing that the other columns don't
        names = [str(each.value) for key in ("title", "key") if (each := node.get(key))]
        is_hidden = _yes(node, "hidden")
        setting = node.get("hidden") if is_hidden else None
        column = MetricColumn(tuple(names) or ("column",), (setting or node).line)
        (hidden if is_hidden else shown).append(column)
    return board, shown, hidden


def _labels(tree: Tree, phase: Tree) -> tuple[str, ...]:
    """Return the reference data of a phase's tasks."""
    tasks, defined = phase.get("tasks"), tree.get("tasks")
    files = {}
    for task in defined.entries() if defined is not None else []:
        index, held = task.get("index"), task.get("key", "reference_data")
        if index is not None and held is not None and held.value is not None:
            files[index.value] = str(held.value)
    found = [task.value for task in tasks.entries()] if tasks is not None else []
    return tuple(files[index] for index in found if index in files)


def _output(phases: list[Tree]) -> list[Issue]:
    told = [
        (at, phase)
        for at, phase in enumerate(phases)
        if not (_yes(phase, "hide_output") or _yes(phase, "hide_score_output"))
    ]
    if not told:
        return []
    names = listed((name_of(phase, at, "name") for at, phase in told), quote=False)
    return [
        Issue(
            told[0][1].line,
            "visible-output",
            "warning",
            f"Participants can download what the scoring program writes in {names}.",
            "Logs and score files often hold more than the one released number.",
            "Set hide_output: true (or hide_score_output: true) in each of these phases.",
        )
    ]
