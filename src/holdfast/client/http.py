"""HTTP requests to a board, with idempotency keys and full-jitter backoff.

A request that was not answered is sent again with the same key, so that it can't spend a second
look: after refused or broken connections, timeouts, and the answers 429, 500, 502, 503 and 504.
Any other refusal is final. The standard library's client is enough: the retry rule is the product.
"""

from __future__ import annotations

import hashlib
import http.client
import random
import re
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from holdfast import errors
from holdfast.client.forwarder import refuse_in_clear
from holdfast.client.forwarder.sending import content_of, is_number
from holdfast.quoting import quoted

__all__ = ["BoardClient", "Released", "Unscorable"]

RETRIED_STATUSES = (429, 500, 502, 503, 504)
# Seconds: the least and the longest pause, and how long one request may take.
SHORTEST, LONGEST, TIMEOUT = 0.1, 30.0, 60.0
# After so many attempts the longest pause is reached; a power of two beyond 1,023 is no float.
MOST_DOUBLINGS = 9
LARGEST_ANSWER = 1 << 24


@dataclass(frozen=True)
class Released:
    """What a board answers to a submission; `released` is None while its batch waits.

    `numbers` has all that was released, by name, where that is several numbers. `repeated`: it cost
    nothing, since the prediction had been answered before. `replayed`: the same submission had come
    under the same key.
    """

    id: int
    released: float | None
    meaning: str
    new_best: bool | None
    own: bool | None
    part: str
    repeated: bool
    looks_left: int
    next_allowed_at: str | None
    receipt_id: str
    replayed: bool = False
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float | None:
        """What was released if it is about this submission alone; else None."""
        return self.released if self.own else None

    @property
    def answer(self) -> float | tuple[float, ...] | None:
        """All that was released: a number, or as many as there are; None: nothing yet."""
        return tuple(self.numbers.values()) or self.released


class Unscorable(errors.InvalidQuery):
    """A submission that can't be scored; `rows` has those of its rows that break a rule."""

    def __init__(self, message: str, rows: object) -> None:
        super().__init__(message)
        self.rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


class _Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: dict[str, Any]


class BoardClient:
    """One board as a program sees it.

    Parameters
    ----------
    url
        The board's address, https://host/b/NAME.
    token
        An API token; None: only what is public can be asked.
    patience
        How long a request is tried again, in seconds.
    insecure
        Let the token travel in clear text, to a board without https on another machine. No proxy of
        the environment is used in any case.
    sleep, now
        The clock, for tests.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        patience: float = 600.0,
        insecure: bool = False,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        found = re.fullmatch(r"(https?://[^/\s]+)((?:/[^/\s]+)*?)/b/([a-z0-9-]+)/?", url)
        if found is None:
            raise errors.InvalidInput(
                f"board must be an address like https://host/b/name, got {quoted(url)}."
            )
        refuse_in_clear(url, insecure)
        if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token):
            raise errors.InvalidInput("token must be one line of visible characters.")
        if not patience >= 0.0:
            raise errors.InvalidInput(f"patience must be at least 0 seconds, got {patience}.")
        self.url, self.name = url.rstrip("/"), found[3]
        self._origin = urlsplit(found[1])
        self._base = f"{found[2]}/api/v1"
        self._token, self._patience = token, patience
        self._sleep, self._now = sleep, now
        self._connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def board(self) -> dict[str, Any]:
        """Return what is public about the board."""
        told = self._ask("GET", f"/boards/{self.name}").body
        _require(told, policy=dict, n_examples=int, n_classes=int, phase=int)
        _require(told["policy"], release=str, metric=str, digest=str)
        return told

    def allowance(self) -> dict[str, Any]:
        """Return the team, its looks left and when the next one is allowed."""
        told = self._ask("GET", f"/boards/{self.name}/allowance").body
        _require(told, team_id=int, phase=int, looks_left=int)
        return told

    def receipt(self, receipt_id: str) -> dict[str, Any]:
        """Return whether a receipt is in the chain, and to its team what was released."""
        return self._ask("GET", f"/boards/{self.name}/receipts/{quote(receipt_id, safe='')}").body

    def key_for(self, body: bytes) -> str:
        """Return the same key for the same content from the same team in the same phase.

        In another phase the labels or the rule are others, so it is another submission.
        """
        known = self.allowance()
        place = f"{self.url} {known['team_id']} {known['phase']}"
        digest = hashlib.sha256(place.encode() + b"\0" + hashlib.sha256(body).digest())
        return digest.hexdigest()

    def submit(self, body: bytes, *, key: str, file: str = "submission") -> Released:
        """Send a submission; sent again under the same key, it is the same look.

        Raises
        ------
        Unscorable
            It can't be scored.
        BudgetExhausted
            No look is left now; `next_allowed_at` says when there will be one.
        LedgerError
            The board can't use its ledger; nothing was released.
        BoardUnreachable
            Nothing is known. The same call again costs nothing twice.
        """
        name = file.encode("ascii", "replace").decode()
        headers = {
            "Idempotency-Key": key,
            "Content-Type": "application/octet-stream",
            "X-File-Name": "".join(c if c.isprintable() else "?" for c in name)[:200],
        }
        reply = self._ask("POST", f"/boards/{self.name}/submissions", body, headers)
        told = {"numbers": {}, **reply.body, "replayed": "idempotency-replayed" in reply.headers}
        if not {*Released.__dataclass_fields__} <= told.keys():
            raise errors.BoardUnreachable("the board answered without a receipt.")
        if not is_number(told["released"]) and told["released"] is not None:
            raise errors.BoardUnreachable("the board released what is no finite number.")
        _require(told, id=int, looks_left=int, receipt_id=str, meaning=str, numbers=dict)
        if not all(map(is_number, told["numbers"].values())):
            raise errors.BoardUnreachable("the board released what is no finite number.")
        return Released(**{name: told[name] for name in Released.__dataclass_fields__})

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _Reply:
        deadline, attempt, trouble = self._now() + self._patience, 0, "it did not answer"
        while True:
            wait = 0.0
            try:
                reply = self._once(method, path, body, headers or {})
            except (OSError, http.client.HTTPException, ssl.SSLError) as error:
                self.close()
                trouble = " ".join(str(error).split()) or type(error).__name__
            else:
                if reply.status < 300:
                    return reply
                error_, again = _problem(reply)
                if not again:
                    raise error_
                trouble = str(error_)
                retry_after = reply.headers.get("retry-after", "")
                wait = float(retry_after) if retry_after.isdecimal() else 0.0
            longest = min(LONGEST, SHORTEST * 2.0**attempt)
            pause = max(wait, random.uniform(SHORTEST, longest))
            attempt = min(attempt + 1, MOST_DOUBLINGS)
            if self._now() + pause > deadline:
                if "Nothing was released" in trouble:
                    raise errors.LedgerError(trouble)
                raise errors.BoardUnreachable(
                    f"the board at {self._origin.netloc} can't be reached: {trouble}. Nothing is "
                    "known of this request; the same again costs nothing twice."
                )
            self._sleep(pause)

    def _once(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> _Reply:
        if self._connection is None:
            secure = self._origin.scheme == "https"
            kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            self._connection = kind(self._origin.netloc, timeout=TIMEOUT)
        sent = {"Accept": "application/json", **headers}
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        self._connection.request(method, self._base + path, body=body, headers=sent)
        answer = self._connection.getresponse()
        found: dict[str, Any] = {}
        with suppress(ValueError, RecursionError):
            found = content_of(answer, LARGEST_ANSWER)
        told = {name.lower(): value for name, value in answer.getheaders()}
        if told.get("connection", "").lower() == "close":
            self.close()
        return _Reply(answer.status, told, found)


def _require(told: Mapping[str, Any], **kinds: type) -> None:
    """Raise `BoardUnreachable` unless an answer has these fields, of these kinds."""
    for name, kind in kinds.items():
        if type(told.get(name)) is not kind:
            raise errors.BoardUnreachable(f"the board answered without a proper {name}.")


def _problem(reply: _Reply) -> tuple[errors.HoldfastError, bool]:
    """Return what a refusal means, and whether another try makes sense."""
    word, detail = reply.body.get("type"), str(reply.body.get("detail", ""))
    if reply.status in RETRIED_STATUSES:
        return errors.HoldfastError(detail or f"it answered {reply.status}"), True
    if word == "invalid_submission":
        return Unscorable(detail, reply.body.get("rows")), False
    if word in ("no_look_left", "phase_closed"):
        return errors.BudgetExhausted(detail, next_allowed_at=moment(reply.body)), False
    told = detail or f"it answered {reply.status}"
    return errors.InvalidInput(f"the board refused: {told}"), False


def moment(body: Mapping[str, Any]) -> datetime | None:
    """Return when the next look is allowed, by an answer of the board."""
    text = body.get("next_allowed_at")
    with suppress(ValueError):
        return datetime.fromisoformat(text).astimezone(UTC) if isinstance(text, str) else None
    return None
