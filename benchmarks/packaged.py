"""Numbers that come with the package: what-if surfaces, the planner's tables, the example.

    python -m benchmarks.packaged NAME ...    renew some of the planner's tables, keep the others

`python -m benchmarks.generated planner` renews all of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import planner_tables as planner
from benchmarks.example_data import example
from benchmarks.generated_base import Generated
from benchmarks.made import Made
from benchmarks.tables import ROOT
from holdfast.audit.judgement import what_if
from holdfast.problem import Problem

__all__ = ["Example", "PlannerTables", "WhatIf"]

PACKAGE = ROOT / "src" / "holdfast"
# Ratios of champion-challenger are means of a few games, with standard errors of 0.02. Half of that
# is no reason to measure for half an hour, and to move every forecast that is made from them.
GAMES_LUCK = 0.01


class WhatIf(Generated):
    """The surfaces of the audit page's what-if panel, from formulas alone."""

    name = "what-if"
    command = "python -m benchmarks.generated what-if"
    seed = None
    files = (PACKAGE / "audit" / "data" / "what_if.json",)
    # A change of one formula may touch a part of a surface only, and a cell takes a tenth of a
    # second.
    probes_per_surface = 4

    def content(self) -> dict[str, Any]:
        """Compute all surfaces."""
        return dict(what_if.compute())

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return every point of every surface."""
        return {
            f"{rule} {name} {n} {m} {k}": content[rule][name][a][b][c]
            for rule, surfaces in (("round", what_if.ROUND), ("ladder", what_if.LADDER))
            for name in surfaces
            for a, n in enumerate(what_if.EXAMPLES)
            for b, m in enumerate(what_if.CLASSES)
            for c, k in enumerate(what_if.LOOKS)
        }

    def measured(self, cell: str) -> Any:
        """Compute one point."""
        rule, name, *sizes = cell.split()
        surface = {"round": what_if.ROUND, "ladder": what_if.LADDER}[rule][name]
        return surface(Problem(*map(int, sizes)))


class PlannerTables(Generated):
    """What the planner has no closed form for. All tables take half an hour on one core."""

    name = "planner"
    command = "python -m benchmarks.generated planner"
    seed = planner.SEED
    files = (PACKAGE / "measured" / "tables.json",)

    def content(self) -> dict[str, Any]:
        """Measure all tables."""
        return {name: make() for name, make in sorted(planner.MAKERS.items())}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was measured and is quick to measure again."""
        champion, lattice = content["champion-challenger"], content["lattice"]
        found = {
            f"champion-challenger {m} {k} {load}": champion["ratio"][a][b][c]
            for a, m in enumerate(champion["classes"])
            for b, k in enumerate(champion["looks"])
            for c, load in enumerate(champion["loads"])
            if 10 <= k <= 30 and planner.LEAST_EXAMPLES <= k * m / load <= 3_000
        }
        found |= {
            f"lattice {m} {t}": lattice["ratio"][a][b]
            for a, m in enumerate(lattice["classes"])
            for b, t in enumerate(lattice["positions"])
            if m <= 16 and t <= 300
        }
        hits = content["hit-pools"]
        found |= {
            f"hit-pools {m} {k} {load}": hits["ratio"][a][b][c]
            for a, m in enumerate(hits["classes"])
            for b, k in enumerate(hits["looks"])
            for c, load in enumerate(hits["loads"])
            if k <= 30 and planner.LEAST_EXAMPLES <= k * m / load <= 3_000
        }
        tails = content["tail-after-pools"]
        fewest = zip(tails["loads"], tails["ratio"][0], strict=True)
        found |= {
            f"tail-after-pools {tails['classes'][0]} {load}": share
            for load, share in fewest
            if load <= 10.0
        }
        return found

    def agree(self, cell: str, again: Any, kept: Any) -> bool:
        """Tell whether a cell is as it was, or differs by less than the luck of its games."""
        if cell.startswith("champion-challenger"):
            return bool(abs(again - kept) <= GAMES_LUCK)
        return super().agree(cell, again, kept)

    def measured(self, cell: str) -> Any:
        """Measure one cell."""
        table, *at = cell.split()
        if table == "tail-after-pools":
            return planner.tail_cell(int(at[0]), float(at[1]))
        if table == "champion-challenger":
            return planner.champion_cell(int(at[0]), int(at[1]), float(at[2]))
        if table == "hit-pools":
            return planner.hit_cell(int(at[0]), int(at[1]), float(at[2]))
        return planner.lattice_cell(int(at[0]), int(at[1]))


class Example(Generated):
    """Half of scikit-learn's digits and a model's predictions."""

    name = "example"
    command = "python -m benchmarks.generated example"
    seed = 0
    files = (PACKAGE / "audit" / "data" / "digits.npz",)

    def content(self) -> dict[str, Any]:
        """Return labels and predictions."""
        return {name: array.tolist() for name, array in example().items()}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return both arrays."""
        return dict(content)

    def measured(self, cell: str) -> Any:
        """Make one array again."""
        return example()[cell].tolist()

    def load(self) -> dict[str, Any]:
        """Read the arrays."""
        with np.load(self.files[0], allow_pickle=False) as arrays:
            return {name: arrays[name].tolist() for name in ("labels", "predictions")}

    def save(self, made: Made, content: Mapping[str, Any]) -> None:
        """Write the arrays and the record."""
        np.savez_compressed(
            self.files[0],
            labels=np.array(content["labels"], dtype=np.uint8),
            predictions=np.array(content["predictions"], dtype=np.uint8),
            made=np.array(json.dumps(made._asdict())),
        )


def main() -> None:
    """Renew the planner's tables that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="+", metavar="NAME", choices=sorted(planner.MAKERS))
    tables = PlannerTables()
    content = tables.load()
    for name in parser.parse_args().names:
        content[name] = planner.MAKERS[name]()
    tables.keep(content)


if __name__ == "__main__":
    main()
