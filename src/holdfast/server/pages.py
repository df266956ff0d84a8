"""Pages: the board, its rules, submitting, teams, receipts, the host's desk and accounts.

Every page works without JavaScript; forms carry the session's token.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from holdfast.errors import HoldfastError
from holdfast.guard.windows import as_datetime, clock
from holdfast.mechanisms import Told
from holdfast.problem import Problem as Sizes
from holdfast.server import store
from holdfast.server.accounts import Caller, join_team, new_token
from holdfast.server.api import as_sent
from holdfast.server.problems import Problem, as_problem
from holdfast.server.questions import (
    act_as_host,
    choose_submission,
    entry_of,
    final_rows,
    may_read,
    probing,
    replayed,
    seen_rows,
    submissions_of,
)
from holdfast.server.records import Board, Phase, Team, Token
from holdfast.server.site import Site, address, own_number, site_of
from holdfast.server.standings import meaningless, policy_of, sparkline
from holdfast.server.uploads import largest_upload

__all__ = ["error_page", "router"]

router = APIRouter(include_in_schema=False)

HERE = Path(__file__).parent
ON_A_PAGE = 100
FORECAST_DAYS = 14
DAY = 86_400_000_000


@cache
def _templates() -> Environment:
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"moment": _moment, "sparkline": sparkline, "iso": _iso}
    return found


def _page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    caller = values.pop("caller", None)
    if caller is None:
        caller = site_of(request).visitor(request)
    text = (
        _templates()
        .get_template(f"{template}.html")
        .render(caller=caller, here=request.url.path, **values)
    )
    return HTMLResponse(text, status_code=status)


def error_page(request: Request, problem: Problem) -> Response:
    """Return the page that tells what went wrong."""
    try:
        page = _page(request, "error", status=problem.status, problem=problem)
    except HoldfastError:  # the ledger, which knows sessions, may be what went wrong
        page = _page(request, "error", status=problem.status, problem=problem, caller=Caller())
    page.headers.update({k: v for k, v in problem.headers.items() if k != "WWW-Authenticate"})
    return page


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return the style sheet or the script."""
    kinds = {"board.css": "text/css", "board.js": "text/javascript"}
    if name not in kinds:
        raise Problem("not_found", "There is no such file.")
    headers = {"Cache-Control": "public, max-age=3600"}
    text = (HERE / "static" / name).read_text(encoding="utf-8")
    return Response(text, media_type=kinds[name], headers=headers)


@router.get("/")
def index(request: Request) -> Response:
    """List the boards."""
    site = site_of(request)
    boards = [(board, site.boards.phase(board)) for board in site.store.find(Board, "ORDER BY id")]
    return _page(request, "boards", boards=boards)


# A board.


def _at(request: Request, slug: str) -> tuple[Site, Board, Phase, Caller]:
    site = site_of(request)
    board = site.board(slug)
    return site, board, site.phase(board), site.visitor(request)


def _shared(site: Site, board: Board, phase: Phase, caller: Caller) -> dict[str, Any]:
    """Return what every page of a board shows."""
    return {
        "board": board,
        "phase": phase,
        "open": site.boards.is_open(phase),
        "caller": caller,
        "host": caller.is_host(board),
        "teams": [site.team(board, number) for number in caller.teams(board)],
    }


@router.get("/b/{slug}")
def board(request: Request, slug: str, skip: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
    """Show the standings."""
    site, board, phase, caller = _at(request, slug)
    rows = seen_rows(site, board, phase, caller, ON_A_PAGE, skip)
    policy = policy_of(phase.policy)
    rule, display = policy.mechanism, policy.display
    scores = rule.shows == "scores" and display.plain
    sizes = Sizes(phase.n_examples, 2, 1)
    gap = (
        meaningless(rows, rule.scored(sizes).n_examples, rule.resolution(sizes)) if scores else None
    )
    return _page(
        request,
        "board",
        **_shared(site, board, phase, caller),
        rows=rows,
        gap=gap,
        blur=rule.resolution(sizes) if scores else None,
        meaning=rule.meaning(Told(new_best=True), "the team"),
        metric=None if display.plain else display.metric,
        count=site.boards.count(phase),
        skip=skip,
        most=ON_A_PAGE,
    )


@router.get("/b/{slug}/rules")
def rules(request: Request, slug: str) -> Response:
    """Show the policy in words, the budget, and what the looks so far allow."""
    site, board, phase, caller = _at(request, slug)
    policy = policy_of(phase.policy)
    with site.store.reading() as transaction:
        head = transaction.head()
        spent = transaction.data_set_looks(phase.data_set)
    return _page(
        request,
        "rules",
        **_shared(site, board, phase, caller),
        policy=policy,
        meaning=policy.mechanism.meaning(Told(new_best=True), "your team"),
        facts=site.gatekeeper.facts(phase),
        spent=spent,
        exposure=site.gatekeeper.exposure(phase),
        head=f"{head.number}-{head.hash[:32]}",
    )


@router.get("/b/{slug}/sample.csv")
def sample(request: Request, slug: str) -> Response:
    """Return a submission that is right in form."""
    site, board, phase, _ = _at(request, slug)
    headers = {"Content-Disposition": f'attachment; filename="{board.slug}-sample.csv"'}
    return PlainTextResponse(site.gatekeeper.sample(phase), media_type="text/csv", headers=headers)


@router.get("/b/{slug}/submit")
def submit_form(request: Request, slug: str) -> Response:
    """Show the form for a submission."""
    return _submit_page(request, slug)


def _submit_page(
    request: Request, slug: str, *, status: int = 200, answer: Any = None, problem: Any = None
) -> Response:
    site, board, phase, caller = _at(request, slug)
    shared = _shared(site, board, phase, caller)
    left = {team.id: site.gatekeeper.allowance(phase, team) for team in shared["teams"]}
    return _page(
        request,
        "submit",
        status=status,
        **shared,
        facts=site.gatekeeper.facts(phase),
        policy=policy_of(phase.policy),
        left=left,
        answer=answer,
        problem=problem,
    )


@router.post("/b/{slug}/submit")
async def submit(request: Request, slug: str) -> Response:
    """Take a submission from the form, and show what was released."""
    site, board, phase, caller = await run_in_threadpool(_at, request, slug)
    facts = await run_in_threadpool(site.gatekeeper.facts, phase)
    try:
        form = await site.form(request, largest_upload(facts.n_examples) + 8192)
        site.check_form(request, caller, form.get("form_token"))
        site.slow_down(f"submit {caller.name}")
        number = own_number(board, caller, _number(form.get("team")))
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise Problem("bad_request", "Choose a file first.")
        body, name = await file.read(), file.filename
        key = form.get("key")
        key = str(key) if key else None
        sent = as_sent(slug, lambda _: number, caller, key, name, body)
        answer = await site.looks.ask(sent)
    except HoldfastError as error:
        problem = as_problem(error)
        if problem.status >= 500 or problem.word in ("not_signed_in", "not_allowed"):
            raise
        request.scope["holdfast.problem"] = problem.word
        return await run_in_threadpool(
            _submit_page, request, slug, status=problem.status, problem=problem
        )
    return await run_in_threadpool(_submit_page, request, slug, answer=answer)


@router.get("/b/{slug}/t/{number}")
def team(request: Request, slug: str, number: int) -> Response:
    """Show a team: its row to whoever may see it, its submissions to its members and hosts."""
    site, board, phase, caller = _at(request, slug)
    shown = site.team(board, number)
    mine = number in caller.teams(board)
    host = caller.is_host(board)
    if not (mine or host) and (shown.hidden or not site.may_see(board, caller, number)):
        raise Problem("not_found", "There is no such team on this board.")
    values: dict[str, Any] = {"submissions": None, "left": None, "at": None}
    if mine or host:
        left, at = site.gatekeeper.allowance(phase, shown)
        found = submissions_of(site, board, shown, 2**62 - 1)
        values = {"submissions": found, "left": left, "at": at}
    return _page(
        request,
        "team",
        **_shared(site, board, phase, caller),
        team=shown,
        mine=mine,
        choices=policy_of(phase.policy).final_choices,
        row=next(
            (r for r in seen_rows(site, board, phase, caller, 10**6, 0) if r.team == number), None
        ),
        **values,
    )


@router.post("/b/{slug}/t/{number}/{action}")
async def team_action(request: Request, slug: str, number: int, action: str) -> Response:
    """Choose a submission, or make an invitation or a token, as a member of the team."""
    site, board, phase, caller = await run_in_threadpool(_at, request, slug)
    form = await site.form(request)
    site.check_form(request, caller, form.get("form_token"))
    team = site.own_team(board, caller, number)
    del phase

    def act() -> Response:
        if action == "choose":
            choose_submission(site, board, team, _number(form.get("submission")) or 0)
            return _back(f"/b/{board.slug}/t/{team.id}")
        if action == "invite":
            secret = site.accounts.invite(board, team, "member")
            link = f"{site.settings.public_url}/join/{secret}"
            return _page(request, "secret", what="invitation", secret=link, caller=caller)
        if action == "token" and caller.user is not None:
            with site.store.writing() as transaction:
                secret = new_token(
                    transaction,
                    board=board.id,
                    team=team.id,
                    scope="submit",
                    name=str(form.get("name") or "submit"),
                    owner=caller.user.id,
                )
            return _page(request, "secret", what="token", secret=secret, caller=caller)
        raise Problem("not_found", "There is no such action.")

    return await run_in_threadpool(act)


@router.post("/b/{slug}/teams")
async def new_team(request: Request, slug: str) -> Response:
    """Make a team and join it."""
    site, board, _, caller = await run_in_threadpool(_at, request, slug)
    form = await site.form(request)
    user = _signed_in(caller)
    site.check_form(request, caller, form.get("form_token"))
    site.slow_down(f"team {user.id}", strict=True)
    if caller.teams(board):
        raise Problem("not_allowed", "You are in a team of this board already.")

    def act() -> Team:
        with site.store.writing() as transaction:
            team = store.new_team(transaction, board.id, str(form.get("name") or ""), clock())
            join_team(transaction, user.id, board.id, team.id, "member")
            return team

    await run_in_threadpool(act)
    return _back(f"/b/{board.slug}/submit")


@router.get("/b/{slug}/receipts/{receipt_id}")
def receipt(request: Request, slug: str, receipt_id: str) -> Response:
    """Say whether a receipt is in the chain."""
    site, board, phase, caller = _at(request, slug)
    entry = entry_of(site, board, receipt_id[:80])
    return _page(
        request,
        "receipt",
        **_shared(site, board, phase, caller),
        receipt_id=receipt_id[:80],
        entry=entry,
        readable=entry is not None and may_read(board, caller, entry),
    )


@router.get("/b/{slug}/final")
def final(request: Request, slug: str) -> Response:
    """Show public and private scores side by side, after the close."""
    site, board, phase, caller = _at(request, slug)
    rows = final_rows(site, board, phase, caller)
    return _page(request, "final", **_shared(site, board, phase, caller), rows=rows)


# The host's desk.


@router.get("/b/{slug}/host")
def host(request: Request, slug: str) -> Response:
    """Show the budget, the exposure and the actions, to hosts."""
    return _host_page(request, slug)


def _host_page(request: Request, slug: str, *, done: str = "", problem: Any = None) -> Response:
    site, board, phase, caller = _at(request, slug)
    site.require_host(board, caller)
    policy = policy_of(phase.policy)
    exposure = site.gatekeeper.exposure(phase)
    now = clock()
    with site.store.reading() as transaction:
        spent = transaction.data_set_looks(phase.data_set)
        recent = transaction.rows(
            "SELECT COUNT(*) FROM holdfast_submissions WHERE board = ? AND time >= ? "
            "AND outcome IN ('answered', 'failed')",
            (board.id, now - FORECAST_DAYS * DAY),
        )[0][0]
        history = store.actions(transaction, board.id, 20)
        # Another board may have the same test set; its teams are its own.
        ours = (
            [t for t in exposure.teams if t.team.startswith(f"b{board.id}-t")] if exposure else []
        )
        worst = sorted(ours, key=lambda t: -t.gain)[:50]
        numbers = [int(t.team.rpartition("-t")[2]) for t in worst]
        names = store.names_of(transaction, numbers)
    return _page(
        request,
        "host",
        status=200 if problem is None else problem.status,
        **_shared(site, board, phase, caller),
        policy=policy,
        spent=spent,
        forecast=_forecast(policy.looks_per_data_set - spent, recent, phase, now),
        exposure=exposure,
        worst=[(names.get(number), t) for number, t in zip(numbers, worst, strict=True)],
        history=history,
        done=done,
        problem=problem,
    )


def _forecast(left: int, recent: int, phase: Phase, now: int) -> str | None:
    """Return the day on which the looks end at the rate of the last two weeks."""
    if recent == 0 or left <= 0:
        return None
    span = min(FORECAST_DAYS * DAY, max(now - phase.opens, DAY))
    days = left * span / recent / DAY
    return None if days > 36_500 else _moment(now + int(days * DAY))[:10]


@router.get("/b/{slug}/host/replay")
def replay(
    request: Request, slug: str, rule: Annotated[str, Query(max_length=200)] = "ladder:0.01"
) -> Response:
    """Show what another rule would have released, to hosts."""
    site, board, phase, caller = _at(request, slug)
    site.require_host(board, caller)
    rows, problem = [], None
    try:
        rows = replayed(site, phase, rule)
    except HoldfastError as error:
        problem = as_problem(error)
    return _page(
        request,
        "replay",
        status=200 if problem is None else problem.status,
        **_shared(site, board, phase, caller),
        rule=rule,
        in_force=policy_of(phase.policy).release,
        rows=rows,
        problem=problem,
    )


@router.get("/b/{slug}/host/probes")
def probes(request: Request, slug: str) -> Response:
    """Show teams whose looks were right no more often than guessing, to hosts."""
    site, board, phase, caller = _at(request, slug)
    site.require_host(board, caller)
    band, found = probing(site, phase)
    shared = _shared(site, board, phase, caller)
    return _page(request, "probes", **shared, band=band, found=found)


@router.post("/b/{slug}/host")
async def host_action(request: Request, slug: str) -> Response:
    """Do one of the host's actions."""
    site, board, _, caller = await run_in_threadpool(_at, request, slug)
    form = await site.form(request)
    site.check_form(request, caller, form.get("form_token"))
    site.require_host(board, caller)
    action, value = str(form.get("action") or ""), str(form.get("value") or "")

    def act() -> Response:
        try:
            done = act_as_host(site, board, caller, action, value)
        except HoldfastError as error:
            return _host_page(request, slug, problem=as_problem(error))
        return _host_page(request, slug, done=done.told)

    return await run_in_threadpool(act)


# Accounts.


@router.get("/sign-in")
def sign_in_form(request: Request, to: str = "/me") -> Response:
    """Show the form to sign in."""
    return _page(request, "sign_in", to=_local(to), new=False, problem=None, name="")


@router.get("/sign-up")
def sign_up_form(request: Request, to: str = "/me") -> Response:
    """Show the form for a new account."""
    return _page(request, "sign_in", to=_local(to), new=True, problem=None, name="")


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Begin a session."""
    return await _begin(request, new=False)


@router.post("/sign-up")
async def sign_up(request: Request) -> Response:
    """Make an account and begin a session."""
    return await _begin(request, new=True)


async def _begin(request: Request, *, new: bool) -> Response:
    site = site_of(request)
    site.check_origin(request)
    form = await site.form(request)
    name, password = str(form.get("name") or ""), str(form.get("password") or "")
    to = _local(str(form.get("to") or "/me"))
    invitation = to.removeprefix("/join/") if to.startswith("/join/") else ""

    def act() -> str:
        site.slow_down(f"sign in {address(request)}", strict=True)
        site.slow_down(f"sign in as {name[:200]}", strict=True)
        if new and not (site.settings.sign_up or site.accounts.invited(invitation)):
            raise Problem("not_allowed", "Accounts are made by invitation here.")
        user = (site.accounts.sign_up if new else site.accounts.sign_in)(name, password)
        return site.accounts.new_session(user)

    try:
        secret = await site.alone(act)
    except HoldfastError as error:
        problem = as_problem(error)
        if problem.status >= 500:
            raise
        page = _page(
            request, "sign_in", status=problem.status, to=to, new=new, problem=problem, name=name
        )
        page.headers.update({k: v for k, v in problem.headers.items() if k == "Retry-After"})
        return page
    answer = _back(to)
    answer.set_cookie(
        site.cookie, secret, max_age=14 * 86_400, httponly=True, samesite="lax",
        secure=site.settings.secure,
    )  # fmt: skip
    return answer


@router.get("/me")
def account(request: Request) -> Response:
    """Show one's teams and tokens."""
    site = site_of(request)
    caller = site.visitor(request)
    if caller.user is None:
        return _back("/sign-in")
    with site.store.reading() as transaction:
        boards = {b.id: b for b in store.find(transaction, Board, "ORDER BY id")}
        teams = store.names_of(transaction, (m.team for m in caller.members if m.team))
        tokens = store.find(
            transaction, Token, "WHERE owner = ? ORDER BY created DESC", caller.user.id
        )
    return _page(
        request, "account", caller=caller, boards=boards, team_of=teams, tokens=tokens, now=clock()
    )


@router.post("/me/{action}")
async def account_action(request: Request, action: str) -> Response:
    """Revoke a token, or end sessions."""
    site = site_of(request)
    caller = await run_in_threadpool(site.visitor, request)
    form = await site.form(request)
    user = _signed_in(caller)
    site.check_form(request, caller, form.get("form_token"))
    if action == "revoke":
        number = str(form.get("token") or "")
        await run_in_threadpool(site.accounts.revoke, number if number.isalnum() else "", caller)
        return _back("/me")
    if action not in ("sign-out", "sign-out-everywhere"):
        raise Problem("not_found", "There is no such action.")
    if action == "sign-out":
        await run_in_threadpool(site.accounts.end_session, caller.secret)
    else:
        await run_in_threadpool(site.accounts.end_all_sessions, user)
    answer = _back("/")
    answer.delete_cookie(site.cookie, httponly=True, samesite="lax", secure=site.settings.secure)
    return answer


@router.get("/join/{secret}")
def join_form(request: Request, secret: str) -> Response:
    """Ask whether to follow an invitation."""
    return _page(request, "join", secret=secret[:100])


@router.post("/join/{secret}")
async def join(request: Request, secret: str) -> Response:
    """Follow an invitation."""
    site = site_of(request)
    caller = await run_in_threadpool(site.visitor, request)
    form = await site.form(request)
    user = _signed_in(caller)
    site.check_form(request, caller, form.get("form_token"))
    site.slow_down(f"join {user.id}", strict=True)
    number = await run_in_threadpool(site.accounts.join, user, secret)
    board = await run_in_threadpool(site.store.one, Board, "WHERE id = ?", number)
    return _back("/" if board is None else f"/b/{board.slug}")


def _signed_in(caller: Caller) -> Any:
    if caller.user is None:
        raise Problem("not_signed_in", "Sign in to do this.")
    return caller.user


def _back(to: str) -> RedirectResponse:
    return RedirectResponse(to, status_code=303)


def _local(to: str) -> str:
    """Return a path of this site; anything else leads to the account."""
    safe = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if safe and "\\" not in to else "/me"


def _number(text: object) -> int | None:
    fits = isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 18
    return int(str(text)) if fits else None


def _moment(at: int | datetime) -> str:
    return _as_datetime(at).strftime("%Y-%m-%d %H:%M UTC")


def _iso(at: int | datetime) -> str:
    return _as_datetime(at).isoformat(timespec="seconds")


def _as_datetime(at: int | datetime) -> datetime:
    return at if isinstance(at, datetime) else as_datetime(at)
