"""Problem details (RFC 9457): the one shape of every error, and what each word means."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, Final

from holdfast import errors

__all__ = ["PROBLEMS", "DoesNotFit", "Problem", "as_problem"]

# The stable word of each problem, its status and its title.
PROBLEMS: Final[dict[str, tuple[int, str]]] = {
    "bad_request": (400, "The request can't be understood"),
    "not_signed_in": (401, "Sign in first"),
    "not_allowed": (403, "Not allowed"),
    "not_found": (404, "There is nothing here"),
    "wrong_method": (405, "This address does not take that method"),
    "too_slow": (408, "The request took too long"),
    "no_look_left": (409, "No look left"),
    "phase_closed": (409, "The board takes no submissions now"),
    "too_large": (413, "The request is too large"),
    "invalid_input": (422, "The input breaks a rule"),
    "invalid_team": (422, "The team's name can't be taken"),
    "invalid_submission": (422, "The submission can't be scored"),
    "key_reused": (422, "The idempotency key belongs to another upload"),
    "too_fast": (429, "Too many requests"),
    "failed": (500, "Something went wrong here"),
    "ledger_unavailable": (503, "The ledger can't be used"),
}


class Problem(errors.HoldfastError):
    """A refusal in words, with the status and the fields that a client reads.

    Parameters
    ----------
    word
        One of `PROBLEMS`, the stable name of what went wrong.
    detail
        What happened, in a sentence.
    retry_after
        Seconds after which another try makes sense.
    more
        Further fields: `next_allowed_at`, `receipt_id`.
    """

    def __init__(
        self, word: str, detail: str, *, retry_after: float | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.word = word
        self.status, self.title = PROBLEMS[word]
        self.more = more
        self.headers: dict[str, str] = {}
        if retry_after is not None:
            self.headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
        if self.status == 401:
            self.headers["WWW-Authenticate"] = 'Bearer realm="holdfast"'

    @property
    def body(self) -> dict[str, Any]:
        """The fields of the answer."""
        return {
            "type": self.word,
            "title": self.title,
            "status": self.status,
            "detail": str(self),
            **self.more,
        }


class DoesNotFit(errors.InvalidInput):
    """Why hidden labels can't be scored, which may quote one or name their place.

    It is for who has them, on the server; over HTTP nobody is told more than that.
    """


def as_problem(error: Exception) -> Problem:
    """Return what a client is told of something that was raised."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, errors.InvalidQuery):
        return Problem("invalid_submission", str(error))
    if isinstance(error, errors.BudgetExhausted):
        at = error.next_allowed_at
        if at is None:
            return Problem("no_look_left", str(error), next_allowed_at=None)
        wait = (at - datetime.now(UTC)).total_seconds()
        told = at.isoformat(timespec="seconds")
        return Problem("no_look_left", str(error), retry_after=wait, next_allowed_at=told)
    if isinstance(error, errors.LedgerError):
        # Its own message may name places on the host.
        return Problem(
            "ledger_unavailable", "The ledger can't be used. Nothing was released.", retry_after=5
        )
    if isinstance(error, DoesNotFit):
        told = "It does not fit the hidden labels; on the server, holdfast board says why."
        return Problem("invalid_input", told)
    if isinstance(error, errors.InvalidInput | errors.NotSupported):
        return Problem("invalid_input", str(error))
    return Problem("failed", "Something went wrong here. Nothing was released.")
