"""The audit on a terminal: verdict first, then warnings, then tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from holdfast.audit.judgement.fixes import READ
from holdfast.audit.judgement.sentences import blur_of_row
from holdfast.audit.outlook import Outlook
from holdfast.audit.quick import QuickAudit
from holdfast.audit.result import (
    POINTS,
    AttackGain,
    Audit,
    Finding,
    History,
    Interval,
    Limits,
    Verdict,
    in_digits,
    unit_after,
    up_in_digits,
    voiding,
)
from holdfast.cli.output import human
from holdfast.cli.plain import explained_attack, point_word, scored_submissions

__all__ = ["show", "show_outlook", "show_quick"]

VERDICT_COLOURS = {"SAFE": "bold green", "MARGINAL": "bold yellow", "UNSAFE": "bold red"}
MOST_TEAMS_SHOWN = 15
MOST_ATTACKS = 5
# Notes on what was taken for granted: the option that says otherwise is never folded.
ASK_FOR_AN_OPTION = {"assumed-accuracy", "group-column"}


def show(result: Audit, report: Path | None, *, every: bool = False) -> None:
    """Print everything that matters of a result; verdict and fixes last, where one reads on.

    `every`: all attacks, not the five strongest alone.
    """
    console = human()
    board = result.board
    if not board.plain:
        _say_metric(console, board.shown, result)
    if board.model is not None and not board.plain:
        console.print(
            f"The given models' best vote has {in_digits(board.model, result.rounding_unit)}; "
            "gains of attacks that start from it are over that, or over the constant if that is "
            "better."
        )
    console.print(f"{escape(board.header)}")
    show_findings(console, result.findings, every=every)
    if board.plain and board.skewed:
        console.print(
            f"Gains are above the {board.free:g} % that the majority class scores without "
            "a look; below 0: the attack ends below a constant submission."
        )
    _gains(console, result, every=every)
    if result.limits is None:
        _looks_table(console, result)
    _rules(console, result)
    if result.limits is not None:
        _limits(console, result, result.limits)
    for text in (*result.certified, *result.not_covered):
        console.print(escape(text))
    if result.history is not None:
        _history(console, result.history)
    unit = result.rounding_unit
    console.print(
        f"Labels {result.reproduce.fingerprint}, seed {result.reproduce.seed}, suite "
        f"{result.reproduce.suite}. Numbers from labels are rounded to "
        f"{unit:g} {escape(unit_after(unit, result.unit))}: nothing here is an exact score. Took "
        f"{result.seconds:.1f} s."
    )
    show_verdicts(console, result, report)


def _say_metric(console: Console, shown: str, found: Audit | QuickAudit) -> None:
    """Print what is shown, and what gains are over."""
    free = found.free
    unit = found.counted_in if found.unit.startswith("points") else f"in {found.counted_in},"
    console.print(
        f"Metric: {escape(shown)}. Gains are {escape(unit)} over the best constant submission, "
        f"which has {in_digits(free, found.rounding_unit)}."
    )


def show_verdicts(console: Console, result: Audit, report: Path | None) -> None:
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
            table.add_column(name, justify="right", width=_room(width, [row[at] for row in rows]))
    for row in rows:
        table.add_row(*[row[at] for at in (told if len(rows) > 1 else range(len(columns)))])
    console.print(table)


def _room(width: int, cells: Sequence[str]) -> int:
    """Return a column's width: its own, or as much as its longest number takes, never cut."""
    return max(width, *(len(cell) for cell in cells)) if cells else width


def show_outlook(ahead: Outlook, n_looks: int, *, every: bool) -> None:
    """Print what a quick audit knows before it plays, at once: findings and forecast."""
    console = human()
    show_findings(console, ahead.findings, every=every)
    if ahead.points is not None:
        console.print(
            f"Forecast for all {scored_submissions(n_looks)}: about "
            f"{point_word(ahead.points / 100)} ({ahead.attack})."
        )
    console.file.flush()


def show_quick(found: QuickAudit, report: Path | None) -> None:
    """Print what a quick audit found: the gains, and the sentence last."""
    console = human()
    console.print(f"\n{escape(found.header)}")
    if not found.plain:
        _say_metric(console, found.board, found)
    rows = [
        (
            _explained(each),
            each.setting,
            escape(each.reads),
            f"{each.looks:,}",
            in_digits(each.mean or 0.0, found.rounding_unit),
        )
        for each in found.gains
    ]
    columns = [("attack", None), ("attacker's knowledge", None), ("reads", None)]
    if rows:
        print_table(
            console,
            f"gained by the likeliest attacks, {_in(found.counted_in)}",
            [*columns, ("looks", 7), ("gain", 7)],
            rows,
        )
    fewer = (
        f", and {found.looks:,} of {found.n_looks:,} looks" if found.looks < found.n_looks else ""
    )
    attacks = f"{len(found.gains)} attack{'' if len(found.gains) == 1 else 's'}"
    console.print(
        f"Quick: {attacks}{fewer}; {found.not_played} more, other rules and fixes "
        f"wait for the whole audit. Took {found.seconds:.1f} s."
    )
    console.print(escape(found.sentence))
    if report is not None:
        console.print(f"Page, which says that it is no verdict: {escape(str(report))}")


def show_verdict(console: Console, result: Audit, verdict: Verdict) -> None:
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


def show_findings(console: Console, findings: tuple[Finding, ...], *, every: bool = False) -> None:
    """Print each finding with its fix; notes, which nearly every board has, in one paragraph."""
    notes = [] if every else [each for each in findings if each.severity == "note"]
    for finding in findings:
        if finding in notes:
            continue
        colour = {"void": "bold red", "warning": "yellow", "note": "cyan"}[finding.severity]
        said = escape(f"{finding.what} {finding.why}")
        console.print(f"[{colour}]{finding.severity}[/] {said}")
        console.print(f"     [dim]fix:[/] {escape(finding.fix)}")
    if notes:
        told = " ".join(
            f"{each.what} {each.fix}" if each.code in ASK_FOR_AN_OPTION else each.what
            for each in notes
        )
        console.print(f"[cyan]notes[/] {escape(told)} (--all: why, and what to do.)")


def _gains(console: Console, result: Audit, *, every: bool) -> None:
    played = [gain for gain in result.gains if gain.points is not None]
    shown = played if every else played[:MOST_ATTACKS]
    unit, counted = result.rounding_unit, result.counted_in
    columns = [
        ("attack", None),
        ("attacker's knowledge", None),
        ("reads", None),
        ("shown", None),
        ("accounts", 8),
        (f"gain, {counted}" if result.board.plain else "gain", 7),
        (f"95 % interval, {counted}" if result.board.plain else "95 % interval", 14),
        (f"no attack can exceed, {counted}", 14),
    ]
    rows = [
        (
            _explained(gain),
            gain.setting,
            escape(gain.reads),
            escape(gain.show),
            f"{gain.accounts:,}",
            _mean(gain.points, unit),
            _range(gain.points, unit),
            _most(gain.allowed, unit),
        )
        for gain in shown
    ]
    print_table(console, f"possible: what each attack gained, {_in(counted)}", columns, rows)
    weaker = len(played) - len(shown)
    if weaker > 0:
        console.print(f"{weaker} weaker attack{'' if weaker == 1 else 's'}: --all shows them.")
    reasons = [f"{each.attack}: {each.reason.rstrip('.')}" for each in result.gains if each.reason]
    if reasons and not result.board.plain:
        console.print(f"Not played: {escape('; '.join(reasons))}.")


def _explained(gain: AttackGain) -> str:
    return f"{gain.attack}: {gain.does}" if gain.does else explained_attack(gain.attack)


def _in(counted: str) -> str:
    return f"in {counted}" if counted == POINTS else counted


def _looks_table(console: Console, result: Audit) -> None:
    """Print the lines of the chart: what each thing that is shown costs with fewer looks."""
    table = Table(title=f"gain against looks, {result.counted_in}", title_justify="left")
    table.add_column("shown")
    for count in result.curve.looks:
        table.add_column(f"{count:,}", justify="right")
    for each in result.curve.measured:
        gains = [_mean(points, result.rounding_unit) for points in each.points]
        table.add_row(escape(each.show), *gains)
    console.print(table)


def _rules(console: Console, result: Audit) -> None:
    unit, counted, shows = result.rounding_unit, result.counted_in, result.board.shows
    alone = len(shows) == 1
    columns: list[tuple[str, int | None]] = [("rule", None)]
    if alone:
        columns += [("strongest attack", None), (f"possible, {counted}", 9)]
    else:
        columns += [(escape(show), 9) for show in shows]
    columns += [
        (f"no attack can exceed, {counted}", 14),
        ("labels right at most, %", 10),
        (f"blur for honest teams, {counted}", 10),
    ]
    rows = []
    for row in result.rules:
        who = "-" if row.attack is None else explained_attack(row.attack)
        gains = [_mean(each.points, unit) for each in row.strongest]
        most = _most(row.allowed, unit)
        rows.append(
            (
                f"{row.rule} (policy)" if row.is_policy else row.rule,
                *((who, _mean(row.possible, unit)) if alone else gains),
                most,
                "-" if row.labels_right is None else f"{row.labels_right:g}",
                blur_of_row(row),
            )
        )
    print_table(console, f"release rules compared, {_in(counted)}", columns, rows)
    if any(each.points is None for row in result.rules for each in row.strongest):
        console.print(
            "-: no attack here reads what that rule leaves, which is not to say none can."
        )


def _limits(console: Console, result: Audit, limits: Limits) -> None:
    gap = result.verdict.gap_points
    unit, everyone = result.rounding_unit, ""
    if result.board.teams > 1:
        most = _most(limits.allowed_everyone, unit)
        everyone = f", {most} with all teams' {limits.everyone_looks:,}"
    console.print(
        f"no attack can exceed {_most(limits.allowed, unit)} points in expectation with these "
        f"scored submissions (looks){everyone}. It binds {escape(limits.binds)}."
    )
    if limits.allowed_model is not None:
        most = _most(limits.allowed_model, unit)
        console.print(f"  nor {most} points by {escape(limits.binds_model or '')}")
    console.print(f"  forecast for the best attack on exact answers: {limits.forecast:.1f} points")
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


def _mean(points: Interval | None, unit: float) -> str:
    return "-" if points is None else in_digits(points.mean, unit)


def _most(bound: float | None, unit: float) -> str:
    """Return a bound in the digits of the gains beside it."""
    return "-" if bound is None else up_in_digits(bound, unit)


def _range(points: Interval | None, unit: float) -> str:
    if points is None or points.low is None or points.high is None:
        return "-"
    return f"{in_digits(points.low, unit)} to {in_digits(points.high, unit)}"


def _or_none(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
