r"""Forecast of what linear estimates of labels gain, from how much of each value is told.

Of a value with variance s^2 a rule leaves the share eta of its information, as noise of variance
s^2 (1 - eta) / eta would. K values of random submissions then leave the share e of the variance of
n (m - 1) coordinates unexplained, the fixed point of

    e = 1 / (1 + K / (n (m - 1)) / ((1 - eta) / eta + e))

(linear estimates from random designs; Tse & Hanly 1999). Beliefs with this share are drawn, and the
best submission is valued by them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics._linear_belief import shifted
from holdfast.attacks.through_metrics.affine_forms import affine_value
from holdfast.attacks.through_metrics.best_expected import best_submission, expected_value
from holdfast.attacks.through_metrics.description import MetricEstimate
from holdfast.metrics import LabelMetric, Metric
from holdfast.problem import Problem

__all__ = ["MOST_DRAWN", "gain_of_beliefs", "unexplained"]

Floats = NDArray[np.float64]

# So many examples, and numbers, are drawn at most.
MOST_DRAWN, MOST_NUMBERS = 20_000, 4_000_000
STEPS = 200


def unexplained(told: float, problem: Problem) -> float:
    """Return the share of the labels' variance that looks leave, each telling a share of a value.

    >>> round(unexplained(0.5, Problem(1000, 2, 100)), 3)
    0.951
    """
    n, m, k = problem
    load, noise, left = k / (n * (m - 1)), (1.0 - told) / max(told, 1e-12), 1.0
    for _ in range(STEPS):
        left = 1.0 / (1.0 + load / max(noise + left, 1e-12))
    return left


def gain_of_beliefs(
    metric: Metric, problem: Problem, shares: Floats, told: float
) -> MetricEstimate:
    """Return what the best submission is worth once looks have told such a share of each value."""
    n, m, _ = problem
    drawn = max(2, min(n, MOST_DRAWN, MOST_NUMBERS // m))
    rho = max(1e-12, 1.0 - unexplained(told, problem))
    rng = np.random.default_rng(0)
    ends = np.rint(np.cumsum([0.0, *shares]) * drawn).astype(int)
    labels = np.repeat(np.arange(m), np.diff(ends))
    # Noise with the covariance diag(p) - p p' of one label, as the estimate's observation has it.
    normal = rng.standard_normal((labels.size, m))
    noise = normal * np.sqrt(shares) - np.outer(normal @ np.sqrt(shares), shares)
    seen = np.eye(m)[labels] + noise * np.sqrt((1.0 - rho) / rho)
    logits = np.log(shares) + rho / (1.0 - rho) * (seen - 0.5) / shares
    own_sizes = np.bincount(labels, minlength=m).astype(np.float64)
    chances = shifted(logits, own_sizes)
    nothing = np.tile(shares, (labels.size, 1))
    gains = _expected(metric, chances, own_sizes) - _expected(metric, nothing, own_sizes)
    right = float(np.mean(chances.max(axis=1))) - float(shares.max())
    reason = "the best linear estimate from random submissions"
    return MetricEstimate(max(right, 0.0) * n, None, None, reason, in_metric=max(gains, 0.0))


def _expected(metric: Metric, chances: Floats, sizes: Floats) -> float:
    """Return what the best submission is expected to score."""
    best = best_submission(metric, chances, sizes)
    if isinstance(metric, LabelMetric):
        return expected_value(metric, best, chances, sizes)
    value = affine_value(metric, best, sizes, sizes_known=True)
    return value.constant + float(np.sum(value.weights(slice(0, len(best))) * chances))
