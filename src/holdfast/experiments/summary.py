"""Means and standard errors of rows of trials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Mean", "mean_of", "summarise"]


# Rows of one attack and one problem belong together.
GROUPED_BY = ("attack", "n_examples", "n_classes", "n_queries")


class Mean(NamedTuple):
    """A mean and its standard error; the error of a single value is not known (NaN)."""

    mean: float
    stderr: float


def mean_of(values: Iterable[float]) -> Mean:
    """Return the mean of independent values and its standard error.

    >>> mean_of([1.0, 2.0, 3.0])
    Mean(mean=2.0, stderr=0.5773502691896258)
    """
    array = np.array(list(values), dtype=np.float64)
    if array.size < 2:
        return Mean(float(array.mean()), math.nan)
    return Mean(float(array.mean()), float(array.std(ddof=1) / math.sqrt(array.size)))


def summarise(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Gather the rows of each attack and problem, in the order they first appear.

    Returns
    -------
    One dict per group: attack, n_examples, n_classes, n_queries, trials, the `Mean` of accuracy,
    bias, gain_examples and looks, the largest number of looks, and the seconds spent in all.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in GROUPED_BY), []).append(row)
    return [
        {
            **dict(zip(GROUPED_BY, found, strict=True)),
            "trials": len(group),
            **{
                name: mean_of(row[name] for row in group)
                for name in ("accuracy", "bias", "gain_examples", "looks")
            },
            "max_looks": max(row["looks"] for row in group),
            "seconds": float(sum(row["seconds"] for row in group)),
        }
        for found, group in groups.items()
    ]
