"""Placement of labels at the ends of lines, so that none covers another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Height", "placed"]

# Pixels between two labels, and between a label and the chart's foot, where other words stand.
APART, FOOT = 15.0, 26.0


class Height(NamedTuple):
    """How many pixels below the top a line ends, and how many its label stands."""

    end: float
    label: float


def placed(values: Sequence[float], least: float, most: float, height: float) -> list[Height]:
    """Return where labels go that stand as near to their lines' ends as their number allows.

    Two passes. Downward, each label goes to its line's end, or as far below its predecessor as two
    lines of text need. That may push the last ones off the chart; upward, each then moves up by
    just what it must. Both keep the order, so that no label stands at another line.

    Parameters
    ----------
    values
        Where the lines end, on a logarithmic axis.
    least, most
        The values at the axis's foot and top.
    height
        The axis in pixels.

    >>> [round(each.label) for each in placed([10.0, 9.9, 1.0], 1.0, 10.0, 400)]
    [0, 15, 374]
    """
    ends = [height * (1.0 - _share(value, least, most)) for value in values]
    order = sorted(range(len(ends)), key=ends.__getitem__)
    labels = dict.fromkeys(order, 0.0)
    before = -APART
    for at in order:
        labels[at] = before = max(min(ends[at], height - FOOT), before + APART)
    # What was pushed below the foot moves up again, and its neighbours with it.
    after = height - FOOT + APART
    for at in reversed(order):
        labels[at] = after = min(labels[at], after - APART)
    return [Height(end, labels[at]) for at, end in enumerate(ends)]


def _share(value: float, least: float, most: float) -> float:
    return min(max(math.log(value / least) / math.log(most / least), 0.0), 1.0)
