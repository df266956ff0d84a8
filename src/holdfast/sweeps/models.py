"""Models of an attacker: drawn with a given accuracy, or read from files of their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile, read_labels
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.quoting import quoted
from holdfast.votes import Votes

__all__ = [
    "NO_MODEL",
    "check_prior",
    "drawn_prior",
    "is_drawn",
    "prediction_files",
    "read_votes",
    "voted_prior",
]

NO_MODEL = "none"
DRAWN = "model:"
# A model is so sure of its label that nothing is left to ask; it must stay below.
MOST_SURE = 0.999


def is_drawn(prior: str) -> bool:
    """Tell "model:0.7" from files of predictions."""
    return prior.startswith(DRAWN)


def check_prior(prior: object) -> None:
    """Raise `InvalidInput` unless it is "none", "model:0.7", or files that are there."""
    if prior == NO_MODEL:
        return
    text = str(prior)
    if is_drawn(text):
        try:
            accuracy = float(text.removeprefix(DRAWN))
        except ValueError:
            accuracy = -1.0
        if 0.0 < accuracy < 1.0:
            return
    elif prediction_files(text):
        return
    raise InvalidInput(
        "priors must be none, model:0.7 with a share in (0, 1), or files of predicted labels that "
        f"are there, got {quoted(prior)}."
    )


def prediction_files(prior: str) -> list[Path]:
    """Return the files of predictions that a prior names: one, or all that fit a pattern."""
    found = sorted(glob(prior)) if has_magic(prior) else [prior]
    return [path for path in map(Path, found) if path.suffix and path.is_file()]


def read_votes(prior: str, file: LabelFile) -> NDArray[np.integer]:
    """Return the labels that models give to the examples of a label file, (n, models).

    Their classes are those of the label file, and so is their order where both have ids.
    """
    return np.stack([_predicted(path, file) for path in prediction_files(prior)], axis=1)


def _predicted(path: Path, file: LabelFile) -> Labels:
    read = read_labels(path, class_names=file.class_names)
    if read.n_examples != file.n_examples:
        raise InvalidInput(
            f"{path} must have {file.n_examples} predictions, one per label, got {read.n_examples}."
        )
    if read.ids is None or file.ids is None:
        return read.labels
    places = file.id_index.places_in(read.ids)
    if (places < 0).any():
        raise InvalidInput(f"{path} must have the ids of the labels, got others.")
    in_order: Labels = read.labels[places]
    return in_order


def voted_prior(votes: NDArray[np.integer], labels: Labels, n_classes: int) -> Prior:
    """Return the models' best weighted vote as a prior.

    The labels enter by accuracies alone, which an attacker learns with one look each.
    """
    known = Votes(votes, n_classes)
    models: Sequence[Labels] = [known.column(at) for at in range(known.n_models)]
    stack = known.stack({at: float(np.mean(each == labels)) for at, each in enumerate(models)})
    return stack.prior(float(np.mean(stack.top() == labels)))


def drawn_prior(
    prior: str, labels: Labels, n_classes: int, rng: np.random.Generator
) -> tuple[Prior, Labels]:
    """Return a model that is right about a share of the labels, as sure of each, and its labels."""
    n, accuracy = labels.size, float(prior.removeprefix(DRAWN))
    wrong = rng.random(n) >= accuracy
    other = (labels + rng.integers(1, n_classes, size=n)) % n_classes
    sure = np.full((n, 1), min(max(accuracy, 1 / n_classes), MOST_SURE))
    top = np.where(wrong, other, labels)
    return Prior.candidates(top[:, None], sure, n_classes), top
