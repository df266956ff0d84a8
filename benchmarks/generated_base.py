"""A set of generated numbers: how they are made, kept, drawn, shown, and found to be stale."""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.made import Made, fingerprint, made_of, stamp, write_json

__all__ = ["Generated", "surfaces"]


def surfaces(cells: Iterable[str]) -> dict[str, list[str]]:
    """Group cells by what they are of: the words of their names that are no numbers."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        words = [word for word in cell.split() if not word.replace(".", "", 1).isdigit()]
        found.setdefault(" ".join(words), []).append(cell)
    return found


class Generated(ABC):
    """Numbers in the first of `files`; the others are pictures of them.

    A cell is a name and what stands there. `cells` holds those that are quick to compute again,
    one by one, with `measured`. Without a seed the numbers are formulas alone.
    """

    # So many cells of each surface are computed again on every run of the tests; which of the
    # others are, differs from run to run.
    probes_per_surface = 1

    name: str
    command: str
    seed: int | None
    files: tuple[Path, ...]

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Compute all numbers."""

    @abstractmethod
    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the quick cells as they are kept."""

    @abstractmethod
    def measured(self, cell: str) -> Any:
        """Compute one cell again."""

    def seconds(self, content: Mapping[str, Any], cell: str) -> float:
        """Return the processor seconds that a cell takes; 0: so few that nobody counted them."""
        del content, cell
        return 0.0

    def agree(self, cell: str, again: Any, kept: Any) -> bool:
        """Tell whether what came out is what is kept."""
        del cell
        return bool(again == kept)

    def draw(self, content: Mapping[str, Any]) -> None:
        """Draw the pictures."""
        del content

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return what pages show of the numbers, by the name of the block."""
        del content
        return {}

    def load(self) -> dict[str, Any]:
        """Read the numbers."""
        content: dict[str, Any] = json.loads(self.files[0].read_text(encoding="utf-8"))
        return content

    def save(self, made: Made, content: Mapping[str, Any]) -> None:
        """Write the numbers with their record."""
        write_json(self.files[0], made, content)

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the cells that are computed again to see whether all are: some of each surface."""
        cells = self.cells(content)
        generator = random.Random(self.name)
        return {
            cell: cells[cell]
            for surface in surfaces(sorted(cells)).values()
            for cell in generator.sample(surface, min(self.probes_per_surface, len(surface)))
        }

    def sample(self, content: Mapping[str, Any], seed: int, most_seconds: float) -> dict[str, Any]:
        """Draw one cell of each surface that is no probe and takes so many seconds at most."""
        cells, probes = self.cells(content), self.probes(content)
        quick = [
            cell
            for cell in sorted(cells)
            if cell not in probes and self.seconds(content, cell) <= most_seconds
        ]
        generator = random.Random(f"{seed} {self.name}")
        return {cell: cells[cell] for cell in map(generator.choice, surfaces(quick).values())}

    def made(self, content: Mapping[str, Any]) -> Made:
        """Return the record that files with these numbers have to carry."""
        numbers = {key: value for key, value in content.items() if key != "made"}
        return Made(self.command, self.seed, fingerprint(numbers))

    def keep(self, content: Mapping[str, Any]) -> None:
        """Write the numbers and their pictures, all with the same record."""
        made = self.made(content)
        self.save(made, {key: value for key, value in content.items() if key != "made"})
        self.draw(content)
        for picture in self.files[1:]:
            stamp(picture, made)

    def faults(self) -> list[str]:
        """Return what is wrong with the records, without computing any number."""
        missing = [path for path in self.files if not path.exists()]
        if missing:
            return [f"{path.name} is missing" for path in missing]
        content = self.load()
        wanted = self.made(content)
        found = [
            f"{path.name} carries {made}, not {wanted}"
            for path in self.files
            if (made := made_of(path)) != wanted
        ]
        if not self.probes(content):
            found.append(f"{self.files[0].name} has no number that is computed again")
        return found

    def all_stale(self) -> list[str]:
        """Compute every quick cell again, and return what differs."""
        return self.stale(self.cells(self.load()))

    def stale(self, cells: Mapping[str, Any] | None = None) -> list[str]:
        """Compute cells again, the probes or others, and return what differs."""
        kept = self.probes(self.load()) if cells is None else cells
        found = []
        for cell, value in kept.items():
            again = json.loads(json.dumps(self.measured(cell)))
            if not self.agree(cell, again, value):
                found.append(f"{cell} is {again}, and {value} is kept")
        return found
