"""Checks of settings, each with one message: name, rule, value."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.problem import check_at_least
from holdfast.quoting import quoted

__all__ = ["as_fraction", "check_count", "check_scale", "check_step"]

# Finer steps and scales than this hide nothing from anybody; wider noise hides everything.
FINEST_STEP = 1e-9
WIDEST_NOISE = 1e3
# Looks, parts, budgets and seeds up to this.
LARGEST_COUNT = 2**63 - 1


def check_count(name: str, value: int, least: int, most: int = LARGEST_COUNT) -> int:
    """Return `value` if it is an integer between two others."""
    number = check_at_least(name, value, least)
    if number > most:
        raise InvalidInput(f"{name} must be at most {most}, got {quoted(value)}.")
    return number


def check_step(name: str, value: object) -> float:
    """Return `value` if it is a step between two accuracies, or a share, that makes sense."""
    number = _number(value)
    if not FINEST_STEP <= number <= 1.0:
        raise InvalidInput(f"{name} must lie in [{FINEST_STEP:g}, 1], got {quoted(value)}.")
    return number


def check_scale(name: str, value: object) -> float:
    """Return `value` if it is a scale of noise that makes sense."""
    number = _number(value)
    if not FINEST_STEP <= number <= WIDEST_NOISE:
        raise InvalidInput(
            f"{name} must lie in [{FINEST_STEP:g}, {WIDEST_NOISE:g}], got {quoted(value)}."
        )
    return number


def _number(value: object) -> float:
    """Return a real number as a float, and NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return math.nan
    return float(value)


@cache
def as_fraction(setting: float) -> Fraction:
    """Return a setting as the decimal that was written: 0.01 is one hundredth.

    >>> as_fraction(0.01)
    Fraction(1, 100)
    """
    return Fraction(repr(float(setting)))
