"""How much noisy answers can tell, in nats, whatever is asked."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

__all__ = ["gaussian_nats", "laplace_nats", "log_patterns"]

# An accuracy lies in [0, 1], so its variance, given everything released before, is at most this.
LARGEST_VARIANCE = 0.25


def gaussian_nats(scale: float) -> float:
    """Return the most that one accuracy with Gaussian noise can tell: ln(1 + Var/scale^2)/2.

    >>> round(gaussian_nats(0.5), 4)
    0.3466
    """
    return 0.5 * math.log1p(LARGEST_VARIANCE / scale**2)


def laplace_nats(scale: float) -> float:
    """Return the most that one accuracy with Laplace noise can tell.

    The answer has variance at most 1/4 + 2 scale^2, so its entropy is at most a Gaussian's; the
    noise itself has entropy 1 + ln(2 scale).

    >>> round(laplace_nats(0.5), 4)
    0.2751
    """
    answer = 0.5 * math.log(2.0 * math.pi * math.e * (LARGEST_VARIANCE + 2.0 * scale**2))
    return answer - 1.0 - math.log(2.0 * scale)


def log_patterns(looks: int, most: int) -> float:
    """Return the logarithm of the number of ways to pick at most `most` of `looks` looks.

    >>> round(log_patterns(4, 1), 6) == round(math.log(5), 6)
    True
    """
    chosen = np.arange(min(looks, most) + 1, dtype=np.float64)
    each = gammaln(looks + 1.0) - gammaln(chosen + 1.0) - gammaln(looks - chosen + 1.0)
    return float(logsumexp(each))
