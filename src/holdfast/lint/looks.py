"""Total looks implied by a host's limits, and findings about limits that are missing."""

from __future__ import annotations

from holdfast.lint.record import Issue
from holdfast.lint.tree import Tree

__all__ = ["MANY_LOOKS", "MANY_LOOKS_PER_DAY", "days_between", "limit_issues", "looks_of"]

# Limits above these get a finding: a serious entrant needs fewer, and hosts' usual limits are lower
# (Kaggle's is 5 per day).
MANY_LOOKS_PER_DAY = 20
MANY_LOOKS = 500
# What no limit at all is taken for.
UNLIMITED_LOOKS = 10**6


def days_between(start: Tree | None, end: Tree | None, otherwise: int) -> tuple[int, bool]:
    """Return how many days a phase lasts, and whether that is known from its dates."""
    first = start.day() if start is not None else None
    last = end.day() if end is not None else None
    if first is None or last is None or last < first:
        return otherwise, False
    return max(1, (last - first).days), True


def looks_of(days: int, per_day: int | None, total: int | None) -> tuple[int, str]:
    """Return an account's looks over a phase: the smaller of the two limits.

    >>> looks_of(90, 5, 100)
    (100, '100 in all')
    >>> looks_of(10, 5, None)
    (50, '5 a day for 10 days')
    """
    by_day = None if per_day is None else per_day * days
    if by_day is None and total is None:
        return UNLIMITED_LOOKS, "no limit at all"
    if total is not None and (by_day is None or total <= by_day):
        return max(1, total), f"{total:,} in all"
    assert by_day is not None
    return max(1, by_day), f"{per_day:,} a day for {days:,} days"


def limit_issues(
    setting: Tree | None, phase: Tree, name: str, value: int | None, default: str, most: int
) -> list[Issue]:
    """Return what is wrong with one limit, at its own line or its phase's."""
    if setting is None:
        if value is not None and value <= most:
            return []
        return [
            Issue(
                phase.line,
                f"default-{name.replace('_', '-')}",
                "error",
                f"{name} is missing, and the default is {default}.",
                "A limit that nobody set is a limit that nobody has: every look tells something.",
                f"Set {name} to {most} or fewer.",
            )
        ]
    if value is None:
        return [
            Issue(
                setting.line,
                f"bad-{name.replace('_', '-')}",
                "error",
                f"{name} is no whole number.",
                "The host may fall back to its default or to no limit.",
                f"Set {name} to {most} or fewer.",
            )
        ]
    if value > most:
        return [
            Issue(
                setting.line,
                f"high-{name.replace('_', '-')}",
                "warning",
                f"{name} is {value:,}.",
                "Each look releases a score; attacks gain with the square root of their number, "
                "and linearly when there are many.",
                f"Set {name} to {most} or fewer, or release less per look.",
            )
        ]
    return []
