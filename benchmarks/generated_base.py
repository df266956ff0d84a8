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

    # So many cells of each surface make the fingerprint; all of them are computed again to see
    # whether it is stale.
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
        """Return the cells that make the fingerprint: some of every surface."""
        cells = self.cells(content)
        generator = random.Random(self.name)
        return {
            cell: cells[cell]
            for surface in surfaces(sorted(cells)).values()
            for cell in generator.sample(surface, min(self.probes_per_surface, len(surface)))
        }

    def keep(self, content: Mapping[str, Any]) -> None:
        """Write the numbers and their pictures, all with the same record."""
        made = Made(self.command, self.seed, fingerprint(self.probes(content)))
        self.save(made, {key: value for key, value in content.items() if key != "made"})
        self.draw(content)
        for picture in self.files[1:]:
            stamp(picture, made)

    def faults(self) -> list[str]:
        """Return what is wrong with the records, without computing any number."""
        missing = [path for path in self.files if not path.exists()]
        if missing:
            return [f"{path.name} is missing" for path in missing]
        wanted = Made(self.command, self.seed, fingerprint(self.probes(self.load())))
        return [
            f"{path.name} carries {made}, not {wanted}"
            for path in self.files
            if (made := made_of(path)) != wanted
        ]

    def all_stale(self) -> list[str]:
        """Compute every quick cell again, and return what differs."""
        return self.stale(self.cells(self.load()))

    def stale(self, cells: Mapping[str, Any] | None = None) -> list[str]:
        """Compute cells again, those of the fingerprint or others, and return what differs."""
        kept = self.probes(self.load()) if cells is None else cells
        return [
            f"{cell} is {again}, and {value} is kept"
            for cell, value in kept.items()
            if (again := json.loads(json.dumps(self.measured(cell)))) != value
        ]
