"""Processor time of reading a label file of 10,000 rows, and of matching it with the hidden one.

    python -m benchmarks.label_files [strings] [integers]

Each part reads one shuffled submission in four ways that take turns: as `read_labels` does, with
the careful reader alone, with the csv module and nothing checked, and with pandas if it is there.
Beside them stand the time to match the ids with the hidden labels, and to read the bytes alone.
Goals: 3 ms with ids and names that are strings, 0.7 ms with integers.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from holdfast.files import csv_columns
from holdfast.files.label_files import read_labels

N, CLASSES = 10_000, 10
TURNS, REPEATS = 10, 20
FORMS = {"strings": ("img_{:06d}", "class_{}", 3.0), "integers": ("{}", "{}", 0.7)}


def written(folder: Path, name: str, form: tuple[str, str, float], rows: np.ndarray) -> Path:
    """Write a table whose rows stand in that order."""
    labels = np.random.default_rng(0).integers(0, CLASSES, N)
    lines = [f"{form[0].format(row)},{form[1].format(labels[row])}\n" for row in rows.tolist()]
    path = folder / name
    path.write_text("id,label\n" + "".join(lines))
    return path


def in_milliseconds(ways: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """Return the processor time of each turn of each way."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            for _ in range(REPEATS):
                start = time.process_time_ns()
                way()
                times[name].append((time.process_time_ns() - start) / 1e6)
    return times


def _carefully(path: Path) -> object:
    with path.open("rb") as file:
        return csv_columns.read_carefully(file, str(path), id_column=None, label_column=None)


def _with_csv(path: Path) -> object:
    with path.open(newline="") as file:
        return {row[0]: row[1] for row in csv.reader(file)}


def part(name: str) -> None:
    """Measure one form of ids and names."""
    form = FORMS[name]
    with tempfile.TemporaryDirectory() as folder:
        rows = np.arange(N)
        truth = read_labels(written(Path(folder), "truth.csv", form, rows))
        shuffled = np.random.default_rng(1).permutation(rows)
        path = written(Path(folder), "submission.csv", form, shuffled)
        file = read_labels(path, class_names=truth.class_names)
        ids = file.ids
        assert ids is not None
        index = truth.id_index
        ways: dict[str, Callable[[], object]] = {
            "read_labels": lambda: read_labels(path, class_names=truth.class_names),
            "matching by id": lambda: file.labels[index.places_in(ids)],
            "the careful reader": lambda: _carefully(path),
            "the csv module, unchecked": lambda: _with_csv(path),
            "the bytes alone": path.read_bytes,
        }
        try:
            import pandas
        except ImportError:
            pass
        else:
            ways["pandas.read_csv"] = lambda: pandas.read_csv(path)
        times = in_milliseconds(ways)
    quick = statistics.median(times["read_labels"])
    print(f"{name}, {N:,} rows (goal {form[2]} ms of processor time):")
    for way, spent in times.items():
        median = statistics.median(spent)
        print(f"    {way}: {median:.2f} ms (best {min(spent):.2f}), {median / quick:.2f} times")


def main() -> None:
    """Run the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="*", choices=[*FORMS, "all"], default="all")
    named = parser.parse_args().part
    for name in FORMS if "all" in named else named:
        part(name)


if __name__ == "__main__":
    main()
