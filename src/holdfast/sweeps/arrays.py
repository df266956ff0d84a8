"""Labels and models' predictions as arrays, called by a digest of what they hold."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile
from holdfast.labels import as_labels, count_classes

__all__ = ["fitting", "label_array", "vote_array"]

DIGITS = 16


def label_array(values: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """Return what an array of labels is called, and the labels."""
    labels = as_labels(values, max(2, count_classes(values)))
    return _called(labels), labels


def vote_array(values: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """Return what an array of predicted labels is called, and one column per model."""
    if values.ndim not in (1, 2) or not values.size or not np.issubdtype(values.dtype, np.integer):
        raise InvalidInput(
            "priors must be arrays of predicted labels, whole numbers with one column per model, "
            f"got an array of {values.dtype} with shape {values.shape}."
        )
    votes = values.reshape(len(values), -1)
    if int(votes.min()) < 0:
        raise InvalidInput(f"priors must hold labels from 0 on, got {int(votes.min())}.")
    return _called(votes), votes


def fitting(votes: NDArray[Any], file: LabelFile) -> NDArray[Any]:
    """Return predictions if they are about these labels."""
    if len(votes) != file.n_examples:
        raise InvalidInput(
            f"priors must have {file.n_examples} predictions, one per label, got {len(votes)}."
        )
    if int(votes.max()) >= file.n_classes:
        raise InvalidInput(
            f"priors must hold labels below {file.n_classes}, got {int(votes.max())}."
        )
    return votes


def _called(values: NDArray[Any]) -> str:
    """Return a name that follows from the values alone, not from how many bytes each has."""
    content = np.ascontiguousarray(values.astype("<i8")).tobytes()
    shape = "x".join(map(str, values.shape))
    digest = hashlib.sha256(f"{shape} ".encode() + content).hexdigest()
    return f"array:{digest[:DIGITS]}"
