"""Measured tables of the pages: kept in docs/data, shown between markers, row by row repeatable.

A page shows a table between `<!-- data: NAME -->` and `<!-- end -->`. The rows stand in
docs/data/NAME.json with the seconds that each took; what is quick is measured again by the tests.
Where no row is quick, smaller games of the same kind are kept beside the rows, and measured again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generated_base import Generated

__all__ = ["DATA", "ROOT", "Table", "blocks", "filled", "print_rows", "timed"]

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "data"
BLOCK = re.compile(r"(<!-- data: ([\w-]+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
# Processor seconds up to which a row is measured again, some of them by slow tests only.
QUICK = 8.0


class Table(Generated):
    """A table as a page shows it: who measures it, its titles, and one function for each row.

    `small` has what is measured along with the rows and not shown, by names that are no numbers:
    the same on sizes that take a second. If it comes out differently, the rows are old.
    `row_names` are the first cells of all rows, where they follow from the code, as a row for each
    attack does: a row that is missing or called otherwise is found without measuring any. `trials`
    is the number of games behind a cell.
    """

    quick = QUICK

    def __init__(
        self,
        name: str,
        command: str,
        seed: int,
        head: tuple[str, str],
        rows: Sequence[Callable[[], str]],
        small: Mapping[str, Callable[[], str]] | None = None,
        *,
        row_names: Sequence[str] = (),
        trials: int | None = None,
    ) -> None:
        self.name, self.command, self.seed, self.trials = name, command, seed, trials
        self.head, self.rows, self.small = head, tuple(rows), dict(small or {})
        self.row_names = tuple(row_names)
        self.files = (DATA / f"{name}.json",)

    def content(self) -> dict[str, Any]:
        """Measure all rows, and tell the processor seconds that each took."""
        games = {} if self.trials is None else {"trials": self.trials}
        return games | {"rows": [timed(measure) for measure in self.rows], **self.measured_small()}

    def measured_small(self) -> dict[str, Any]:
        """Measure what is small, if there is any; return it under its key."""
        found = {name: timed(measure) for name, measure in self.small.items()}
        return {"small": found} if found else {}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows that are quick to measure, by their number, and what is small."""
        return {
            cell: text
            for cell, (text, took) in _timed_cells(content).items()
            if took is not None and took <= self.quick
        }

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the quickest row, and what is small."""
        cells = self.cells(content)
        rows = [cell for cell in cells if cell.isdigit()]
        quickest = sorted(rows, key=lambda row: (self.seconds(content, row), row))[:1]
        return {cell: cells[cell] for cell in cells if cell in quickest or not cell.isdigit()}

    def faults(self) -> list[str]:
        """Return what is wrong with the record, and whether it has other rows than the code makes.

        A table whose rows come from one computation has no function for each, and none to count.
        """
        found = super().faults()
        if not self.files[0].exists():
            return found
        kept = [row for row, _ in self.load()["rows"]]
        name = self.files[0].name
        if self.rows and len(kept) != len(self.rows):
            found.append(f"{name} has {len(kept)} rows, and the code makes {len(self.rows)}")
        first = [row.split("|")[1].strip() for row in kept]
        if missing := [each for each in self.row_names if each not in first]:
            found.append(f"{name} has no row for {', '.join(missing)}")
        return found

    def seconds(self, content: Mapping[str, Any], cell: str) -> float:
        """Return the processor seconds that a row took."""
        return float(_timed_cells(content)[cell][1])

    def measured(self, cell: str) -> str:
        """Measure one row, or what is small."""
        return self.rows[int(cell)]() if cell.isdigit() else self.small[cell]()

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table, and below it the seed and the games of a cell, where they are kept."""
        lines = [*self.head, *(row for row, _ in content["rows"]), ""]
        if "trials" in content:
            lines += [f"Seed {content['made']['seed']}, {content['trials']} games per cell.", ""]
        return {self.name: "\n".join(lines)}


def timed(measure: Callable[[], str]) -> list[Any]:
    """Measure a row; return it with the processor seconds that it took, and print both."""
    start = time.process_time()
    found = [measure(), round(time.process_time() - start, 1)]
    print(*found, flush=True)
    return found


def _timed_cells(content: Mapping[str, Any]) -> dict[str, Any]:
    rows = {str(at): row for at, row in enumerate(content["rows"])}
    return {**rows, **content.get("small", {})}


def print_rows(table: Table) -> None:
    """Print a table, a row as soon as it is measured."""
    print(*table.head, sep="\n")
    for measure in table.rows:
        print(measure(), flush=True)


def blocks(page: Path) -> dict[str, str]:
    """Return the texts between a page's markers, by name."""
    return {name: text for _, name, text, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}


def filled(page: Path, texts: dict[str, str]) -> str:
    """Return a page with the text of each block put between its markers."""

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}{texts[found[2]]}{found[4]}"

    return BLOCK.sub(block, page.read_text(encoding="utf-8"))
