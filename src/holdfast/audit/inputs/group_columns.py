"""Columns of a label file that name groups: subjects, languages, slices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.files.csv_header import column_places
from holdfast.files.csv_lines import csv_header
from holdfast.files.label_files import read_labels
from holdfast.files.npy_files import NPY_MAGIC
from holdfast.files.tables import opened
from holdfast.files.tables import read_groups as read_column
from holdfast.quoting import listed, quoted

__all__ = ["group_columns", "read_groups"]

# A group of fewer examples than this on average is hardly one that a board shows a score of.
LEAST_MEAN_SIZE = 5
# Files with more columns than this are tables of features.
MOST_COLUMNS = 20


def read_groups(
    path: Path,
    column: str,
    n_examples: int,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
) -> NDArray[Any]:
    r"""Return the group of each row of a label file, as the guard does, or raise `InvalidInput`.

    Parameters
    ----------
    path
        The label file, a CSV.
    column
        The column that the board breaks scores down by; not that of ids, labels or parts.
    n_examples
        How many rows it must have.
    id_column, label_column
        As the labels were read with; None: found by name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "truth.csv"
    ...     _ = file.write_text("id,label,subject\n1,0,law\n2,1,art\n3,1,law\n")
    ...     read_groups(file, "subject", 3).tolist(), group_columns(file)
    (['law', 'art', 'law'], ())
    """
    header = _header(path)
    if header is None:
        raise InvalidInput(f"breakdown must be a column of a CSV file, and {path} is an NPY file.")
    if column not in header:
        raise InvalidInput(
            f"breakdown must be a column of {path}, got {quoted(column)}; found {listed(header)}."
        )
    places = column_places(str(path), header, id_column, label_column)
    for what, at in places._asdict().items():
        if at == header.index(column):
            name = {"split": "parts"}.get(what, what)
            raise InvalidInput(f"breakdown must not be the column of {name}, got {quoted(column)}.")
    return read_column(path, column, n_examples)


def group_columns(
    path: Path, *, id_column: str | None = None, label_column: str | None = None
) -> tuple[str, ...]:
    """Return the columns beside ids, labels and parts that look like groups.

    They name at least two groups, of five examples each on average.
    """
    header = _header(path)
    if header is None or not 2 < len(header) <= MOST_COLUMNS:
        return ()
    places = column_places(str(path), header, id_column, label_column)
    ids = None if places.ids is None else header[places.ids]
    others = [name for at, name in enumerate(header) if at not in places]
    found = []
    for name in others:
        try:
            # As labels, which is quick: a finding on every file must not take its time.
            read = read_labels(path, id_column=ids, label_column=name)
        except HoldfastError:  # blanks, fractions: no column of groups
            continue
        if 2 <= read.n_classes <= read.n_examples / LEAST_MEAN_SIZE:
            found.append(name)
    return tuple(found)


def _header(path: Path) -> list[str] | None:
    """Return the names in the first line of a table; None: it is an NPY file."""
    context, name = opened(path)
    with context as file:
        if file.read(len(NPY_MAGIC)) == NPY_MAGIC:
            return None
        return csv_header(file, name)
