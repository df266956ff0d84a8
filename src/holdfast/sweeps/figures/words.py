"""Words of a sweep's figures: sizes, labels and models in titles, and names of files."""

from __future__ import annotations

from pathlib import PurePath

from holdfast.experiments.label_kinds import LABEL_KINDS
from holdfast.metrics import Accuracy
from holdfast.sweeps.cells import COUNTS
from holdfast.sweeps.models import NO_MODEL
from holdfast.sweeps.summary import Place

__all__ = ["file_word", "is_plain", "labels_said", "prior_said", "setting_word", "uniform"]


def labels_said(labels: str) -> str:
    """Return what a title calls the hidden labels.

    >>> labels_said("uniform"), labels_said("counts"), labels_said("data/y.npy")
    ('uniform labels', 'uniform labels, by counts', 'labels of y.npy')
    """
    if labels == COUNTS:
        return "uniform labels, by counts"
    return f"{labels} labels" if labels in LABEL_KINDS else f"labels of {PurePath(labels).name}"


def prior_said(prior: str) -> str:
    """Return what a title adds where an attacker has a model; nothing where not."""
    return "" if prior == NO_MODEL else f", model {PurePath(prior).name}"


def uniform(place: Place) -> bool:
    """Tell whether the labels are those that bounds and forecasts are about."""
    return place.labels in (COUNTS, "uniform")


def is_plain(place: Place) -> bool:
    """Tell whether a gain is one of accuracy, above guessing."""
    return (place.metric, place.prior) == (Accuracy.name, NO_MODEL)


def setting_word(place: Place) -> str:
    """Return what the name of a file adds for labels, and for a metric and a model if any."""
    parts = [place.labels]
    parts += [] if place.prior == NO_MODEL else [place.prior]
    parts += [] if place.metric == Accuracy.name else [place.metric]
    return "-".join(map(file_word, parts))


def file_word(text: str) -> str:
    """Return text that a file's name may hold.

    >>> file_word("ladder:0.01")
    'ladder-0-01'
    """
    return "".join(each if each.isalnum() else "-" for each in text).strip("-")
