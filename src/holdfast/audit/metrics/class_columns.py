"""Attacks on boards that show numbers of each class beside the metric that ranks.

A recall per class, or a confusion matrix, tells m or m^2 counts per look where a total tells one.
Each look divides the examples into m random pools, one for each label that is submitted; the counts
say how many of each class lie in each pool, and message passing over all looks finds the labels.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from holdfast.attacks.through_metrics import ClassPools
from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.beside import Beside
from holdfast.errors import NotSupported
from holdfast.mechanisms import Rule
from holdfast.metrics import Accuracy
from holdfast.metrics.by_class import ByClass
from holdfast.metrics.one_submission import taker_for
from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["class_pools_on"]

# Entries of the pools' matrix times classes: what is solved in a few seconds.
MOST_WORK = 3 * 10**7


def class_pools_on(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, asked: MetricRequest, shown: ByClass
) -> Any:
    """Make the attack that reads recalls or a confusion matrix, for what a rule releases of them.

    Rounding and noise only blur the counts, which message passing bears. It uses fewer looks where
    all of them would take too long.

    Raises
    ------
    NotSupported
        The rule answers with numbers of earlier looks, or one look takes too long.
    """
    n, m, k = problem
    if rule.remembers or rule.shows != "scores":
        raise NotSupported("it reads the counts of every look, and the rule does not tell them.")
    most = MOST_WORK // max(n * m, m * m * m)
    if most < 1:
        raise NotSupported(f"counts of {m:,} classes of {n:,} examples take too long to solve.")
    return Beside(
        partial(ClassPools, class_sizes=asked.class_sizes),
        problem._replace(n_queries=min(k, most)),
        rng=rng,
        column=Accuracy(),
        ranks=asked.metric,
        taker=taker_for((asked.metric, Accuracy())),
        heard=partial(_counts, shown=shown, n=n),
    )


def _counts(numbers: tuple[float, ...], *, shown: ByClass, n: int) -> Answer:
    """Return the recalls as they are, or the counts behind the shares of a confusion matrix.

    The first number is the metric that ranks, which the attack does not read.
    """
    if isinstance(shown.metric, Accuracy):
        return numbers[1:]
    return tuple(float(round(share * n)) for share in numbers[1:])
