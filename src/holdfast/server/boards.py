"""Boards and the host's actions on them: each one checked, done once, and recorded."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.guard.windows import clock
from holdfast.quoting import quoted
from holdfast.server import store
from holdfast.server.gatekeeper import Gatekeeper, rebuilt
from holdfast.server.records import Board, Phase, Standing, Team
from holdfast.server.standings import Row, as_rows, policy_of, rows_from_text, rows_to_text

__all__ = ["Boards"]

VISIBILITIES = ("open", "own", "host")
SHOWS = ("best", "latest", "chosen")
IN_ORDER = (
    "WHERE board = ? AND phase = ? AND released IS NOT NULL "
    "ORDER BY value, reached, team LIMIT ? OFFSET ?"
)
HIDDEN = "WHERE board = ? AND hidden = 1"
# All rows that a frozen board keeps.
MOST_ROWS = 10_000_000


class Boards:
    """Boards of one server, over its gatekeeper."""

    def __init__(self, gatekeeper: Gatekeeper) -> None:
        self._gatekeeper = gatekeeper
        self._store = gatekeeper.store

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
        who: str = "the command line",
    ) -> Board:
        """Make a board with its first phase."""
        if not re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", slug):
            raise InvalidInput(
                "name of the board must have 1 to 40 small letters, digits and inner hyphens, "
                f"got {quoted(slug)}."
            )
        if visibility not in VISIBILITIES:
            raise InvalidInput(
                f"visibility must be one of {', '.join(VISIBILITIES)}, got {visibility}."
            )
        _check_shows(shows)
        if self._store.one(Board, "WHERE slug = ?", slug) is not None:
            raise InvalidInput(f"name of the board must be new, got {slug}, which is there.")
        phase = self._gatekeeper.new_phase(
            0, 1, labels, policy, id_column=id_column, label_column=label_column, shows=shows
        )
        now = clock()
        with self._store.writing() as transaction:
            number = store.next_id(transaction, Board)
            board = Board(number, slug, title.strip() or slug, visibility, now)
            store.insert(transaction, board)
            store.insert(transaction, phase._replace(board=number))
            store.note_action(transaction, now, who, number, "made", slug)
        return board

    def get(self, slug: str) -> Board | None:
        """Return a board by name."""
        return self._store.one(Board, "WHERE slug = ?", slug)

    def phase(self, board: Board) -> Phase | None:
        """Return the phase in force."""
        return self._store.one(Phase, store.PHASE_IN_FORCE, board.id, clock())

    def is_open(self, phase: Phase) -> bool:
        """Tell whether a phase takes submissions now."""
        return phase.finals is None and (phase.closes is None or phase.closes > clock())

    # What the board shows.

    def rows(
        self,
        phase: Phase,
        *,
        live: bool = False,
        most: int = 100,
        skip: int = 0,
        all_: bool = False,
    ) -> list[Row]:
        """Return rows of the board: those of the freeze if it is frozen, unless `live`.

        Teams that the host hides are left out unless `all_`.
        """
        if phase.snapshot is not None and not live:
            hidden = {t.id for t in self._store.find(Team, HIDDEN, phase.board)}
            shown = [row for row in rows_from_text(phase.snapshot) if row.team not in hidden]
            return shown[skip : skip + most]
        rule = policy_of(phase.policy).mechanism
        with self._store.reading() as transaction:
            # Groups go by differences from the head of a group, so they are counted from the top.
            found = store.find(
                transaction, Standing, IN_ORDER, phase.board, phase.number, skip + most, 0
            )
            teams = store.names_of(transaction, (standing.team for standing in found))
        rows = as_rows(
            [
                (standing, teams[standing.team].name, bool(teams[standing.team].hidden))
                for standing in found
                if all_ or not teams[standing.team].hidden
            ],
            phase,
            rule,
        )
        return rows[skip:]

    def count(self, phase: Phase) -> int:
        """Return how many teams have a released value."""
        if phase.snapshot is not None:
            return len(rows_from_text(phase.snapshot))
        with self._store.reading() as transaction:
            return int(
                transaction.rows(
                    "SELECT COUNT(*) FROM holdfast_standings "
                    "WHERE board = ? AND phase = ? AND released IS NOT NULL",
                    (phase.board, phase.number),
                )[0][0]
            )

    # The host's actions.

    def change(self, board: Board, phase: Phase, action: str, value: str, who: str) -> str:
        """Do what a host asks for; return in words what changed."""
        done = {
            "freeze": self._freeze,
            "thaw": self._thaw,
            "stop": self._stop,
            "reopen": self._reopen,
            "policy": self._new_policy,
            "rotate": self._rotate,
            "hide": self._hide,
            "show": self._show,
            "close": self._close,
            "visibility": self._visibility,
        }
        if action not in done:
            raise InvalidInput(f"action must be one of {', '.join(done)}, got {quoted(action)}.")
        told = done[action](board, phase, value)
        with self._store.writing() as transaction:
            store.note_action(transaction, clock(), who, board.id, action, told)
        return told

    def _set(self, phase: Phase, **values: str | int | None) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        with self._store.writing() as transaction:
            transaction.execute(
                f"UPDATE holdfast_phases SET {columns} WHERE board = ? AND number = ?",
                (*values.values(), phase.board, phase.number),
            )

    def _freeze(self, board: Board, phase: Phase, value: str) -> str:
        del board, value
        if phase.frozen is not None:
            raise InvalidInput("the board must not be frozen already.")
        rows = self.rows(phase, most=MOST_ROWS)
        self._set(phase, frozen=clock(), snapshot=rows_to_text(rows))
        return f"frozen with {len(rows)} teams; looks go on, and teams see their own"

    def _thaw(self, board: Board, phase: Phase, value: str) -> str:
        del board, value
        if phase.frozen is None:
            raise InvalidInput("the board must be frozen to be thawed.")
        self._set(phase, frozen=None, snapshot=None)
        return "thawed"

    def _stop(self, board: Board, phase: Phase, value: str) -> str:
        del board, value
        self._set(phase, closes=clock())
        return "no more submissions are taken"

    def _reopen(self, board: Board, phase: Phase, value: str) -> str:
        del board, value
        if phase.finals is not None:
            raise InvalidInput("a board that was closed stays closed: its private part was scored.")
        self._set(phase, closes=None)
        return "submissions are taken again"

    def _new_policy(self, board: Board, phase: Phase, value: str) -> str:
        """Put another policy in force: a new phase if another rule releases."""
        old = policy_of(phase.policy)
        fresh = self._gatekeeper.new_phase(
            board.id,
            phase.number,
            Path(phase.labels),
            value,
            id_column=phase.id_column,
            label_column=phase.label_column,
            shows=phase.shows if phase.shows == "chosen" else None,
            closes=phase.closes,
        )
        new = policy_of(fresh.policy)
        if phase.finals is not None:
            raise InvalidInput("policy must be set before the board is closed.")
        if fresh.data_set != phase.data_set:
            raise InvalidInput("policy must keep the part that looks are scored on; use rotate.")
        if (new.release, new.memory, new.classes) == (old.release, old.memory, old.classes):
            self._set(phase, policy=fresh.policy, digest=fresh.digest)
            return f"policy {fresh.digest} in force"
        self._begin(fresh, phase)
        return f"policy {fresh.digest} in force, as phase {phase.number + 1}: looks stay spent"

    def _rotate(self, board: Board, phase: Phase, value: str) -> str:
        """Go on with fresh labels, as a new phase."""
        fresh = self._gatekeeper.new_phase(
            board.id,
            phase.number,
            Path(value),
            phase.policy,
            id_column=phase.id_column,
            label_column=phase.label_column,
            shows=phase.shows,
        )
        if fresh.data_set == phase.data_set:
            raise InvalidInput("labels must be others than before; the budget belongs to them.")
        self._begin(fresh, phase)
        return f"fresh labels in force, as phase {phase.number + 1}: every team has its looks anew"

    def _begin(self, fresh: Phase, last: Phase) -> None:
        with self._store.writing() as transaction:
            start = transaction.head().number
            # Changed with the next phase's row, so that a look which was prepared for the last
            # phase, and waits for its turn, sees that it is over.
            transaction.execute(
                "UPDATE holdfast_phases SET closes = ? WHERE board = ? AND number = ? "
                "AND (closes IS NULL OR closes > ?)",
                (fresh.opens, last.board, last.number, fresh.opens),
            )
            # A frozen board stays frozen, with nothing of the new phase on it.
            kept = None if last.frozen is None else rows_to_text([])
            fresh = fresh._replace(frozen=last.frozen, snapshot=kept)
            store.insert(transaction, fresh._replace(number=last.number + 1, start=start))

    def _hide(self, board: Board, phase: Phase, value: str) -> str:
        del phase
        return self._set_hidden(board, value, 1)

    def _show(self, board: Board, phase: Phase, value: str) -> str:
        del phase
        return self._set_hidden(board, value, 0)

    def _set_hidden(self, board: Board, value: str, hidden: int) -> str:
        number = int(value) if value.isascii() and value.isdecimal() and len(value) < 16 else 0
        with self._store.writing() as transaction:
            team = store.one(transaction, Team, "WHERE board = ? AND id = ?", board.id, number)
            if team is None:
                raise InvalidInput(f"team must be one of this board, got {quoted(value)}.")
            transaction.execute(
                "UPDATE holdfast_teams SET hidden = ? WHERE id = ?", (hidden, team.id)
            )
        return f"{'hidden' if hidden else 'shown'}: {team.name}"

    def _visibility(self, board: Board, phase: Phase, value: str) -> str:
        del phase
        if value not in VISIBILITIES:
            raise InvalidInput(f"visibility must be one of {', '.join(VISIBILITIES)}, got {value}.")
        with self._store.writing() as transaction:
            transaction.execute(
                "UPDATE holdfast_boards SET visibility = ? WHERE id = ?", (value, board.id)
            )
        return f"visibility {value}"

    def _close(self, board: Board, phase: Phase, value: str) -> str:
        """Score the private part, once; where there is none, that is an error (stop it instead)."""
        del board, value
        finals = self._gatekeeper.finish(phase)
        results = [asdict(final) for final in finals.results]
        text = json.dumps({"n_examples": finals.n_examples, "results": results})
        self._set(phase, finals=text, closes=phase.closes or clock())
        return f"closed: {len(results)} teams ranked on {finals.n_examples} private examples"

    def rebuild(self, board: Board) -> list[int]:
        """Make all standings anew from the ledger; return the phases that had been different."""
        different = []
        for phase in self._store.find(Phase, "WHERE board = ? ORDER BY number", board.id):
            with self._store.writing() as transaction:
                where = "WHERE board = ? AND phase = ? ORDER BY team"
                place = (phase.board, phase.number)
                old = store.find(transaction, Standing, where, *place)
                rebuilt(transaction, phase)
                if store.find(transaction, Standing, where, *place) != old:
                    different.append(phase.number)
        return different


def _check_shows(shows: str | None) -> None:
    if shows is not None and shows not in SHOWS:
        raise InvalidInput(f"shows must be one of {', '.join(SHOWS)}, got {shows}.")
