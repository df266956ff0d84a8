"""Ticks of logarithmic axes: at the sizes that were played, and never so near that they touch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["apart", "set_ticks", "tick_text"]

# More sizes than these are told by powers of ten.
MOST_TICKS = 14
# An axis that goes beyond the first has its numbers from the second on as powers of ten, which are
# as long for 10^12 as for 10^3.
LARGE, POWERS_FROM = 1e6, 1e3
# Below so many decades powers of ten are too few ticks; below the second also their 2 and 5 fold.
FEW_DECADES, FEWER_DECADES = 2.8, 0.8
# The share of an axis that a letter takes, and the room between two texts.
A_LETTER, ROOM = 0.014, 0.012


def tick_text(value: float, *, powers: bool = False) -> str:
    """Return a number as a tick shows it.

    >>> tick_text(1000.0), tick_text(0.05), tick_text(1e12, powers=True)
    ('1,000', '0.05', '$10^{12}$')
    """
    if not powers or value < POWERS_FROM:
        return f"{value:,g}"
    power = math.floor(math.log10(value) + 1e-9)
    factor = f"{value / 10.0**power:.3g}"
    return f"$10^{{{power}}}$" if factor == "1" else rf"${factor}\times10^{{{power}}}$"


def apart(values: Sequence[float], low: float, high: float) -> list[float]:
    """Return values whose texts do not touch on a logarithmic axis; the largest always stays.

    >>> apart([100, 900, 1000], 95, 1050), apart([10, 30, 100], 9, 110)
    ([100, 1000], [10, 30, 100])
    """
    span, powers = math.log(high / low), high > LARGE
    found: list[float] = []
    for value in sorted(set(values), reverse=True):
        if found:
            room = A_LETTER * (_letters(value, powers) + _letters(found[-1], powers)) / 2 + ROOM
            if math.log(found[-1] / value) < room * span:
                continue
        found.append(value)
    return found[::-1]


def set_ticks(axis: Any, values: Sequence[float] | None = None) -> None:
    """Put ticks at the values, or at round numbers where there are none or too many."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    low, high = axis.get_view_interval()
    decades = math.log10(high / low) if 0 < low < high else 0.0
    axis.set_minor_locator(NullLocator())

    def text(value: float, _: int | None) -> str:
        return tick_text(float(value), powers=high > LARGE)

    axis.set_major_formatter(text)
    few = [float(each) for each in np.unique(values)] if values else []
    if few and len(few) <= MOST_TICKS and decades:
        axis.set_ticks(apart(few, low, high))
        axis.set_major_formatter(text)
    elif decades < FEWER_DECADES:
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    else:
        subs = (1.0, 2.0, 5.0) if decades < FEW_DECADES else (1.0,)
        axis.set_major_locator(LogLocator(subs=subs, numticks=12))


def _letters(value: float, powers: bool) -> int:
    """Return about how many letters wide a tick's text is; exponents are small."""
    text = tick_text(value, powers=powers)
    return len(text) if "$" not in text else max(4, len(text) - 12)
