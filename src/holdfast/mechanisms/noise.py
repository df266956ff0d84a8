"""Where noise comes from: numpy's generator, or OpenDP's samplers on the grid of counts.

Noise from floating-point samplers leaves traces in the last bits of an answer, from which
repeated looks can learn more than the noise should allow (Mironov 2012). OpenDP's samplers are
exact and discrete: they add whole matches, drawn from the operating system's randomness, so they
can't be repeated from a seed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from holdfast.errors import InvalidInput, NotSupported
from holdfast.quoting import quoted

__all__ = ["Sampler", "Shape", "check_sampler", "draw"]

Sampler = Literal["numpy", "opendp"]
Shape = Literal["gaussian", "laplace"]


def check_sampler(sampler: str) -> None:
    """Raise `InvalidInput` unless this is the name of a sampler."""
    if sampler not in ("numpy", "opendp"):
        raise InvalidInput(f"sampler must be numpy or opendp, got {quoted(sampler)}.")


def draw(
    shape: Shape, scale: float, n_examples: int, rng: np.random.Generator, sampler: str = "numpy"
) -> Fraction:
    """Return one draw of noise, in units of accuracy.

    `scale` is the standard deviation of Gaussian noise and the parameter b of Laplace noise.
    """
    if sampler == "opendp":
        return Fraction(_discrete(shape, scale * n_examples), n_examples)
    if shape == "gaussian":
        return Fraction(float(rng.normal(0.0, scale)))
    return Fraction(float(rng.laplace(0.0, scale)))


def _discrete(shape: Shape, scale: float) -> int:
    """Return a whole number of matches from OpenDP's discrete Gaussian or Laplace sampler."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise NotSupported(
            "sampler=opendp needs the extra of that name: pip install 'holdfast[opendp]'."
        ) from None
    dp.enable_features("contrib")
    make = dp.m.make_gaussian if shape == "gaussian" else dp.m.make_laplace
    measurement = make(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)
    return int(measurement(0))
