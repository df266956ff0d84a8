"""How many patterns a number of looks can show, in nats."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp

__all__ = ["log_patterns"]


def log_patterns(looks: int, most: int) -> float:
    """Return the logarithm of the number of ways to pick at most `most` of `looks` looks.

    >>> round(log_patterns(4, 1), 6) == round(float(np.log(5)), 6)
    True
    """
    chosen = np.arange(min(looks, most) + 1, dtype=np.float64)
    each = gammaln(looks + 1.0) - gammaln(chosen + 1.0) - gammaln(looks - chosen + 1.0)
    return float(logsumexp(each))
