"""Questions of the API and of the pages to boards: rows, submissions, receipts, final results."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import Any

from holdfast.guard.entry import Entry
from holdfast.guard.receipt import Receipt
from holdfast.guard.storage import Transaction
from holdfast.guard.windows import as_datetime
from holdfast.mechanisms import RecordedLook, Told
from holdfast.server import store
from holdfast.server.accounts import Caller
from holdfast.server.boards import MOST_ROWS, Done
from holdfast.server.probes import chance_band, suspects
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Member, Phase, Standing, Submission, Team, User
from holdfast.server.site import Site
from holdfast.server.standings import Row, look_of, order, policy_of

__all__ = [
    "act_as_host",
    "choose_submission",
    "entries_after",
    "entry_in_chain",
    "entry_of",
    "final_rows",
    "is_about",
    "may_read",
    "member_names",
    "moment",
    "newest",
    "own_submission",
    "probing",
    "replayed",
    "seen_rows",
    "shown_submission",
    "submissions_of",
]


def seen_rows(
    site: Site, board: Board, phase: Phase, caller: Caller, most: int, skip: int
) -> list[Row]:
    """Return the rows of a board that a caller may see."""
    host = caller.is_host(board)
    if host or board.visibility == "open":
        return site.boards.rows(phase, live=host, most=most, skip=skip, all_=host)
    rows = site.boards.rows(phase, most=MOST_ROWS)
    return [row for row in rows if site.may_see(board, caller, row.team)][skip : skip + most]


def member_names(site: Site, board: Board) -> dict[int, list[str]]:
    """Return the accounts of each team of a board."""
    found: dict[int, list[str]] = {}
    users = {user.id: user.name for user in site.store.find(User, "ORDER BY id")}
    for member in site.store.find(Member, "WHERE board = ? ORDER BY member", board.id):
        if member.team:
            found.setdefault(member.team, []).append(users[member.member])
    return found


def newest(transaction: Transaction, entry: Entry | None) -> Entry | None:
    """Return the answer to a look, if it came later than the look."""
    if entry is None or entry.kind != "look" or entry.released is not None:
        return entry
    return transaction.answered(entry.data_set, entry.team, entry.prediction, entry.rule) or entry


def own_submission(site: Site, board: Board, caller: Caller, number: int) -> Submission:
    """Return a submission, to its team and hosts; to others it is not there."""
    if caller.user is None and caller.token is None:
        raise Problem("not_signed_in", "Sign in, or send a token, to do this.")
    found = site.store.one(Submission, "WHERE id = ? AND board = ?", number, board.id)
    if found is None or not (caller.is_host(board) or found.team in caller.teams(board)):
        raise Problem("not_found", "There is no such submission.")
    return found


def choose_submission(site: Site, board: Board, team: Team, number: int) -> Receipt:
    """Name a team's submission for the final result."""
    found = site.store.one(Submission, "WHERE id = ? AND team = ?", number, team.id)
    if found is None:
        raise Problem("not_found", "There is no such submission.")
    with site.store.reading() as transaction:
        entry = transaction.entry(found.entry)
        if entry is not None and entry.kind == "answer":  # the look that it answers
            entry = transaction.entry(int(entry.detail.partition("-")[0]))
    if entry is None or entry.kind != "look":
        raise Problem("invalid_input", "Only a submission that was answered can be chosen.")
    return site.gatekeeper.choose(site.phase(board), team, entry.receipt_id)


def submissions_of(
    site: Site, board: Board, team: Team, before: int, most: int = 100
) -> list[dict[str, Any]]:
    """Return a team's submissions, newest first."""
    with site.store.reading() as transaction:
        where = "WHERE team = ? AND id < ? ORDER BY id DESC LIMIT ?"
        found = store.find(transaction, Submission, where, team.id, before, most)
        return [
            shown_submission(board, team, each, newest(transaction, transaction.entry(each.entry)))
            for each in found
        ]


def entry_in_chain(site: Site, receipt_id: str) -> Entry | None:
    """Return the entry of a receipt, if it is in the chain."""
    number = receipt_id.partition("-")[0]
    if not (number.isascii() and number.isdecimal() and len(number) < 18):
        return None
    with site.store.reading() as transaction:
        entry = transaction.entry(int(number))
    return entry if entry is not None and entry.receipt_id == receipt_id else None


def entry_of(site: Site, board: Board, receipt_id: str) -> Entry | None:
    """Return the entry of a receipt, if it is in the chain and about this board."""
    entry = entry_in_chain(site, receipt_id)
    if entry is None or not is_about(entry, board):
        return None
    where = "WHERE board = ? AND data_set = ?"
    return entry if site.store.find(Phase, where, board.id, entry.data_set) else None


def is_about(entry: Entry, board: Board) -> bool:
    """Tell whether an entry is about a board; others may have the same test set."""
    return not entry.team or entry.team.startswith(f"b{board.id}-")


def entries_after(site: Site, number: int, most: int = 1000) -> list[Entry]:
    """Return the next entries of the ledger."""
    columns = ", ".join(field.name for field in fields(Entry))
    question = f"SELECT {columns} FROM holdfast_entries WHERE number > ? ORDER BY number LIMIT ?"
    with site.store.reading() as transaction:
        return [Entry(*row) for row in transaction.rows(question, (number, most))]


def may_read(board: Board, caller: Caller, entry: Entry) -> bool:
    """Tell whether what an entry released may be told to a caller."""
    owners = {f"b{board.id}-t{number}" for number in caller.teams(board)}
    return caller.is_host(board) or entry.team in owners


def final_rows(site: Site, board: Board, phase: Phase, caller: Caller) -> list[dict[str, Any]]:
    """Return the final ranking, public beside private; there is none before the close."""
    if phase.finals is None:
        raise Problem("phase_closed", "The board is not closed yet; there is no final ranking.")
    # Another board may have the same test set; its teams are its own.
    ours = f"b{board.id}-t"
    found = json.loads(phase.finals)["results"]
    results = [each for each in found if each["team"].startswith(ours)]
    with site.store.reading() as transaction:
        numbers = [
            store.survivor(transaction, int(each["team"].rpartition("-t")[2])) for each in results
        ]
        teams = store.names_of(transaction, numbers)
    # Of teams that were merged, what was chosen, or else released, decides; never the private part.
    policy = policy_of(phase.policy)
    look = RecordedLook(policy.mechanism, policy.display)
    best: dict[int, dict[str, Any]] = {}
    for number, each in zip(numbers, results, strict=True):
        best[number] = min(best.get(number, each), each, key=partial(_decisive, look))
    sign = 1 if policy.display.metric.higher_is_better else -1
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
        if (caller.is_host(board) or not teams[number].hidden)
        and site.may_see(board, caller, number)
    ]


def _decisive(look: RecordedLook, final: Mapping[str, Any]) -> tuple[bool, bool, int]:
    released = final["released"]
    value = 0 if released is None else order(look, float(released))
    return not final["chosen"], released is None, value


def probing(site: Site, phase: Phase) -> tuple[tuple[float, float] | None, list[dict[str, Any]]]:
    """Return which released values are at chance, and the teams with several of them."""
    n_classes = site.gatekeeper.facts(phase).n_classes
    band = chance_band(phase, policy_of(phase.policy), n_classes)
    if band is None:
        return None, []
    with site.store.reading() as transaction:
        where = "WHERE board = ? AND phase = ?"
        rows = store.find(transaction, Standing, where, phase.board, phase.number)
        found = suspects(rows, band)
        teams = store.names_of(transaction, (each.team for each in found))
    return band, [{"name": teams[each.team].name, **asdict(each)} for each in found]


def replayed(site: Site, phase: Phase, rule: str) -> list[dict[str, Any]]:
    """Return what another rule would have released, by team, newest look first."""
    found = site.gatekeeper.replay(phase, rule)[::-1]
    with site.store.reading() as transaction:
        teams = store.names_of(transaction, (team for team, _, _ in found))
    return [
        {"team": teams[team].name, "released": released, "replayed": value}
        for team, released, value in found
    ]


def act_as_host(site: Site, board: Board, caller: Caller, action: str, value: str) -> Done:
    """Do a host's action, but for those that name a file of the server's."""
    if action == "rotate":
        raise Problem(
            "not_allowed", "Fresh labels are put in force where they lie: holdfast board rotate."
        )
    if action == "policy" and _names_files(value):
        raise Problem("not_allowed", "A policy that names files is set with holdfast board policy.")
    return site.boards.change(board, site.phase(board), action, value, caller.name)


def _names_files(policy: str) -> bool:
    """Tell whether a policy names a file; what is no policy at all is told by its reader."""
    try:
        document = tomllib.loads(policy)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return any(isinstance(document.get(name), str) for name in ("witness", "classes"))


def shown_submission(
    board: Board, team: Team, found: Submission, entry: Entry | None
) -> dict[str, Any]:
    """Return what is told of a submission: when, what came of it, and what was released."""
    released = None if entry is None or entry.released is None else float(entry.released)
    told: dict[str, Any] = {
        "id": found.id,
        "board": board.slug,
        "team": team.name,
        "phase": found.phase,
        "file": found.file,
        "time": moment(found.time),
        "outcome": found.outcome,
        "note": found.note,
        "released": released,
        "receipt_id": None if entry is None else entry.receipt_id,
    }
    if entry is not None and entry.kind in ("look", "answer") and entry.released is not None:
        rule = look_of(entry.rule).rule
        note = entry.detail.partition(" ")[2] if entry.kind == "answer" else entry.detail
        said = Told.from_text(note, speaks=rule.speaks)
        whose = f"team {team.name}" if entry.scope else "all teams"
        told |= {"meaning": rule.meaning(said, whose), "new_best": said.new_best, "own": said.own}
    return told


def moment(at: int | None) -> str | None:
    """Return a time of the ledger as text in ISO 8601."""
    return None if at is None else as_datetime(at).isoformat(timespec="seconds")
