"""Options that several subcommands share, and the default number of processes."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cores import available_cores
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least

if TYPE_CHECKING:
    from holdfast.experiments import Experiment
    from holdfast.files.label_files import LabelFile

__all__ = [
    "AsJson",
    "Cluster",
    "Encoding",
    "Processes",
    "Seed",
    "check_finite",
    "completed_attack",
    "completed_rule",
    "count_of",
    "count_option",
    "looks_option",
    "output_folder",
    "problem_from",
    "processes_for",
    "workers_for",
]

# A count as people write it: 10,000 or 1e4, too.
COUNT = re.compile(r"\d{1,3}(,\d{3})+|\d[\d_]*|\d(\.\d+)?[eE]\+?\d{1,2}")


def count_of(text: str | int) -> int:
    """Return a whole number from 10000, 10,000, 10_000 or 1e4.

    >>> [count_of(text) for text in ("10000", "10,000", "10_000", "1e4", "1.5e3")]
    [10000, 10000, 10000, 10000, 1500]
    """
    whole = str(text).strip()
    if COUNT.fullmatch(whole):
        value = Decimal(whole.replace(",", "").replace("_", ""))
        if value == value.to_integral_value():
            return int(value)
    raise typer.BadParameter(f"must be a whole number such as 10000, 10,000 or 1e4, got {text}.")


def count_option(meaning: str) -> Any:
    """Describe an option that takes a count."""
    return typer.Option(help=meaning, parser=count_of, metavar="INTEGER")


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
Seed = Annotated[int, typer.Option(help="Same seed, same result.")]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of CSV and JSON files that are not UTF-8, such as cp1252."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Play on the Dask cluster whose scheduler has this address, such as "
        "tcp://127.0.0.1:8786; local: start one on this machine, with --processes workers."
    ),
]

Processes = Annotated[
    int | None,
    typer.Option(help="Processes to play on. Default: as many as there are cores, if it pays."),
]


def check_finite(name: str, value: float | None) -> None:
    """Refuse NaN and infinities, beside which every comparison comes out the same."""
    if value is not None and not math.isfinite(value):
        raise InvalidInput(f"{name} must be a finite number, got {value}.")


def completed_attack(incomplete: str) -> list[str]:
    """Return the attacks that a shell may complete a word to."""
    from holdfast.attacks.registry import attack_names

    return [name for name in attack_names() if name.startswith(incomplete)]


def completed_rule(incomplete: str) -> list[str]:
    """Return the release rules, with settings to start from, that a word may be completed to."""
    from holdfast.rules.registry import rule_classes

    texts = (text for rule in rule_classes() for text in rule.text_forms)
    return [text for text in texts if text.startswith(incomplete)]


def looks_option(meaning: str) -> Any:
    """Describe --looks for the four commands whose functions call it n_queries."""
    return typer.Option("--looks", help=meaning, parser=count_of, metavar="INTEGER")


def output_folder(path: Path) -> Path:
    """Make the folder if need be, or raise `InvalidInput`; to call before anything long."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"out must be a folder, got {path} ({error.strerror}).") from None
    if not os.access(path, os.W_OK):
        raise InvalidInput(f"out must be a folder that can be written to, got {path}.")
    return path


def workers_for(processes: int | None, cluster: str | None) -> int:
    """Return how many workers to play on, by default one per core.

    To call before anything is written: a cluster that can't be used, and too few processes, are
    named here.
    """
    workers = available_cores() if processes is None else processes
    check_at_least("processes", workers, 1)
    if cluster is not None:
        from holdfast.experiments.scheduler import check_cluster

        check_cluster(cluster)
    return workers


# Labels handled in about the time that starting worker processes takes.
LABELS_WORTH_PROCESSES = 10**8


def processes_for(experiments: Sequence[Experiment], wanted: int | None) -> int:
    """Return the wanted number of processes; by default one per core if there is enough to do."""
    if wanted is not None:
        return wanted
    work = sum(
        experiment.trials * experiment.problem.n_examples * experiment.problem.n_queries
        for experiment in experiments
    )
    trials = sum(experiment.trials for experiment in experiments)
    if work < LABELS_WORTH_PROCESSES or trials == 1:
        return 1
    return min(available_cores(), trials)


def problem_from(
    n: int | None, m: int | None, k: int, file: LabelFile | None, path: Path | None
) -> Problem:
    """Return the sizes, from the options or from the file of labels, or refuse what disagrees."""
    if file is None:
        for name, value in (("n_examples", n), ("n_classes", m)):
            if value is None:
                raise InvalidInput(f"{name} must be given when labels is not.")
        return Problem(n, m, k)  # type: ignore[arg-type]  # neither is None here
    if n is not None and n != file.n_examples:
        raise InvalidInput(
            f"n_examples must be {file.n_examples}, the number of labels in {path}, got {n}."
        )
    if m is not None and m < file.n_classes:
        raise InvalidInput(
            f"n_classes must be at least {file.n_classes}, the number of classes in {path}, "
            f"got {m}."
        )
    return Problem(file.n_examples, m or file.n_classes, k)
