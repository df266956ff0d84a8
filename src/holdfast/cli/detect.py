"""`holdfast detect`: probes among the submissions of a board."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.audit_options import OpenPage, Report
from holdfast.cli.board_places import DEFAULT, Database, opened
from holdfast.cli.options import AsJson, Encoding
from holdfast.cli.output import human, print_json
from holdfast.errors import InvalidInput
from holdfast.files.forms import read_as
from holdfast.quoting import printable

if TYPE_CHECKING:
    from holdfast.detect import Detection, TeamFound

__all__ = ["detect"]

FOUND = 1
# How many teams the table lists that are not flagged.
MOST_LISTED = 20
# One, zero, and cannot tell, as a strip of a look each.
MARKS = {True: "#", False: "-", None: "."}


def detect(
    submissions: Annotated[
        Path | None,
        typer.Argument(
            help="A folder or zip with a folder of files per team, or a CSV table of team, time "
            "and file."
        ),
    ] = None,
    baseline: Annotated[
        list[Path] | None,
        typer.Option(
            help="A submission of your own that no team can have chosen; repeatable, nine at most."
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="The board's metric, which says what a submission is. Default: accuracy."
        ),
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="Column of ids in CSV files.")] = None,
    label_column: Annotated[str | None, typer.Option(help="Column of values in them.")] = None,
    encoding: Encoding = None,
    board: Annotated[
        str | None,
        typer.Option(help="Instead of files: the name of a board that keeps its submissions."),
    ] = None,
    database: Database = DEFAULT,
    rate: Annotated[
        float | None,
        typer.Option(
            help="Share of an honest team's looks that may be unexplained, 0.1 to 0.5. Default: "
            "measured on the other teams."
        ),
    ] = None,
    report: Report = None,
    open_page: OpenPage = False,
    as_json: AsJson = False,
) -> None:
    """Find teams whose submissions probe the hidden labels; evidence for a host, no proof.

    No label is used. Each submission (look) is compared with other teams', the baselines and the
    team's own earlier ones: honest work depends on one of these, a probe changes rows as a coin
    does. Whoever reads how this works evades it at no cost: the ledger is the defence. Give a
    baseline, even one: it is what a flood of submissions can't replace. What is found on a board
    stands on its host's page, too; let it run by night, beside the server.

    Exit codes: 0 nobody is flagged, 1 somebody is, 2 bad input.

    Examples
    --------
    holdfast detect submissions.zip --baseline baseline.csv --report probes.html
    holdfast detect looks.csv --metric log_loss --json
    holdfast detect --board pets --database holdfast-board.db
    """
    if (submissions is None) == (board is None):
        raise InvalidInput("give submissions or --board, one of the two.")
    if board is not None and (metric, id_column, label_column) != (None, None, None):
        raise InvalidInput("give --metric and columns with files: a board knows its own.")
    from holdfast.audit.exports import write_whole
    from holdfast.cli.audit_files import open_in_browser, page_file
    from holdfast.detect import detect as look_for_probes
    from holdfast.detect.page import as_page
    from holdfast.detect.reading import SubmissionReader
    from holdfast.detect.submissions import read_submissions, unpacked_place
    from holdfast.detect.words import ALIKE, assumption, sentence
    from holdfast.metrics.registry import parse_metric

    name = board or Path(submissions or "").stem
    report = page_file(report, open_page=open_page, name="detect.html")
    left_out: list[tuple[str, str]] = []
    with ExitStack() as open_places:
        open_places.enter_context(read_as(encoding))
        if submissions is None:
            place = open_places.enter_context(opened(database))
            files = [_bytes_of(path) for path in baseline or []]
            found = place.findings().judge(*place.board(str(board)), files, rate)
        else:
            asked = parse_metric(metric or "accuracy")
            reader = SubmissionReader(asked, id_column=id_column, label_column=label_column)
            # Before all others: the first file says which ids there are.
            baselines = [reader.labels(path) for path in baseline or []]
            folder = open_places.enter_context(unpacked_place(submissions))
            looks, left_out = read_submissions(folder, reader)
            found = look_for_probes(looks, baselines, rate=rate)
        for file, reason in left_out:
            print(printable(f"left out: {file}: {reason}"), file=sys.stderr)
        if report is not None:
            write_whole(report, as_page(found, name))
        if as_json:
            out = [{"file": file, "reason": reason} for file, reason in left_out]
            told = {each.team: sentence(each) for each in found.flagged}
            more = {"sentences": told, "assumption": assumption(found.teams[0]), "left_out": out}
            print_json({**found.as_data(), **more, "look_alike": ALIKE if told else ()})
        else:
            _show(found)
            if report is not None:
                human().print(f"Page: {report}", soft_wrap=True, markup=False)
    if report is not None and open_page:
        open_in_browser(report)
    if found.flagged:
        raise typer.Exit(FOUND)


def _bytes_of(baseline: Path) -> bytes:
    try:
        return baseline.read_bytes()
    except OSError as error:
        raise InvalidInput(f"baseline must be a file, got {baseline}: {error.strerror}.") from None


def _show(found: Detection) -> None:
    from rich.markup import escape
    from rich.table import Table

    from holdfast.detect.words import (
        ALIKE,
        CAUTION,
        assumption,
        evidence_text,
        held_against,
        summary,
    )

    console = human()
    console.print(CAUTION)
    console.print(f"[bold]{escape(summary(found))}[/]")
    for each in found.flagged:
        _show_finding(each, stands=each.team in found.between_teams)
    if found.flagged:
        console.print("Honest work that looks alike:")
        for text in ALIKE:
            console.print(f"- {text}")
    console.print(assumption(found.teams[0]))
    table = Table(title="teams, by evidence", title_justify="left")
    for title in ("team", "looks", "unexplained", "decided", "rate", "evidence", "flagged at"):
        table.add_column(title, justify="left" if title == "team" else "right", overflow="fold")
    for each in found.teams[:MOST_LISTED]:
        numbers = (len(each.looks), each.ones, each.decided, f"{each.rate:.3g}")
        last = "not judged" if each.refused else evidence_text(each.last_log_evidence)
        table.add_row(
            escape(printable(each.team)), *map(str, numbers), last, str(each.flagged_at or "-")
        )
    console.print(table)
    refused = [each for each in found.teams if each.refused]
    if refused:
        console.print(f"Not judged: {len(refused)}; {escape(refused[0].refused)}.")
    if len(found.teams) > MOST_LISTED:
        console.print(f"{len(found.teams) - MOST_LISTED} more teams are in --json.")
    console.print(escape(printable(held_against(found))), soft_wrap=True)


def _show_finding(found: TeamFound, *, stands: bool) -> None:
    from rich.markup import escape

    from holdfast.detect.words import sentence, which_looks

    console = human()
    at = found.flagged_at
    word = "stands among all teams" if stands else "does not stand among all teams"
    title = f"{found.team}: flagged at look {at}" + ("" if found.merged else f", {word}")
    console.print(f"[bold]{escape(printable(title))}[/]")
    console.print(f"{sentence(found)} {which_looks(found)}")
    strip = "".join(MARKS[each.bit] for each in found.judged)
    console.print(f"Looks, # unexplained, - explained, . can't be told: {strip}", soft_wrap=True)
    if found.merged:
        most = [f"{team} {ones}" for team, ones in found.accounts().items() if ones][:10]
        console.print(f"Unexplained, by account: {escape(printable(', '.join(most)))}")
