"""From models' predictions to what an attacker believes before the first look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdfast.audit.grain import Grain
from holdfast.audit.request import Prediction
from holdfast.audit.result import Model
from holdfast.labels import Labels
from holdfast.priors import Prior

__all__ = ["described", "prior_of"]

# A model is never taken to be surer than this, nor less sure than twice guessing.
SUREST = 0.98


def prior_of(predictions: Sequence[Prediction], labels: Labels, n_classes: int) -> Prior | None:
    """Return the models' vote as a prior; None if there is no model.

    Each model gives its accuracy, which an attacker learns with one look, to the label it
    predicts; the votes are averaged, and the rest is spread over the labels that no one predicts.
    """
    if not predictions:
        return None
    n, c = labels.size, min(len(predictions), n_classes)
    least = min(SUREST, 2.0 / n_classes)
    candidates = np.zeros((n, c), dtype=np.int64)
    mass = np.zeros((n, c))
    filled = np.zeros(n, dtype=np.int64)
    rows = np.arange(n)
    for model in predictions:
        accuracy = float(np.mean(model.labels == labels))
        weight = min(max(accuracy, least), SUREST) / len(predictions)
        named = (candidates == model.labels[:, None]) & (np.arange(c) < filled[:, None])
        known = named.any(axis=1)
        place = np.where(known, named.argmax(axis=1), np.minimum(filled, c - 1))
        candidates[rows, place] = model.labels
        mass[rows, place] += weight
        filled += ~known & (filled < c)
    _fill(candidates, filled, n_classes)
    if c == n_classes:
        mass += (1.0 - mass.sum(axis=1, keepdims=True)) / c
    return Prior.candidates(candidates, mass, n_classes)


def _fill(candidates: NDArray[np.int64], filled: NDArray[np.int64], n_classes: int) -> None:
    """Give unused places of a row labels that the row does not have, at probability 0."""
    c = candidates.shape[1]
    for place in range(1, c):
        empty = np.flatnonzero(filled <= place)
        label = np.zeros(empty.size, dtype=np.int64)
        for _ in range(n_classes):
            taken = (candidates[empty, :place] == label[:, None]).any(axis=1)
            if not taken.any():
                break
            label += taken
        candidates[empty, place] = label


def described(predictions: Sequence[Prediction], labels: Labels, grain: Grain) -> tuple[Model, ...]:
    """Return the models for the record, their accuracies rounded."""
    return tuple(
        Model(each.name, grain.round(100.0 * float(np.mean(each.labels == labels))))
        for each in predictions
    )
