"""Fitted powers: the slope of a line on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdfast.sweeps.figures.style import Line

__all__ = ["exponent", "named_with_power", "power_text"]

LEAST_POINTS = 2


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of log value over log size, by least squares.

    >>> round(exponent([1, 10, 100], [2.0, 20.0, 200.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def power_text(letter: str, power: float) -> str:
    """Return a power as a legend shows it.

    >>> power_text("n", -0.5)
    '$n^{-0.50}$'
    """
    return f"${letter}^{{{power:.2f}}}$"


def named_with_power(line: Line, letter: str) -> str:
    """Return a line's name with the exponent fitted to its visible points, if there are two."""
    seen = line.seen
    if len(set(seen.x)) < LEAST_POINTS:
        return line.name
    return f"{line.name}: {power_text(letter, exponent(seen.x, seen.y))}"
