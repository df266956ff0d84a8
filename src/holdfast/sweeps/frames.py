"""Rows as tables: data frames, and files of rows."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.quoting import choice
from holdfast.sweeps.cells import Cell, Row

__all__ = ["FORMATS", "check_writable", "read_rows", "to_frame", "write_rows"]

FORMATS = (".csv", ".jsonl", ".parquet")
# Columns that a table holds as text, or with a fraction beside an empty place.
INTEGERS = frozenset(
    ("n_examples", "n_classes", "n_queries", "seed", "matches", "looks", "peak_memory_bytes")
)
NUMBERS = frozenset(("accuracy", "score", "gain_examples", "gain", "seconds"))

# What summaries and figures read of every row.
NEEDED = (*Cell._fields, "gain", "accuracy", "looks", "seconds", "error")


def to_frame(rows: Iterable[Row]) -> Any:
    """Return the rows as a pandas data frame, one line each.

    >>> from holdfast.sweeps import Experiment, run
    >>> experiment = Experiment(["block-majority"], problems=[(100, 2, 11)], seeds=2)
    >>> to_frame(run(experiment))["looks"].tolist()
    [11, 11]
    """
    with needed_for("a data frame"):
        import pandas as pd
    return pd.DataFrame(list(rows))


def check_writable(path: Path) -> None:
    """Raise unless `write_rows` could write there: known before hours of work, not after."""
    if path.suffix not in FORMATS:
        raise InvalidInput(f"a file of rows must end in {choice(path.suffix, FORMATS)}")
    if path.suffix == ".parquet":
        with needed_for("a Parquet file"):
            import pandas as pd  # noqa: F401 - only whether it is there
            import pyarrow  # noqa: F401 - pandas needs it
    if path.is_dir():
        raise InvalidInput(f"{path} can't be written: it is a folder.")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path} can't be written: there is no folder {path.parent}.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInput(f"{path} can't be written: permission denied.")


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows into a .csv, .jsonl or .parquet file."""
    check_writable(path)
    kind = path.suffix
    try:
        if kind == ".parquet":
            to_frame(rows).to_parquet(path, index=False)
            return
        with path.open("w", encoding="utf-8", newline="") as file:
            if kind == ".jsonl":
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
                return
            kept = list(rows)
            writer = csv.DictWriter(file, list(kept[0]) if kept else ["address"])
            writer.writeheader()
            writer.writerows(kept)
    except OSError as error:
        raise InvalidInput(f"{path} can't be written: {error.strerror or error}.") from None


def read_rows(path: Path) -> list[Row]:
    """Read the rows of a sweep's journal, or of a file that `write_rows` wrote.

    A cell that has several rows counts by its last one.
    """
    if path.suffix == ".parquet":
        with needed_for("a Parquet file"):
            import pandas as pd
            import pyarrow  # noqa: F401 - pandas needs it
    try:
        if path.suffix == ".parquet":
            rows = [_typed(row) for row in pd.read_parquet(path).to_dict("records")]
        else:
            with path.open(encoding="utf-8", newline="") as file:
                rows = _from_csv(file) if path.suffix == ".csv" else _from_lines(file)
    except FileNotFoundError:
        raise InvalidInput(f"{path} must be a file of rows, but there is none.") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{path} can't be read as rows of a sweep: {error}") from None
    if not rows:
        raise InvalidInput(f"{path} has no rows.")
    for row in rows:
        if missing := [name for name in NEEDED if name not in row]:
            raise InvalidInput(
                f"{path} can't be read as rows of a sweep: a row has no {', '.join(missing)}."
            )
    return list({row["address"]: row for row in rows}.values())


def _from_lines(file: Iterable[str]) -> list[Row]:
    lines = [json.loads(line) for line in file if line.endswith("\n")]
    return [line for line in lines if "address" in line]


def _from_csv(file: Iterable[str]) -> list[Row]:
    return [_typed(row) for row in csv.DictReader(file)]


def _typed(row: Mapping[str, Any]) -> Row:
    """Return a row of a table with its numbers as numbers, and None where there is nothing."""
    if "address" not in row:
        raise ValueError("there is no column address")
    found: Row = {}
    for name, value in row.items():
        if value is None or value == "" or value != value:
            found[name] = None
        elif name in INTEGERS:
            found[name] = int(value)
        else:
            found[name] = float(value) if name in NUMBERS else value
    return found
