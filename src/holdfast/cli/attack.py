"""`holdfast attack`: play one attack many times and report what it gained."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from holdfast.cli.attack_board import attack_board
from holdfast.cli.boards_access import Insecure, TokenFile, Wait
from holdfast.cli.options import (
    AsJson,
    Encoding,
    Processes,
    Seed,
    completed_attack,
    completed_rule,
    looks_option,
    problem_from,
    processes_for,
)
from holdfast.cli.output import human, print_json, progress
from holdfast.cli.plain import explained_attack, percent, scored_submissions
from holdfast.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.experiments import Experiment, Mean

__all__ = ["attack"]


def attack(
    name: Annotated[
        str,
        typer.Argument(
            help="The attack, such as block-majority; a wrong name lists all.",
            autocompletion=completed_attack,
        ),
    ],
    n_queries: Annotated[
        int | None,
        looks_option(
            "How many scored submissions (looks) the attack may take; with --board, all by default."
        ),
    ] = None,
    n_examples: Annotated[
        int | None, typer.Option(help="Size of the test set. Default: that of --labels.")
    ] = None,
    n_classes: Annotated[
        int | None, typer.Option(help="Number of classes. Default: those in --labels.")
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            help="Release rule that the attack plays and knows, such as ladder:0.01.",
            autocompletion=completed_rule,
        ),
    ] = "exact",
    trials: Annotated[int, typer.Option(help="How many times to play.")] = 10,
    seed: Seed = 0,
    labels: Annotated[
        Path | None, typer.Option(help="Play on the labels of this CSV or NPY file.")
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="The CSV file's column of ids.")] = None,
    label_column: Annotated[
        str | None, typer.Option(help="The CSV file's column of labels.")
    ] = None,
    encoding: Encoding = None,
    label_kind: Annotated[
        str | None,
        typer.Option(
            help="Labels to draw if no file is given: uniform, balanced, sorted, constant or "
            "skewed. Default: uniform."
        ),
    ] = None,
    without_features: Annotated[
        bool,
        typer.Option(
            "--without-features",
            help="The attack does not know the test examples: it asks with classifiers.",
        ),
    ] = False,
    board: Annotated[
        str | None,
        typer.Option(help="Play once, on the board at this address, which you may probe."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="With --board: a file of the run's looks, to go on after any stop."),
    ] = None,
    token_file: TokenFile = None,
    wait: Wait = False,
    insecure: Insecure = False,
    out: Annotated[
        Path | None, typer.Option(help="With --board: write the final guess to an NPY file.")
    ] = None,
    processes: Processes = None,
    as_json: AsJson = False,
) -> None:
    """Play an attack against hidden labels and report the accuracy it ends with.

    Each trial hides labels behind an oracle that answers only accuracies, through --rule, lets the
    attack take its scored submissions (looks), and scores its final guess. The gain is the accuracy
    above 1/m, that of guessing: in points here, a fraction in the JSON (bias), and as a number of
    examples.

    With --board the attack plays a board once, in the name of the token's team. Exit codes: 0
    played to the end, 1 a query can't be scored, 2 bad options or token, 3 no look left, for a
    query or for the final guess, 4 the board can't use its ledger, 5 the board was not reached. The
    same command with --resume goes on, and no look is spent twice.

    Examples
    --------
    holdfast attack block-majority --n-examples 10000 --n-classes 10 --looks 501
    holdfast attack lattice --labels labels.csv --looks 1000 --trials 3
    holdfast attack naive-bayes --labels labels.csv --looks 100 --rule gaussian:0.01
    """
    from holdfast.attacks.registry import attack_type
    from holdfast.experiments import Experiment, run, summarise
    from holdfast.files.forms import read_as
    from holdfast.files.label_files import read_labels

    attack_type(name, without_features=without_features)  # a misspelt name is told first
    if board is not None:
        own_rule = None if rule == "exact" else rule
        _refuse_beside_board(labels, n_examples, n_classes, label_kind, without_features, own_rule)
        attack_board(
            name,
            board,
            n_queries=n_queries,
            seed=seed,
            resume=resume,
            token_file=token_file,
            wait=wait,
            insecure=insecure,
            out=out,
            as_json=as_json,
        )
        return
    if n_queries is None:
        raise InvalidInput("Missing option '--looks', which is needed where no board is given.")
    if resume is not None or out is not None:
        raise InvalidInput("resume and out must be given together with board.")
    if labels is not None and label_kind is not None:
        raise InvalidInput("label_kind must not be given together with labels.")
    file = None
    if labels is not None:
        reading = read_as(encoding)(read_labels)
        file = reading(labels, id_column=id_column, label_column=label_column)
    experiment = Experiment(
        name,
        problem_from(n_examples, n_classes, n_queries, file, labels),
        trials=trials,
        seed=seed,
        label_kind=label_kind or "uniform",
        labels=None if file is None else file.labels,
        without_features=without_features,
        rule=rule,
    )
    start = time.perf_counter()
    with progress(name, trials) as advance:
        rows = run(
            [experiment], processes=processes_for([experiment], processes), on_trials=advance
        )
    result = _result(experiment, summarise(rows)[0], time.perf_counter() - start)
    if as_json:
        print_json(result)
    else:
        _show(result)


def _refuse_beside_board(*given: object) -> None:
    if any(given):
        raise InvalidInput(
            "board must not be given together with labels, n_examples, n_classes, label_kind, "
            "without_features or rule: it has its own."
        )


def _result(experiment: Experiment, summary: dict[str, Any], seconds: float) -> dict[str, Any]:
    return {
        "attack": experiment.attack,
        **({} if experiment.rule == "exact" else {"rule": experiment.rule}),
        "problem": experiment.problem,
        "trials": experiment.trials,
        "seed": experiment.seed,
        "accuracy": summary["accuracy"],
        "bias": summary["bias"],
        "gain_examples": summary["gain_examples"],
        "looks": {**summary["looks"]._asdict(), "max": summary["max_looks"]},
        "seconds": round(seconds, 3),
    }


def _show(result: dict[str, Any]) -> None:
    n, m, k = result["problem"]
    table = Table()
    for column in ("", "mean", "standard error"):
        table.add_column(column, justify="right" if column else "left")
    rows: tuple[tuple[str, str, Callable[[float], str]], ...] = (
        ("accuracy, %", "accuracy", percent),
        ("gain above guessing, points", "bias", percent),
        ("gain above guessing, examples", "gain_examples", "{:,.2f}".format),
    )
    for title, name, shown in rows:
        value: Mean = result[name]
        table.add_row(title, shown(value.mean), _error(value.stderr, shown))
    looks, shown = result["looks"], "{:,.1f}".format
    table.add_row("looks", shown(looks["mean"]), _error(looks["stderr"], shown))
    under = f" under {result['rule']}" if "rule" in result else ""
    human().print(
        f"{explained_attack(result['attack'])}\n{n:,} examples, {m:,} classes, "
        f"{scored_submissions(k)}{under}: {result['trials']:,} trials, seed {result['seed']}"
    )
    human().print(table)
    human().print(
        f"Guessing scores {percent(1 / m)} %. No trial took more than {looks['max']:,} looks. "
        f"Took {result['seconds']:.1f} s."
    )


def _error(stderr: float, shown: Callable[[float], str]) -> str:
    return "-" if math.isnan(stderr) else shown(stderr)
