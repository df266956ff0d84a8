"""Exponents of the bias in k, n and m, by weighted least squares on logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.experiments.summary import Mean

__all__ = ["Exponents", "exponents"]


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
        standard error means an exact value; either all are exact or none is.

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
    relative = np.where(errors > 0, errors, means) / means
    weighted, target = design / relative[:, None], np.log(means) / relative
    solution, *_ = np.linalg.lstsq(weighted, target, rcond=None)
    spread = float(((target - weighted @ solution) ** 2).sum()) / (len(summaries) - 4)
    exact = not (errors > 0).any()
    covariance = np.linalg.inv(weighted.T @ weighted) * (spread if exact else max(spread, 1.0))
    sigmas = np.sqrt(np.diag(covariance))
    return Exponents(
        *(Mean(float(a), float(s)) for a, s in zip(solution[1:], sigmas[1:], strict=True))
    )
