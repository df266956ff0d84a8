"""Holdfast tells how far a hidden test set can be overfit through its score feedback.

It implements Acharya & Suresh, "Optimal multiclass overfitting by sequence reconstruction from
Hamming queries", and serves scores so that the overfitting stays within what was decided.
"""

from holdfast import attacks, bounds, mechanisms, oracles
from holdfast._version import __version__
from holdfast.label_files import read_labels
from holdfast.play import play
from holdfast.problem import Problem
from holdfast.transcript import Transcript

__all__ = [
    "Problem",
    "Transcript",
    "__version__",
    "attacks",
    "bounds",
    "mechanisms",
    "oracles",
    "play",
    "read_labels",
]
