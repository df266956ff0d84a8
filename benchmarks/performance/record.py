"""The record: all rows of one commit, as a table and as JSON."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import platform
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import holdfast
from benchmarks.performance.games import GAME_KERNELS, core_row, game_rows, scaling_rows
from benchmarks.performance.kernels import KERNELS, Memory, kernel_row
from benchmarks.performance.rows import Row
from benchmarks.performance.start import start_rows
from benchmarks.tables import ROOT
from holdfast.cores import available_cores

__all__ = [
    "GROUPS",
    "Record",
    "commit_of",
    "kernel_modules",
    "measured",
    "measured_modules",
    "read_record",
    "table",
]

# Written into other kernels where these are compiled: nothing calls them by themselves.
INLINED = ("holdfast.kernels.uint16_simd",)
GROUPS = ("kernel", "game", "scaling", "cores", "start")
FORMAT = 1


@dataclass(frozen=True)
class Record:
    """What was measured, where, and of which code."""

    commit: str
    machine: dict[str, Any]
    bytes_per_second: float
    rows: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [row.as_dict() for row in self.rows]
        return {"format": FORMAT, **vars(self), "rows": rows}

    def keep(self, path: Path) -> None:
        """Write it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.as_dict(), indent=1) + "\n", encoding="utf-8")


def read_record(path: Path) -> Record:
    """Read a record, or raise `ValueError`: it is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("format") != FORMAT:
            raise ValueError
        rows = tuple(Row(**row) for row in content.pop("rows"))
        return Record(**content, rows=rows)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is no performance record of format {FORMAT}.") from None


def commit_of(folder: Path) -> str:
    """Return the short name of the commit, with + if files differ from it; or "unknown"."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty=+", "--exclude=*"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def measured(
    groups: Iterable[str] = GROUPS,
    on_row: Callable[[Row], None] | None = None,
    *,
    scale: float = 1.0,
) -> Record:
    """Measure everything; a row that can't be measured says why.

    `scale` makes kernels and games smaller, for trying whether all of them run.
    """
    wanted = set(groups)
    memory = Memory()
    speed = memory.bytes_per_second()
    rows = []
    for name, measure in _measures(wanted, memory, scale):
        try:
            row = measure()
        except Exception as error:  # another commit may lack what is measured; the rest goes on
            row = Row(name, name, 0.0, "", failed=f"{type(error).__name__}: {error}")
        rows.append(row)
        if on_row is not None:
            on_row(row)
    machine = {
        "processor": platform.processor() or platform.machine(),
        "cores": available_cores(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "scipy")},
    }
    return Record(commit_of(ROOT), machine, speed, tuple(rows))


def _measures(
    wanted: set[str], memory: Memory, scale: float
) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Yield the group and the measurement of every row."""
    if "kernel" in wanted:
        for make in KERNELS:
            yield "kernel", partial(lambda make: kernel_row(make(scale), memory), make)
    repeats = 3 if scale == 1.0 else 1
    if "game" in wanted:
        yield from (("game", each) for each in game_rows(scale, repeats))
    if "scaling" in wanted:
        yield from (("scaling", each) for each in scaling_rows(repeats))
    if "cores" in wanted:
        yield "cores", core_row
    if "start" in wanted:
        yield from (("start", each) for each in start_rows())


def kernel_modules() -> dict[str, list[Any]]:
    """Return the compiled functions of the package, by the module that defines them."""
    from numba.core.dispatcher import Dispatcher

    found: dict[str, list[Any]] = {}
    for each in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if each.name.endswith("__main__"):
            continue
        for thing in vars(importlib.import_module(each.name)).values():
            if isinstance(thing, Dispatcher) and thing.py_func.__module__ == each.name:
                found.setdefault(each.name, []).append(thing)
    return found


def measured_modules() -> set[str]:
    """Return the modules whose kernels have a row: their own, or that of a game."""
    return {module for make in KERNELS for module in make(0.01).modules} | set(GAME_KERNELS)


HEAD = ("what", "ratio", "against", "spread, %", "faster than the plain way, times", "seconds")


def table(record: Record) -> str:
    """Return the record as one Markdown table."""
    lines = [
        "| " + " | ".join(HEAD) + " |",
        "|---|--:|---|--:|--:|--:|",
        *map(row_line, record.rows),
    ]
    return "\n".join(lines)


def row_line(row: Row) -> str:
    """Return one line of the table."""
    if row.failed is not None:
        return f"| {row.name} | - | not measured: {row.failed} | | | |"
    faster = "" if row.faster is None else f"{row.faster:.3g}"
    spread = f"{100 * row.spread:.0f}"
    return (
        f"| {row.name} | {row.value:.3g} | {row.unit} | {spread} | {faster} | {row.seconds:.3g} |"
    )
