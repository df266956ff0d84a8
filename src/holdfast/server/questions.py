"""Questions of the API and of the pages to boards: rows, submissions, receipts, final results."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from functools import cached_property, partial
from typing import Annotated, Any, Self

from fastapi import Depends, Path, Request

from holdfast.detect.released import chance_band, suspects
from holdfast.guard.exposure import DataSetExposure, TeamExposure
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt, first_note, released_numbers, released_score
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import as_datetime, clock
from holdfast.ledger.storage import Transaction
from holdfast.rules import RecordedLook, Told
from holdfast.server import store
from holdfast.server.accounts import Caller
from holdfast.server.boards import Done
from holdfast.server.looks import choices
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Phase, Standing, Submission, Team, team_number
from holdfast.server.site import Site, own_number, site_of
from holdfast.server.standings import Row, look_of, order, policy_of

__all__ = ["At", "AtAsHost", "Slug", "Visit", "at_one_moment", "entry_in_chain", "moment", "visit"]

ENTRIES_AT_ONCE = 1000
# How often the head moves for those who may not know when others looked, in microseconds.
HEAD_EVERY = 3_600_000_000
HEAD_BEFORE = (
    "SELECT number, hash FROM holdfast_entries WHERE time < ? ORDER BY number DESC LIMIT 1"
)
# Keys of a policy that say how the labels' file is read, which hosts from afar can't open.
OF_LABELS = ("breakdown", "id_column", "label_column", "shared_labels")

Slug = Annotated[str, Path(max_length=40, description="The board's name.")]


@dataclass(frozen=True)
class Visit:
    """A request to a board: what is asked of it, as far as whoever asks may know it."""

    site: Site
    board: Board
    caller: Caller

    @cached_property
    def phase(self) -> Phase:
        """The phase in force; for hosts also one that has not opened yet."""
        return self.site.phase(self.board, coming=self.is_host)

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return policy_of(self.phase)

    @property
    def is_host(self) -> bool:
        """Whether a host of the board asks."""
        return self.caller.is_host(self.board)

    @property
    def stands_still(self) -> bool:
        """Whether the board is frozen for whoever asks: then nothing of later looks is told."""
        return self.phase.frozen is not None and not self.is_host

    @property
    def sees_looks(self) -> bool:
        """Whether whoever asks may know of everybody's looks, at least that there was one."""
        return self.board.visibility == "open" or self.is_host

    @property
    def head(self) -> str | None:
        """The ledger's head, to be noted down; None while the board stands still, or is too new.

        Where a board of the ledger is not open to all, the head moves once an hour: whoever watched
        it would know each look of each team to the second.
        """
        if self.stands_still:
            return None
        now_on = self.is_host or self.site.boards.all_open()
        with self.site.store.reading() as transaction:
            if now_on:
                head = transaction.head()
                rows = [(head.number, head.hash)]
            else:
                now = clock()
                rows = transaction.rows(HEAD_BEFORE, (now - now % HEAD_EVERY,))
        return f"{rows[0][0]}-{rows[0][1][:32]}" if rows else None

    def as_host(self) -> Self:
        """Raise unless a host of the board asks."""
        if not self.caller.required().is_host(self.board):
            raise Problem("not_allowed", "Only a host of the board may do this.")
        return self

    def own_team(self, number: int | None = None) -> Team:
        """Return the team of whoever asks, or the one of several that is asked for."""
        return self.site.team(self.board, own_number(self.board, self.caller, number))

    def may_see(self, team: int) -> bool:
        """Tell whether a team's row may be shown."""
        if self.board.visibility == "open" or self.is_host:
            return True
        return self.board.visibility == "own" and team in self.caller.teams(self.board)

    def rows(self, most: int, skip: int = 0) -> list[Row]:
        """Return the rows of the board that may be shown."""
        if self.is_host or self.board.visibility == "open":
            return self.site.boards.rows(self.phase, most=most, skip=skip, host=self.is_host)
        rows = [row for team in self.caller.teams(self.board) if (row := self.row(team))]
        return sorted(rows, key=lambda row: row.rank)[skip : skip + most]

    def row(self, team: int) -> Row | None:
        """Return a team's row if there is one that may be shown."""
        if not self.may_see(team):
            return None
        return self.site.boards.row(self.phase, team, host=self.is_host)

    def own(self, *some: int) -> set[int]:
        """Return the teams of whoever asks, or some of them, with all merged into them."""
        with self.site.store.reading() as transaction:
            teams = some or self.caller.teams(self.board)
            return {each for team in teams for each in store.pooled(transaction, team)}

    def submission(self, number: int) -> dict[str, Any]:
        """Return a submission, to its team and hosts; to others it is not there."""
        self.caller.required()
        where = "WHERE id = ? AND board = ?"
        found = self.site.store.one(Submission, where, number, self.board.id)
        if found is None or not (self.is_host or found.team in self.own()):
            raise Problem("not_found", "There is no such submission.")
        [told] = self.submissions(self.site.team(self.board, found.team), number + 1, most=1)
        return told

    def submissions(
        self, team: Team, before: int = 2**62 - 1, most: int = 100
    ) -> list[dict[str, Any]]:
        """Return submissions of a team and of those that were merged into it, newest first."""
        with self.site.store.reading() as transaction:
            pool = store.pooled(transaction, team.id)
            where = f"WHERE team IN ({store.marks(pool)}) AND id < ? ORDER BY id DESC LIMIT ?"
            found = store.find(transaction, Submission, where, *pool, before, most)
            phases = store.find(transaction, Phase, "WHERE board = ?", self.board.id)
            chosen = {
                choice.detail
                for data_set in {phase.data_set for phase in phases}
                for choice in choices(transaction, self.board.id, data_set, pool)
            }
            return [_shown(transaction, self.board, team, each, chosen) for each in found]

    def choose(self, team: Team, number: int) -> Receipt:
        """Name a team's submission for the final result."""
        found = self.site.store.one(Submission, "WHERE id = ?", number)
        if found is None or found.team not in self.own(team.id):
            raise Problem("not_found", "There is no such submission.")
        with self.site.store.reading() as transaction:
            entry = transaction.entry(found.entry)
            if entry is not None:
                entry = transaction.entry(int(look_named_by(entry).partition("-")[0]))
        if entry is None or entry.kind != "look":
            raise Problem("invalid_input", "Only a submission that was answered can be chosen.")
        return self.site.gatekeeper.choose(self.phase, team, entry)

    def entry(self, receipt_id: str) -> Entry | None:
        """Return the entry of a receipt, if it is in the chain and about this board."""
        entry = entry_in_chain(self.site, receipt_id)
        if entry is None or not self.is_about(entry):
            return None
        where = "WHERE board = ? AND data_set = ?"
        known = self.site.store.find(Phase, where, self.board.id, entry.data_set)
        return entry if known else None

    def is_about(self, entry: Entry) -> bool:
        """Tell whether an entry is about this board; others may have the same test set."""
        return not entry.team or entry.team.startswith(f"b{self.board.id}-")

    def entries(self) -> Iterator[Entry]:
        """Yield the ledger's entries about this board.

        A piece at a time: whoever reads slowly holds up nobody else's questions.
        """
        phases = self.site.store.find(Phase, "WHERE board = ?", self.board.id)
        data_sets, last = {phase.data_set for phase in phases}, 0
        select = f"SELECT {', '.join(field.name for field in fields(Entry))} FROM holdfast_entries"
        question = f"{select} WHERE number > ? ORDER BY number LIMIT ?"
        while True:
            with self.site.store.reading() as transaction:
                some = [Entry(*row) for row in transaction.rows(question, (last, ENTRIES_AT_ONCE))]
            if not some:
                return
            yield from (e for e in some if e.data_set in data_sets and self.is_about(e))
            last = some[-1].number

    def may_read(self, entry: Entry) -> bool:
        """Tell whether what an entry released may be told."""
        return self.is_host or team_number(self.board.id, entry.team) in self.own()

    def final_rows(self) -> list[dict[str, Any]]:
        """Return the final ranking, public beside private; there is none before the close."""
        if self.phase.finals is None:
            raise Problem("phase_closed", "The board is not closed yet; there is no final ranking.")
        found = json.loads(self.phase.finals)["results"]
        # Another board may have the same test set; its teams are its own.
        ours = [
            (team, each) for each in found if (team := team_number(self.board.id, each["team"]))
        ]
        with self.site.store.reading() as transaction:
            results = [(store.survivor(transaction, team), each) for team, each in ours]
            teams = store.names_of(transaction, (number for number, _ in results))
        # Of teams that were merged, what was chosen, or else released, decides, and never the
        # private part.
        look = RecordedLook(self.policy.mechanism, self.policy.display)
        best: dict[int, dict[str, Any]] = {}
        for number, each in results:
            best[number] = min(best.get(number, each), each, key=partial(_decisive, look))
        sign = 1 if self.policy.display.metric.higher_is_better else -1
        scores = [sign * each["score"] for each in best.values()]
        return [
            {
                "rank": 1 + sum(score > sign * each["score"] for score in scores),
                "team_id": number,
                "team": teams[number].name,
                "private": each["score"],
                "public": each["released"],
                "chosen": each["chosen"],
                "receipt_id": each["receipt_id"],
            }
            for number, each in sorted(best.items(), key=lambda pair: -sign * pair[1]["score"])
            if (self.is_host or not teams[number].hidden) and self.may_see(number)
        ]

    def exposures(
        self, most: int | None = None
    ) -> tuple[DataSetExposure | None, list[tuple[Team, TeamExposure]]]:
        """Return what all looks at the test set allow, and those of each team, the worst first."""
        found = self.site.gatekeeper.exposure(self.phase)
        every = [] if found is None else found.teams
        # Another board may have the same test set; its teams are its own.
        ours = [(team, each) for each in every if (team := team_number(self.board.id, each.team))]
        worst = dict(sorted(ours, key=lambda pair: -(pair[1].gain or 0.0))[:most])
        with self.site.store.reading() as transaction:
            teams = store.names_of(transaction, worst)
        return found, [(teams[number], each) for number, each in worst.items()]

    def probing(self) -> tuple[tuple[float, float] | None, list[dict[str, Any]]]:
        """Return which released values are at chance, and the teams with several of them."""
        phase, n_classes = self.phase, self.site.gatekeeper.facts(self.phase).n_classes
        # Programs fail tasks, and guess no labels.
        band = None if phase.outcomes else chance_band(self.policy, phase.n_examples, n_classes)
        if band is None:
            return None, []
        with self.site.store.reading() as transaction:
            where = "WHERE board = ? AND phase = ?"
            rows = store.find(transaction, Standing, where, phase.board, phase.number)
            found = suspects(rows, band)
            teams = store.names_of(transaction, (each.team for each in found))
        return band, [{"name": teams[each.team].name, **asdict(each)} for each in found]

    def act(self, action: str, value: str) -> Done:
        """Do a host's action, but for those that name a file of the server's."""
        if action in ("rotate", "labels"):
            told = f"Files of labels are named where they lie: holdfast board {action}."
            raise Problem("not_allowed", told)
        if action == "policy" and _reads_files(value, self.policy):
            told = "A policy that names files, or reads labels otherwise, is set on the server: "
            raise Problem("not_allowed", f"{told}holdfast board policy.")
        return self.site.boards.change(self.board, self.phase, action, value, self.caller.name)


def visit(request: Request, slug: Slug) -> Visit:
    """Return the board that is asked for, and who asks; pages go by sessions alone."""
    site = site_of(request)
    who = site.caller if request.url.path.startswith("/api/") else site.visitor
    return Visit(site, site.board(slug), who(request))


@contextmanager
def at_one_moment(request: Request, slug: str) -> Iterator[Visit]:
    """Ask for a board in one transaction, so that all that is told of it is of one moment."""
    with site_of(request).store.reading():
        yield visit(request, slug)


def visit_of_host(request: Request, slug: Slug) -> Visit:
    """Return the board that a host asks for."""
    return visit(request, slug).as_host()


At = Annotated[Visit, Depends(visit)]
AtAsHost = Annotated[Visit, Depends(visit_of_host)]


def entry_in_chain(site: Site, receipt_id: str) -> Entry | None:
    """Return the entry of a receipt, if it is in the chain."""
    with site.store.reading() as transaction:
        entry = transaction.entry(store.as_number(receipt_id.partition("-")[0]) or 0)
    return entry if entry is not None and entry.receipt_id == receipt_id else None


def _decisive(look: RecordedLook, final: Mapping[str, Any]) -> tuple[bool, bool, int]:
    released = final["released"]
    value = 0 if released is None else order(look, float(released))
    return not final["chosen"], released is None, value


def _reads_files(policy: str, now: Policy) -> bool:
    """Tell whether a policy names a file, or reads the labels' file otherwise than now.

    What is no policy at all is told by its reader.
    """
    try:
        document = tomllib.loads(policy)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    another = any(document.get(name) not in (None, getattr(now, name)) for name in OF_LABELS)
    return another or any(isinstance(document.get(name), str) for name in ("witness", "classes"))


def look_named_by(entry: Entry) -> str:
    """Return the receipt of a look: the one that an answer is to, or the entry's own."""
    return entry.detail.partition(" ")[0] if entry.kind == "answer" else entry.receipt_id


def _shown(
    transaction: Transaction, board: Board, team: Team, found: Submission, chosen: Collection[str]
) -> dict[str, Any]:
    """Return what is told of a submission: when, what came of it, and what was released."""
    entry = transaction.entry(found.entry)
    if entry is not None and entry.kind == "look" and entry.released is None:
        # Its answer may have come later.
        asked = (entry.data_set, entry.team, entry.prediction, entry.rule)
        entry = transaction.answered(*asked) or entry
    told: dict[str, Any] = {
        "id": found.id,
        "board": board.slug,
        "team": team.name,
        "phase": found.phase,
        "file": found.file,
        "time": moment(found.time),
        "outcome": found.outcome,
        "note": found.note,
        "released": None if entry is None else released_score(entry),
        "numbers": {} if entry is None else released_numbers(entry),
        "receipt_id": None if entry is None else entry.receipt_id,
        "chosen": entry is not None and look_named_by(entry) in chosen,
    }
    if entry is not None and entry.kind in ("look", "answer") and entry.released is not None:
        look = look_of(entry.rule)
        said = Told.from_text(first_note(entry), speaks=look.rule.speaks)
        meaning = look.rule.meaning(said, f"team {team.name}" if entry.scope else "all teams")
        shown = "" if look.display.plain else f"{look.display}: "
        told |= {"meaning": shown + meaning, "new_best": said.new_best, "own": said.own}
    return told


def moment(at: int | datetime | None) -> str | None:
    """Return a time as text in ISO 8601."""
    found = as_datetime(at) if isinstance(at, int) else at
    return None if found is None else found.isoformat(timespec="seconds")
