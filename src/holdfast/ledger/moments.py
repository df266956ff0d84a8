"""Moments: whole microseconds of UTC, which compare exactly and know neither summer nor winter."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["DAY", "SECOND", "Microseconds", "as_datetime", "as_microseconds", "clock", "is_moment"]

# Since 1970-01-01T00:00Z.
Microseconds: TypeAlias = int

SECOND = 1_000_000
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Between the years 1 and 9999, which are all that a datetime can tell.
FIRST_MOMENT = -719_162 * DAY
LAST_MOMENT = 2_932_897 * DAY - 1


def clock() -> Microseconds:
    """Return the present moment."""
    return time.time_ns() // 1000


def as_datetime(moment: Microseconds) -> datetime:
    """Return a moment as an aware datetime in UTC."""
    return EPOCH + timedelta(microseconds=moment)


def is_moment(value: object) -> bool:
    """Tell whether this is a moment that `as_datetime` can tell."""
    return type(value) is int and FIRST_MOMENT <= value <= LAST_MOMENT


def as_microseconds(moment: datetime) -> Microseconds:
    """Return an aware datetime as a moment."""
    if moment.tzinfo is None:
        raise InvalidInput(f"moment must carry a time zone, got {quoted(moment)}.")
    return (moment - EPOCH) // timedelta(microseconds=1)
