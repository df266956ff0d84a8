"""`holdfast audit --metric`: the audit of any metric, with groups and columns beside it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from holdfast import audit as auditing
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.result import in_digits, unit_after
from holdfast.cli.audit_tables import (
    MOST_ATTACKS,
    print_table,
    say_weaker,
    show_findings,
    show_quick_gains,
    show_verdicts,
)
from holdfast.cli.output import human

__all__ = ["show_metric", "show_quick_metric"]


def show_metric(found: auditing.MetricAudit, report: Path | None, *, every: bool = False) -> None:
    """Print everything that matters: the metric first, then findings and tables, then verdicts."""
    console = human()
    console.print(_first_line(found.board, found.unit, found.constant, found.rounding_unit))
    if found.model is not None:
        vote = in_digits(found.model, found.rounding_unit)
        console.print(
            f"The given models' best vote has {vote}; gains of attacks that start from it are over "
            "that, or over the constant if that is better."
        )
    console.print(escape(found.header))
    show_findings(console, found.findings)
    _gains(console, found, every=every)
    _looks(console, found)
    _rules(console, found)
    for text in (*found.certified, *found.not_covered):
        console.print(escape(text))
    console.print(
        f"Labels {found.reproduce.fingerprint}, seed {found.reproduce.seed}, "
        f"{found.reproduce.trials} trials. Numbers from labels are rounded to "
        f"{found.rounding_unit:g} {escape(unit_after(found.rounding_unit, found.unit))}: "
        "nothing here is an exact score. "
        f"Took {found.seconds:.1f} s."
    )
    show_verdicts(console, found, report)


def show_quick_metric(found: auditing.QuickMetricAudit) -> None:
    """Print what a quick audit of a metric found."""
    human().print(_first_line(found.board, found.unit, found.constant, found.rounding_unit))
    rows = [
        (_explained(each), each.reads, each.looks, in_digits(each.gain or 0.0, found.rounding_unit))
        for each in found.gains
    ]
    show_quick_gains(found, "", found.unit.removeprefix("of "), "reads", rows)


def _alone(unit: str) -> str:
    """Return a unit without a number before it."""
    return unit if unit.startswith("points") else f"in {unit.removeprefix('of ')},"


def _first_line(board: str, unit: str, constant: float, rounding_unit: float) -> str:
    return (
        f"Metric: {escape(board)}. Gains are {escape(_alone(unit))} over the best constant "
        f"submission, which has {in_digits(constant, rounding_unit)}."
    )


def _gains(console: Console, found: auditing.MetricAudit, *, every: bool) -> None:
    played = [each for each in found.gains if each.gain is not None]
    shown = played if every else played[:MOST_ATTACKS]
    columns = [
        ("attack", None),
        ("attacker's knowledge", None),
        ("reads", None),
        ("shown", None),
        ("gain", 7),
        ("95 % interval", 14),
    ]
    rows = []
    for each in shown:
        ends = "-"
        if each.low is not None and each.high is not None:
            ends = f"{_number(each.low, found)} to {_number(each.high, found)}"
        told = (_explained(each), each.setting, escape(each.reads), escape(each.show))
        rows.append((*told, _cell(each, found), ends))
    title = f"possible: what each attack gained, {found.counted_in}"
    print_table(console, title, columns, rows)
    say_weaker(console, len(played) - len(shown))
    reasons = [f"{each.attack}: {each.reason.rstrip('.')}" for each in found.gains if each.reason]
    if reasons:
        console.print(f"Not played: {escape('; '.join(reasons))}.")


def _looks(console: Console, found: auditing.MetricAudit) -> None:
    table = Table(title=f"gain against looks, {found.counted_in}", title_justify="left")
    looks = sorted({each.looks for each in found.curve})
    table.add_column("shown")
    for count in looks:
        table.add_column(f"{count:,}", justify="right")
    for show in found.shows:
        mine = {each.looks: each for each in found.curve if each.show == show}
        if mine:
            table.add_row(escape(show), *[_cell(mine.get(count), found) for count in looks])
    console.print(table)


def _rules(console: Console, found: auditing.MetricAudit) -> None:
    title = f"release rules compared, {found.counted_in}"
    table = Table(title=title, title_justify="left")
    table.add_column("rule")
    for show in found.shows:
        table.add_column(escape(show), justify="right")
    table.add_column("no attack can exceed", justify="right", width=9)
    table.add_column("labels right at most, %", justify="right", width=10)
    table.add_column("blur for honest teams", justify="right", width=10)
    for row in found.rules:
        cells = [_cell(each, found) for each in row.strongest]
        name = f"{row.rule} (policy)" if row.is_policy else row.rule
        right = "-" if row.labels_right is None else f"{row.labels_right:g}"
        most = "-" if row.allowed is None else _number(row.allowed, found)
        table.add_row(name, *cells, most, right, f"{row.blur:.3g}")
    console.print(table)
    if any(each.gain is None for row in found.rules for each in row.strongest):
        console.print(
            "-: no attack here reads what that rule leaves, which is not to say none can."
        )


def _explained(gain: MetricGain) -> str:
    return f"{gain.attack}: {gain.does}" if gain.does else gain.attack


def _cell(gain: MetricGain | None, found: auditing.MetricAudit) -> str:
    return "-" if gain is None or gain.gain is None else _number(gain.gain, found)


def _number(value: float, found: auditing.MetricAudit) -> str:
    return in_digits(value, found.rounding_unit)
