"""Measured curves for what has no closed form; `benchmarks/planner_tables.py` makes them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["along", "grid", "table"]


@cache
def table(name: str) -> dict[str, Any]:
    """Return one measured table.

    >>> table("lattice")["classes"][0]
    2
    """
    tables = json.loads(Path(__file__).with_name("tables.json").read_text())
    found: dict[str, Any] = tables[name]
    return found


def along(axis: Sequence[float], values: Sequence[float], at: float) -> float:
    """Interpolate in the logarithm of the axis; beyond its ends the last value holds.

    >>> round(along([1, 100], [0.0, 1.0], 10), 9)
    0.5
    """
    return float(np.interp(math.log(at), np.log(axis), values))


def grid(axes: Sequence[Sequence[float]], values: Any, at: Sequence[float]) -> float:
    """Interpolate in several logarithmic axes, one after the other.

    >>> round(grid([[1, 100], [1, 100]], [[0.0, 1.0], [2.0, 3.0]], [10, 10]), 9)
    1.5
    """
    first, *others = axes
    if not others:
        return along(first, values, at[0])
    return along(first, [grid(others, part, at[1:]) for part in values], at[0])
