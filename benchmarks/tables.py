"""Measured tables of the pages: kept in docs/data, shown between markers, row by row repeatable.

A page shows a table between `<!-- data: NAME -->` and `<!-- end -->`. The rows stand in
docs/data/NAME.json with the seconds that each took; what is quick is measured again by the tests.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generated_base import Generated

__all__ = ["DATA", "ROOT", "Table", "blocks", "filled", "print_rows"]

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "data"
BLOCK = re.compile(r"(<!-- data: ([\w-]+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
# Processor seconds up to which a row is measured again, some of them by slow tests only.
QUICK = 8.0


class Table(Generated):
    """A table as a page shows it: who measures it, its titles, and one function for each row."""

    def __init__(
        self,
        name: str,
        command: str,
        seed: int,
        head: tuple[str, str],
        rows: Sequence[Callable[[], str]],
    ) -> None:
        self.name, self.command, self.seed = name, command, seed
        self.head, self.rows = head, tuple(rows)
        self.files = (DATA / f"{name}.json",)

    def content(self) -> dict[str, Any]:
        """Measure all rows, and tell the processor seconds that each took."""
        rows = []
        for measure in self.rows:
            start = time.process_time()
            rows.append([measure(), round(time.process_time() - start, 1)])
            print(*rows[-1], flush=True)
        return {"rows": rows}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows that are quick to measure, by their number."""
        rows = enumerate(content["rows"])
        return {str(at): row for at, (row, took) in rows if took is not None and took <= QUICK}

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the quickest row."""
        rows = content["rows"]
        quickest = sorted(self.cells(content), key=lambda cell: (rows[int(cell)][1], cell))[:1]
        return {cell: rows[int(cell)][0] for cell in quickest}

    def seconds(self, content: Mapping[str, Any]) -> float:
        """Return how long the quickest row takes."""
        return min((took for _, took in content["rows"] if took is not None), default=0.0)

    def measured(self, cell: str) -> str:
        """Measure one row."""
        return self.rows[int(cell)]()

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table."""
        return {self.name: "\n".join([*self.head, *(row for row, _ in content["rows"]), ""])}


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
