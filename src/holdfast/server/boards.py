"""Boards and the host's actions on them: each one checked, done once, and recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import numbers_of
from holdfast.ledger.moments import as_datetime, as_microseconds, clock
from holdfast.ledger.storage import Transaction
from holdfast.quoting import quoted
from holdfast.server import store
from holdfast.server.gatekeeper import Gatekeeper
from holdfast.server.looks import STANDING, rebuild, rebuilt
from holdfast.server.records import Board, Outcomes, Phase, Standing, Team
from holdfast.server.standings import Row, as_rows, policy_of, rows_from_text, rows_to_text
from holdfast.server.store import LATER_THAN_ALL, as_number

__all__ = ["Boards"]

VISIBILITIES = ("open", "own", "host")
SHOWS = ("best", "latest", "chosen")
COLUMNS = ("id_column", "label_column")
# Each has a method of the same name below.
ACTIONS = ("freeze", "thaw", "stop", "reopen", "policy", "rotate", "labels", "hide", "show",
           "merge", "close", "visibility")  # fmt: skip
# Rows that may be shown: hosts see 1, teams that are hidden, too; others see up to 0.
SHOWN = (
    "WHERE board = ? AND phase = ? AND released IS NOT NULL "
    "AND team NOT IN (SELECT id FROM holdfast_teams WHERE hidden > ?)"
)
IN_ORDER = f"{SHOWN} ORDER BY value, reached, team LIMIT ?"
BETTER = (
    "SELECT s.released, s.value, COUNT(*) FROM holdfast_standings AS s "
    "JOIN holdfast_teams AS t ON t.id = s.team WHERE s.board = ? AND s.phase = ? "
    "AND s.released IS NOT NULL AND s.value < ? AND t.hidden <= ? "
    "GROUP BY s.value, s.released ORDER BY s.value"
)
HIDDEN = "WHERE board = ? AND (hidden = 1 OR pooled_into IS NOT NULL)"
CHANGED = "UPDATE holdfast_boards SET changed = changed + 1 WHERE id = ?"
COUNT = f"SELECT COUNT(*) FROM holdfast_standings {SHOWN}"
SNAPSHOT = "SELECT shown FROM holdfast_snapshots WHERE board = ? AND phase = ?"
NUMBERS = (
    "SELECT e.number, e.released FROM holdfast_entries AS e "
    "JOIN holdfast_standings AS s ON s.entry = e.number WHERE s.board = ? AND s.phase = ?"
)
# All rows that a frozen board keeps.
MOST_ROWS = 10_000_000


class Done(NamedTuple):
    """What a host's action did, in words, and the receipt of its entry in the ledger."""

    told: str
    receipt_id: str


class _Plan(NamedTuple):
    """An action that was checked: what it does in its transaction, and under which phase."""

    told: str
    write: Callable[[Transaction], None]
    under: Phase | None = None
    pooled: tuple[Team, Team] | None = None


class Boards:
    """Boards of one server, over its gatekeeper."""

    def __init__(self, gatekeeper: Gatekeeper) -> None:
        self._gatekeeper = gatekeeper
        self._store = gatekeeper.store
        self._snapshot: tuple[object, list[Row]] = (None, [])

    def create(
        self,
        slug: str,
        labels: Path,
        policy: str,
        *,
        title: str = "",
        visibility: str = "open",
        id_column: str | None = None,
        label_column: str | None = None,
        shows: str | None = None,
        outcomes: Outcomes | None = None,
        opens: str | None = None,
        closes: str | None = None,
        who: str = "the command line",
    ) -> Board:
        """Make a board with its first phase, from now on or between times in ISO 8601 (UTC).

        With `outcomes`, the file of labels is a list of tasks.
        """
        if not re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", slug):
            told = "name of the board must have 1 to 40 small letters, digits and inner hyphens"
            raise InvalidInput(f"{told}, got {quoted(slug)}.")
        _check_one_of("visibility", visibility, VISIBILITIES)
        _check_one_of("shows", shows or SHOWS[0], SHOWS)
        if self._store.one(Board, "WHERE slug = ?", slug) is not None:
            raise InvalidInput(f"name of the board must be new, got {slug}, which is there.")
        columns = {"id_column": id_column, "label_column": label_column}
        phase = self._gatekeeper.new_phase(
            labels, policy, **columns, shows=shows, outcomes=outcomes
        )
        if opens is not None:
            phase = phase._replace(opens=_time("opens", opens))
        if closes is not None:
            phase = phase._replace(closes=_closing("closes", closes, phase.opens))
        now = clock()
        with self._store.writing() as transaction:
            number = store.next_id(transaction, Board)
            board = Board(number, slug, title.strip() or slug, visibility, now)
            store.insert(transaction, board)
            _insert(transaction, phase._replace(board=number, number=1))
            store.note_action(transaction, now, who, number, "made", slug)
        return board

    def get(self, slug: str) -> Board | None:
        """Return a board by name."""
        return self._store.one(Board, "WHERE slug = ?", slug)

    def phase(self, board: Board, *, coming: bool = False) -> Phase | None:
        """Return the phase in force; before the board opens none, or the `coming` one."""
        with self._store.reading() as transaction:
            return store.phase_of(transaction, board.id, clock(), coming=coming)

    def is_open(self, phase: Phase) -> bool:
        """Tell whether a phase takes submissions now."""
        closes = LATER_THAN_ALL if phase.closes is None else phase.closes
        return phase.finals is None and phase.opens <= clock() < closes

    # What the board shows.

    def rows(
        self, phase: Phase, *, most: int = 100, skip: int = 0, host: bool = False
    ) -> list[Row]:
        """Return rows of the board; of a frozen one, those of the freeze.

        A host sees what is new all the same, and the teams that are hidden.
        """
        if phase.frozen is not None and not host:
            return [row for row in self._frozen(phase) if not row.hidden][skip : skip + most]
        with self._store.reading() as transaction:
            # Groups go by differences from the head of a group, so they are counted from the top.
            return self._live(transaction, phase, skip + most, host=host)[skip:]

    def row(self, phase: Phase, team: int, *, host: bool = False) -> Row | None:
        """Return one team's row, under the same conditions; None: it has none."""
        if phase.frozen is not None and not host:
            found = (row for row in self._frozen(phase) if row.team == team and not row.hidden)
            return next(found, None)
        with self._store.reading() as transaction:
            place = (phase.board, phase.number, team)
            own = store.one(transaction, Standing, STANDING, *place)
            [shown] = store.find(transaction, Team, "WHERE id = ?", team)
            if own is None or own.released is None or (shown.hidden and not host):
                return None
            better = transaction.rows(BETTER, (*place[:2], own.value, int(host)))
            numbers = _numbers(transaction, phase)
        # One of each value is enough for groups, and their number for the rank.
        ahead = [own._replace(released=released, value=value) for released, value, _ in better]
        named = [(each, shown.name, bool(shown.hidden)) for each in (*ahead, own)]
        row = as_rows(named, phase, policy_of(phase), numbers)[-1]
        return replace(row, rank=1 + sum(count for _, _, count in better))

    def _live(
        self, transaction: Transaction, phase: Phase, most: int, *, host: bool = False
    ) -> list[Row]:
        place = (phase.board, phase.number, int(host), most)
        found = store.find(transaction, Standing, IN_ORDER, *place)
        teams = store.names_of(transaction, (standing.team for standing in found))
        shown = [(each, teams[each.team].name, bool(teams[each.team].hidden)) for each in found]
        return as_rows(shown, phase, policy_of(phase), _numbers(transaction, phase))

    def _frozen(self, phase: Phase) -> list[Row]:
        """Return what a frozen board shows, read once; teams that are hidden since are marked."""
        board = self._store.one(Board, "WHERE id = ?", phase.board)
        key = (phase.board, phase.number, phase.frozen, 0 if board is None else board.changed)
        if self._snapshot[0] != key:
            with self._store.reading() as transaction:
                texts = transaction.rows(SNAPSHOT, (phase.board, phase.number))
                gone = {team.id for team in store.find(transaction, Team, HIDDEN, phase.board)}
            rows = rows_from_text(texts[0][0]) if texts else []
            self._snapshot = (key, [replace(row, hidden=row.team in gone) for row in rows])
        return self._snapshot[1]

    def all_open(self) -> bool:
        """Tell whether the standings of every board are open to all."""
        return self._store.one(Board, "WHERE visibility <> 'open'") is None

    def count(self, phase: Phase, *, host: bool = False) -> int:
        """Return how many rows there are, under the same conditions."""
        if phase.frozen is not None and not host:
            return sum(not row.hidden for row in self._frozen(phase))
        return int(self._store.rows((COUNT, (phase.board, phase.number, int(host))))[0][0])

    # The host's actions.

    def change(self, board: Board, phase: Phase, action: str, value: str, who: str) -> Done:
        """Do what a host asks for, and record it in the ledger; return in words what changed."""
        _check_one_of("action", action, ACTIONS)
        plan: _Plan = getattr(self, f"_{action}")(board, phase, value)

        def do(transaction: Transaction) -> None:
            now = clock()
            if store.phase_of(transaction, board.id, now, coming=True) != phase:
                raise InvalidInput("the board must not change meanwhile; look at it and try again.")
            plan.write(transaction)
            transaction.execute(CHANGED, (board.id,))
            store.note_action(transaction, now, who, board.id, action, plan.told)

        # Names of people stay out of the ledger, from which nothing can be erased.
        what = json.dumps({"action": action, "done": plan.told})
        receipt = self._gatekeeper.note(plan.under or phase, what, do, plan.pooled)
        return Done(plan.told, receipt)

    def _freeze(self, _board: Board, phase: Phase, _value: str) -> _Plan:
        if phase.frozen is not None:
            raise InvalidInput("the board must not be frozen already.")

        def write(transaction: Transaction) -> None:
            rows = self._live(transaction, phase, MOST_ROWS)
            _set(transaction, phase, frozen=clock())
            _put_snapshot(transaction, phase, rows)

        return _Plan("frozen; looks go on, and teams see their own", write)

    def _thaw(self, _board: Board, phase: Phase, _value: str) -> _Plan:
        if phase.frozen is None:
            raise InvalidInput("the board must be frozen to be thawed.")
        return _Plan("thawed", partial(_set, phase=phase, frozen=None))

    def _stop(self, _board: Board, phase: Phase, value: str) -> _Plan:
        """Take no more submissions, now or from a time on."""
        if not value.strip():
            told = "no more submissions are taken"
            return _Plan(told, partial(_set, phase=phase, closes=clock()))
        closes = _closing("value", value, phase.opens)
        told = f"submissions are taken until {as_datetime(closes):%Y-%m-%d %H:%M} UTC"
        return _Plan(told, partial(_set, phase=phase, closes=closes))

    def _reopen(self, _board: Board, phase: Phase, _value: str) -> _Plan:
        if phase.finals is not None:
            raise InvalidInput("a board that was closed stays closed: its private part was scored.")
        return _Plan("submissions are taken again", partial(_set, phase=phase, closes=None))

    def _policy(self, _board: Board, phase: Phase, value: str) -> _Plan:
        """Put another policy in force: a new phase if another rule releases, or another metric."""
        old, asked = policy_of(phase), Policy.parse(value, folder=Path(phase.labels).parent)
        kept = asked.classes
        if kept is not None and not set(old.classes or ()) <= set(kept):
            raise InvalidInput("classes must keep all those that the board has made public.")
        if any(getattr(asked, each) not in (None, getattr(phase, each)) for each in COLUMNS):
            raise InvalidInput("columns must stay as they were when the board was made.")
        asked.display.check_classes(len(kept or old.classes or ()))
        shows = phase.shows if phase.shows == "chosen" else None
        fresh = self._followed(phase, phase.labels, value, shows)._replace(closes=phase.closes)
        new = policy_of(fresh)
        if phase.finals is not None:
            raise InvalidInput("policy must be set before the board is closed.")
        if fresh.data_set != phase.data_set:
            raise InvalidInput("policy must keep what is hidden and scored; use rotate.")
        told = f"policy {fresh.digest} in force"
        ruling = ("release", "metric", "also", "breakdown", "memory", "classes")
        if all(getattr(new, name) == getattr(old, name) for name in ruling):
            write = partial(_set, phase=phase, policy=fresh.policy, digest=fresh.digest)
            return _Plan(told, write, fresh)
        told += f", as phase {phase.number + 1}: looks stay spent"
        return _Plan(told, partial(_begin, fresh=fresh, last=phase), fresh)

    def _rotate(self, _board: Board, phase: Phase, value: str) -> _Plan:
        """Go on with fresh labels, as a new phase."""
        fresh = self._followed(phase, value, phase.policy, phase.shows)
        if phase.finals is None and (phase.closes or 0) > clock():
            fresh = fresh._replace(closes=phase.closes)  # an end that is still ahead stays
        if fresh.data_set == phase.data_set:
            raise InvalidInput("labels must be others than before; the budget belongs to them.")
        told = f"fresh labels in force, as phase {phase.number + 1}: every team has its looks anew"
        return _Plan(told, partial(_begin, fresh=fresh, last=phase), fresh)

    def _labels(self, board: Board, phase: Phase, value: str) -> _Plan:
        """Read the same labels from another file, such as beside a copy that was restored."""
        moved = phase._replace(labels=str(Path(value).absolute()))
        self._gatekeeper.facts(moved)  # which refuses other labels
        statement = "UPDATE holdfast_phases SET labels = ? WHERE board = ? AND data_set = ?"
        values = (moved.labels, board.id, phase.data_set)
        told = "the same labels are read from another file"
        return _Plan(told, lambda transaction: transaction.execute(statement, values), moved)

    def _followed(self, phase: Phase, labels: str, policy: str, shows: str | None) -> Phase:
        """Return what may come after a phase, under its number: columns stay as they are."""
        columns = {"id_column": phase.id_column, "label_column": phase.label_column}
        fresh = self._gatekeeper.new_phase(
            Path(labels), policy, **columns, shows=shows, outcomes=phase.of_outcomes
        )
        opens = max(fresh.opens, phase.opens)  # what comes after a phase that has not opened yet
        return fresh._replace(board=phase.board, number=phase.number, opens=opens)

    def _hide(self, board: Board, _phase: Phase, value: str) -> _Plan:
        return self._set_hidden(board, value, 1)

    def _show(self, board: Board, _phase: Phase, value: str) -> _Plan:
        return self._set_hidden(board, value, 0)

    def _set_hidden(self, board: Board, value: str, hidden: int) -> _Plan:
        team = self._team(board, value)
        statement = "UPDATE holdfast_teams SET hidden = ? WHERE id = ?"
        told = f"{'hidden' if hidden else 'shown'}: {team.name}"
        return _Plan(told, lambda transaction: transaction.execute(statement, (hidden, team.id)))

    def _team(self, board: Board, value: str) -> Team:
        team = self._store.one(Team, "WHERE board = ? AND id = ?", board.id, as_number(value) or 0)
        if team is None or team.pooled_into is not None:
            raise InvalidInput(f"team must be one of this board, got {quoted(value)}.")
        return team

    def _merge(self, board: Board, _phase: Phase, value: str) -> _Plan:
        """Let one team go on in another: members, tokens and looks, and nobody gets any back."""
        other, _, into = value.partition(" into ")
        gone, team = self._team(board, other.strip()), self._team(board, into.strip())
        if gone.id == team.id:
            raise InvalidInput("teams to be merged must be two, got one.")
        moves = (
            "UPDATE holdfast_members SET team = ? WHERE team = ?",
            "UPDATE holdfast_tokens SET team = ? WHERE team = ?",
            "UPDATE holdfast_invitations SET team = ? WHERE team = ?",
            "UPDATE holdfast_teams SET pooled_into = ? WHERE id = ?",
        )

        def write(transaction: Transaction) -> None:
            for move in moves:
                transaction.execute(move, (team.id, gone.id))
            pool = store.pooled(transaction, team.id)
            for each in store.find(transaction, Phase, "WHERE board = ?", board.id):
                rebuild(transaction, each, pool)

        told = f"merged: {gone.name} into {team.name}; the looks of both are spent"
        return _Plan(told, write, pooled=(team, gone))

    def _visibility(self, board: Board, _phase: Phase, value: str) -> _Plan:
        _check_one_of("visibility", value, VISIBILITIES)
        statement = "UPDATE holdfast_boards SET visibility = ? WHERE id = ?"
        write = lambda transaction: transaction.execute(statement, (value, board.id))  # noqa: E731
        return _Plan(f"visibility {value}", write)

    def _close(self, _board: Board, phase: Phase, _value: str) -> _Plan:
        """Score the private part, once; where there is none, that is an error (stop it instead)."""
        finals = self._gatekeeper.finish(phase)
        results = [asdict(final) for final in finals.results]
        text = json.dumps({"n_examples": finals.n_examples, "results": results})
        told = f"closed: {len(results)} teams ranked on {finals.n_examples} private examples"
        closes = min(phase.closes or LATER_THAN_ALL, clock())
        return _Plan(told, partial(_set, phase=phase, finals=text, closes=closes))

    def different(self, board: Board) -> list[int]:
        """Return the phases whose standings don't follow from the ledger; change nothing."""
        with self._store.reading() as transaction:
            return [phase.number for phase in _different(transaction, board)]

    def rebuild(self, board: Board) -> list[int]:
        """Make all standings anew from the ledger; return the phases that had been different."""
        with self._store.writing() as transaction:
            different = _different(transaction, board)
            for phase in different:
                rebuild(transaction, phase)
        return [phase.number for phase in different]


def _different(transaction: Transaction, board: Board) -> list[Phase]:
    """Return the phases whose standings are not what the ledger says."""
    where = "WHERE board = ? AND phase = ? ORDER BY team"
    return [
        phase
        for phase in store.find(transaction, Phase, "WHERE board = ? ORDER BY number", board.id)
        if store.find(transaction, Standing, where, phase.board, phase.number)
        != [row for _, row in sorted(rebuilt(transaction, phase).items())]
    ]


def _numbers(transaction: Transaction, phase: Phase) -> dict[int, dict[str, float]]:
    """Return what the entries on a board released by name, where that is more than one number."""
    if not policy_of(phase).display.shows_several:
        return {}
    rows = transaction.rows(NUMBERS, (phase.board, phase.number))
    return {number: numbers_of(released) for number, released in rows}


def _set(transaction: Transaction, phase: Phase, **values: str | int | None) -> None:
    columns = ", ".join(f"{name} = ?" for name in values)
    transaction.execute(
        f"UPDATE holdfast_phases SET {columns} WHERE board = ? AND number = ?",
        (*values.values(), phase.board, phase.number),
    )


def _insert(transaction: Transaction, phase: Phase) -> None:
    """Write a phase, unless its batches would answer looks at another board, and that board's its.

    Boards over one test set share a rule's memory of it.
    """
    ours, where = policy_of(phase), "WHERE data_set = ? AND board <> ?"
    others = store.find(transaction, Phase, where, phase.data_set, phase.board)
    for theirs in [policy_of(other) for other in others if ours.mechanism.waits]:
        if ours.release == theirs.release and ours.memory == theirs.memory == "data_set":
            told = "release must be another one, or memory that of a team: another board fills"
            raise InvalidInput(f"{told} the same batches of {ours.release} on these labels.")
    store.insert(transaction, phase)


def _begin(transaction: Transaction, fresh: Phase, last: Phase) -> None:
    """Let a new phase follow the last one."""
    _set(transaction, last, closes=min(last.closes or fresh.opens, fresh.opens))
    start = transaction.head().number
    fresh = fresh._replace(number=last.number + 1, start=start, frozen=last.frozen)
    _insert(transaction, fresh)
    if last.frozen is not None:
        # A frozen board stays frozen, with nothing of the new phase on it.
        _put_snapshot(transaction, fresh, [])


def _put_snapshot(transaction: Transaction, phase: Phase, rows: list[Row]) -> None:
    place = (phase.board, phase.number)
    transaction.execute("DELETE FROM holdfast_snapshots WHERE board = ? AND phase = ?", place)
    statement = "INSERT INTO holdfast_snapshots (board, phase, shown) VALUES (?, ?, ?)"
    transaction.execute(statement, (*place, rows_to_text(rows)))


def _time(name: str, text: str) -> int:
    """Return the moment that a text in ISO 8601 names; without a zone it is UTC."""
    try:
        found = datetime.fromisoformat(text.strip())
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return as_microseconds(found.astimezone(UTC))
    except (ValueError, OverflowError):
        told = f"{name} must be a time like 2027-05-01T12:00, in UTC, got {quoted(text)}."
        raise InvalidInput(told) from None


def _closing(name: str, text: str, opens: int) -> int:
    closes = _time(name, text)
    if closes <= max(opens, clock()):
        told = f"{name} must be a time to come, after the board opens, got {quoted(text)}."
        raise InvalidInput(told)
    return closes


def _check_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInput(f"{name} must be one of {', '.join(known)}, got {quoted(value)}.")
