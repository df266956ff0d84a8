"""The API under /api/v1: boards, standings, submissions, receipts, the host's actions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from holdfast.guard.team import team_key
from holdfast.guard.windows import as_datetime, clock
from holdfast.server import store
from holdfast.server.accounts import Caller, new_token
from holdfast.server.exports import as_kaggle_csv, as_lines
from holdfast.server.gatekeeper import Answer
from holdfast.server.looks import Sent
from holdfast.server.problems import PROBLEMS, Problem
from holdfast.server.questions import (
    act_as_host,
    choose_submission,
    entries_after,
    entry_in_chain,
    entry_of,
    final_rows,
    is_about,
    may_read,
    member_names,
    moment,
    newest,
    own_submission,
    probing,
    replayed,
    seen_rows,
    shown_submission,
    submissions_of,
)
from holdfast.server.records import (
    Board,
    Phase,
    Team,
    Token,
)
from holdfast.server.site import Site, own_number, site_of
from holdfast.server.standings import policy_of
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

Slug = Annotated[str, Path(max_length=40, description="The board's name.")]
Number = Annotated[int, Path(ge=1, lt=2**62)]
# Described here and read by hand: a look is answered so often that taking apart every request by
# its description would cost as much as the ledger does.
SUBMISSION = {
    "parameters": [
        {
            "name": "slug",
            "in": "path",
            "required": True,
            "description": "The board's name.",
            "schema": {"type": "string", "maxLength": 40},
        },
        {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "Sent again with the same upload, it gives the same answer, free.",
            "schema": {"type": "string", "maxLength": 200},
        },
        {
            "name": "X-File-Name",
            "in": "header",
            "schema": {"type": "string", "maxLength": 200, "default": "submission"},
        },
    ],
    "requestBody": {
        "required": True,
        "description": "A CSV file (ids and classes) or an NPY file of predicted classes.",
        "content": {
            "text/csv": {"schema": {"type": "string"}},
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
    site = site_of(request)
    board = site.board(slug)
    phase = site.phase(board)
    facts, policy = site.gatekeeper.facts(phase), policy_of(phase.policy)
    with site.store.reading() as transaction:
        head = transaction.head()
    return JSONResponse(
        {
            "name": board.slug,
            "title": board.title,
            "visibility": board.visibility,
            "phase": phase.number,
            "open": site.boards.is_open(phase),
            "closes": moment(phase.closes),
            "frozen": phase.frozen is not None,
            "n_examples": facts.n_examples,
            "n_classes": facts.n_classes,
            "classes": list(facts.classes),
            "has_ids": facts.has_ids,
            "shows": phase.shows,
            "policy": {
                "digest": phase.digest,
                "release": policy.release,
                "metric": str(policy.display.metric),
                "higher_is_better": policy.display.metric.higher_is_better,
                "memory": policy.memory,
                "looks_per_team": policy.looks_per_team,
                "looks_per_data_set": policy.looks_per_data_set,
                "window": policy.window,
                "min_gap": policy.min_gap,
                "failed": policy.failed,
                "final_choices": policy.final_choices,
            },
            "head": f"{head.number}-{head.hash[:32]}",
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
    site = site_of(request)
    board = site.board(slug)
    rows = seen_rows(site, board, site.phase(board), site.caller(request), limit, skip)
    body = [
        {
            "rank": row.rank,
            "team_id": row.team,
            "team": row.name,
            "released": None if row.released is None else float(row.released),
            "low": row.low,
            "high": row.high,
            "group": row.group,
            "looks": row.looks,
            "last": moment(row.last),
        }
        for row in rows
    ]
    return _tagged(request, JSONResponse({"standings": body}))


@router.get("/boards/{slug}/standings.csv", response_class=PlainTextResponse)
def export_standings(request: Request, slug: Slug) -> Any:
    """Download the board in the layout of Kaggle's leaderboards."""
    site = site_of(request)
    board = site.board(slug)
    phase = site.phase(board)
    rows = seen_rows(site, board, phase, site.caller(request), 1_000_000, 0)
    when = as_datetime(clock()).strftime("%Y-%m-%dT%H:%M:%S")
    name = f"{board.slug}-publicleaderboard-{when}.csv"
    text = as_kaggle_csv(rows, member_names(site, board))
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
    request: Request, team: Annotated[str, Header(alias="X-Team", min_length=1, max_length=200)]
) -> Any:
    """Forward a submission of another host's team; for tokens of scope service."""
    site = site_of(request)
    caller = await _bearer(request, site)
    # Header values are Latin-1; names come in UTF-8.
    try:
        name = team.encode("latin-1").decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        name = team
    site.slow_down(f"forward {caller.token.id if caller.token else ''} {name}")

    def whose(board: Board) -> int:
        if caller.token is None or (caller.token.scope, caller.token.board) != (
            "service",
            board.id,
        ):
            raise Problem("not_allowed", "The token must have the scope service, for this board.")
        where = "WHERE board = ? AND outside = ?"
        known = site.store.one(Team, where, board.id, team_key(name))
        if known is not None:
            return known.id
        with site.store.writing() as transaction:
            return store.team_from_outside(transaction, board.id, name, clock()).id

    return await _take(request, site, whose, caller)


async def _bearer(request: Request, site: Site) -> Caller:
    """Return who sent a token; most are believed without a question to the database."""
    caller = site.believed(request)
    if caller is None:
        caller = await run_in_threadpool(site.caller, request)
    if caller.token is None:
        raise Problem("not_signed_in", "Send a token: Authorization: Bearer TOKEN.")
    return caller


async def _take(
    request: Request, site: Site, whose: Callable[[Board], int], caller: Caller
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
    answer = await site.looks.ask(as_sent(slug, whose, caller, key, file_name, sent))
    status = 200 if answer.replayed or answer.receipt.repeated else 201
    if answer.receipt.released is None:
        status = 202  # its batch is not full yet
    more = {"Idempotency-Replayed": "true"} if answer.replayed else {}
    return JSONResponse(_answered(answer), status_code=status, headers=more)


def as_sent(
    slug: str,
    whose: Callable[[Board], int],
    caller: Caller,
    key: str | None,
    name: str,
    body: bytes,
) -> Sent:
    """Return a submission as the gatekeeper takes it."""
    user = caller.user.id if caller.user is not None else None
    if caller.token is not None:
        user = caller.token.owner
    if key is not None and not re.fullmatch(r"[\x21-\x7e]{1,200}", key):
        raise Problem("bad_request", "Idempotency-Key must have 1 to 200 visible ASCII characters.")
    shown = "".join(c for c in name[:200] if c.isprintable()) or "submission"
    return Sent(slug, whose, user, key or "", shown, body)


@router.get("/boards/{slug}/submissions")
def list_submissions(
    request: Request,
    slug: Slug,
    before: Annotated[int, Query(ge=1, lt=2**62)] = 2**62 - 1,
) -> Any:
    """List the team's own submissions, newest first, a hundred at a time."""
    site = site_of(request)
    board = site.board(slug)
    team = site.own_team(board, site.caller(request))
    return JSONResponse({"submissions": submissions_of(site, board, team, before)})


@router.get("/boards/{slug}/submissions/{number}")
def show_submission(request: Request, slug: Slug, number: Number) -> Any:
    """Show one submission, to its team and to hosts."""
    site = site_of(request)
    board = site.board(slug)
    found = own_submission(site, board, site.caller(request), number)
    team = site.team(board, found.team)
    with site.store.reading() as transaction:
        entry = transaction.entry(found.entry)
        return JSONResponse(shown_submission(board, team, found, newest(transaction, entry)))


@router.post("/boards/{slug}/submissions/{number}/choice")
def choose(request: Request, slug: Slug, number: Number) -> Any:
    """Name a submission for the final result; it costs no look."""
    site = site_of(request)
    board = site.board(slug)
    caller = site.caller(request)
    if caller.token is None:
        raise Problem("not_signed_in", "Send a token: Authorization: Bearer TOKEN.")
    team = site.own_team(board, caller)
    receipt = choose_submission(site, board, team, number)
    return JSONResponse({"chosen": receipt.receipt_id})


@router.get("/boards/{slug}/allowance")
def show_allowance(request: Request, slug: Slug) -> Any:
    """Show how many looks the team has left, and when the next one is allowed."""
    site = site_of(request)
    board = site.board(slug)
    team = site.own_team(board, site.caller(request))
    left, at = site.gatekeeper.allowance(site.phase(board), team)
    return JSONResponse(
        {
            "team": team.name,
            "team_id": team.id,
            "looks_left": left,
            "next_allowed_at": None if at is None else at.isoformat(timespec="seconds"),
        }
    )


@router.get("/boards/{slug}/receipts/{receipt_id}")
def show_receipt(
    request: Request, slug: Slug, receipt_id: Annotated[str, Path(max_length=80)]
) -> Any:
    """Say whether a receipt is in the chain; what was released, to its team and hosts alone."""
    site = site_of(request)
    board = site.board(slug)
    caller = site.caller(request)
    entry = entry_of(site, board, receipt_id)
    if entry is None:
        return JSONResponse({"receipt_id": receipt_id, "in_chain": False})
    body: dict[str, Any] = {
        "receipt_id": entry.receipt_id,
        "in_chain": True,
        "number": entry.number,
        "kind": entry.kind,
        "time": moment(entry.time),
        "policy": entry.policy,
    }
    if may_read(board, caller, entry):
        body["released"] = None if entry.released is None else float(entry.released)
        body["rule"] = entry.rule
    return JSONResponse(body)


@router.get("/boards/{slug}/final")
def show_final(request: Request, slug: Slug) -> Any:
    """Show the final ranking on the private part, once the board is closed."""
    site = site_of(request)
    board = site.board(slug)
    rows = final_rows(site, board, site.phase(board), site.caller(request))
    return JSONResponse({"final": rows})


@router.post("/boards/{slug}/actions")
def act(
    request: Request,
    slug: Slug,
    action: Annotated[str, Body(max_length=40)],
    value: Annotated[str, Body(max_length=100_000)] = "",
) -> Any:
    """Do something as a host, recorded in the ledger at no cost.

    freeze, thaw, stop, reopen, policy, hide, show, merge ("3 into 5"), close, visibility.
    """
    site = site_of(request)
    board = site.board(slug)
    caller = site.caller(request)
    if caller.token is None:
        raise Problem("not_signed_in", "Send a token: Authorization: Bearer TOKEN.")
    site.require_host(board, caller)
    done = act_as_host(site, board, caller, action, value)
    return JSONResponse({"done": done.told, "receipt_id": done.receipt_id})


@router.get("/boards/{slug}/exposure")
def show_exposure(request: Request, slug: Slug) -> Any:
    """Show what all looks allow, team by team; for hosts."""
    site = site_of(request)
    board = site.board(slug)
    site.require_host(board, site.caller(request))
    found = site.gatekeeper.exposure(site.phase(board))
    if found is None:
        return JSONResponse({"looks": 0, "gain": 0.0, "teams": []})
    teams = [
        {"team": each.team, "looks": each.looks, "failed": each.failed, "gain": each.gain}
        for each in found.teams
    ]
    return JSONResponse({"looks": found.looks, "gain": found.gain, "teams": teams})


@router.get("/boards/{slug}/replay")
def show_replay(
    request: Request, slug: Slug, rule: Annotated[str, Query(min_length=1, max_length=200)]
) -> Any:
    """Show what another rule would have released for the last looks; for hosts."""
    site = site_of(request)
    board = site.board(slug)
    site.require_host(board, site.caller(request))
    return JSONResponse({"replay": replayed(site, site.phase(board), rule)})


@router.get("/boards/{slug}/ledger.jsonl")
def export_ledger(request: Request, slug: Slug) -> Any:
    """Download the ledger's entries about the board's test set; for hosts."""
    site = site_of(request)
    board = site.board(slug)
    site.require_host(board, site.caller(request))
    phases = site.store.find(Phase, "WHERE board = ?", board.id)
    data_sets = {phase.data_set for phase in phases}

    def lines() -> Iterator[str]:
        last = 0
        # A piece at a time: whoever reads slowly holds up nobody else's questions.
        while some := entries_after(site, last):
            last = some[-1].number
            yield from as_lines(e for e in some if e.data_set in data_sets and is_about(e, board))

    return StreamingResponse(lines(), media_type="application/jsonl")


@router.get("/boards/{slug}/probes")
def show_probes(request: Request, slug: Slug) -> Any:
    """Show teams whose looks were right no more often than guessing; for hosts."""
    site = site_of(request)
    board = site.board(slug)
    site.require_host(board, site.caller(request))
    band, found = probing(site, site.phase(board))
    return JSONResponse({"at_chance_between": band, "teams": found})


@router.post("/verify")
def verify(
    request: Request,
    receipts: Annotated[
        list[Annotated[str, Field(max_length=80)]], Body(embed=True, min_length=1, max_length=100)
    ],
) -> Any:
    """Say of receipts, or of heads that were noted down, whether they are in the chain."""
    site = site_of(request)
    found = {receipt_id: entry_in_chain(site, receipt_id) for receipt_id in receipts}
    told = [
        {"receipt_id": receipt_id, "in_chain": entry is not None}
        | ({} if entry is None else {"number": entry.number, "time": moment(entry.time)})
        for receipt_id, entry in found.items()
    ]
    return JSONResponse({"receipts": told})


@router.get("/tokens")
def list_tokens(request: Request) -> Any:
    """List one's own tokens; with a token, show what that one is good for."""
    site = site_of(request)
    caller = site.caller(request)
    with site.store.reading() as transaction:
        mine = [caller.token] if caller.token is not None else []
        if caller.token is None and caller.user is not None:
            where = "WHERE owner = ? ORDER BY created DESC"
            mine = store.find(transaction, Token, where, caller.user.id)
        elif caller.token is None:
            raise Problem("not_signed_in", "Sign in, or send a token, to do this.")
        boards = {each.id: each.slug for each in store.find(transaction, Board, "ORDER BY id")}
    return JSONResponse({"tokens": [_described(token, boards) for token in mine]})


@router.post("/tokens", status_code=201)
def make_token(
    request: Request,
    board: Annotated[str, Body(max_length=40)],
    name: Annotated[str, Body(max_length=80)],
    days: Annotated[int, Body(ge=1, le=3650)] = 180,
    form_token: Annotated[str, Header(alias="X-Form-Token", max_length=100)] = "",
) -> Any:
    """Make a token for one's team, shown once; for people who are signed in, not for tokens."""
    site = site_of(request)
    caller = site.visitor(request)
    found = site.board(board)
    team = site.own_team(found, caller)
    site.check_form(request, caller, form_token)
    owner = None if caller.user is None else caller.user.id
    with site.store.writing() as transaction:
        text = new_token(
            transaction,
            board=found.id,
            team=team.id,
            scope="submit",
            name=name,
            owner=owner,
            days=days,
        )
    return JSONResponse({"token": text}, status_code=201)


@router.delete("/tokens/{number}")
def revoke_token(
    request: Request,
    number: Annotated[str, Path(max_length=40, pattern="^[0-9a-f]+$")],
    form_token: Annotated[str, Header(alias="X-Form-Token", max_length=100)] = "",
) -> Any:
    """End a token: one's own when signed in, or the one that is sent."""
    site = site_of(request)
    caller = site.caller(request)
    if caller.token is None:
        if caller.user is None:
            raise Problem("not_signed_in", "Sign in, or send a token, to do this.")
        site.check_form(request, caller, form_token)
    elif caller.token.id != number:
        raise Problem("not_allowed", "A token may end itself, and no other.")
    if not site.accounts.revoke(number, caller):
        raise Problem("not_found", "There is no such token.")
    return JSONResponse({"revoked": number})


def _described(token: Token, boards: Mapping[int, str]) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "board": boards.get(token.board),
        "team_id": token.team or None,
        "expires": moment(token.expires),
        "revoked": moment(token.revoked),
        "last_used": moment(token.used_on),
    }


def _answered(answer: Answer) -> dict[str, Any]:
    receipt = answer.receipt
    at = receipt.next_allowed_at
    return {
        "id": answer.submission.id,
        "board": answer.board.slug,
        "team": answer.team.name,
        "released": receipt.released,
        "meaning": receipt.meaning,
        "new_best": receipt.new_best,
        "own": receipt.own,
        "part": receipt.part,
        # Of the submission, not of this request: whoever sends it again gets the same answer.
        "repeated": answer.submission.outcome == "repeated",
        "looks_left": receipt.looks_left,
        "next_allowed_at": None if at is None else at.isoformat(timespec="seconds"),
        "receipt_id": receipt.receipt_id,
        "waiting": receipt.released is None,
    }


def _tagged(request: Request, response: Response) -> Response:
    """Add a tag of exactly what is shown; nothing new is sent to whoever has it already."""
    tag = f'"{hashlib.sha256(bytes(response.body)).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return response
