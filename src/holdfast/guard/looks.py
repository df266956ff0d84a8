"""Looks of an account over the life of a board: a number, a rate for a time, or a policy's.

What an attacker can do follows from the looks in all, so a rate needs the days that the board is
open. Windows are counted as the guard opens them: five a day for a month and a half is 5 times 46
days, and a last week that has begun counts in full. A least gap between two looks may leave fewer.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace

from holdfast.errors import InvalidInput
from holdfast.guard.policy import Policy
from holdfast.guard.windows import Calendar, Rolling, parse_duration
from holdfast.problem import check_at_least
from holdfast.quoting import quoted

__all__ = ["WINDOWS", "Looks", "looks_of", "parse_looks", "parse_rate"]

# Days in each unit of a rate; a month is a twelfth of a year.
UNITS = {"hour": 1.0 / 24.0, "day": 1.0, "week": 7.0, "month": 365.25 / 12.0, "year": 365.25}
# The window that a rate's unit of time opens anew; an hour and a year are rolling spans.
WINDOWS = {
    None: "total",
    "hour": "1 hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "8766 hours",
}
DAY = parse_duration("1 day")
MOST_LOOKS = 10**9


@dataclass(frozen=True)
class Looks:
    """Looks of one account over the life of the board, and how they were stated.

    `rate` is a number and its unit of time, and `days` how long that lasts; None: not stated so.
    """

    count: int
    text: str
    rate: tuple[int, str | None] | None = field(default=None, repr=False, compare=False)
    days: int | None = field(default=None, repr=False, compare=False)


def parse_rate(text: str) -> tuple[int, str | None]:
    """Read "1000" or "5/day": a number, and the unit of time that it is for, if any.

    >>> parse_rate("5/day"), parse_rate("1,000")
    ((5, 'day'), (1000, None))
    """
    match = re.fullmatch(
        r"\s*([\d,_]{1,40})\s*(?:(?:/|per)\s*(hour|day|week|month|year))?\s*", text
    )
    if match is None or not re.sub(r"[,_]", "", match[1]):
        raise InvalidInput(
            f'looks must be a number such as 1000 or a rate such as "5/day", got {quoted(text)}.'
        )
    number = int(re.sub(r"[,_]", "", match[1]))
    return check_at_least("looks", number, 1), match[2]


def parse_looks(text: str, *, days: int | None = None) -> Looks:
    """Read "1000", or a rate such as "5/day", which needs the number of days it lasts.

    >>> parse_looks("5/day", days=90)
    Looks(count=450, text='5/day for 90 days')
    >>> parse_looks("1,000")
    Looks(count=1000, text='1,000 looks')
    """
    number, unit = parse_rate(text)
    if unit is None:
        if days is not None:
            raise InvalidInput(
                f'days must come with a rate such as "5/day", got looks {quoted(text)}.'
            )
        return _checked(number, f"{number:,} looks")
    if days is None:
        raise InvalidInput(f"days must be given with a rate, got looks {quoted(text)} alone.")
    check_at_least("days", days, 1)
    # A calendar window opens anew when it begins: a last, partial one counts fully.
    looks = _checked(number * math.ceil(days / UNITS[unit]), f"{number:,}/{unit} for {days:,} days")
    return replace(looks, rate=(number, unit), days=days)


def _checked(count: int, text: str) -> Looks:
    if count > MOST_LOOKS:
        raise InvalidInput(f"looks must be at most {MOST_LOOKS:,}, got {count:,}.")
    return Looks(count, text)


def looks_of(policy: Policy, days: int | None) -> Looks:
    """Return a team's looks over the life of the board, as windows and the least gap allow.

    The smaller of two numbers: looks per window times windows, a last one that has begun counted in
    full; and one look at the start with one after each least gap. `days` stands for the policy's.

    >>> policy = Policy("exact", looks_per_team=5, window="day", min_gap="12 hours")
    >>> looks_of(policy, days=10).text
    'one per 12 hours for 10 days'
    >>> looks_of(policy, days=10).count
    21
    """
    days = policy.days if days is None else days
    looks = _looks_in_windows(policy, days)
    if not policy.gap or days is None:
        return looks
    most = days * DAY // policy.gap + 1  # one at the start, and one after each gap
    if looks.count <= most:
        return looks
    return Looks(most, f"one per {policy.min_gap} for {days:,} days")


def _looks_in_windows(policy: Policy, days: int | None) -> Looks:
    if not isinstance(policy.span, (Calendar, Rolling)):
        return parse_looks(str(policy.looks_per_team))
    if days is None:
        raise InvalidInput(
            f'days must be given, here or in the policy, as window is "{policy.window}".'
        )
    number = policy.looks_per_team
    for unit, window in WINDOWS.items():
        if unit is not None and window == policy.window.strip():
            return parse_looks(f"{number}/{unit}", days=days)
    assert isinstance(policy.span, Rolling)  # every calendar window is in the table
    windows = -(-days * DAY // policy.span.span)
    return Looks(number * windows, f"{number:,} per {policy.window} for {days:,} days")
