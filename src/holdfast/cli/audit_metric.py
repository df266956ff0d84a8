"""`holdfast audit --metric`: the audit of any metric, with groups and columns beside it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from holdfast import audit as auditing
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.result import in_digits
from holdfast.cli.audit_files import page_module
from holdfast.cli.audit_tables import VERDICT_COLOURS, show_findings
from holdfast.cli.output import human, print_json
from holdfast.cores import available_cores
from holdfast.errors import InvalidInput

__all__ = ["Also", "Breakdown", "Metric", "audit_metric", "refuse_with_metric"]

Metric = Annotated[
    str | None,
    typer.Option(
        help="What the board shows, as scikit-learn spells it: f1, roc_auc, log_loss, "
        "top_k_accuracy:5, ... Default: the policy's, or accuracy."
    ),
]
Breakdown = Annotated[
    str | None,
    typer.Option(help="Column of the label file whose groups the board shows scores of, too."),
]
Also = Annotated[
    list[str] | None,
    typer.Option(help="Another metric that the board shows beside it; repeat for more."),
]


def refuse_with_metric(options: Mapping[str, object]) -> None:
    """Refuse options that audits of a metric do not have."""
    for name, value in options.items():
        if value is not None:
            raise InvalidInput(
                f"{name} must be left out for another metric than accuracy, or with a breakdown."
            )


def audit_metric(
    asked: auditing.MetricRequest,
    command: str,
    processes: int | None,
    report: Path | None,
    *,
    as_json: bool,
) -> auditing.MetricAudit:
    """Audit a board that shows a metric, and print what came of it."""
    errors = Console(stderr=True)
    with errors.status(f"{asked.board}: pre-flight") as status:
        found = auditing.metric_audit(
            asked,
            processes=available_cores() if processes is None else processes,
            command=command,
            on_step=lambda what, _: (
                status.update(f"{asked.board}: {what}") if sys.stderr.isatty() else None
            ),
        )
    if report is not None:
        page_module().write_metric(found, report)
    if as_json:
        print_json(auditing.metric_audit_as_json(found))
    else:
        _show(found, report)
    return found


def _show(found: auditing.MetricAudit, report: Path | None) -> None:
    """Print everything that matters: the metric first, then the verdict, findings and tables."""
    console = human()
    constant = in_digits(found.constant, found.grain)
    console.print(
        f"Metric: {escape(found.board)}. Gains are {escape(found.unit)} over the best constant "
        f"submission, which has {constant}."
    )
    word, _, rest = found.sentence.partition(" ")
    console.print(f"[{VERDICT_COLOURS[word]}]{word}[/] {escape(rest)}")
    for at, fix in enumerate(found.fixes):
        console.print(f"{'Or' if at else 'Fix'}: {escape(fix.text)}")
    if found.word != "SAFE" and not found.fixes:
        console.print("No fix was found among the rules that were tried: allow fewer looks.")
    show_findings(console, found.findings)
    console.print(f"\n{escape(found.header)}")
    _gains(console, found)
    _looks(console, found)
    _rules(console, found)
    for text in (found.certified, *found.not_covered):
        console.print(escape(text))
    console.print(
        f"Labels {found.reproduce.fingerprint}, seed {found.reproduce.seed}, "
        f"{found.reproduce.trials} trials. Numbers from labels are rounded to {found.grain:g} "
        f"{escape(found.unit)}: nothing here is an exact score. Took {found.seconds:.1f} s."
    )
    if report is not None:
        console.print(f"Page: {escape(str(report))}")


def _gains(console: Console, found: auditing.MetricAudit) -> None:
    title = f"possible: what each attack gained, {found.unit}"
    table = Table(title=title, title_justify="left")
    for name in ("attack", "reads", "shown"):
        table.add_column(name)
    table.add_column("gain", justify="right")
    table.add_column("95 % interval", justify="right")
    for each in found.gains:
        ends = "-"
        if each.low is not None and each.high is not None:
            ends = f"{_number(each.low, found)} to {_number(each.high, found)}"
        gain = escape(each.reason or "-") if each.gain is None else _number(each.gain, found)
        table.add_row(each.attack, escape(each.reads), escape(each.show), gain, ends)
    console.print(table)


def _looks(console: Console, found: auditing.MetricAudit) -> None:
    table = Table(title=f"gain against looks, {found.unit}", title_justify="left")
    looks = sorted({each.looks for each in found.curve})
    table.add_column("shown")
    table.add_column("attack")
    for count in looks:
        table.add_column(f"{count:,}", justify="right")
    for show in found.shows:
        mine = {each.looks: each for each in found.curve if each.show == show}
        if mine:
            cells = [_cell(mine.get(count), found) for count in looks]
            table.add_row(escape(show), next(iter(mine.values())).attack, *cells)
    console.print(table)


def _rules(console: Console, found: auditing.MetricAudit) -> None:
    title = f"release rules compared, {found.unit}"
    table = Table(title=title, title_justify="left")
    table.add_column("rule")
    for show in found.shows:
        table.add_column(escape(show), justify="right")
    table.add_column("labels right at most, %", justify="right", width=10)
    table.add_column("blur for honest teams", justify="right", width=10)
    for row in found.rules:
        cells = [_cell(each, found) for each in row.strongest]
        name = f"{row.rule} (policy)" if row.is_policy else row.rule
        right = "-" if row.labels_right is None else f"{row.labels_right:g}"
        table.add_row(name, *cells, right, f"{row.blur:.3g}")
    console.print(table)
    if any(each.gain is None for row in found.rules for each in row.strongest):
        console.print(
            "-: no attack here reads what that rule leaves, which is not to say none can."
        )


def _cell(gain: MetricGain | None, found: auditing.MetricAudit) -> str:
    return "-" if gain is None or gain.gain is None else _number(gain.gain, found)


def _number(value: float, found: auditing.MetricAudit) -> str:
    return in_digits(value, found.grain)
