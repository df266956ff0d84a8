"""Time windows of look budgets, over whole microseconds of UTC.

Local time has no place here. A host once counted "today" as "same day of the month" for five
years, and another gave an extra hour of looks every autumn; an integer that only grows can't.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, cast

from holdfast.errors import InvalidInput
from holdfast.ledger.moments import DAY, SECOND, Microseconds, as_datetime, as_microseconds
from holdfast.quoting import quoted

__all__ = [
    "Calendar",
    "Rolling",
    "Total",
    "Window",
    "parse_duration",
    "parse_window",
]

Period: TypeAlias = Literal["day", "week", "month"]

BEFORE_EVERYTHING = -(2**62)
UNITS = {"second": SECOND, "minute": 60 * SECOND, "hour": 3600 * SECOND, "day": DAY}
# A hundred years.
LONGEST_DAYS = 36_525


class Window(Protocol):
    """Says which past looks count against a budget now.

    `since` never decreases, and `frees(look)` is the first moment at which `since` has passed
    the look: the two are one rule seen from both ends.
    """

    def since(self, now: Microseconds) -> Microseconds:
        """Return the earliest moment whose looks still count."""
        ...

    def frees(self, look: Microseconds) -> Microseconds | None:
        """Return when a look made at that moment stops counting; None: never."""
        ...


@dataclass(frozen=True)
class Total:
    """Every look counts for ever."""

    def since(self, now: Microseconds) -> Microseconds:  # noqa: ARG002 - the protocol's signature
        """Return a moment before every look."""
        return BEFORE_EVERYTHING

    def frees(self, look: Microseconds) -> Microseconds | None:  # noqa: ARG002 - as above
        """Return None: a look never stops counting."""
        return None


@dataclass(frozen=True)
class Rolling:
    """A look counts for a fixed span of time after it was made.

    >>> Rolling(7 * DAY).frees(0) == 7 * DAY
    True
    """

    span: Microseconds

    def since(self, now: Microseconds) -> Microseconds:
        """Return the first moment that is less than a span ago."""
        return now - self.span + 1

    def frees(self, look: Microseconds) -> Microseconds | None:
        """Return the moment one span after the look."""
        return look + self.span


@dataclass(frozen=True)
class Calendar:
    """A look counts until the UTC day, ISO week (from Monday) or month in which it was made ends.

    >>> window = Calendar("month")
    >>> from datetime import UTC, datetime
    >>> look = as_microseconds(datetime(2024, 2, 29, 23, 59, tzinfo=UTC))
    >>> as_datetime(window.frees(look)).isoformat()
    '2024-03-01T00:00:00+00:00'
    """

    period: Period

    def since(self, now: Microseconds) -> Microseconds:
        """Return the start of the present period."""
        day = now // DAY
        if self.period == "day":
            return day * DAY
        if self.period == "week":
            return (day - (day + 3) % 7) * DAY  # day 0, 1 January 1970, was a Thursday
        return as_microseconds(as_datetime(day * DAY).replace(day=1))

    def frees(self, look: Microseconds) -> Microseconds | None:
        """Return the start of the period after the look's."""
        start = self.since(look)
        if self.period == "day":
            return start + DAY
        if self.period == "week":
            return start + 7 * DAY
        return self.since(start + 31 * DAY)  # 31 days after a first is always in the next month


def parse_duration(text: str, *, name: str = "duration") -> Microseconds:
    """Read a span of time such as "90 seconds" or "1 hour".

    >>> parse_duration("2 hours") // SECOND
    7200
    """
    match = re.fullmatch(r"\s*0*(\d{1,18})\s*(second|minute|hour|day)s?\s*", text)
    if match is None:
        raise InvalidInput(
            f'{name} must be a number of seconds, minutes, hours or days such as "10 minutes", '
            f"got {quoted(text)}."
        )
    span = int(match[1]) * UNITS[match[2]]
    if span > LONGEST_DAYS * DAY:
        raise InvalidInput(f"{name} must be at most {LONGEST_DAYS} days, got {quoted(text)}.")
    return span


def parse_window(text: str) -> Window:
    """Read a window: "total", "day", "week", "month" or a rolling span such as "7 days".

    >>> parse_window("week")
    Calendar(period='week')
    >>> parse_window("fortnight")
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: window must be "total", "day", "week", "month" or a rolling \
span such as "7 days", got 'fortnight'.
    """
    word = text.strip()
    if word == "total":
        return Total()
    if word in ("day", "week", "month"):
        return Calendar(cast(Period, word))
    try:
        span = parse_duration(word)
    except InvalidInput:
        span = 0
    if span == 0:
        raise InvalidInput(
            'window must be "total", "day", "week", "month" or a rolling span such as "7 days", '
            f"got {quoted(text)}."
        )
    return Rolling(span)
