"""Noise on a grid: whole numbers of cells, with an exact law, so that no digit tells more.

A floating-point sampler adds one of finitely many unevenly spaced numbers, so the last bits of an
answer tell which accuracies could have given it (Mironov 2012), and a bound for ideal noise is
false for it. Here a value is first rounded to a grid that is 2^40 times finer than the noise, and
then moved by a whole number of cells whose law is known exactly: every value of the grid is
possible whatever the accuracy was, and how likely it is follows the law that the bounds are for
(`channel`). What is done with the answer afterwards, such as storing it as a float, tells no more.

Two samplers draw that law: "grid", from the bits of the generator that is passed in, so that a
play can be repeated from its seed; and "opendp", OpenDP's own, from the operating system's
randomness.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Literal

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.mechanisms.checks import as_fraction, nearest_multiple
from holdfast.mechanisms.exact_sampling import ExactSampler
from holdfast.quoting import quoted

__all__ = ["GRID_BITS", "Sampler", "Shape", "check_sampler", "draw", "grid_of", "with_noise"]

Sampler = Literal["grid", "opendp"]
Shape = Literal["gaussian", "laplace"]

# A cell is between 2^-41 and 2^-40 times the scale of the noise.
GRID_BITS = 40


def check_sampler(sampler: str) -> None:
    """Raise `InvalidInput` unless this is the name of a sampler."""
    if sampler == "numpy":
        raise InvalidInput(
            "sampler must be grid or opendp, got 'numpy': noise from a floating-point sampler "
            "tells more than its bound allows."
        )
    if sampler not in ("grid", "opendp"):
        raise InvalidInput(f"sampler must be grid or opendp, got {quoted(sampler)}.")


@cache
def grid_of(scale: float) -> Fraction:
    """Return the width of a cell: a power of two, so that multiples of it are floats.

    >>> grid_of(1.0) == Fraction(1, 2**40), grid_of(0.005) <= Fraction(1, 200 * 2**40)
    (True, True)
    """
    _, exponent = math.frexp(scale)  # scale = mantissa 2^exponent, mantissa in [1/2, 1)
    return Fraction(2) ** (exponent - 1 - GRID_BITS)


def with_noise(
    value: Fraction, shape: Shape, scale: float, rng: np.random.Generator, sampler: str = "grid"
) -> Fraction:
    """Return a value on the grid plus one draw of noise."""
    grid = grid_of(scale)
    return nearest_multiple(value, grid) * grid + draw(shape, scale, rng, sampler)


def draw(shape: Shape, scale: float, rng: np.random.Generator, sampler: str = "grid") -> Fraction:
    """Return one draw of noise, in units of accuracy: a whole number of cells.

    `scale` is the standard deviation of Gaussian noise and the parameter b of Laplace noise.
    """
    grid, cells, squared = _cells(scale)
    if sampler == "opendp":
        return _opendp(shape, float(cells)) * grid
    exact = ExactSampler(rng)
    return (exact.gaussian(squared) if shape == "gaussian" else exact.laplace(cells)) * grid


@cache
def _cells(scale: float) -> tuple[Fraction, Fraction, Fraction]:
    """Return the width of a cell, the scale in cells, and the square of that."""
    grid = grid_of(scale)
    cells = as_fraction(scale) / grid
    return grid, cells, cells**2


def _opendp(shape: Shape, scale: float) -> int:
    """Return a whole number from OpenDP's discrete Gaussian or Laplace sampler."""
    with needed_for("sampler=opendp"):
        import opendp.prelude as dp
    dp.enable_features("contrib")
    make = dp.m.make_gaussian if shape == "gaussian" else dp.m.make_laplace
    measurement = make(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=scale)
    return int(measurement(0))
