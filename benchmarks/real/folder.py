"""The folder of real test sets: given, named by a variable, or beside the project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from benchmarks.tables import ROOT

__all__ = ["VARIABLE", "NoData", "data_folder"]

VARIABLE = "HOLDFAST_DATA"
BESIDE = ROOT.parent / "shared" / "data"


class NoData(Exception):
    """There is no folder of real test sets; the text says what to do."""


def data_folder(
    given: Path | None, environment: Mapping[str, str] = os.environ, beside: Path = BESIDE
) -> Path:
    """Return the folder, or raise `NoData` with what to do."""
    named = environment.get(VARIABLE)
    found = given or (Path(named) if named else beside)
    if found.is_dir():
        return found
    if given is not None:
        said = f"--data must be a folder with a folder for each test set, got {given}."
    elif named:
        said = f"{VARIABLE} must name a folder with a folder for each test set, got {named}."
    else:
        said = (
            "real test sets are not part of the project: give the folder that has them with "
            f"--data DIR, or name it in {VARIABLE}."
        )
    raise NoData(said)
