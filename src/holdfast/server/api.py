"""The API under /api/v1: boards, standings, submissions, receipts, the host's actions."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from holdfast.errors import InvalidInput
from holdfast.guard.receipt import released_numbers, released_score
from holdfast.guard.team import team_key
from holdfast.ledger.entry import Entry
from holdfast.ledger.moments import as_datetime, clock
from holdfast.quoting import safe_cell
from holdfast.server import store
from holdfast.server.accounts import Caller
from holdfast.server.gatekeeper import Answer
from holdfast.server.looks import Sent
from holdfast.server.problems import PROBLEMS, Problem
from holdfast.server.questions import At, AtAsHost, Slug, at_one_moment, entry_in_chain, moment
from holdfast.server.records import Board, Team, Token
from holdfast.server.site import Site, own_number, site_of
from holdfast.server.standings import Row
from holdfast.server.uploads import unpacked

__all__ = ["router"]


class BadRow(BaseModel):
    """A row of a submission that breaks a rule."""

    line: int
    column: str | None
    rule: str
    value: str


class ProblemDetails(BaseModel):
    """The one shape of every error (RFC 9457); `type` is a stable word."""

    type: Literal[tuple(PROBLEMS)]  # type: ignore[valid-type]
    title: str
    status: int
    detail: str
    next_allowed_at: str | None = None
    receipt_id: str | None = None
    rows: list[BadRow] | None = None


router = APIRouter(
    prefix="/api/v1",
    responses={
        status: {"model": ProblemDetails, "content": {"application/problem+json": {}}}
        for status in sorted({status for status, _ in PROBLEMS.values()})
    },
)

Number = Annotated[int, Path(ge=1, lt=2**62)]
# The columns of a leaderboard that Kaggle lets download.
COLUMNS = ("Rank", "TeamId", "TeamName", "LastSubmissionDate", "Score", "SubmissionCount",
           "TeamMemberUserNames")  # fmt: skip
# What is told of a policy, and of a receipt.
PUBLIC_SETTINGS = ("release", "breakdown", "memory", "looks_per_team", "looks_per_data_set",
                   "window", "min_gap", "failed", "final_choices")  # fmt: skip
OF_A_RECEIPT = ("numbers", "metric", "meaning", "new_best", "own", "part", "looks_left",
                "receipt_id")  # fmt: skip
# Described here and read by hand: a look is answered so often that taking apart every request by
# its description would cost as much as the ledger does.
TEXT = {"type": "string", "maxLength": 200}
SUBMISSION = {
    "parameters": [
        {"name": "slug", "in": "path", "required": True, "schema": {**TEXT, "maxLength": 40}},
        {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "Sent again with the same upload, it gives the same answer, free.",
            "schema": TEXT,
        },
        {"name": "X-File-Name", "in": "header", "schema": {**TEXT, "default": "submission"}},
    ],
    "requestBody": {
        "required": True,
        "description": "What the board `takes`: a CSV or NPY file of predictions with the "
        "`columns` that it names, or a JSON object of tasks and outcomes.",
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object"}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    },
}


@router.get("/boards")
def list_boards(request: Request) -> Any:
    """List the boards."""
    site = site_of(request)
    boards = site.store.find(Board, "ORDER BY id")
    return JSONResponse({"boards": [{"name": b.slug, "title": b.title} for b in boards]})


@router.get("/boards/{slug}")
def show_board(request: Request, slug: Slug) -> Any:
    """Show what is public about a board: sizes, classes, policy, phase and the ledger's head."""
    with at_one_moment(request, slug) as at:
        site, board, phase, policy = at.site, at.board, at.phase, at.policy
        metric = policy.display.metric
        return JSONResponse(
            {
                "name": board.slug,
                "title": board.title,
                "visibility": board.visibility,
                "phase": phase.number,
                "open": site.boards.is_open(phase),
                "opens": moment(phase.opens),
                "closes": moment(phase.closes),
                "frozen": phase.frozen is not None,
                **asdict(site.gatekeeper.facts(phase)),
                "shows": phase.shows,
                "policy": {
                    "digest": phase.digest,
                    "metric": str(metric),
                    "also": list(policy.display.beside),
                    "higher_is_better": metric.higher_is_better,
                    **_told_of(policy, PUBLIC_SETTINGS),
                },
                "head": at.head,
            }
        )


@router.get("/boards/{slug}/standings")
def show_standings(
    request: Request,
    slug: Slug,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
    skip: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Any:
    """Show the board: released values with intervals and tie groups."""
    with at_one_moment(request, slug) as at:
        body = [
            {
                "team_id": row.team,
                "team": row.name,
                "released": None if row.released is None else float(row.released),
                "last": moment(row.last),
                **_told_of(row, ("rank", "low", "high", "group", "looks", "numbers")),
            }
            for row in at.rows(limit, skip)
        ]
        return _tagged(request, JSONResponse({"standings": body}))


@router.get("/boards/{slug}/standings.csv", response_class=PlainTextResponse)
def export_standings(request: Request, at: At) -> Any:
    """Download the board in the layout of Kaggle's leaderboards."""
    when = as_datetime(clock()).strftime("%Y-%m-%dT%H:%M:%S")
    name = f"{at.board.slug}-publicleaderboard-{when}.csv"
    text = as_kaggle_csv(at.rows(1_000_000))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return _tagged(request, Response(text, media_type="text/csv", headers=headers))


@router.post("/boards/{slug}/submissions", status_code=201, openapi_extra=SUBMISSION)
async def submit(request: Request) -> Any:
    """Send a submission: one look, answered at once."""
    site = site_of(request)
    caller = await _bearer(request, site)
    site.slow_down(f"submit {caller.token.id if caller.token else ''}")
    return await _take(request, site, lambda board: own_number(board, caller), caller)


@router.post("/boards/{slug}/service/submissions", status_code=201, openapi_extra=SUBMISSION)
async def submit_for_team(
    request: Request, team: Annotated[str, Header(alias="X-Team", min_length=1)]
) -> Any:
    """Forward a submission of another host's team; for tokens of scope service.

    A key is good for one phase: scripts that know nothing of phases make it of the content.
    """
    site = site_of(request)
    caller = await _bearer(request, site)
    # Header values are Latin-1; names come in UTF-8.
    try:
        name = team.encode("latin-1").decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        name = team
    try:
        key = team_key(name)
    except InvalidInput as error:
        raise Problem("invalid_team", str(error)) from None
    site.slow_down(f"forward {caller.token.id if caller.token else ''} {key}")

    def whose(board: Board) -> int:
        token = caller.token
        if token is None or (token.scope, token.board) != ("service", board.id):
            raise Problem("not_allowed", "The token must have the scope service, for this board.")
        where = "WHERE board = ? AND outside = ?"
        known = site.store.one(Team, where, board.id, key)
        if known is not None:
            return known.id
        site.caller(request)  # a token that has ended elsewhere makes no team
        with site.store.writing() as transaction:
            return store.team_from_outside(transaction, board.id, name, clock()).id

    return await _take(request, site, whose, caller, by_phase=True)


async def _bearer(request: Request, site: Site) -> Caller:
    """Return who sent a token; most are believed without a question to the database."""
    caller = site.believed(request)
    if caller is None:
        caller = await run_in_threadpool(site.caller, request)
    _require_token(caller)
    return caller


def _require_token(caller: Caller) -> Token:
    if caller.token is None:
        raise Problem("not_signed_in", "Send a token: Authorization: Bearer TOKEN.")
    return caller.token


async def _take(
    request: Request,
    site: Site,
    whose: Callable[[Board], int],
    caller: Caller,
    *,
    by_phase: bool = False,
) -> JSONResponse:
    slug, headers = request.path_params["slug"], request.headers
    key, file_name = headers.get("idempotency-key"), headers.get("x-file-name", "submission")
    most, announced = site.largest.get(slug, 0), headers.get("content-length", "")
    # What was remembered may be of a smaller test set than the present one.
    if not most or not announced.isdecimal() or int(announced) > most:
        most = await run_in_threadpool(site.largest_upload, slug)
    sent = await site.body(request, most)
    if encoding := headers.get("content-encoding"):
        sent = await run_in_threadpool(unpacked, sent, encoding, most)
    asked = as_sent(slug, whose, caller, key, file_name, sent)
    answer = await site.looks.ask(asked._replace(by_phase=by_phase))
    status = 200 if answer.replayed or answer.receipt.repeated else 201
    if answer.receipt.waiting:
        status = 202  # its batch is not full yet
    more = {"Idempotency-Replayed": "true"} if answer.replayed else {}
    return JSONResponse(_answered(answer), status_code=status, headers=more)


def as_sent(
    slug: str, whose: Callable[[Board], int], who: Caller, key: str | None, name: str, body: bytes
) -> Sent:
    """Return a submission as the gatekeeper takes it."""
    user = who.user.id if who.user is not None else None
    if who.token is not None:
        user = who.token.owner
    if key is not None and not re.fullmatch(r"[\x21-\x7e]{1,200}", key):
        raise Problem("bad_request", "Idempotency-Key must have 1 to 200 visible ASCII characters.")
    shown = "".join(c for c in name[:200] if c.isprintable()) or "submission"
    return Sent(slug, whose, user, key or "", shown, body, token=who.token)


@router.get("/boards/{slug}/submissions")
def list_submissions(at: At, before: Annotated[int, Query(ge=1, lt=2**62)] = 2**62 - 1) -> Any:
    """List the team's own submissions, newest first, a hundred at a time."""
    return JSONResponse({"submissions": at.submissions(at.own_team(), before)})


@router.get("/boards/{slug}/submissions/{number}")
def show_submission(at: At, number: Number) -> Any:
    """Show one submission, to its team and to hosts."""
    return JSONResponse(at.submission(number))


@router.post("/boards/{slug}/submissions/{number}/choice")
def choose(at: At, number: Number) -> Any:
    """Name a submission for the final result; it costs no look."""
    _require_token(at.caller)
    return JSONResponse({"chosen": at.choose(at.own_team(), number).receipt_id})


@router.get("/boards/{slug}/allowance")
def show_allowance(at: At) -> Any:
    """Show how many looks the team has left, and when the next one is allowed."""
    team = at.own_team()
    left, opens = at.site.gatekeeper.allowance(at.phase, team)
    told = {"team": team.name, "team_id": team.id, "phase": at.phase.number, "looks_left": left}
    return JSONResponse(told | {"next_allowed_at": moment(opens)})


@router.get("/boards/{slug}/receipts/{receipt_id}")
def show_receipt(at: At, receipt_id: Annotated[str, Path(max_length=80)]) -> Any:
    """Say whether a receipt is in the chain; what was released, to its team and hosts alone.

    What kind of entry it is, and when it was made, is told where looks are open to all.
    """
    entry = at.entry(receipt_id)
    if entry is None:
        return JSONResponse({"receipt_id": receipt_id, "in_chain": False})
    told: dict[str, Any] = {"receipt_id": receipt_id, "in_chain": True}
    if at.sees_looks or at.may_read(entry):
        told |= _told_of(entry, ("number", "kind", "policy")) | {"time": moment(entry.time)}
    if at.may_read(entry):
        told |= {"released": released_score(entry), "numbers": released_numbers(entry)}
        told |= {"rule": entry.rule}
    return JSONResponse(told)


@router.get("/boards/{slug}/final")
def show_final(at: At) -> Any:
    """Show the final ranking on the private part, once the board is closed."""
    return JSONResponse({"final": at.final_rows()})


@router.post("/boards/{slug}/actions")
def act(
    at: At,
    action: Annotated[str, Body(max_length=40)],
    value: Annotated[str, Body(max_length=100_000)] = "",
) -> Any:
    """Do something as a host, recorded in the ledger at no cost.

    freeze, thaw, stop (now, or at "2027-05-01T12:00", in UTC), reopen, policy, hide, show, merge
    ("3 into 5"), close, visibility.
    """
    _require_token(at.caller)
    done = at.as_host().act(action, value)
    return JSONResponse({"done": done.told, "receipt_id": done.receipt_id})


@router.get("/boards/{slug}/exposure")
def show_exposure(at: AtAsHost) -> Any:
    """Show what all looks allow, team by team; for hosts."""
    found, by_team = at.exposures()
    teams = [
        {"team_id": team.id, "team": team.name, **_told_of(each, ("looks", "failed", "gain"))}
        for team, each in by_team
    ]
    looks, gain = (0, 0.0) if found is None else (found.looks, found.gain)
    return JSONResponse({"looks": looks, "gain": gain, "teams": teams})


@router.get("/boards/{slug}/ledger.jsonl")
def export_ledger(at: AtAsHost) -> Any:
    """Download the ledger's entries about the board's test set; for hosts."""
    return StreamingResponse(as_lines(at.entries()), media_type="application/jsonl")


@router.get("/boards/{slug}/probes")
def show_probes(at: AtAsHost) -> Any:
    """Show teams whose looks were right no more often than guessing; for hosts."""
    band, found = at.probing()
    return JSONResponse({"at_chance_between": band, "teams": found})


@router.post("/verify")
def verify(
    request: Request,
    receipts: Annotated[
        list[Annotated[str, Field(max_length=80)]], Body(embed=True, min_length=1, max_length=100)
    ],
) -> Any:
    """Say of receipts, or of heads that were noted down, whether they are in the chain.

    When is told if all boards here are open to all.
    """
    site = site_of(request)
    found = {receipt_id: entry_in_chain(site, receipt_id) for receipt_id in receipts}
    all_open = site.boards.all_open()
    told = [
        {"receipt_id": receipt_id, "in_chain": entry is not None}
        | ({} if entry is None else {"number": entry.number})
        | ({} if entry is None or not all_open else {"time": moment(entry.time)})
        for receipt_id, entry in found.items()
    ]
    return JSONResponse({"receipts": told})


@router.get("/tokens")
def show_token(request: Request) -> Any:
    """Show what the token that is sent is good for; pages list all that one has made."""
    site = site_of(request)
    token = _require_token(site.caller(request))
    board = site.store.one(Board, "WHERE id = ?", token.board)
    return JSONResponse({"tokens": [_described(token, board)]})


@router.delete("/tokens/{number}")
def revoke_token(
    request: Request, number: Annotated[str, Path(max_length=40, pattern="^[0-9a-f]+$")]
) -> Any:
    """End the token that is sent."""
    site = site_of(request)
    caller = site.caller(request)
    if _require_token(caller).id != number:
        raise Problem("not_allowed", "A token may end itself, and no other.")
    site.accounts.revoke(number, caller)
    return JSONResponse({"revoked": number})


def _described(token: Token, board: Board | None) -> dict[str, Any]:
    return {
        **_told_of(token, ("id", "name", "scope")),
        "board": None if board is None else board.slug,
        "team_id": token.team or None,
        "expires": moment(token.expires),
        "revoked": moment(token.revoked),
        "last_used": moment(token.used_on),
    }


def _answered(answer: Answer) -> dict[str, Any]:
    receipt = answer.receipt
    return {
        "id": answer.submission.id,
        "board": answer.board.slug,
        "team": answer.team.name,
        "released": receipt.shown,
        **_told_of(receipt, OF_A_RECEIPT),
        # Of the submission, not of this request: whoever sends it again gets the same answer.
        "repeated": answer.submission.outcome == "repeated",
        "next_allowed_at": moment(receipt.next_allowed_at),
        "waiting": receipt.waiting,
    }


def _told_of(record: object, names: Sequence[str]) -> dict[str, Any]:
    """Return what is told of a record as it stands there."""
    return {name: getattr(record, name) for name in names}


def _tagged(request: Request, response: Response) -> Response:
    """Add a tag of exactly what is shown; nothing new is sent to whoever has it already."""
    tag = f'"{hashlib.sha256(bytes(response.body)).hexdigest()[:32]}"'
    # Tags are compared weakly; a star is any tag.
    known = request.headers.get("if-none-match", "").replace("W/", "").split(",")
    if not {tag, "*"}.isdisjoint(map(str.strip, known)):
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return response


def as_kaggle_csv(rows: Iterable[Row]) -> str:
    """Return rows of the board in the layout of Kaggle's download, with its byte order mark.

    Who the members of a team are is nobody's business: the column of their names is empty.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    for row in rows:
        name, last = safe_cell(row.name), as_datetime(row.last).strftime("%Y-%m-%d %H:%M:%S")
        writer.writerow((row.rank, row.team, name, last, row.released, row.looks, ""))
    return "\ufeff" + text.getvalue()


def as_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield entries of the ledger as lines of JSON; they hold released values and no others."""
    for entry in entries:
        yield json.dumps(asdict(entry)) + "\n"
