"""`holdfast lint`: what a host's configuration leaves open."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import AsJson, completed_rule
from holdfast.cli.output import human, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from holdfast.lint import Report

__all__ = ["lint"]

UNSAFE = 1


def _codes(incomplete: str) -> list[str]:
    """Return the codes that a word may be completed to."""
    from holdfast.lint import CODES

    return [code for code in CODES if code.startswith(incomplete)]


def lint(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="EvalAI's challenge_config.yaml, Codabench's or CodaLab's competition.yaml, or a "
            "Hugging Face competition's conf.json; several at once."
        ),
    ],
    n_examples: Annotated[
        int | None, typer.Option(help="Examples that submissions are scored on.")
    ] = None,
    n_classes: Annotated[int | None, typer.Option(help="Number of classes.")] = None,
    days: Annotated[int, typer.Option(help="How long a phase without dates lasts.")] = 90,
    release: Annotated[
        str | None,
        typer.Option(
            "--rule",
            help="What the scoring program releases of a score: round:2, ladder:0.01, ... "
            "Default: every digit.",
            autocompletion=completed_rule,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Leave out findings of this code; repeatable.",
            autocompletion=_codes,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the unsafe settings of a host's configuration, with line numbers.

    Errors and warnings are about what the file can change; what is so on every board of the host
    is a note. Defaults count: a limit that is not set is the host's own. With the test set's size,
    also what the scored submissions (looks) expose in bits, and gains in points (fractions in the
    JSON, a list for several files). Exit code 1 if there is an error or a warning, 0 if there are
    notes at most, 2 if a file can't be read.

    Examples
    --------
    holdfast lint competition.yaml --n-examples 10000 --n-classes 10
    holdfast lint challenge_config.yaml --rule round:2 --ignore many-metrics
    """
    from holdfast.lint import lint as check

    reports = [
        check(
            file,
            n_examples=n_examples,
            n_classes=n_classes,
            days=days,
            release=release,
            ignore=ignore or (),
        )
        for file in files
    ]
    if as_json:
        told = [asdict(report) | {"unsafe": report.unsafe} for report in reports]
        print_json(told[0] if len(told) == 1 else told)
    else:
        for report in reports:
            _show(report)
    if any(report.unsafe for report in reports):
        raise typer.Exit(UNSAFE)


def _show(report: Report) -> None:
    from rich.markup import escape

    console = human()
    counts = [
        f"{count} {severity}{'s' if count != 1 else ''}"
        for severity in ("error", "warning", "note")
        if (count := sum(issue.severity == severity for issue in report.issues))
    ]
    if report.ignored:
        counts.append(f"{report.ignored} ignored")
    console.print(f"{escape(report.file)}: {report.host}, {', '.join(counts) or 'no findings'}")
    for issue in report.issues:
        colour = {"error": "bold red", "warning": "yellow", "note": "cyan"}[issue.severity]
        console.print(
            f"{escape(report.file)}:{issue.line}: [{colour}]{issue.severity}[/] "
            f"{escape(issue.what)} {escape(issue.why)} [dim]fix:[/] {escape(issue.fix)} "
            f"({issue.code})"
        )
    console.print(_table(report))
    if report.exposures:
        console.print(
            "Forecast: what the strongest attack with a formula is expected to gain. No attack can "
            "exceed: in expectation, if it knows nothing of the labels beforehand."
        )
    else:
        console.print("With --n-examples and --n-classes: bits and gains in points.")


def _table(report: Report) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="scored submissions (looks) of one account", title_justify="left")
    for name in ("phase", "looks", "from", "seen by"):
        table.add_column(name)
    heads = ("bits", "forecast, points", "no attack can exceed, points") if report.exposures else ()
    for name in heads:
        table.add_column(name, justify="right")
    for at, phase in enumerate(report.phases):
        cells = [
            escape(phase.name),
            "no limit" if phase.looks is None else f"{phase.looks:,}",
            phase.looks_text,
            phase.seen_by,
        ]
        if report.exposures:
            exposed = report.exposures[at]
            cells.append(f"{exposed.bits:,.0f}")
            cells += [
                "-" if gain is None else f"{100 * gain:.1f}"
                for gain in (exposed.possible, exposed.allowed)
            ]
        table.add_row(*cells)
    return table
