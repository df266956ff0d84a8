r"""Numbers of value sequences of metrics: what k looks at exact values can tell, in nats.

A submission is fixed by the answers before it, so k answers are one of at most T sequences, and
their information about the labels is at most log T. T is counted from what a value depends on:

- hits alone: n + 1 values per look;
- hits and the classes' sizes: the sizes are the same at every look, one of C(n + m - 1, m - 1)
  vectors; given them, n + 1 values;
- hits in each class and the sizes t_1, ..., t_m: given the sizes, class c has at most t_c hits,
  which leaves prod (t_c + 1) <= (n/m + 1)^m values. With two classes the hits in one follow from
  those in the other, of which the smaller of the two has at most n/2: floor(n/2) + 1 values;
- a confusion matrix: given the sizes of the classes and how often each label is given, the row of
  class i is one of C(t_i + m - 1, m - 1) compositions, and the row of the largest class follows
  from the others, of which the mean size is n/m at most: by concavity at most
  C(n/m + m - 1, m - 1)^(m - 1) matrices, (m - 1)^2 counts;
- the rank sum of P positives among n: given P, twice the Mann-Whitney statistic is a whole number
  between 0 and 2 P (n - P) <= n^2 / 2. Of s examples that are ranked among n, of which P are
  positive, the ranks of the positives add up to a sum that varies by at most
  min(P, s - P) (n - 1) <= s (n - 1) / 2, and twice that sum is a whole number;
- anything else: a released value is one of less than 2^64 floats, and so is every value.

Noise, rounding and memory only post-process values: given the noise, what is released is a
function of them, and noise that is independent of the labels adds nothing.
"""

from __future__ import annotations

import math

from holdfast.bounds.binomial import log_binomial
from holdfast.metrics.base import FunctionOf

__all__ = ["FLOAT_NATS", "nats_of_values"]

# A float has 64 bits.
FLOAT_NATS = 64.0 * math.log(2.0)
# Sums of logarithms are raised by this share, more than rounding can have taken away.
ROUNDING = 1e-12


def nats_of_values(
    function_of: FunctionOf,
    n_examples: int,
    n_classes: int,
    looks: int,
    *,
    sizes_public: bool = False,
    numbers: int = 1,
    among: int | None = None,
) -> float:
    """Return the logarithm of the most sequences of exact values that so many looks can show.

    Where the sizes of the classes are public, they are not counted. `numbers` is how many a look
    shows that all depend on the same. `among` is how many examples the metric is computed of, where
    the labels of all but `n_examples` of them are given.

    >>> nats = nats_of_values(FunctionOf.MATCHES, 100, 10, 5)
    >>> round(nats, 6) == round(5 * math.log(101), 6)
    True
    """
    once, each = _parts(function_of, n_examples, n_classes, among or n_examples)
    once = 0.0 if sizes_public else once
    most = numbers * FLOAT_NATS
    counted = (once + looks * min(each, most)) * (1.0 + ROUNDING)
    return min(counted, looks * most)


def _parts(function_of: FunctionOf, n: int, m: int, among: int) -> tuple[float, float]:
    """Return the nats of what is the same at every look, and those of a look given that."""
    match function_of:
        case FunctionOf.MATCHES:
            return 0.0, math.log(n + 1)
        case FunctionOf.MATCHES_AND_SIZES:
            each = math.log(n // 2 + 1) if m == 2 else math.log(n + 1)
            return _sizes(n, m), each
        case FunctionOf.CLASS_HITS:
            each = math.log(n // 2 + 1) if m == 2 else m * math.log(n / m + 1.0)
            return _sizes(n, m), each
        case FunctionOf.CONFUSIONS:
            return _sizes(n, m), (m - 1) * _compositions(n / m, m)
        case FunctionOf.RANK_SUM:
            return math.log(n + 1), math.log(min(among * among // 2, n * (among - 1)) + 1)
    return 0.0, FLOAT_NATS


def _sizes(n: int, m: int) -> float:
    """Return the logarithm of the number of vectors of m class sizes with sum n."""
    if m == 2:
        return math.log(n + 1)
    return _compositions(n, m)


def _compositions(n: float, m: int) -> float:
    """Return the logarithm of C(n + m - 1, m - 1), rounded up."""
    return log_binomial(n + m - 1, m - 1, rounded_up=True)
