"""`holdfast lint`: unsafe settings of a host's configuration."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.lint import Report
from holdfast.lint import lint as check

__all__ = ["lint"]

EXIT_UNSAFE = 1


def lint(
    file: Annotated[
        Path,
        typer.Argument(
            help="EvalAI's challenge_config.yaml, Codabench's or CodaLab's competition.yaml, or a "
            "Hugging Face competition's conf.json."
        ),
    ],
    n_examples: Annotated[
        int | None, typer.Option(help="Examples that looks are scored on.")
    ] = None,
    n_classes: Annotated[int | None, typer.Option(help="Number of classes.")] = None,
    days: Annotated[int, typer.Option(help="How long a phase without dates lasts.")] = 90,
    as_json: AsJson = False,
) -> None:
    """List the unsafe settings of a host's configuration, with line numbers.

    Defaults count: a limit that is not set is the host's own. With the test set's size, also
    what the looks expose in bits and the worst gain in points. Exit code 1 if a setting is
    unsafe, 2 if the file can't be read.
    """
    report = check(file, n_examples=n_examples, n_classes=n_classes, days=days)
    if as_json:
        print_json(asdict(report))
    else:
        _show(report)
    if report.unsafe:
        raise typer.Exit(EXIT_UNSAFE)


def _show(report: Report) -> None:
    console = human()
    console.print(f"{escape(report.file)}: {report.host}, {len(report.issues)} findings")
    for issue in report.issues:
        colour = {"error": "bold red", "warning": "yellow", "note": "cyan"}[issue.severity]
        console.print(
            f"{escape(report.file)}:{issue.line}: [{colour}]{issue.severity}[/] "
            f"{escape(issue.what)} {escape(issue.why)} [dim]fix:[/] {escape(issue.fix)} "
            f"({issue.code})"
        )
    table = Table(title="what one account may look", title_justify="left")
    for name in ("phase", "looks", "from"):
        table.add_column(name)
    for name in ("bits", "possible", "allowed"):
        table.add_column(name, justify="right")
    exposures = {each.line: each for each in report.exposures}
    for phase in report.phases:
        exposed = exposures.get(phase.line)
        table.add_row(
            escape(phase.name),
            f"{phase.looks:,}",
            phase.looks_text,
            "-" if exposed is None else f"{exposed.bits:,.0f}",
            "-" if exposed is None else f"{exposed.possible:.1f} points",
            "-" if exposed is None or exposed.allowed is None else f"{exposed.allowed:.1f} points",
        )
    console.print(table)
    if not report.exposures:
        console.print("With --n-examples and --n-classes: bits and gains in points.")
