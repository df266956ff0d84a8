"""`holdfast audit compare`: two audits side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.audit_options import OpenPage, Report
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json

if TYPE_CHECKING:
    from holdfast.audit import Comparison
    from holdfast.audit.result import Interval

__all__ = ["compare"]


def compare(
    before: Annotated[Path, typer.Argument(help="What holdfast audit --json printed before.")],
    after: Annotated[Path, typer.Argument(help="What it printed after the change.")],
    report: Report = None,
    title: Annotated[
        str | None, typer.Option(help="The page's title. Default: the test set's name.")
    ] = None,
    open_page: OpenPage = False,
    as_json: AsJson = False,
) -> None:
    """Put two audits side by side: what a change of policy did to the verdict and the gains.

    Both files are what holdfast audit --json printed. Nothing is played. Exit codes: 0, 2 bad
    input.

    Examples
    --------
    holdfast audit compare before.json after.json
    holdfast audit compare before.json after.json --report change.html --open
    """
    from holdfast import audit as auditing
    from holdfast.cli import audit_files

    report = audit_files.report_file(report, open_page=open_page)
    result = auditing.compare(auditing.read_audit(before), auditing.read_audit(after))
    if report is not None:
        audit_files.page_module().write_comparison(result, report, title=title)
    if as_json:
        print_json(auditing.comparison_as_json(result))
    else:
        _show(result, report)
    if report is not None and open_page:
        audit_files.open_in_browser(report)


def _show(result: Comparison, report: Path | None) -> None:
    from rich.markup import escape
    from rich.table import Table

    from holdfast.cli.plain import explained_attack

    console = human()
    console.print(f"[bold]{escape(result.sentence)}[/]")
    for note in result.notes:
        console.print(f"[yellow]note[/] {escape(note)}")
    table = Table(title="the board", title_justify="left")
    for name in ("setting", "before", "after"):
        table.add_column(name)
    for each in result.settings:
        if each.differs:
            table.add_row(each.what, escape(each.before), f"[bold]{escape(each.after)}[/]")
    sides = (result.before, result.after)
    limits = [f"{each.limits.allowed:.2f} points" for each in sides if each.limits is not None]
    if limits:
        table.add_row("no attack can exceed", *limits)
    console.print(table)
    unit = result.after.counted_in
    title = f"possible: what each attack gained, {'in ' if limits else ''}{unit}"
    table = Table(title=title, title_justify="left")
    for name in ("attack", "attacker's knowledge"):
        table.add_column(name)
    for name in ("before", "after", "change"):
        table.add_column(f"{name}, {unit}", justify="right")
    for row in result.attacks:
        change = "-" if row.change is None else f"{row.change:+.6g}"
        table.add_row(
            explained_attack(row.attack), row.setting, _gain(row.before), _gain(row.after), change
        )
    console.print(table)
    for word, findings in (("gone", result.gone), ("new", result.new)):
        for finding in findings:
            console.print(f"{word}: {finding.severity}, {escape(finding.what)}")
    if report is not None:
        console.print(f"Page: {escape(str(report))}")


def _gain(points: Interval | None) -> str:
    return "not played" if points is None else f"{points.mean:g}"
