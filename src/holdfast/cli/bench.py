"""`holdfast bench`: the versioned suite, and standings of attacks and rules."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from holdfast.cli.default_command import WithDefault
from holdfast.cli.explained import ExplainedCommand
from holdfast.cli.matrix import matrix
from holdfast.cli.options import AsJson, Cluster, Processes, output_folder, workers_for
from holdfast.cli.output import as_json_text, human, print_json, progress

if TYPE_CHECKING:
    from holdfast.bench import Standings

__all__ = ["bench"]

NAME = "standings"
ROWS = ".rows.jsonl"
# Columns of the attacks' table that a terminal has room for: place, name and shares.
SHOWN = 4


bench = typer.Typer(
    cls=WithDefault,
    help="Play the versioned suite of fixed problems, and rank attacks and release rules.",
    rich_markup_mode=None,
)


@bench.command("run", cls=ExplainedCommand)
def bench_suite(
    attack: Annotated[
        list[str] | None,
        typer.Option(
            help="An attack of your own, path/to/file.py:Class, or any by name; repeat for more."
        ),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="A release rule of your own, path/to/file.py:NAME, or any by text; repeat for "
            "more."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Play the larger suite, which takes much longer.")
    ] = False,
    out: Annotated[
        Path,
        typer.Option(help="Folder for the rows, standings.md, standings.json and standings.html."),
    ] = Path("out/bench"),
    again: Annotated[
        bool, typer.Option("--again", help="Play everything, though rows of it are kept.")
    ] = False,
    processes: Processes = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Play the versioned suite of fixed problems, and rank attacks and release rules.

    Attacks are ranked by what they gain over looks, as a share of the best; rules by the gain of
    the strongest attack, with what they cost honest teams beside it. Seeds are fixed: the same
    version of the suite and of the results gives the same standings. An attack or a rule of your
    own meets all that the suite's do. Writes Markdown, JSON and a page.

    holdfast bench matrix judges the rules on a problem, or on labels, of your own.

    Rows are kept in the folder as they come, and plays that are there are not played again: a run
    that was stopped goes on, and an attack that is added plays alone.

    Examples
    --------
    holdfast bench
    holdfast bench --attack my_attack.py:MyAttack --rule my_rule.py:RULE --out out/mine
    """
    from holdfast.bench import FULL, QUICK, as_markdown, as_page, n_rows, run_bench
    from holdfast.sweeps import Journal

    suite = FULL if full else QUICK
    attacks, rules = attack or [], rule or []
    total = n_rows(suite, attacks=attacks, rules=rules)
    workers = workers_for(processes, cluster)
    folder = output_folder(out)
    rows = folder / f"{suite.name}{ROWS}"
    if again:
        rows.unlink(missing_ok=True)
    start = time.perf_counter()
    with Journal(rows, resume=True) as journal, progress("bench", total) as advance:
        found = run_bench(
            suite,
            attacks=attacks,
            rules=rules,
            processes=workers,
            cluster=cluster,
            journal=journal,
            on_rows=advance,
        )
    seconds = round(time.perf_counter() - start, 1)
    result = found.as_dict()
    for suffix, text in (
        (".md", as_markdown(found)),
        (".json", as_json_text(result) + "\n"),
        (".html", as_page(found)),
    ):
        (folder / f"{NAME}{suffix}").write_text(text, encoding="utf-8")
    if as_json:
        print_json(result)
    else:
        _show(found, folder, total, seconds)
        human().print(f"Rows: {rows}", soft_wrap=True)


bench.command("matrix", cls=ExplainedCommand)(matrix)


def _show(found: Standings, folder: Path, plays: int, seconds: float) -> None:
    from holdfast.bench.tables import attack_table, explained, rule_table

    console = human()
    console.print(f"suite {found.suite}, Holdfast {found.version}: {plays:,} plays")
    for table, columns in ((attack_table(found), SHOWN), (rule_table(found), None)):
        grid = Table()
        for title in table.titles[:columns]:
            grid.add_column(title, overflow="fold")
        for row in table.rows:
            grid.add_row(*row[:columns])
        console.print(grid)
    console.print(explained(found))
    for failure in found.failures:
        console.print(f"Not played: {failure}")
    console.print(f"Took {seconds:.1f} s. Standings: {folder}/{NAME}.md, .json and .html")
