"""Priors from models' predictions: an attacker's beliefs before the first look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.request import Prediction, Request
from holdfast.audit.result import Model
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.votes import Votes

__all__ = ["described", "prior_of", "stated_accuracy"]


def prior_of(predictions: Sequence[Prediction], labels: Labels, n_classes: int) -> Prior | None:
    """Return the models' best weighted vote as a prior; None if there is no model.

    The labels enter by the accuracies alone: of each model and of the vote itself, which an
    attacker learns with one look each.
    """
    if not predictions:
        return None
    votes = Votes(np.stack([model.labels for model in predictions], axis=1), n_classes)
    stack = votes.stack({i: _accuracy(p.labels, labels) for i, p in enumerate(predictions)})
    return stack.prior(_accuracy(stack.top(), labels))


def stated_accuracy(prior: Prior | None, request: Request, unit: RoundingUnit) -> float | None:
    """Return what the models' vote, or the majority class if that is more, scores; rounded.

    None if there is no model.
    """
    if prior is None:
        return None
    n, m, _ = request.problem
    right = max(_accuracy(prior.top(), request.labels), request.baseline.matches / n)
    return min(1.0, max(1.0 / m, unit.round(100.0 * right) / 100.0))


def _accuracy(guess: Labels, labels: Labels) -> float:
    return float(np.mean(guess == labels))


def described(
    predictions: Sequence[Prediction], labels: Labels, unit: RoundingUnit
) -> tuple[Model, ...]:
    """Return the models for the record, their accuracies rounded."""
    return tuple(
        Model(each.name, unit.round(100.0 * _accuracy(each.labels, labels))) for each in predictions
    )
