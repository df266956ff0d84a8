"""Measurements: trials as flat rows, their summary, and figures."""

from holdfast.experiments.label_kinds import LABEL_KINDS, hidden_labels
from holdfast.experiments.registry import attack_names, make_attack
from holdfast.experiments.summary import Mean, mean_of, summarise
from holdfast.experiments.trials import Experiment, Row, run, run_trial

__all__ = [
    "LABEL_KINDS",
    "Experiment",
    "Mean",
    "Row",
    "attack_names",
    "hidden_labels",
    "make_attack",
    "mean_of",
    "run",
    "run_trial",
    "summarise",
]
