"""Rows as tables: data frames, and files of rows."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.quoting import choice
from holdfast.sweeps.cells import Row

__all__ = ["FORMATS", "read_rows", "to_frame", "write_rows"]

FORMATS = (".csv", ".jsonl", ".parquet")


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


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows into a .csv, .jsonl or .parquet file."""
    kind = path.suffix
    if kind not in FORMATS:
        raise InvalidInput(f"a file of rows must end in {choice(kind, FORMATS)}")
    if kind == ".parquet":
        with needed_for("a Parquet file"):
            import pyarrow  # noqa: F401 - pandas needs it
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


def read_rows(path: Path) -> list[Row]:
    """Read the rows of a sweep's journal, or of a file that `write_rows` wrote as .jsonl."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        rows = [line for line in lines if "address" in line]
    except (OSError, ValueError, TypeError) as error:
        raise InvalidInput(f"{path} can't be read as rows of a sweep: {error}") from None
    if not rows:
        raise InvalidInput(f"{path} has no rows.")
    return list({row["address"]: row for row in rows}.values())
