"""Numbers and names as people read them on the page."""

from __future__ import annotations

import math

from holdfast.audit.result import Interval, in_digits, up_in_digits

__all__ = ["bound", "interval", "most", "points"]


def points(value: float | None, digits: int = 2) -> str:
    """Return a number of points for reading; an absent one as a dash."""
    return "–" if value is None else f"{value:.{digits}f}"


def bound(value: float | None) -> str:
    """Return an upper bound for reading: rounded up, so that it still is one.

    >>> bound(0.241), bound(None)
    ('0.25', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    return f"{math.ceil(100.0 * value - 1e-9) / 100.0:.2f}"


def most(value: float | None, unit: float) -> str:
    """Return an upper bound beside gains: in their digits, rounded up.

    >>> most(32.77, 0.5), most(None, 0.5)
    ('33.0', '–')
    """
    return "–" if value is None or not math.isfinite(value) else up_in_digits(value, unit)


def interval(found: Interval | None, unit: float) -> str:
    """Return a gain with its 95 % interval, in no more digits than the rounding unit has.

    >>> interval(Interval(2.0, 1.5, 2.5), 0.5)
    '2.0 (1.5 to 2.5)'
    """
    if found is None:
        return "–"
    mean = in_digits(found.mean, unit)
    if found.low is None or found.high is None or found.low == found.high:
        return mean
    return f"{mean} ({in_digits(found.low, unit)} to {in_digits(found.high, unit)})"
