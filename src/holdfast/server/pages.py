"""Pages: the board, its rules, submitting, teams, receipts, the host's desk and accounts.

Every page works without JavaScript; forms carry the session's token.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.routing import Route

from holdfast.errors import HoldfastError
from holdfast.guard.receipt import released_numbers
from holdfast.ledger.moments import as_datetime, clock
from holdfast.problem import Problem as Sizes
from holdfast.rules import Told
from holdfast.server import store
from holdfast.server.accounts import Caller, check_no_part, join_team
from holdfast.server.api import as_sent
from holdfast.server.gatekeeper import Answer
from holdfast.server.problems import Problem, as_problem
from holdfast.server.questions import At, AtAsHost, Slug, Visit, at_one_moment, moment, visit
from holdfast.server.records import Board, Phase, Team, Token, User
from holdfast.server.site import Site, own_number, site_of
from holdfast.server.standings import Row, further_numbers, meaningless, sparkline

__all__ = ["error_page", "router"]

router = APIRouter(include_in_schema=False)

HERE = Path(__file__).parent
ON_A_PAGE = 100
# Of a page that holds its own style and loads nothing.
FINDING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
CANNOT_BE_UNDONE = ("close", "policy", "merge")
FORECAST_DAYS = 14
RECENT = (
    "SELECT COUNT(*) FROM holdfast_submissions WHERE board = ? AND time >= ? "
    "AND outcome IN ('answered', 'failed')"
)
POLICY_SET = "SELECT MAX(time) FROM holdfast_audit WHERE board = ? AND action = 'policy'"
DAY = 86_400_000_000
# What floats lose of a decimal.
SLACK = 1e-9


@cache
def _templates() -> Environment:
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"number_column": "#{}".format}
    found.filters |= {"moment": _moment, "sparkline": sparkline, "iso": moment, "around": _around}
    parts = vars(found.get_template("parts.html").module)
    found.globals |= {name: parts[name] for name in ("table", "state", "budget")}
    return found


def _page(
    request: Request, name: str, problem: Problem | None = None, /, **values: Any
) -> HTMLResponse:
    """Return a page, with the status of a problem that it tells, and when to try again."""
    if "caller" not in values:
        values["caller"] = site_of(request).visitor(request)
    token = values["caller"].form_token  # inside of tables, `caller` is their own word
    values |= {"here": request.url.path, "problem": problem, "form_token": token}
    text = _templates().get_template(f"{name}.html").render(values)
    if problem is None:
        return HTMLResponse(text)
    headers = {k: v for k, v in problem.headers.items() if k != "WWW-Authenticate"}
    return HTMLResponse(text, problem.status, headers)


def _board_page(
    request: Request, name: str, at: Visit, problem: Problem | None = None, /, **values: Any
) -> HTMLResponse:
    """Return a page of a board, with what every one of them shows."""
    return _page(
        request,
        name,
        problem,
        board=at.board,
        phase=at.phase,
        policy=at.policy,
        open=at.site.boards.is_open(at.phase),
        coming=at.phase.opens > clock(),
        caller=at.caller,
        host=at.is_host,
        teams=[at.site.team(at.board, number) for number in at.caller.teams(at.board)],
        **values,
    )


def error_page(request: Request, problem: Problem) -> Response:
    """Return the page that tells what went wrong."""
    try:
        return _page(request, "error", problem)
    except HoldfastError:  # the ledger, which knows sessions, may be what went wrong
        return _page(request, "error", problem, caller=Caller())


class SignedForm(NamedTuple):
    """A form of a page of this site, and whose session it came from."""

    caller: Caller
    user: User
    form: FormData


async def signed_form(request: Request) -> SignedForm:
    """Return the form that somebody has sent who is signed in."""
    site = site_of(request)
    caller = await run_in_threadpool(site.visitor, request)
    if caller.user is None:
        raise Problem("not_signed_in", "Sign in to do this.")
    return SignedForm(caller, caller.user, await site.form(request, caller))


Sent = Annotated[SignedForm, Depends(signed_form)]


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
    boards = []
    with site.store.reading():
        for board in site.store.find(Board, "ORDER BY id"):
            phase = site.boards.phase(board)
            is_open = phase is not None and site.boards.is_open(phase)
            teams = None
            if phase is not None and board.visibility == "open":  # it tells that somebody looked
                teams = site.boards.count(phase)
            boards.append((board, phase, is_open, teams))
        return _page(request, "boards", boards=boards)


# A board.


@router.get("/b/{slug}")
def board(
    request: Request, slug: Slug, skip: Annotated[int, Query(ge=0, le=10**9)] = 0
) -> Response:
    """Show the standings."""
    with at_one_moment(request, slug) as at:
        rows, phase = at.rows(ON_A_PAGE, skip), at.phase
        rule, display = at.policy.mechanism, at.policy.display
        sizes, gap, blur = Sizes(phase.n_examples, 2, 1), None, None
        if rule.shows == "scores" and display.plain:
            blur = rule.resolution(sizes)
            gap = meaningless(rows, rule.scored(sizes).n_examples, blur)
        told = not phase.frozen and at.sees_looks
        exposure = at.site.gatekeeper.exposure(phase) if told else None
        values: dict[str, Any] = {
            "meaning": rule.meaning(Told(new_best=True), "the team"),
            "metric": None if display.plain else display.metric,
            "further": further_numbers(rows, display),
            "facts": at.site.gatekeeper.facts(phase),
            "count": at.site.boards.count(phase, host=at.is_host),
        }
        values |= {"gap": gap, "blur": blur, "exposure": exposure, "skip": skip, "most": ON_A_PAGE}
        return _board_page(request, "board", at, rows=rows, **values)


@router.get("/b/{slug}/rules")
def rules(request: Request, slug: Slug) -> Response:
    """Show the policy in words, the budget, and what the looks so far allow."""
    with at_one_moment(request, slug) as at:
        phase, guards = at.phase, at.site.gatekeeper
        told = at.sees_looks and not at.stands_still
        with at.site.store.reading() as transaction:
            spent = transaction.data_set_looks(phase.data_set) if told else None
            changed = transaction.rows(POLICY_SET, (at.board.id,))[0][0] or 0
        exposure = guards.exposure(phase) if told else None
        values = {"spent": spent, "exposure": exposure, "since": max(phase.opens, changed)}
        meaning = at.policy.mechanism.meaning(Told(new_best=True), "your team")
        facts = guards.facts(phase)
        return _board_page(
            request, "rules", at, meaning=meaning, facts=facts, head=at.head, **values
        )


@router.get("/b/{slug}/sample")
def sample(at: At) -> Response:
    """Return a submission that is right in form."""
    of_tasks = at.phase.outcomes is not None
    name = f"{at.board.slug}-sample.{'json' if of_tasks else 'csv'}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    text, kind = (
        at.site.gatekeeper.sample(at.phase),
        "application/json" if of_tasks else "text/csv",
    )
    return PlainTextResponse(text, media_type=kind, headers=headers)


@router.get("/b/{slug}/submit")
def submit_form(request: Request, at: At) -> Response:
    """Show the form for a submission."""
    return _submit_page(request, at)


def _submit_page(
    request: Request, at: Visit, answer: Answer | None = None, problem: Problem | None = None
) -> Response:
    teams, guards = at.caller.teams(at.board), at.site.gatekeeper
    left = {each: guards.allowance(at.phase, at.site.team(at.board, each)) for each in teams}
    values = {"facts": guards.facts(at.phase), "left": left, "answer": answer}
    values |= {"takes": at.policy.display.taker.takes.value}
    key = f"page-{secrets.token_hex(16)}"
    return _board_page(request, "submit", at, problem, key=key, **values)


@router.post("/b/{slug}/submit")
async def submit(request: Request, at: At) -> Response:
    """Take a submission from the form, and show what was released."""
    site, board, caller = at.site, at.board, at.caller
    own_number(board, caller)  # nobody else's upload is read
    facts = await run_in_threadpool(lambda: site.gatekeeper.facts(at.phase))
    try:
        form = await site.form(request, caller, facts.largest_upload + 8192)
        site.slow_down(f"submit {caller.name}")
        number = own_number(board, caller, store.as_number(form.get("team")))
        file = form.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise Problem("bad_request", "Choose a file first.")
        body = await file.read()
        # A form that is sent twice by mistake is one submission; another file is another one.
        key = f"{form.get('key') or secrets.token_hex(16)}-{hashlib.sha256(body).hexdigest()}"
        sent = as_sent(board.slug, lambda _: number, caller, key, file.filename, body)
        answer = await site.looks.ask(sent)
    except HoldfastError as error:
        problem = as_problem(error)
        if problem.status >= 500 or problem.word in ("not_signed_in", "not_allowed"):
            raise
        request.scope["holdfast.problem"] = problem.word
        return await run_in_threadpool(_submit_page, request, at, problem=problem)
    return await run_in_threadpool(_submit_page, request, at, answer)


@router.get("/b/{slug}/t/{number}")
def team(request: Request, at: At, number: int) -> Response:
    """Show a team: its row to whoever may see it, its submissions to its members and hosts."""
    shown = at.site.team(at.board, number)
    mine = shown.id in at.caller.teams(at.board)
    values: dict[str, Any] = {"submissions": None, "left": None, "at": None}
    if mine or at.is_host:
        left, opens = at.site.gatekeeper.allowance(at.phase, shown)
        values = {"submissions": at.submissions(shown), "left": left, "at": opens}
    elif shown.hidden or not at.may_see(shown.id):
        raise Problem("not_found", "There is no such team on this board.")
    row = at.row(shown.id)
    return _board_page(request, "team", at, team=shown, mine=mine, row=row, **values)


@router.post("/b/{slug}/t/{number}/{action}")
def team_action(request: Request, at: At, sent: Sent, number: int, action: str) -> Response:
    """Choose a submission, or make an invitation or a token, as a member of the team."""
    team, accounts = at.own_team(number), at.site.accounts
    if action == "choose":
        at.choose(team, store.as_number(sent.form.get("submission")) or 0)
        return _back(f"/b/{at.board.slug}/t/{team.id}")
    if action == "invite":
        secret = accounts.invite(at.board, team, "member")
        link = f"{at.site.settings.public_url}/join/{secret}"
        return _page(request, "secret", what="invitation", secret=link, caller=at.caller)
    if action == "token":
        secret = accounts.new_team_token(team, str(sent.form.get("name") or "submit"), at.caller)
        return _page(request, "secret", what="token", secret=secret, caller=at.caller)
    raise Problem("not_found", "There is no such action.")


@router.post("/b/{slug}/teams")
def new_team(at: At, sent: Sent) -> Response:
    """Make a team and join it."""
    at.site.slow_down(f"team {sent.user.id}", strict=True)
    with at.site.store.writing() as transaction:
        check_no_part(transaction, sent.user.id, at.board.id)
        name = str(sent.form.get("name") or "")
        team = store.new_team(transaction, at.board.id, name, clock())
        join_team(transaction, sent.user.id, at.board.id, team.id, "member")
    return _back(f"/b/{at.board.slug}/submit")


@router.get("/b/{slug}/receipts/{receipt_id}")
def receipt(request: Request, at: At, receipt_id: str) -> Response:
    """Say whether a receipt is in the chain."""
    entry = at.entry(receipt_id[:80])
    readable = entry is not None and at.may_read(entry)
    shown = receipt_id[:80]
    values: dict[str, Any] = {
        "entry": entry,
        "readable": readable,
        "told": at.sees_looks or readable,
    }
    numbers = released_numbers(entry) if entry is not None and readable else {}
    return _board_page(request, "receipt", at, receipt_id=shown, numbers=numbers, **values)


@router.get("/b/{slug}/final")
def final(request: Request, at: At) -> Response:
    """Show public and private scores side by side, after the close."""
    return _board_page(request, "final", at, rows=at.final_rows())


# The host's desk.


@router.get("/b/{slug}/host")
def host(request: Request, at: AtAsHost) -> Response:
    """Show the budget, the exposure and the actions, to hosts."""
    return _host_page(request, at)


def _host_page(
    request: Request, at: Visit, done: str = "", problem: Problem | None = None
) -> Response:
    board, phase, now = at.board, at.phase, clock()
    exposure, worst = at.exposures(50)
    with at.site.store.reading() as transaction:
        spent = transaction.data_set_looks(phase.data_set)
        recent = transaction.rows(RECENT, (board.id, now - FORECAST_DAYS * DAY))[0][0]
        history = store.actions(transaction, board.id, 20)
        where = "WHERE board = ? AND pooled_into IS NULL ORDER BY id"
        every = store.find(transaction, Team, where, board.id)
    forecast = _forecast(at.policy.looks_per_data_set - spent, recent, phase, now)
    values: dict[str, Any] = {
        "exposure": exposure,
        "worst": worst,
        "history": history,
        "every": every,
    }
    guards, findings = at.site.gatekeeper, at.site.findings
    values |= {"text": _editable(phase.policy), "facts": guards.facts(phase), "done": done}
    values |= {"prices": guards.prices(phase), "finding": findings.last(phase)}
    values |= {"busy": findings.busy(board)}
    return _board_page(request, "host", at, problem, spent=spent, forecast=forecast, **values)


def _forecast(left: int, recent: int, phase: Phase, now: int) -> str | None:
    """Return the day on which the looks end at the rate of the last two weeks."""
    if recent == 0 or left <= 0:
        return None
    span = min(FORECAST_DAYS * DAY, max(now - phase.opens, DAY))
    days = left * span / recent / DAY
    return None if days > 36_500 else _moment(now + int(days * DAY))[:10]


def _editable(policy: str) -> str:
    """Return a policy's text without the hint at a file, which no page takes."""
    return "\n".join(line for line in policy.splitlines() if not line.startswith("# witness"))


def _said(form: FormData) -> str:
    """Return what an action is about: the field's text, or the two teams that a merge chooses."""
    if form.get("team"):
        return f"{form.get('team')} into {form.get('into')}"
    return str(form.get("value") or "")


@router.get("/b/{slug}/host/probes")
def probes(request: Request, at: AtAsHost) -> Response:
    """Show teams whose looks were right no more often than guessing, to hosts."""
    band, found = at.probing()
    return _board_page(request, "probes", at, band=band, found=found)


@router.post("/b/{slug}/host/findings")
def look_for_probes(at: AtAsHost, _sent: Sent) -> Response:
    """Judge all looks beside the requests; teams are told nothing."""
    at.site.findings.ask(at.board, at.phase)
    return _back(f"/b/{at.board.slug}/host#findings")


@router.get("/b/{slug}/host/findings")
def findings(at: AtAsHost) -> Response:
    """Show the detector's page, to hosts."""
    found = at.site.findings.last(at.phase)
    if found is None or not found.page:
        raise Problem("not_found", "The looks of this board were not judged yet.")
    return HTMLResponse(found.page, headers={"Content-Security-Policy": FINDING_POLICY})


@router.post("/b/{slug}/host")
def host_action(request: Request, at: AtAsHost, sent: Sent) -> Response:
    """Do one of the host's actions; what can't be undone, if the box beside it is ticked."""
    action = str(sent.form.get("action") or "")
    try:
        if action in CANNOT_BE_UNDONE and not sent.form.get("sure"):
            raise Problem("invalid_input", "This can't be undone: tick the box beside it first.")
        done = at.act(action, _said(sent.form))
    except HoldfastError as error:
        return _host_page(request, visit(request, at.board.slug), problem=as_problem(error))
    return _host_page(request, visit(request, at.board.slug), done.told)


# Accounts.


@router.get("/sign-in")
@router.get("/sign-up")
def sign_in_form(request: Request, to: str = "/me") -> Response:
    """Show the form to sign in, or for a new account."""
    new = request.url.path == "/sign-up"
    return _page(request, "sign_in", to=_local(to), new=new, name="")


@router.post("/sign-in")
@router.post("/sign-up")
async def sign_in(request: Request) -> Response:
    """Begin a session, with an account or a new one."""
    site, new = site_of(request), request.url.path == "/sign-up"
    form = await site.form(request)
    name, password = str(form.get("name") or ""), str(form.get("password") or "")
    to = _local(str(form.get("to") or "/me"))
    invitation = to.removeprefix("/join/") if to.startswith("/join/") else ""

    def act() -> tuple[str, str, str]:
        accounts, leads_to = site.accounts, to
        site.slow_down_sign_in(request, name)
        if new and accounts.invited(invitation):
            user, board = accounts.sign_up_invited(name, password, invitation)
            leads_to = _path_of(site, board)
        elif new and not site.settings.sign_up:
            raise Problem("not_allowed", "Accounts are made by invitation here.")
        else:
            user = (accounts.sign_up if new else accounts.sign_in)(name, password)
        return accounts.new_session(user), accounts.device_of(user), leads_to

    try:
        secret, device, leads_to = await site.alone(act)
    except HoldfastError as error:
        problem = as_problem(error)
        if problem.status >= 500:
            raise
        return _page(request, "sign_in", problem, to=to, new=new, name=name)
    answer = _back(leads_to)
    for cookie, value, days in ((site.device_cookie, device, 365), (site.cookie, secret, 14)):
        answer.set_cookie(
            cookie, value, max_age=days * 86_400, httponly=True, samesite="lax",
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
        tokens = store.find(transaction, Token, store.TOKENS_OF, caller.user.id)
    return _page(
        request, "account", caller=caller, boards=boards, team_of=teams, tokens=tokens, now=clock()
    )


@router.post("/me/{action}")
def account_action(request: Request, sent: Sent, action: str) -> Response:
    """Revoke a token, or end sessions."""
    site = site_of(request)
    if action == "revoke":
        number = str(sent.form.get("token") or "")
        site.accounts.revoke(number if number.isalnum() else "", sent.caller)
        return _back("/me")
    if action not in ("sign-out", "sign-out-everywhere"):
        raise Problem("not_found", "There is no such action.")
    this_one = sent.caller.secret if action == "sign-out" else None
    site.accounts.end_sessions(sent.user, this_one)
    answer = _back("/")
    answer.delete_cookie(site.cookie, httponly=True, samesite="lax", secure=site.settings.secure)
    return answer


@router.get("/join/{secret}")
def join_form(request: Request, secret: str) -> Response:
    """Ask whether to follow an invitation."""
    return _page(request, "join", secret=secret[:100])


@router.post("/join/{secret}")
def join(request: Request, sent: Sent, secret: str) -> Response:
    """Follow an invitation."""
    site = site_of(request)
    site.slow_down(f"join {sent.user.id}", strict=True)
    return _back(_path_of(site, site.accounts.join(sent.user, secret)))


# Whoever may read a page may ask whether it is there.
for each in router.routes:
    if isinstance(each, Route) and each.methods is not None and "GET" in each.methods:
        each.methods.add("HEAD")


def _back(to: str) -> RedirectResponse:
    return RedirectResponse(to, status_code=303)


def _path_of(site: Site, board: int) -> str:
    [found] = site.store.find(Board, "WHERE id = ?", board)
    return f"/b/{found.slug}"


def _local(to: str) -> str:
    """Return a path of this site; anything else leads to the account."""
    safe = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if safe and "\\" not in to else "/me"


def _around(row: Row) -> str:
    """Return a row's interval with the decimals of its score, and no narrower for it."""
    if row.low is None or row.high is None:
        return "–"
    decimals = min(4, max(2, len(str(row.released).partition(".")[2])))
    low, high = (10**decimals * end for end in (row.low, row.high))
    ends = (math.floor(low + SLACK), math.ceil(high - SLACK))
    return " to ".join(f"{end / 10**decimals:.{decimals}f}" for end in ends)


def _moment(at: int | datetime) -> str:
    return f"{as_datetime(at) if isinstance(at, int) else at:%Y-%m-%d %H:%M} UTC"
