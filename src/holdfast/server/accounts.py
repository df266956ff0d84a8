"""Accounts: passwords, sessions, tokens, invitations, and who is asking.

Secrets are random texts of 256 bits that are shown once; the database has their SHA-256, which is
enough for what can't be guessed. Passwords can, so they are hashed with Argon2id.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from typing import Self

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from holdfast.errors import InvalidInput
from holdfast.guard.team import team_key
from holdfast.ledger.moments import as_datetime, clock
from holdfast.ledger.storage import Transaction
from holdfast.quoting import quoted
from holdfast.server import store
from holdfast.server.problems import Problem
from holdfast.server.records import Board, Member, Team, Token, User
from holdfast.server.store import Store

__all__ = ["Accounts", "Caller", "new_token", "refuse_ended", "spelling"]

DAY = 86_400_000_000
SESSION_DAYS, INVITATION_DAYS, TOKEN_DAYS = 14, 7, 180
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
# How long a token that was found valid is believed without asking again, in seconds.
TOKEN_LASTS = 2.0
SCOPES = ("submit", "host", "service", "metrics")
PREFIX = "hf"
INVITATION = "SELECT board, team, role FROM holdfast_invitations WHERE hash = ? AND expires > ?"


@dataclass(frozen=True)
class Caller:
    """Who is asking: an account, a token, both or neither.

    `secret` is the session's, from which the token of forms is made.
    """

    user: User | None = None
    token: Token | None = None
    members: tuple[Member, ...] = ()
    secret: str = ""

    def required(self) -> Self:
        """Raise unless it is anybody."""
        if self.user is None and self.token is None:
            raise Problem("not_signed_in", "Sign in, or send a token, to do this.")
        return self

    @property
    def form_token(self) -> str:
        """What a form must carry, so that no other site can send it."""
        return digest(f"form {self.secret}") if self.secret else ""

    def is_host(self, board: Board) -> bool:
        """Tell whether this is a host of a board."""
        if self.token is not None:
            return self.token.scope == "host" and self.token.board == board.id
        return any(m.board == board.id and m.role == "host" for m in self.members)

    def teams(self, board: Board) -> tuple[int, ...]:
        """Return the numbers of the teams of a board in whose name this one may ask."""
        if self.token is not None:
            ours = self.token.scope == "submit" and self.token.board == board.id
            return (self.token.team,) if ours else ()
        return tuple(m.team for m in self.members if m.board == board.id and m.team)

    @property
    def name(self) -> str:
        """Who it is, for the record of actions."""
        if self.token is not None:
            return f"token {self.token.name}"
        return self.user.name if self.user is not None else "nobody"


def spelling(name: str) -> str:
    """Return the one spelling of an account's name; empty for what is none."""
    try:
        return team_key(name)
    except InvalidInput:
        return ""


def digest(secret: str) -> str:
    """Return the SHA-256 of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_token(
    transaction: Transaction,
    *,
    board: int,
    team: int,
    scope: str,
    name: str,
    owner: int | None = None,
    days: int | None = TOKEN_DAYS,
) -> str:
    """Store a new token and return its text, which is nowhere else."""
    if scope not in SCOPES:
        raise InvalidInput(f"scope must be one of {', '.join(SCOPES)}, got {scope}.")
    name = " ".join(name.split())
    if not 1 <= len(name) <= 80 or not name.isprintable():
        raise InvalidInput("name of the token must have 1 to 80 printable characters.")
    number, secret, now = secrets.token_hex(6), secrets.token_urlsafe(32), clock()
    expires = None if days is None else now + days * DAY
    token = Token(number, digest(secret), owner, board, team, scope, name, now, expires, None, None)
    store.insert(transaction, token)
    return f"{PREFIX}_{number}_{secret}"


class Accounts:
    """Everything about who may do what, over a store.

    Parameters
    ----------
    database
        The store.
    hasher
        How passwords are hashed; None: Argon2id with the library's settings.
    """

    def __init__(self, database: Store, hasher: PasswordHasher | None = None) -> None:
        self._store = database
        self._hasher = hasher or PasswordHasher()
        # What an unknown name is compared with, so that it takes as long as a known one.
        self._nobody = self._hasher.hash(secrets.token_hex(8))
        self._believed: dict[str, tuple[float, Token]] = {}

    def sign_up(self, name: str, password: str) -> User:
        """Make an account."""
        hashed = self._hashed_for(name, password)
        with self._store.writing() as transaction:
            return store.new_user(transaction, name, hashed, clock())

    def sign_up_invited(self, name: str, password: str, invitation: str) -> tuple[User, int]:
        """Make the one account that an invitation is for, and let it follow; with the board."""
        hashed = self._hashed_for(name, password)
        with self._store.writing() as transaction:
            user = store.new_user(transaction, name, hashed, clock())
            return user, _follow(transaction, user, invitation)

    def _hashed_for(self, name: str, password: str) -> str:
        team_key(name)  # before the slow part
        return self._hashed(password)

    def set_password(self, name: str, password: str) -> User:
        """Give an account another password, and end its sessions."""
        user = self._store.one(User, "WHERE key = ?", team_key(name))
        if user is None:
            raise InvalidInput(f"user must have an account here, got {quoted(name)}.")
        statement = "UPDATE holdfast_users SET password = ? WHERE id = ?"
        values = (self._hashed(password), user.id)
        with self._store.writing() as transaction:
            transaction.execute(statement, values)
        self.end_sessions(user)
        return user

    def _hashed(self, password: str) -> str:
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            told = f"password must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters"
            raise InvalidInput(f"{told}, got {len(password)}.")
        return self._hasher.hash(password)

    def device_of(self, user: User) -> str:
        """Return what a browser keeps that has signed in to an account; another password ends it.

        It opens nothing: its holder may try the password while others have tried it too often.
        """
        return hmac.new(user.password.encode(), b"known browser", hashlib.sha256).hexdigest()

    def knows(self, name: str, device: str) -> bool:
        """Tell whether a browser has signed in with this name before."""
        user = self._store.one(User, "WHERE key = ?", spelling(name)) if device else None
        return user is not None and hmac.compare_digest(
            self.device_of(user).encode(), device.encode()
        )

    def sign_in(self, name: str, password: str) -> User:
        """Return the account with this name and password."""
        user = self._store.one(User, "WHERE key = ?", spelling(name))
        try:
            known = self._nobody if user is None else user.password
            self._hasher.verify(known, password[:LONGEST_PASSWORD])
        except (VerificationError, InvalidHashError):
            user = None
        if user is None:
            raise Problem("not_signed_in", "Name or password is wrong.")
        return user

    def new_session(self, user: User) -> str:
        """Store a session and return its secret, for the cookie."""
        secret, now = secrets.token_urlsafe(32), clock()
        with self._store.writing() as transaction:
            transaction.execute("DELETE FROM holdfast_sessions WHERE expires < ?", (now,))
            row = (digest(secret), user.id, now, now + SESSION_DAYS * DAY)
            transaction.execute("INSERT INTO holdfast_sessions VALUES (?, ?, ?, ?)", row)
        return secret

    def end_sessions(self, user: User, secret: str | None = None) -> None:
        """Forget a session of an account, or all of them."""
        where, value = ("owner", user.id) if secret is None else ("hash", digest(secret))
        with self._store.writing() as transaction:
            transaction.execute(f"DELETE FROM holdfast_sessions WHERE {where} = ?", (value,))

    def from_session(self, secret: str) -> Caller:
        """Return who has this session; nobody, if it is none."""
        with self._store.reading() as transaction:
            question = "SELECT owner FROM holdfast_sessions WHERE hash = ? AND expires > ?"
            rows = transaction.rows(question, (digest(secret), clock()))
            if not rows:
                return Caller()
            [user] = store.find(transaction, User, "WHERE id = ?", rows[0][0])
            members = store.find(transaction, Member, "WHERE member = ?", user.id)
        return Caller(user, None, tuple(members), secret)

    def believed(self, text: str) -> Caller | None:
        """Return who has a token that was found valid a moment ago.

        For looks alone, which ask again in their transaction whether it has ended.
        """
        known = self._believed.get(text)
        if known is None or time.monotonic() - known[0] >= TOKEN_LASTS:
            return None
        return Caller(token=known[1])

    def from_token(self, text: str) -> Caller:
        """Return who has this token, or say what is wrong with it."""
        now = clock()
        prefix, _, rest = text.partition("_")
        number, _, secret = rest.partition("_")
        token = None
        if prefix == PREFIX and secret and len(text) < 200:
            token = self._store.one(Token, "WHERE id = ?", number)
        if token is None or not hmac.compare_digest(token.hash, digest(secret)):
            raise Problem("not_signed_in", "The token is not valid.")
        refuse_ended(token.revoked, token.expires, now)
        if token.used_on is None or token.used_on // DAY != now // DAY:
            with self._store.writing() as transaction:  # once a day, so that looks stay quick
                statement = "UPDATE holdfast_tokens SET used_on = ? WHERE id = ?"
                transaction.execute(statement, (now, token.id))
        if len(self._believed) > 10_000:
            self._believed.clear()
        self._believed[text] = (time.monotonic(), token)
        return Caller(token=token)

    def new_team_token(self, team: Team, name: str, caller: Caller) -> str:
        """Store a token that submits for a team, and return its text, which is nowhere else."""
        owner = None if caller.user is None else caller.user.id
        with self._store.writing() as transaction:
            place = {"board": team.board, "team": team.id}
            return new_token(transaction, **place, scope="submit", name=name, owner=owner)

    def revoke(self, number: str, caller: Caller) -> bool:
        """End a token of an account's own, or the one that is sent; tell whether there was one."""
        with self._store.writing() as transaction:
            token = store.one(transaction, Token, "WHERE id = ?", number)
            owned = caller.user is not None and token is not None and token.owner == caller.user.id
            sent = caller.token is not None and caller.token.id == number
            if token is None or token.revoked is not None or not (owned or sent):
                return False
            statement = "UPDATE holdfast_tokens SET revoked = ? WHERE id = ?"
            transaction.execute(statement, (clock(), number))
        self._believed.clear()
        return True

    def invite(self, board: Board, team: Team | None, role: str) -> str:
        """Return the secret of a link that makes whoever follows it a member or a host."""
        secret = secrets.token_urlsafe(24)
        with self._store.writing() as transaction:
            number, expires = 0 if team is None else team.id, clock() + INVITATION_DAYS * DAY
            row = (digest(secret), board.id, number, role, expires)
            transaction.execute("INSERT INTO holdfast_invitations VALUES (?, ?, ?, ?, ?)", row)
        return secret

    def invited(self, secret: str) -> bool:
        """Tell whether an invitation is there to be used."""
        with self._store.reading() as transaction:
            return bool(transaction.rows(INVITATION, (digest(secret), clock())))

    def join(self, user: User, secret: str) -> int:
        """Use an invitation, once; return the board's number."""
        with self._store.writing() as transaction:
            return _follow(transaction, user, secret)


def _follow(transaction: Transaction, user: User, secret: str) -> int:
    hashed = digest(secret)
    rows = transaction.rows(INVITATION, (hashed, clock()))
    if not rows:
        raise Problem("not_found", "The invitation was used before, or has expired.")
    board, team, role = rows[0]
    join_team(transaction, user.id, board, store.survivor(transaction, team), role)
    transaction.execute("DELETE FROM holdfast_invitations WHERE hash = ?", (hashed,))
    return int(board)


def join_team(transaction: Transaction, user: int, board: int, team: int, role: str) -> None:
    """Make an account a member of a team, or a host of a board, for good.

    It has one of these parts on a board: a second team would be a second budget, and what hosts
    see is not for those who submit.
    """
    check_no_part(transaction, user, board)
    store.insert(transaction, Member(user, board, team, role))


def check_no_part(transaction: Transaction, user: int, board: int) -> None:
    """Raise if an account has a part on a board."""
    held = store.one(transaction, Member, "WHERE member = ? AND board = ?", user, board)
    if held is not None:
        told = "in a team of this board" if held.role == "member" else "a host of this board"
        raise Problem("not_allowed", f"You are {told} already; an account is one of both, once.")


def refuse_ended(revoked: int | None, expires: int | None, now: int) -> None:
    """Raise if a token was revoked, or has expired."""
    if revoked is not None:
        raise Problem("not_signed_in", f"The token was revoked on {_day(revoked)}.")
    if expires is not None and expires <= now:
        raise Problem("not_signed_in", f"The token expired on {_day(expires)}.")


def _day(moment: int) -> str:
    return as_datetime(moment).date().isoformat()
