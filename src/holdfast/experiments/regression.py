"""Exponents of the bias in k, n and m, by weighted least squares on logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.experiments.summary import Mean

__all__ = ["NO_ERROR", "Exponents", "exponents"]

# A standard error below this share of the mean is what rounding leaves of none.
NO_ERROR = 1e-9


class Exponents(NamedTuple):
    """The exponents of k, n and m in bias = c k^a n^b m^d, with standard errors as `Mean`s."""

    k: Mean
    n: Mean
    m: Mean


def exponents(summaries: Sequence[dict[str, Any]]) -> Exponents:
    """Fit log bias = c + a log k + b log n + d log m to measured means.

    Each point weighs by its relative standard error. Where the points scatter more than those
    errors explain (a power law is not the whole truth: logarithms hide in the paper's tildes)
    the errors of the exponents are raised accordingly.

    Parameters
    ----------
    summaries
        What `summarise` returns, or any dicts with the sizes and `bias` as a `Mean`. A zero
        standard error means an exact value. Where some are exact and others are not, exact ones
        weigh like the surest of the others, so that the rest still count.

    Examples
    --------
    >>> exact = [{"n_queries": k, "n_examples": n, "n_classes": m,
    ...           "bias": Mean((k / (m * n)) ** 0.5, 0.0)}
    ...          for k in (10, 20) for n in (100, 200) for m in (2, 4)]
    >>> [round(part.mean, 6) for part in exponents(exact)]
    [0.5, -0.5, -0.5]
    """
    means = np.array([point["bias"].mean for point in summaries])
    errors = np.array([point["bias"].stderr for point in summaries])
    if len(summaries) < 5:
        raise InvalidInput(f"summaries must have at least 5 points, got {len(summaries)}.")
    if not (means > 0).all():
        raise InvalidInput("every mean bias must be positive; use more trials or larger k.")
    design = np.array(
        [
            [1.0, *(math.log(point[name]) for name in ("n_queries", "n_examples", "n_classes"))]
            for point in summaries
        ]
    )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise InvalidInput("k, n and m must all vary, and not together.")
    known = errors > NO_ERROR * means
    exact = not known.any()
    relative = np.ones_like(means)
    if not exact:
        relative[known] = errors[known] / means[known]
        relative[~known] = relative[known].min()
    weighted, target = design / relative[:, None], np.log(means) / relative
    # Weights may differ by many powers of ten: never invert what they make of the design.
    inverse = np.linalg.pinv(weighted)
    solution = inverse @ target
    spread = float(((target - weighted @ solution) ** 2).sum()) / (len(summaries) - 4)
    covariance = inverse @ inverse.T * (spread if exact else max(spread, 1.0))
    sigmas = np.sqrt(np.diag(covariance))
    return Exponents(
        *(Mean(float(a), float(s)) for a, s in zip(solution[1:], sigmas[1:], strict=True))
    )
