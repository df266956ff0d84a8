"""Tail quantiles of the difference of two independent draws of noise."""

from __future__ import annotations

import math

from scipy.special import lambertw, ndtri

__all__ = ["gaussian_difference", "laplace_difference"]

# The draws lie on a grid that is finer than their scale by 2^40 (see `noise`): one cell of it for
# each draw, and the floating-point error of the quantile, are far below this share.
ROUNDING_SLACK = 1e-9


def gaussian_difference(scale: float, chance: float) -> float:
    """Return what the difference of two Gaussian draws of this standard deviation exceeds.

    >>> round(gaussian_difference(1.0, 0.05), 3)  # 1.645 sqrt(2)
    2.326
    """
    return max(0.0, -math.sqrt(2.0) * scale * float(ndtri(chance))) * (1.0 + ROUNDING_SLACK)


def laplace_difference(scale: float, chance: float) -> float:
    """Return what the difference of two Laplace draws of this parameter b exceeds.

    It exceeds x b with probability (1 + x/2) exp(-x) / 2; with u = x + 2 this is the chance c
    where u exp(-u) = 4 c exp(-2).

    >>> x = laplace_difference(1.0, 0.01)
    >>> round((1 + x / 2) * math.exp(-x) / 2, 6)
    0.01
    """
    if chance >= 0.5:
        return 0.0
    u = -float(lambertw(-4.0 * chance * math.exp(-2.0), -1).real)
    return scale * (u - 2.0) * (1.0 + ROUNDING_SLACK)
