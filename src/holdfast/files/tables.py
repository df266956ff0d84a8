"""Tables of numbers or names: several columns of an example, or the group that it belongs to."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.csv_header import SPLIT_NAMES
from holdfast.files.csv_lines import csv_header
from holdfast.files.csv_rows import IdColumn, csv_rows
from holdfast.files.forms import as_csv, frame_as_csv, is_frame
from holdfast.files.name_columns import LONGEST_NAME, GrowingColumn
from holdfast.files.npy_files import NPY_MAGIC, read_npy, read_npy_header
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import listed, quoted, shortened

__all__ = ["Source", "Table", "called", "opened", "read_groups", "read_table"]

# A file, one that is open, or a data frame.
Source: TypeAlias = str | os.PathLike[str] | BinaryIO

# More is no submission: a probability for each of a million classes fits nowhere.
MOST_COLUMNS = 10_000
# What messages call a file that is open, whose name is not known.
OPEN_FILE = "submission"


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of a submission, one row per example: numbers, or places in a list of names.

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
    names
        What the cells stand for, each name once; None: they are numbers.
    """

    cells: NDArray[Any]
    columns: tuple[str, ...] = ()
    ids: NDArray[Any] | None = None
    split: NDArray[Any] | None = None
    split_names: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None

    @property
    def n_examples(self) -> int:
        """Number of rows."""
        return len(self.cells)

    def texts(self, column: int) -> list[str]:
        """Return the names in one column."""
        cells = self.cells[:, column].tolist()
        return [str(each) for each in cells] if self.names is None else [
            self.names[each] for each in cells
        ]  # fmt: skip


def opened(source: Source, name: str | None = None) -> tuple[AbstractContextManager[BinaryIO], str]:
    """Return a table to be read, and what messages call it.

    A file of any form is opened as the CSV file that it would be. One that is open, which somebody
    else may have sent, is CSV or NPY and nothing that has to be unpacked.
    """
    if is_frame(source):
        name = "labels" if name is None else name
        return frame_as_csv(source, name, named_index=True), name
    name = called(source) if name is None else name
    if isinstance(source, str | os.PathLike):
        file = open_regular_file(source, name=name)
        try:
            return as_csv(file, name)
        except BaseException:
            file.close()
            raise
    return nullcontext(source), name


def called(source: Source) -> str:
    """Return what messages call a file."""
    return str(source) if isinstance(source, str | os.PathLike) else OPEN_FILE


def read_groups(source: Source, column: str, n_examples: int) -> NDArray[Any]:
    """Return the group of each example, as texts: one column of a CSV file."""
    file, path = opened(source)
    with file as table:
        at = _place(path, csv_header(table, path), column, "group")
        groups = GrowingColumn(path, "line", "groups")
        for line, [group] in csv_rows(table, path, [at]):
            if not group:
                raise InvalidInput(
                    f"{path} must name a group for every example in {quoted(column)}, got a blank "
                    f"at line {line}."
                )
            groups.append(group, line)
    found = groups.column()
    if found.codes.size != n_examples:
        raise InvalidInput(
            f"{path} must have a group for each of {n_examples} examples, got {found.codes.size}."
        )
    names: NDArray[Any] = np.array(found.names)
    by_row: NDArray[Any] = names[found.codes]
    return by_row


def read_table(
    source: Source,
    *,
    id_column: str | None = None,
    value_column: str | None = None,
    ignored: Sequence[str] = (),
    preferred: Sequence[str] = (),
    most_rows: int | None = None,
    name: str | None = None,
    named: bool = False,
    single: bool = False,
) -> Table:
    r"""Read numbers or names in one or more columns, or raise `InvalidInput`.

    Parameters
    ----------
    source
        An NPY file of numbers, of one or two dimensions; or a CSV file in UTF-8 whose first line
        names the columns.
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
    name
        What messages call the file.
    named
        Whether the cells are names; if not, they are numbers.
    single
        Whether there must be one column of values.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "guess.csv"
    ...     _ = path.write_text("id,cat,dog\n7,0.25,0.75\n9,1,0\n")
    ...     table = read_table(path)
    >>> table.columns, table.ids, table.cells.tolist()
    (('cat', 'dog'), array([7, 9]), [[0.25, 0.75], [1.0, 0.0]])
    """
    file, path = opened(source, name)
    with file as table:
        table.seek(0)
        magic = table.read(len(NPY_MAGIC))
        table.seek(0)
        if magic == NPY_MAGIC:
            return Table(_npy_table(table, path, most_rows))
        header = csv_header(table, path)
        if not any(header):
            raise InvalidInput(f"{path} must name its columns in the first line.")
        at_id = _id_place(path, header, id_column, value_column)
        at_split = _split_place(path, header, at_id)
        if value_column is not None:
            values = [_place(path, header, value_column, "value")]
        else:
            taken = {at_id, at_split, *(at for at, each in enumerate(header) if each in ignored)}
            able = [at for at in range(len(header)) if at not in taken]
            values = _preferred(header, able, preferred)
        if not values or len(values) > MOST_COLUMNS:
            raise InvalidInput(f"{path} must have a column of values, found {listed(header)}.")
        columns = tuple(header[at] for at in values)
        if single and len(columns) > 1:
            raise InvalidInput(
                f"{path} must have one column of numbers, got {listed(columns)}; say which one it "
                "is."
            )
        ids = None if at_id is None else IdColumn(table, path, at_id)
        splits = GrowingColumn(path, "line", "parts")
        texts, numbers = GrowingColumn(path, "line"), array("d")
        keep = _names_into(texts, path) if named else _numbers_into(numbers, path)
        chosen = [at_id, at_split, *values]
        for line, (id_, split, *cells) in csv_rows(table, path, chosen, most_rows):
            keep(cells, line)
            if ids is not None:
                ids.append(id_, line)
            if at_split is not None:
                splits.append(split, line)
        found = texts.column()
        kept: NDArray[Any] = found.codes if named else np.frombuffer(numbers, dtype=np.float64)
        parts = splits.column()
        return Table(
            kept.reshape(-1, len(values)),
            columns,
            None if ids is None else ids.ids(),
            None if at_split is None else parts.codes,
            tuple(parts.names),
            tuple(found.names) if named else None,
        )


def _numbers_into(numbers: array[float], path: str) -> Callable[[list[str], int], None]:
    """Return what adds a row of numbers."""

    def keep(cells: list[str], line: int) -> None:
        if max(map(len, cells)) > LONGEST_NAME:
            longest = max(map(len, cells))
            raise InvalidInput(
                f"{path} must have numbers of at most {LONGEST_NAME} characters, got {longest} at "
                f"line {line}."
            )
        try:
            numbers.extend(map(float, cells))
        except ValueError:
            wrong = next(cell for cell in cells if not _is_number(cell))
            if not wrong:
                raise _blank(path, line) from None
            told = f"{path} must hold numbers, got {quoted(wrong)} at line {line}."
            raise InvalidInput(told) from None

    return keep


def _names_into(texts: GrowingColumn, path: str) -> Callable[[list[str], int], None]:
    """Return what adds a row of names."""

    def keep(cells: list[str], line: int) -> None:
        for cell in cells:
            if not cell:
                raise _blank(path, line)
            texts.append(cell, line)

    return keep


def _blank(path: str, line: int) -> InvalidInput:
    return InvalidInput(f"{path} must have a value in every cell, got a blank at line {line}.")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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


def _preferred(header: Sequence[str], able: list[int], names: Sequence[str]) -> list[int]:
    """Return the one column with the first of these names that one has; else all of them."""
    found = [[at for at in able if header[at].lower() == name.lower()] for name in names]
    return next((places for places in found if len(places) == 1 < len(able)), able)


def _split_place(path: str, header: Sequence[str], at_id: int | None) -> int | None:
    splits = [
        at
        for at, name in enumerate(header)
        if len(header) > 2 and name.lower() in SPLIT_NAMES and at != at_id
    ]
    if len(splits) > 1:
        raise InvalidInput(
            f"{path} must have one column that says which part a row belongs to, got "
            f"{listed(header[at] for at in splits)}; give the others another name."
        )
    return splits[0] if splits else None


def _id_place(
    path: str, header: Sequence[str], id_column: str | None, value_column: str | None
) -> int | None:
    if id_column is not None:
        return _place(path, header, id_column, "id")
    named = [at for at, name in enumerate(header) if name.lower() == "id"]
    if len(named) == 1:
        return named[0]
    return 0 if len(header) == 2 and header[0] != value_column else None


def _place(path: str, header: Sequence[str], wanted: str, what: str) -> int:
    if list(header).count(wanted) != 1:
        raise InvalidInput(
            f"{path} must have the {what} column {quoted(wanted)}; found {listed(header)}."
        )
    return list(header).index(wanted)
