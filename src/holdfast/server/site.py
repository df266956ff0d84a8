"""The site: what every request needs, and who may see what."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from anyio import CapacityLimiter, to_thread
from argon2 import PasswordHasher
from starlette.datastructures import FormData
from starlette.requests import ClientDisconnect, Request

from holdfast.ledger.moments import clock
from holdfast.server import store
from holdfast.server.accounts import Accounts, Caller, spelling
from holdfast.server.boards import Boards
from holdfast.server.findings import Findings
from holdfast.server.gatekeeper import Answer, Gatekeeper
from holdfast.server.groups import Groups
from holdfast.server.looks import Sent, not_open_yet
from holdfast.server.observing import Meter
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Phase, Team
from holdfast.server.settings import Rate, Settings
from holdfast.server.uploads import LARGEST_BODY, given, read_body

__all__ = ["Site", "site_of"]

Result = TypeVar("Result")

# Over HTTPS its name keeps other hosts of the domain, and plain HTTP, from setting it.
COOKIE, SECURE_COOKIE = "holdfast_session", "__Host-holdfast_session"
BEARER = "Bearer "
# Names that are counted before those that may ask again are forgotten.
MOST_NAMES = 10_000
# How many addresses' worth of tries to sign in one account takes: a crowd that guesses is slowed
# down, and it takes one to keep the owner out.
TRIES_PER_ACCOUNT = 30
# A customer of a network has that many bits of an IPv6 address to choose.
NETWORK_BITS = 64


class Pace:
    """The generic cell rate algorithm: a limit that keeps one time per name, and no thread."""

    def __init__(self, limit: Rate, times: int = 1) -> None:
        self._span = float(limit.seconds)
        self._each = self._span / (limit.amount * times)
        self._due: dict[str, float] = {}

    def wait(self, name: str) -> float:
        """Count a request, and return 0; or how long it has to wait, which counts nothing."""
        now = time.monotonic()
        due = max(self._due.get(name, now), now)
        if due - now > self._span - self._each:
            return due - now - (self._span - self._each)
        if len(self._due) > MOST_NAMES:
            self._due = {each: at for each, at in self._due.items() if at > now}
        self._due[name] = due + self._each
        return 0.0


class Site:
    """One server process.

    Parameters
    ----------
    settings
        Its settings.
    hasher
        How passwords are hashed; None: as the library advises.
    """

    def __init__(self, settings: Settings, *, hasher: PasswordHasher | None = None) -> None:
        self.settings = settings
        self.gatekeeper = Gatekeeper(settings.database)
        self.store = self.gatekeeper.store
        self.boards = Boards(self.gatekeeper)
        self.findings = Findings(self.gatekeeper)
        self.accounts = Accounts(self.store, hasher)
        self.meter = Meter()
        sign_ins = Rate.parse("sign_ins", settings.sign_ins)
        self._flood = Pace(Rate.parse("flood", settings.flood))
        self._sign_ins, self._accounts = Pace(sign_ins), Pace(sign_ins, TRIES_PER_ACCOUNT)
        self.looks: Groups[Sent, Answer] = Groups(self.gatekeeper.submit)
        self._one: CapacityLimiter | None = None
        # By board; asked for again when an upload is larger.
        self.largest: dict[str, int] = {}

    async def alone(self, work: Callable[[], Result]) -> Result:
        """Do work one at a time: a password costs a core and 64 MiB, so a crowd must queue."""
        if self._one is None:
            self._one = CapacityLimiter(1)
        return await to_thread.run_sync(work, limiter=self._one)

    # Limits.

    def slow_down(self, what: str, *, strict: bool = False) -> None:
        """Raise if something was asked too often."""
        _refuse_for((self._sign_ins if strict else self._flood).wait(what))

    def slow_down_sign_in(self, request: Request, name: str) -> None:
        """Raise if somebody tried to sign in too often: from an address, or with a name.

        A browser that has signed in with this name before is counted by itself, so that nobody
        else keeps the owner out.
        """
        if self.accounts.knows(name, request.cookies.get(self.device_cookie, "")):
            self.slow_down(f"known browser of {spelling(name)}", strict=True)
            return
        self.slow_down(f"sign in {address(request)}", strict=True)
        _refuse_for(self._accounts.wait(spelling(name)))

    async def body(self, request: Request, most: int) -> bytes:
        """Return a request's body, within its size and its time."""
        announced = request.headers.get("content-length")
        try:
            async with asyncio.timeout(self.settings.upload_seconds):
                return await read_body(request.stream(), announced, most)
        except TimeoutError:
            raise Problem("too_slow", "The request took too long. Nothing was spent.") from None
        except ClientDisconnect:
            raise Problem("bad_request", "The request ended before it was complete.") from None

    async def form(
        self, request: Request, caller: Caller | None = None, most: int = LARGEST_BODY
    ) -> FormData:
        """Return a form of a page of this site, within its size; of a session, if one is given."""
        self.check_origin(request)
        body = await self.body(request, most)
        kind = request.headers.get("content-type", "")
        if not kind.startswith(("multipart/form-data", "application/x-www-form-urlencoded")):
            raise Problem("bad_request", "A form must be sent as one.")
        read = Request(request.scope, given(body, request.receive))
        form = await read.form(max_files=1, max_fields=20, max_part_size=most)
        if caller is not None and not (
            caller.form_token and form.get("form_token") == caller.form_token
        ):
            raise Problem("not_allowed", "The form is too old; open the page again.")
        return form

    def largest_upload(self, slug: str) -> int:
        """Return how many bytes an upload to a board may have, and remember it for a while."""
        phase = self.phase(self.board(slug))
        if len(self.largest) > 1000:
            self.largest.clear()
        self.largest[slug] = self.gatekeeper.facts(phase).largest_upload
        return self.largest[slug]

    # Who is asking.

    @property
    def cookie(self) -> str:
        """The name of the session's cookie."""
        return SECURE_COOKIE if self.settings.secure else COOKIE

    @property
    def device_cookie(self) -> str:
        """The name of the cookie that a browser keeps which has signed in."""
        return f"{self.cookie}_device"

    def believed(self, request: Request) -> Caller | None:
        """Return who sends a token that was found valid a moment ago; its look asks again."""
        return self.accounts.believed(request.headers.get("authorization", "").removeprefix(BEARER))

    def caller(self, request: Request) -> Caller:
        """Return who is asking: by a token, or else by a session."""
        header = request.headers.get("authorization")
        if header is not None:
            scheme, _, token = header.partition(" ")
            if scheme.lower() != "bearer" or not token:
                raise Problem("not_signed_in", "Authorization must be: Bearer TOKEN.")
            try:
                return self.accounts.from_token(token.strip())
            except Problem:
                self.slow_down(f"token {address(request)}", strict=True)
                raise
        return self.visitor(request)

    def visitor(self, request: Request) -> Caller:
        """Return who is asking by a session; nobody, if there is none."""
        secret = request.cookies.get(self.cookie)
        return self.accounts.from_session(secret) if secret else Caller()

    def check_origin(self, request: Request) -> None:
        """Raise if another site has sent this request."""
        origin = request.headers.get("origin")
        ours = {urlsplit(self.settings.public_url).netloc, request.headers.get("host")}
        foreign = origin is not None and origin.partition("://")[2] not in ours
        if foreign or request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Problem("not_allowed", "The form was sent by another site.")

    # What there is.

    def board(self, slug: str) -> Board:
        """Return a board, or say that there is none."""
        board = self.boards.get(slug) if slug.isprintable() else None
        if board is None:
            raise Problem("not_found", "There is no board of this name.")
        return board

    def phase(self, board: Board, *, coming: bool = False) -> Phase:
        """Return the phase in force, or the `coming` one; else say when the board opens."""
        phase, now = self.boards.phase(board, coming=True), clock()
        assert phase is not None
        if phase.opens > now and not coming:
            raise not_open_yet(phase, now)
        return phase

    def team(self, board: Board, number: int) -> Team:
        """Return a team of a board."""
        team = None
        if 0 < number < 2**62:
            with self.store.reading() as transaction:
                number = store.survivor(transaction, number)
                where = "WHERE board = ? AND id = ?"
                team = store.one(transaction, Team, where, board.id, number)
        if team is None:
            raise Problem("not_found", "There is no such team on this board.")
        return team


def own_number(board: Board, caller: Caller, number: int | None = None) -> int:
    """Return the number of a caller's team, or of the one of several that is asked for."""
    mine = caller.required().teams(board)
    if not mine or (number is not None and number not in mine):
        raise Problem("not_allowed", "Only a member of the team may do this.")
    return mine[0] if number is None else number


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    found: Site = request.app.state.site
    return found


def address(request: Request) -> str:
    """Return where a request comes from; of IPv6 the network, whose addresses are one's own."""
    host = request.client.host if request.client is not None else "nowhere"
    try:
        known = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    if known.is_loopback:
        return host
    return str(ipaddress.IPv6Network((known, NETWORK_BITS), strict=False))


def _refuse_for(wait: float) -> None:
    if wait:
        raise Problem("too_fast", "Too many requests; wait a moment.", retry_after=wait)
