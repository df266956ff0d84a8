"""How much noisy answers can tell, in nats, whatever is asked."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

__all__ = ["gaussian_entropy", "laplace_nats", "log_patterns", "noisy_answer_nats"]

# An accuracy lies in [0, 1], so its variance, given everything released before, is at most this.
LARGEST_VARIANCE = 0.25


def noisy_answer_nats(variance: float, entropy: float) -> float:
    """Return the most that one accuracy can tell under noise of this variance and entropy.

    The answer has variance at most 1/4 more than the noise, so its entropy is at most that of a
    Gaussian with this variance; what the noise itself has of it tells nothing.

    >>> round(noisy_answer_nats(0.5**2, gaussian_entropy(0.5**2)), 4)
    0.3466
    """
    # The difference of the two entropies, in a form that keeps its digits under much noise.
    widened = 0.5 * math.log1p(LARGEST_VARIANCE / variance)
    return widened + (gaussian_entropy(variance) - entropy)


def gaussian_entropy(variance: float) -> float:
    """Return the differential entropy of a Gaussian, the largest for its variance, in nats."""
    return 0.5 * math.log(2.0 * math.pi * math.e * variance)


def laplace_nats(scale: float) -> float:
    """Return the most that one accuracy with Laplace noise can tell.

    >>> round(laplace_nats(0.5), 4)
    0.2751
    """
    return noisy_answer_nats(2.0 * scale**2, 1.0 + math.log(2.0 * scale))


def log_patterns(looks: int, most: int) -> float:
    """Return the logarithm of the number of ways to pick at most `most` of `looks` looks.

    >>> round(log_patterns(4, 1), 6) == round(math.log(5), 6)
    True
    """
    chosen = np.arange(min(looks, most) + 1, dtype=np.float64)
    each = gammaln(looks + 1.0) - gammaln(chosen + 1.0) - gammaln(looks - chosen + 1.0)
    return float(logsumexp(each))
