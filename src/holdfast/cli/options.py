"""Options that several subcommands share, and how many processes a measurement is worth."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from holdfast.experiments import Experiment

__all__ = ["AsJson", "Processes", "Seed", "processes_for"]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
Seed = Annotated[int, typer.Option(help="Same seed, same result.")]
Processes = Annotated[
    int | None,
    typer.Option(help="Processes to play on. Default: as many as there are cores, if it pays."),
]

# Labels handled in about the time that starting worker processes takes.
WORTH_PROCESSES = 10**8


def processes_for(experiments: Sequence[Experiment], wanted: int | None) -> int:
    """Return the wanted number of processes; by default one per core if there is enough to do."""
    if wanted is not None:
        return wanted
    work = sum(
        experiment.trials * experiment.problem.n_examples * experiment.problem.n_queries
        for experiment in experiments
    )
    trials = sum(experiment.trials for experiment in experiments)
    if work < WORTH_PROCESSES or trials == 1:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, trials)
