"""Further columns of a CSV file: groups of examples, and numbers or labels in several columns."""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import TextIOWrapper
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.csv_columns import checked_lines
from holdfast.files.csv_header import SPLIT_NAMES
from holdfast.files.ids import as_ids
from holdfast.files.label_files import OPEN_FILE
from holdfast.files.npy_files import NPY_MAGIC, read_npy, read_npy_header
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import listed, quoted, shortened

__all__ = ["Table", "read_groups", "read_table"]

# More is no submission: a probability for each of a million classes fits nowhere.
MOST_COLUMNS = 10_000


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of a submission, one row per example, as texts or numbers.

    Attributes
    ----------
    cells
        The values, in the file's order of rows and of `columns`.
    columns
        The names of the value columns; empty for an NPY file, which has none.
    ids
        One distinct id per example; None if the file has no ids.
    split, split_names
        As in a `LabelFile`.
    """

    cells: NDArray[Any]
    columns: tuple[str, ...] = ()
    ids: NDArray[Any] | None = None
    split: NDArray[Any] | None = None
    split_names: tuple[str, ...] = ()

    @property
    def n_examples(self) -> int:
        """Number of rows."""
        return len(self.cells)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return the cells as numbers, or raise `InvalidInput` naming the first that is none."""
        if self.cells.dtype.kind != "U":
            return self.cells.astype(np.float64)
        try:
            return self.cells.astype(np.float64)
        except ValueError:
            pass
        for row, texts in enumerate(self.cells, start=1):
            for text in texts:
                try:
                    float(text)
                except ValueError:
                    raise InvalidInput(
                        f"{name} must hold numbers, got {quoted(str(text))} in row {row}."
                    ) from None
        raise InvalidInput(f"{name} must hold numbers.")


def read_groups(path: str | os.PathLike[str], column: str, n_examples: int) -> NDArray[Any]:
    """Return the group of each example, as texts: one column of a CSV file."""
    name = str(path)
    with open_regular_file(path) as file:
        header, rows = _read(file, name, lambda names: [_place(name, names, column, "group")], None)
    del header
    groups = np.array([row[0] for row in rows], dtype=np.str_)
    if groups.size != n_examples:
        raise InvalidInput(
            f"{path} must have a group for each of {n_examples} examples, got {groups.size}."
        )
    if (groups == "").any():
        row = int(np.argmax(groups == "")) + 1
        raise InvalidInput(
            f"{path} must name a group for every example in {quoted(column)}, got a blank in row "
            f"{row}."
        )
    return groups


def read_table(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    id_column: str | None = None,
    value_column: str | None = None,
    ignored: Sequence[str] = (),
    preferred: Sequence[str] = (),
    most_rows: int | None = None,
) -> Table:
    r"""Read numbers or names in one or more columns, or raise `InvalidInput`.

    Parameters
    ----------
    path
        An NPY file of numbers, of one or two dimensions; or a CSV file in UTF-8 whose first line
        names the columns. It may be open.
    id_column
        The column of ids; None: one named `id`, in any case, or the first of two columns.
    value_column
        The one column of values; None: all that are not ids, parts or ignored.
    ignored
        Columns that hold no values.
    preferred
        Names, in any case, of which the first that one column has is read alone where there are
        several columns.
    most_rows
        The most rows that are read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "guess.csv"
    ...     _ = path.write_text("id,cat,dog\n7,0.25,0.75\n9,1,0\n")
    ...     table = read_table(path)
    >>> table.columns, table.ids, table.numbers("guess").tolist()
    (('cat', 'dog'), array([7, 9]), [[0.25, 0.75], [1.0, 0.0]])
    """
    if isinstance(path, str | os.PathLike):
        opened: AbstractContextManager[BinaryIO] = open_regular_file(path)
        path = str(path)
    else:
        opened, path = nullcontext(path), OPEN_FILE
    with opened as file:
        file.seek(0)
        magic = file.read(len(NPY_MAGIC))
        file.seek(0)
        if magic == NPY_MAGIC:
            return Table(_npy_table(file, path, most_rows))
        places = _places_of(path, id_column, value_column, ignored, preferred)
        chosen, rows = _read(file, path, places, most_rows)
    at_id, at_split, *columns = chosen
    if not rows:
        raise InvalidInput(f"{path} must hold at least one example, got a header only.")
    cells = np.array([row[2:] for row in rows], dtype=np.str_)
    if (cells == "").any():
        row = int(np.argmax((cells == "").any(axis=1))) + 1
        raise InvalidInput(f"{path} must have a value in every cell, got a blank in row {row}.")
    ids = None
    if at_id is not None:
        ids = as_ids(np.array([row[0] for row in rows], dtype=np.str_))
        if np.unique(ids).size != ids.size:
            raise InvalidInput(f"{path} must have distinct ids in {quoted(at_id)}.")
    split, names = None, ()
    if at_split is not None:
        found, split = np.unique(np.array([row[1] for row in rows]), return_inverse=True)
        names = tuple(found.tolist())
    return Table(cells, tuple(str(name) for name in columns), ids, split, names)


def _places_of(
    path: str,
    id_column: str | None,
    value_column: str | None,
    ignored: Sequence[str],
    preferred: Sequence[str],
) -> Callable[[list[str]], list[int | None]]:
    """Return what finds the columns of ids, parts and values among their names."""

    def places(names: list[str]) -> list[int | None]:
        def _preferred(able: list[int]) -> list[int]:
            named = [[at for at in able if names[at].lower() == name.lower()] for name in preferred]
            return next((found for found in named if len(found) == 1 < len(able)), able)

        at_id = _id_place(path, names, id_column, value_column)
        taken = {at_id}
        splits = [
            at
            for at, name in enumerate(names)
            if len(names) > 2 and name.lower() in SPLIT_NAMES and at not in taken
        ]
        if len(splits) > 1:
            raise InvalidInput(
                f"{path} must have one column that says which part a row belongs to, got "
                f"{listed(names[at] for at in splits)}; give the others another name."
            )
        at_split = splits[0] if splits else None
        if value_column is not None:
            values = [_place(path, names, value_column, "value")]
        else:
            taken |= {at_split, *(at for at, name in enumerate(names) if name in ignored)}
            values = _preferred([at for at in range(len(names)) if at not in taken])
        if not values or len(values) > MOST_COLUMNS:
            raise InvalidInput(f"{path} must have a column of values, found {listed(names)}.")
        return [at_id, at_split, *values]

    return places


def _npy_table(file: BinaryIO, path: str, most_rows: int | None) -> NDArray[Any]:
    """Return an NPY file of numbers as rows; one dimension is one column."""
    header = read_npy_header(file, path, table=True)
    columns = 1 if header.columns is None else header.columns
    if header.dtype.kind not in "fiub" or not header.count or columns > MOST_COLUMNS:
        raise InvalidInput(
            f"{path} must hold numbers, got {header.count:,} values of dtype "
            f"{shortened(str(header.dtype))} in {columns:,} columns."
        )
    if most_rows is not None and header.count > most_rows * columns:
        raise InvalidInput(f"{path} must have at most {most_rows:,} rows, got more.")
    array = read_npy(file, header, path)
    if header.dtype.kind == "b":
        array = array.view(np.uint8) != 0  # a byte of a file may be more than 0 or 1
    return (
        array.reshape((-1, columns), order="C")
        if not header.by_column
        else array.reshape((columns, -1)).T
    )


def _read(
    file: BinaryIO,
    path: str,
    places: Callable[[list[str]], Sequence[int | None]],
    most_rows: int | None,
) -> tuple[list[str | None], list[list[str]]]:
    """Return the names of the chosen columns and their cells; a None has no name and blanks."""
    text = TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        reader = csv.reader(checked_lines(path, text), strict=True)
        names = [name.strip() for name in next(reader, [])]
        if not any(names):
            raise InvalidInput(f"{path} must name its columns in the first line.")
        at = places(names)
        rows = []
        for row in reader:
            if not row:
                continue
            if len(row) != len(names):
                raise InvalidInput(
                    f"{path} must have {len(names)} values in every row, got {len(row)} at "
                    f"line {reader.line_num}."
                )
            rows.append(["" if here is None else row[here].strip() for here in at])
            if most_rows is not None and len(rows) > most_rows:
                raise InvalidInput(f"{path} must have at most {most_rows:,} rows, got more.")
    except csv.Error as error:
        raise InvalidInput(f"{path} must be CSV, got: {shortened(str(error))}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} must be UTF-8 text, got other bytes.") from None
    finally:
        with contextlib.suppress(ValueError):
            text.detach()
    return [None if here is None else names[here] for here in at], rows


def _id_place(
    path: str, names: Sequence[str], id_column: str | None, value_column: str | None
) -> int | None:
    if id_column is not None:
        return _place(path, names, id_column, "id")
    named = [at for at, name in enumerate(names) if name.lower() == "id"]
    if len(named) == 1:
        return named[0]
    return 0 if len(names) == 2 and names[0] != value_column else None


def _place(path: str, names: Sequence[str], wanted: str, what: str) -> int:
    if list(names).count(wanted) != 1:
        raise InvalidInput(
            f"{path} must have the {what} column {quoted(wanted)}; found {listed(names)}."
        )
    return list(names).index(wanted)
