"""Sweeps: a grid of attacks, rules, problems, labels, models and seeds, played anywhere."""

from holdfast.sweeps.cells import Cell, play_cell
from holdfast.sweeps.experiment import Experiment, Parts, read_experiment
from holdfast.sweeps.frames import read_rows, to_frame, write_rows
from holdfast.sweeps.journal import Journal
from holdfast.sweeps.running import run
from holdfast.sweeps.summary import Place, summarised

__all__ = [
    "Cell",
    "Experiment",
    "Journal",
    "Parts",
    "Place",
    "play_cell",
    "read_experiment",
    "read_rows",
    "run",
    "summarised",
    "to_frame",
    "write_rows",
]
