"""Top-K accuracy: the share of examples whose label is among K guesses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidQuery
from holdfast.labels import as_labels, count_classes
from holdfast.metrics.base import FunctionOf, Metric, Submission, submitted_classes
from holdfast.problem import check_at_least

__all__ = ["TopKAccuracy"]


@dataclass(frozen=True)
class TopKAccuracy(Metric):
    """Examples whose label is one of the K that are named for it, divided by all.

    A submission names K different labels per example, without an order: what scikit-learn takes
    from the K highest scores. Text form: `top_k_accuracy:5`.

    >>> TopKAccuracy(2).score([0, 1, 2], [[0, 1], [0, 2], [2, 1]])
    0.6666666666666666
    """

    k: int

    name: ClassVar[str] = "top_k_accuracy"
    takes: ClassVar[Submission] = Submission.RANKED_LABELS
    averages_examples: ClassVar[bool] = True
    counts_hits: ClassVar[bool] = True
    function_of: ClassVar[FunctionOf] = FunctionOf.MATCHES
    reveals: ClassVar[str] = "the number of examples whose label is among the K named ones"
    source: ClassVar[str] = "sklearn.metrics.top_k_accuracy_score"

    def __post_init__(self) -> None:
        check_at_least("k", self.k, 1)

    def truth(self, hidden: object) -> NDArray[Any]:
        """Return the hidden labels: integers from 0 on."""
        return as_labels(hidden, count_classes(hidden), name="labels")

    def submitted(self, submission: object, truth: Any) -> NDArray[Any]:
        """Return a row of K different labels for each example."""
        rows = np.asarray(submission)
        if rows.shape != (truth.size, self.k):
            raise InvalidQuery(
                f"submission must have {truth.size} rows of {self.k} labels, got {rows.shape}."
            )
        flat = rows.ravel()
        rows = as_labels(
            flat, submitted_classes(flat), name="submission", error=InvalidQuery
        ).reshape(rows.shape)
        ordered = np.sort(rows, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if twice.any():
            where = int(np.argmax(twice))
            raise InvalidQuery(
                f"submission must name different labels, got {rows[where]} at {where}."
            )
        return rows

    def value(self, truth: Any, submission: Any) -> Fraction:
        """Return hits over n."""
        return Fraction(int(np.count_nonzero(submission == truth[:, None])), truth.size)
