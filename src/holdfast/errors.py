"""Exceptions: everything that Holdfast raises on purpose.

Every exception is a `HoldfastError`, so a caller can catch the whole family at once, and most
are also the built-in exception that a Python programmer would expect in that place.
"""

from __future__ import annotations

from datetime import datetime

__all__ = [
    "BoardUnreachable",
    "BudgetExhausted",
    "CheckFailed",
    "HoldfastError",
    "HoldfastNote",
    "InconsistentAnswer",
    "InvalidInput",
    "InvalidQuery",
    "LedgerError",
    "LedgerMissing",
    "NotSupported",
    "OutOfTurn",
    "ReleaseFailed",
    "TranscriptMismatch",
    "WorkerLost",
]


class HoldfastError(Exception):
    """The family of all errors raised by this package.

    `reason` says why in words for people who don't read code; the message, if nothing is given.
    """

    def __init__(self, message: str = "", *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = message if reason is None else reason


class HoldfastNote(UserWarning):
    """What was assumed of an input; the message says how to have it otherwise."""


class InvalidInput(HoldfastError, ValueError):
    """An argument or a file breaks a rule; the message names it, the rule and the value."""


class InvalidQuery(InvalidInput):
    """A query that an oracle can't score. It cost nothing and changed nothing."""


class BudgetExhausted(HoldfastError):
    """The oracle has given all the answers it may give. Asking again changes nothing.

    `next_allowed_at` says when a look will be answered again; None: never, as far as is known.
    """

    def __init__(self, message: str = "", *, next_allowed_at: datetime | None = None) -> None:
        super().__init__(message)
        self.next_allowed_at = next_allowed_at


class LedgerError(HoldfastError):
    """The ledger can't be read or written, or was edited. Nothing was released."""


class BoardUnreachable(HoldfastError, ConnectionError):
    """A board did not answer. Nothing is known of the request; the same again costs nothing."""


class LedgerMissing(LedgerError):
    """There is no ledger there, and none is made unasked: its looks would be forgotten."""


class ReleaseFailed(HoldfastError, RuntimeError):
    """A metric has no value for a submission. What it knew stays with it; a look was spent."""


class OutOfTurn(HoldfastError, RuntimeError):
    """`ask` and `tell` were not called in turn."""


class InconsistentAnswer(HoldfastError, ValueError):
    """An answer that no label vector could have produced under the declared answer model.

    `query` is the number of the answered query, from 0, which the message then begins with; None:
    whoever raised it did not know. `reason` says why, without the number.
    """

    def __init__(
        self, message: str = "", *, reason: str | None = None, query: int | None = None
    ) -> None:
        why = message if reason is None else reason
        super().__init__(message if query is None else f"Query {query}: {message}", reason=why)
        self.query = query


class NotSupported(HoldfastError):
    """A combination that this attack or rule can't handle; the message says why."""


class TranscriptMismatch(HoldfastError):
    """A replayed attack asked something else than the transcript recorded."""


class WorkerLost(HoldfastError, RuntimeError):
    """A worker process ended before its work was done, as when the system runs out of memory."""


class CheckFailed(HoldfastError, AssertionError):
    """An attack or a rule does not pass a check of `holdfast.testing`; the message says why."""
