"""How many looks at a metric at least tell every label or target: entropies of answers."""

from __future__ import annotations

import math

import numpy as np

from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem

__all__ = ["absolute_limit", "information_limit", "target_limit"]


def _limit(n_examples: int, values: int, told: float) -> float:
    """Return the looks that tell n values, each as likely, from answers of so many steps' spread.

    No law with a standard deviation has more entropy than the normal one.
    """
    bits = math.log2(told * math.sqrt(2.0 * math.pi * math.e))
    return n_examples * math.log2(values) / bits


def information_limit(
    problem: Problem, metric: ProbabilityMetric, decimals: int | None = None
) -> float:
    """Return how many looks at a metric of probabilities at least tell all labels.

    An answer is a mean over independent examples, each spread by at most half of what the metric
    has room for. Rounding, or the spacing of floats where the answers lie, sets how finely it is
    told.
    """
    n, m, _ = problem
    widest = metric.most_offset(m)
    step = math.ulp(widest / 2.0) if decimals is None else 10.0**-decimals
    return _limit(n, m, widest / 2.0 / math.sqrt(n) / step)


def target_limit(n_examples: int, radix: int, decimals: int | None = None) -> float:
    """Return how many looks at a mean squared error at least tell uniform targets 0 .. radix - 1.

    With all submitted numbers s from the middle, an answer spreads by 2 s sd(t) / sqrt(n) around
    s^2 + var(t). Floats there are spaced by their last bit, or decimals are: the best s is where
    spread over spacing is largest.
    """
    variance = (radix**2 - 1) / 12.0
    coarse = 0.0 if decimals is None else 10.0**-decimals
    told = max(
        2.0 * s * math.sqrt(variance / n_examples) / max(math.ulp(s * s + variance), coarse)
        for s in (2.0 ** (exponent / 4.0) for exponent in range(-40, 200))
    )
    return _limit(n_examples, radix, told)


def absolute_limit(n_examples: int, radix: int, decimals: int | None = None) -> float:
    """Return how many looks at a mean absolute error at least tell uniform targets 0 .. radix - 1.

    With one number submitted for all, an answer spreads by the errors' deviation over sqrt(n)
    around their mean: the best number is where spread over spacing is largest.
    """
    targets, coarse = np.arange(radix), 0.0 if decimals is None else 10.0**-decimals
    errors = [np.abs(targets - half / 2.0) for half in range(radix - 1, 2 * radix)]
    told = max(
        float(each.std()) / math.sqrt(n_examples) / max(math.ulp(float(each.mean())), coarse)
        for each in errors
    )
    return _limit(n_examples, radix, told)
