"""Parts of a test set: the rows that looks are scored on, and those kept for the final ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile
from holdfast.quoting import listed, quoted

__all__ = [
    "ALL",
    "IGNORED",
    "PRIVATE",
    "PUBLIC",
    "Part",
    "Rows",
    "data_sets_of",
    "rows_of_parts",
    "scored_part",
]

ALL, AUTO = "all", "auto"
PUBLIC, PRIVATE, IGNORED = NAMES = ("public", "private", "ignored")

Rows: TypeAlias = NDArray[Any]  # places in the file, increasing


@dataclass(frozen=True, eq=False)
class Part:
    """Examples that looks are scored on, while submissions are about the whole test set.

    Attributes
    ----------
    name
        "public", "private" or "all".
    rows
        Their rows in the whole test set.
    keeps
        Whether predictions are kept for the private part, which is scored when the board closes.
    """

    name: str
    rows: Rows = field(repr=False)
    keeps: bool = False


def rows_of_parts(file: LabelFile) -> dict[str, Rows]:
    """Return the rows of the public, the private and the ignored part; empty: there are no parts.

    They are named in the file's `Usage` or `split` column, in any case. A column of that name
    without a public row is taken to be about something else, unless it has private rows.
    """
    names = [name.lower() for name in file.split_names]
    if file.split is None or PUBLIC not in names:
        if file.split is not None and PRIVATE in names:
            raise InvalidInput(
                "labels must have public examples in their Usage or split column, got "
                f"{listed(file.split_names)}."
            )
        return {}
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise InvalidInput(
            "labels must have Public, Private or Ignored in their Usage or split column, "
            f"got {quoted(unknown[0])}."
        )
    kind = np.array([NAMES.index(name) for name in names])[file.split]
    return {name: np.flatnonzero(kind == number) for number, name in enumerate(NAMES)}


def scored_part(parts: dict[str, Rows], n_examples: int, wanted: str) -> Part:
    """Return the part that looks are scored on.

    Parameters
    ----------
    parts
        The rows of each part, as `rows_of_parts` gives them.
    n_examples
        Number of examples in the whole test set.
    wanted
        "public", "private", "all" (but the ignored rows), or "auto": the public part where there
        is one, else all.

    Examples
    --------
    >>> scored_part({}, 3, "auto").rows
    array([0, 1, 2])
    """
    if not parts:
        if wanted not in (ALL, AUTO):
            raise InvalidInput(
                f"part must be all where the labels have no Usage or split column, got {wanted}."
            )
        return Part(ALL, np.arange(n_examples))
    if wanted == ALL:
        return Part(ALL, np.sort(np.concatenate([parts[PUBLIC], parts[PRIVATE]])))
    name = PUBLIC if wanted == AUTO else wanted
    if not parts[name].size:
        raise InvalidInput(f"part must have an example, got {name}, which has none.")
    return Part(name, parts[name], keeps=name == PUBLIC and parts[PRIVATE].size > 0)


def data_sets_of(file: LabelFile) -> list[Rows]:
    """Return the rows of every data set that looks at a label file can belong to."""
    parts = rows_of_parts(file)
    found = {rows.tobytes(): rows for rows in (np.arange(file.n_examples), *parts.values())}
    if parts:
        scored = scored_part(parts, file.n_examples, ALL).rows
        found[scored.tobytes()] = scored
    return [rows for rows in found.values() if rows.size]
