"""Kept ratios of a performance record, which another machine gives about the same.

Seconds are left out: they are of one machine and one day. Nothing here is measured again by tests;
`make bench` measures, and `python -m benchmarks.performance keep` puts the last record here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.generated_base import Generated
from benchmarks.made import fingerprint
from benchmarks.performance.record import GROUPS, Record
from benchmarks.tables import DATA

__all__ = ["Performance"]

TITLES = {
    "kernel": "kernel",
    "game": "attack (examples, classes, looks)",
    "scaling": "attack",
    "cores": "work",
    "start": "process",
}


class Performance(Generated):
    """The ratios of one record."""

    name, seed = "performance", None
    command = "make bench && python -m benchmarks.performance keep"
    files = (DATA / "performance.json",)

    @staticmethod
    def of(record: Record) -> dict[str, Any]:
        """Return what is kept of a record."""
        rows = [
            [
                row.group,
                row.name,
                _digits(row.value),
                row.unit,
                round(row.spread, 2),
                None if row.faster is None else _digits(row.faster),
            ]
            for row in record.rows
            if row.failed is None
        ]
        return {"commit": record.commit, "machine": record.machine, "rows": rows}

    def content(self) -> dict[str, Any]:
        """Return what is kept."""
        return self.load()

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return no cell: times are not measured by tests."""
        del content
        return {}

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a digest of all rows."""
        return {"rows": fingerprint({"rows": content["rows"]})}

    def measured(self, cell: str) -> Any:
        """Return what is kept."""
        return self.probes(self.load())[cell]

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return a table for each group, and where they were measured."""
        machine = content["machine"]
        said = ", ".join(f"{name} {value}" for name, value in machine.items())
        found = {"performance-machine": f"Measured at commit {content['commit']}: {said}.\n"}
        for group in GROUPS:
            rows = [row for row in content["rows"] if row[0] == group]
            found[f"performance-{group}"] = _table(TITLES[group], rows)
        return found


def _table(title: str, rows: list[list[Any]]) -> str:
    plain = any(row[5] is not None for row in rows)
    head = f"| {title} | ratio | of | spread, % |" + (
        " faster than plain, times |" if plain else ""
    )
    lines = [head, "|---|--:|---|--:|" + ("--:|" if plain else "")]
    for _, name, value, unit, spread, faster in rows:
        last = f" {'' if faster is None else f'{faster:g}'} |" if plain else ""
        lines.append(f"| {name} | {value:g} | {unit} | {100 * spread:.0f} |{last}")
    return "\n".join([*lines, ""])


def _digits(value: float) -> float:
    """Return a number with three digits: more would be noise."""
    return float(f"{value:.3g}")
