"""The audit on a terminal: verdict first, then warnings, then tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from holdfast.audit.judgement.fixes import READ
from holdfast.audit.metrics.quick import QuickMetricAudit
from holdfast.audit.metrics.record import MetricAudit
from holdfast.audit.quick import QuickAudit
from holdfast.audit.result import (
    Audit,
    Finding,
    History,
    Interval,
    Verdict,
    in_digits,
    voiding,
)
from holdfast.cli.output import human
from holdfast.cli.plain import explained_attack, point_word, scored_submissions

__all__ = [
    "MOST_ATTACKS",
    "print_table",
    "say_weaker",
    "show",
    "show_findings",
    "show_quick",
    "show_quick_gains",
    "show_verdicts",
]

VERDICT_COLOURS = {"SAFE": "bold green", "MARGINAL": "bold yellow", "UNSAFE": "bold red"}
MOST_TEAMS_SHOWN = 15
MOST_ATTACKS = 5


def show(result: Audit, report: Path | None, *, every: bool = False) -> None:
    """Print everything that matters of a result; verdict and fixes last, where one reads on.

    `every`: all attacks, not the five strongest alone.
    """
    console = human()
    board = result.board
    console.print(f"{escape(board.header)}")
    show_findings(console, result.findings)
    if board.skewed:
        console.print(
            f"Gains are above the {board.free_percent:g} % that the majority class scores without "
            "a look; below 0: the attack ends below a constant submission."
        )
    _gains(console, result, every=every)
    _rules(console, result)
    _limits(console, result)
    if result.history is not None:
        _history(console, result.history)
    console.print(
        f"Labels {result.reproduce.fingerprint}, seed {result.reproduce.seed}, suite "
        f"{result.reproduce.suite}. Numbers from labels are rounded to "
        f"{point_word(result.rounding_unit / 100)}: nothing here is an exact score. Took "
        f"{result.seconds:.1f} s."
    )
    show_verdicts(console, result, report)


def show_verdicts(console: Console, result: Audit | MetricAudit, report: Path | None) -> None:
    """Print the verdicts with their fixes, and where the page is."""
    console.print()
    for verdict in result.verdicts:
        show_verdict(console, result, verdict)
    if report is not None:
        console.print(f"Page: {escape(str(report))}")


def print_table(
    console: Console,
    title: str,
    columns: Sequence[tuple[str, int | None]],
    rows: Sequence[Sequence[str]],
) -> None:
    """Print a table without the columns that say the same in each of several rows.

    A column is a name, and its width if it holds numbers; the first one is never left out.
    """
    told = [at for at in range(len(columns)) if at == 0 or len({row[at] for row in rows}) > 1]
    table = Table(title=title, title_justify="left")
    for at in told if len(rows) > 1 else range(len(columns)):
        name, width = columns[at]
        if width is None:
            table.add_column(name)
        else:
            table.add_column(name, justify="right", width=width)
    for row in rows:
        table.add_row(*[row[at] for at in (told if len(rows) > 1 else range(len(columns)))])
    console.print(table)


def show_quick(found: QuickAudit) -> None:
    """Print what a quick audit found."""
    forecast = ""
    if found.forecast is not None:
        what = point_word(found.forecast / 100)
        forecast = (
            f"Forecast for all {scored_submissions(found.n_looks)}: about {what} "
            f"({found.forecast_attack})."
        )
    rows = [
        (
            explained_attack(each.attack),
            each.setting,
            each.looks,
            f"{each.points.mean:+g}" if each.points else "",
        )
        for each in found.gains
    ]
    show_quick_gains(found, forecast, "in points", "attacker's knowledge", rows)


def show_quick_gains(
    found: QuickAudit | QuickMetricAudit,
    forecast: str,
    unit: str,
    second: str,
    rows: Sequence[tuple[str, str, int, str]],
) -> None:
    """Print the sentence, the findings and the gains; `second` heads the second column."""
    console = human()
    console.print(escape(found.sentence))
    if forecast:
        console.print(forecast)
    show_findings(console, found.findings)
    console.print(f"\n{escape(found.header)}")
    table = Table(title=f"gained by the likeliest attacks, {unit}", title_justify="left")
    for name in ("attack", second):
        table.add_column(name)
    for name in ("looks", "gain"):
        table.add_column(name, justify="right")
    for attack, beside, looks, gain in rows:
        table.add_row(attack, escape(beside), f"{looks:,}", gain)
    console.print(table)
    fewer = (
        f", and {found.looks:,} of {found.n_looks:,} looks" if found.looks < found.n_looks else ""
    )
    console.print(
        f"Quick: {len(found.gains)} attacks{fewer}; {found.not_played} more, other rules and fixes "
        f"wait for the whole audit. Took {found.seconds:.1f} s."
    )


def show_verdict(console: Console, result: Audit | MetricAudit, verdict: Verdict) -> None:
    """Print a verdict with its fixes."""
    word, _, rest = verdict.sentence.partition(" ")
    about = f"{verdict.about.capitalize()}: " if result.public is not None else ""
    console.print(f"{about}[{VERDICT_COLOURS[word]}]{word}[/] {escape(rest)}")
    if verdict.certified is not None:
        console.print(escape(verdict.certified))
    texts = [fix.text for fix in verdict.fixes]
    for at, text in enumerate(texts):
        console.print(f"{'Or' if at else 'Fix'}: {escape(text)}")
    if verdict.word == "SAFE":
        return
    if voiding(result.findings) is not None:
        console.print("No release rule and no limit is a fix before that.")
        return
    if not verdict.fixes:
        console.print("No fix was found among the rules and limits that were tried.")
    for text in verdict.would_do:
        console.print(escape(text))
    console.print(f"Which rule for how many looks: {READ}")


def show_findings(console: Console, findings: tuple[Finding, ...]) -> None:
    """Print each finding with its fix."""
    for finding in findings:
        colour = {"void": "bold red", "warning": "yellow", "note": "cyan"}[finding.severity]
        console.print(f"[{colour}]{finding.severity}[/] {finding.what} {finding.why}")
        console.print(f"     [dim]fix:[/] {finding.fix}")


def _gains(console: Console, result: Audit, *, every: bool) -> None:
    played = [gain for gain in result.gains if gain.points is not None]
    played.sort(key=lambda each: -each.points.mean if each.points else 0.0)
    shown = played if every else played[:MOST_ATTACKS]
    unit = result.rounding_unit
    columns = [
        ("attack", None),
        ("attacker's knowledge", None),
        ("accounts", 8),
        ("gain, points", 7),
        ("95 % interval, points", 14),
        ("no attack can exceed, points", 14),
    ]
    rows = [
        (
            explained_attack(gain.attack),
            gain.setting,
            f"{gain.accounts:,}",
            in_digits(gain.points.mean, unit) if gain.points else "",
            _range(gain.points, unit),
            "-" if gain.allowed is None else f"{gain.allowed:.2f}",
        )
        for gain in shown
    ]
    print_table(console, "possible: what each attack gained, in points", columns, rows)
    say_weaker(console, len(played) - len(shown))


def say_weaker(console: Console, count: int) -> None:
    """Say how many attacks are not shown."""
    if count > 0:
        console.print(f"{count} weaker attack{'' if count == 1 else 's'}: --all shows them.")


def _rules(console: Console, result: Audit) -> None:
    table = Table(title="release rules compared, in points", title_justify="left")
    for name in ("rule", "strongest attack"):
        table.add_column(name)
    for name, width in (
        ("possible, points", 9),
        ("no attack can exceed, points", 14),
        ("bits per look", 8),
        ("blur for honest teams, points", 10),
    ):
        table.add_column(name, justify="right", width=width)
    for rule in result.rules:
        table.add_row(
            f"{rule.rule} (policy)" if rule.is_policy else rule.rule,
            explained_attack(rule.attack),
            in_digits(rule.possible.mean, result.rounding_unit),
            "-" if rule.allowed is None else f"{rule.allowed:.2f}",
            f"{rule.bits_per_look:.2f}",
            f"{rule.price_points:.3g}",
        )
    console.print(table)


def _limits(console: Console, result: Audit) -> None:
    limits, gap = result.limits, result.verdict.gap_points
    bound = "" if limits.bound == "none" else f" (bound: {limits.bound})"
    console.print(
        f"no attack can exceed {limits.allowed:.2f} points in expectation with these scored "
        f"submissions (looks), {limits.allowed_everyone:.2f} with all teams' "
        f"{limits.everyone_looks:,}{bound}. It binds {escape(limits.binds)}."
    )
    if limits.allowed_model is not None:
        console.print(
            f"  nor {limits.allowed_model:.2f} points by {escape(limits.binds_model or '')}"
        )
    console.print(f"  forecast for the best attack on exact answers: {limits.forecast:g} points")
    for word, what in (
        ("possible", "an attack here gains"),
        ("forecast", "an attack on exact answers is forecast to gain"),
        ("allowed", "no bound rules out that an attack gains"),
    ):
        looks = limits.looks_until[word]
        when = f"from {_looks(looks)} on" if looks else "nowhere in what was searched"
        if looks and word == "possible":  # fewer than these may gain it, too
            when = f"with {_looks(looks)}, the fewest of those that were played"
        console.print(f"  {what} {gap:g} point{'' if gap == 1.0 else 's'} or more {when}")


def _history(console: Console, history: History) -> None:
    console.print(
        f"observed: {history.looks:,} scored submissions (looks) of {history.n_teams:,} teams, at "
        f"most {history.most_looks:,} by one; one score is uncertain by "
        f"±{history.half_width:g} points, corrected for all looks."
    )
    if history.mean_gap is not None:
        console.print(
            f"  public above private by {history.mean_gap:g} points on average: chance "
            f"{_or_none(history.chance)}, looks of somebody without a model of the labels at most "
            f"{_or_none(history.allowed)}, unexplained {_or_none(history.unexplained)}"
        )
    table = Table(title="observed: ranks that can be told apart", title_justify="left")
    for name in ("ranks", "teams"):
        table.add_column(name)
    for group in history.groups[:MOST_TEAMS_SHOWN]:
        ranks = f"{group.first}" if group.first == group.last else f"{group.first}-{group.last}"
        shown = escape(", ".join(group.teams[:MOST_TEAMS_SHOWN]))
        more = len(group.teams) - MOST_TEAMS_SHOWN
        table.add_row(ranks, f"{shown} and {more} more" if more > 0 else shown)
    console.print(table)


def _looks(count: int) -> str:
    return f"{count:,} look{'' if count == 1 else 's'}"


def _range(points: Interval | None, unit: float) -> str:
    if points is None or points.low is None or points.high is None:
        return "-"
    return f"{in_digits(points.low, unit)} to {in_digits(points.high, unit)}"


def _or_none(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
