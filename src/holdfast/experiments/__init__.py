"""Measurements: trials as flat rows, their summary, and figures."""

from holdfast.attacks.registry import attack_names, make_attack
from holdfast.experiments.heat_map import heat_map
from holdfast.experiments.label_kinds import LABEL_KINDS, hidden_labels
from holdfast.experiments.matrix import Cell, RuleSummary, n_plays, run_matrix
from holdfast.experiments.matrix_plays import Matrix
from holdfast.experiments.summary import Mean, mean_of, summarise
from holdfast.experiments.trials import Experiment, Row, run, run_trial

__all__ = [
    "LABEL_KINDS",
    "Cell",
    "Experiment",
    "Matrix",
    "Mean",
    "Row",
    "RuleSummary",
    "attack_names",
    "heat_map",
    "hidden_labels",
    "make_attack",
    "mean_of",
    "n_plays",
    "run",
    "run_matrix",
    "run_trial",
    "summarise",
]
