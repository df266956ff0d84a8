"""The file of records: per cell a mean and how far a later one may fall short of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from holdfast.experiments.summary import Mean
from tests.power.cells import SEED

FILE = Path(__file__).with_name("cells.json")
COMMAND = "python -m tests.power.record --write"
# Other games on the same labels differ by chance: three standard errors of a difference of two
# means, and a hundredth where games hardly differ.
ERRORS, LEAST_SHARE = 3.0 * math.sqrt(2.0), 0.01


def kept(found: Mean) -> dict[str, float]:
    """Return what is recorded of a cell."""
    tolerance = max(ERRORS * found.stderr, LEAST_SHARE * abs(found.mean))
    return {"mean": float(f"{found.mean:.5g}"), "tolerance": float(f"{tolerance:.2g}")}


def read() -> dict[str, dict[str, float]]:
    """Return the records by the cells' names; none if there is no file."""
    if not FILE.exists():
        return {}
    cells: dict[str, dict[str, float]] = json.loads(FILE.read_text())["cells"]
    return cells


def write(cells: dict[str, dict[str, float]]) -> None:
    """Write the records, with the seed and the command that made them."""
    content: dict[str, Any] = {"command": COMMAND, "seed": SEED, "cells": cells}
    FILE.write_text(json.dumps(content, indent=1) + "\n")
