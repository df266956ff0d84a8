"""Label files: CSV with any column and class names, and NPY.

A CSV file holds class *names*: they are numbered in sorted order (numerically if all are
integers). An NPY file of integers holds class *numbers*, which stay as they are. To read a second
file in the numbering of a first one, hand it the first one's `class_names`.

Whole numbers may be written as floats, as pandas does once a value was missing: in a file of
numbers 1 and 1.0 are one class, named "1", and 1.5 is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.csv_columns import read_columns
from holdfast.files.csv_lines import csv_header
from holdfast.files.ids import IdIndex, as_ids
from holdfast.files.name_columns import Column, GrowingColumn
from holdfast.files.npy_files import (
    NPY_MAGIC,
    NpyHeader,
    read_npy,
    read_npy_blocks,
    read_npy_header,
)
from holdfast.files.spelling import class_numbers, is_integer, is_number, plain_spelling
from holdfast.files.tables import Source, opened
from holdfast.labels import Labels, as_labels, count_classes, label_dtype
from holdfast.quoting import listed, quoted

__all__ = ["UNLABELLED", "LabelFile", "label_file_of", "read_labels"]

# What to do with rows of a test set that have no label.
UNLABELLED = (
    "leave such rows out, or give them any class and Ignored in a column Usage, where the others "
    "have Public or Private"
)


@dataclass(frozen=True, eq=False)
class LabelFile:
    """What a label file holds.

    Attributes
    ----------
    labels
        One class number per example, in the file's order.
    class_names
        The name of each class number.
    ids
        One distinct id per example, integers if all of them are, else strings; None if the file
        has no ids.
    split
        Which part of the test set each example belongs to, as a number, and `split_names` the
        names found in the `Usage` or `split` column; None if the file has no such column.
    groups
        The group of each example, as texts; None unless a column of groups was asked for.

    Where numbers or label sets are hidden, `labels` holds these and there are no class names.
    """

    labels: Labels
    class_names: tuple[str, ...]
    ids: NDArray[Any] | None = None
    split: NDArray[Any] | None = None
    split_names: tuple[str, ...] = ()
    groups: NDArray[Any] | None = None

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    @cached_property
    def id_index(self) -> IdIndex:
        """Finds the ids again in other files; made once. Only for a file that has ids."""
        if self.ids is None:
            raise InvalidInput("ids must be there to be found again, got a file without ids.")
        return IdIndex(self.ids)


def read_labels(
    source: Source,
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    class_names: Sequence[str] | None = None,
    others: bool = False,
    decimals: bool = False,
    most_rows: int | None = None,
    name: str | None = None,
) -> LabelFile:
    r"""Read labels from a file or a frame, or raise `InvalidInput` naming it and the rule.

    Parameters
    ----------
    source
        An NPY file; or a table whose first line names the columns: CSV in UTF-8, with commas,
        semicolons or tabs, as it is or packed by gzip; JSON, JSON lines or Parquet; or a data
        frame. What a file is, is told by what is in it. One that is open is NPY or CSV.
    id_column, label_column
        Which columns of a CSV file to read. By default a single column is the label, the first of
        two columns is the id and the second the label, and among more columns those named `id`
        and `label` (in any case) are taken; where none is named `label`, one named `target`,
        `answer`, `y` or `class`, with a `HoldfastNote`. A column named `Usage` or `split` beside
        them says which part a row belongs to.
    class_names
        The known classes, in the order of their numbers; any other class in the file is an error.
        By default the classes are those found in the file.
    others
        Number other classes than the known ones after these, for whoever says what is wrong.
    decimals
        Whether labels may be numbers with decimals, as targets are: each number is a class.
    most_rows
        The most rows that are read; a file with more is an error. None: 20 million lines of CSV.
    name
        What messages call the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "truth.csv"
    ...     _ = path.write_text("image,animal\n7,dog\n9,cat\n4,dog\n")
    ...     file = read_labels(path)
    >>> file.labels, file.class_names, file.ids
    (array([1, 0, 1], dtype=uint8), ('cat', 'dog'), array([7, 9, 4]))
    """
    if class_names is not None:
        class_names = _checked_names(class_names)
    context, path = opened(source, name)
    with context as file:
        file.seek(0)
        magic = file.read(len(NPY_MAGIC))
        if not magic:
            raise InvalidInput(f"{path} must hold labels, got an empty file.")
        file.seek(0)
        if magic == NPY_MAGIC and not decimals:
            return _from_npy(file, path, class_names, most_rows, others)
        if magic == NPY_MAGIC:
            return _targets_from_npy(file, path, most_rows)
        ids, column, split = read_columns(
            file,
            path,
            id_column=id_column,
            label_column=label_column,
            most_rows=most_rows,
        )
        if ids is None and split is None:
            _refuse_spaces(file, path, column)
    file_ = _numbered(path, column, class_names, ids, others, decimals=decimals)
    if split is None:
        return file_
    return replace(file_, split=split.codes, split_names=tuple(split.names))


def _refuse_spaces(file: BinaryIO, path: str, column: Column) -> None:
    """Refuse a table whose columns spaces separate, which would be one column of classes.

    It shows by as many words in every line as in the first, and no two lines that are the same:
    every example would be a class of its own.
    """
    n_words = len(column.names[0].split())
    if n_words < 2 or not 1 < len(column.names) == len(column.codes):
        return
    header = " ".join(csv_header(file, path))
    if all(len(text.split()) == n_words for text in (header, *column.names)):
        raise InvalidInput(
            f"{path} must separate its columns by commas, semicolons or tabs, got spaces: "
            f"{quoted(column.names[0])} at {column.place_of(0)}; put commas in their place."
        )


def label_file_of(
    texts: Sequence[str] | NDArray[Any],
    *,
    name: str,
    ids: Sequence[str] | NDArray[Any] | None = None,
    class_names: Sequence[str] | None = None,
) -> LabelFile:
    """Return what a file with these labels and distinct ids, all written as texts, would hold.

    Parameters
    ----------
    texts
        The name of each example's class.
    name
        What messages call the labels.
    ids
        The id of each example.
    class_names
        The known classes, as for `read_labels`.

    Examples
    --------
    >>> label_file_of(["1.0", "0.0"], name="solution", class_names=["0", "1"]).labels
    array([1, 0], dtype=uint8)
    """
    if class_names is not None:
        class_names = _checked_names(class_names)
    growing = GrowingColumn(name, "row")
    for row, text in enumerate(texts, start=1):
        growing.append(str(text), row)
    if not growing.codes:
        raise InvalidInput(f"{name} must hold at least one example, got none.")
    known_ids = None if ids is None else as_ids(np.array(ids, dtype=np.str_))
    return _numbered(name, growing.column(), class_names, known_ids)


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(str(name) for name in names)
    if len(set(texts)) != len(texts):
        seen: set[str] = set()
        twice = next(name for name in texts if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InvalidInput(f"class_names must be distinct, got {quoted(twice)} twice.")
    return texts


def _targets_from_npy(file: BinaryIO, name: str, most_rows: int | None) -> LabelFile:
    """Read targets, whose numbers are no class numbers."""
    header = read_npy_header(file, name)
    if most_rows is not None and header.count > most_rows:
        raise InvalidInput(f"{name} must have at most {most_rows:,} rows, got more.")
    if header.dtype.kind in "US":
        column = _npy_names(file, header, name)
    else:
        growing = GrowingColumn(name, "position")
        for at, value in enumerate(read_npy(file, header, name).tolist()):
            growing.append(repr(value), at)
        column = growing.column()
    return _numbered(name, column, None, None, decimals=True)


def _from_npy(
    file: BinaryIO,
    name: str,
    class_names: tuple[str, ...] | None,
    most_rows: int | None,
    others: bool,
) -> LabelFile:
    header = read_npy_header(file, name)
    if most_rows is not None and header.count > most_rows:
        raise InvalidInput(f"{name} must have at most {most_rows:,} rows, got more.")
    if header.dtype.kind in "US":
        return _numbered(name, _npy_names(file, header, name), class_names, None, others)
    array = read_npy(file, header, name)
    if array.dtype.kind == "b":
        array = array.view(np.uint8) != 0  # a byte of a file may be more than 0 or 1
    if array.dtype.kind in "if" and array.size and (array < 0).any():
        where = int(np.argmax(array < 0))
        raise InvalidInput(
            f"{name} must hold class numbers from 0 on, got {array[where]} at position {where}."
        )
    names = class_names or ()
    most = len(names) if names and not others else max(len(names), _class_count(array, name))
    labels = as_labels(array, most, name=name)
    return LabelFile(np.array(labels), (*names, *map(str, range(len(names), most))))


def _class_count(array: NDArray[Any], name: str) -> int:
    """Return the largest class number plus one."""
    most = count_classes(array, name=name)
    return 1 if array.size and not array.any() else most


def _npy_names(file: BinaryIO, header: NpyHeader, name: str) -> Column:
    growing = GrowingColumn(name, "position")
    at = 0
    for block in read_npy_blocks(file, header, name):
        if block.dtype.kind == "U":
            _refuse_impossible_letters(block, name, at)
        for text in block.tolist():
            try:
                growing.append(text if isinstance(text, str) else text.decode("utf-8"), at)
            except UnicodeDecodeError:
                raise InvalidInput(
                    f"{name} must hold names in UTF-8, got other bytes at position {at}."
                ) from None
            at += 1
    if not growing.codes:
        raise InvalidInput(f"{name} must not be empty.")
    return growing.column()


def _refuse_impossible_letters(block: NDArray[Any], name: str, at: int) -> None:
    letters = block.view(block.dtype.str[0] + "u4").reshape(block.size, -1)
    broken = ((letters > 0x10FFFF) | ((letters >= 0xD800) & (letters < 0xE000))).any(axis=1)
    if broken.any():
        where = at + int(np.argmax(broken))
        raise InvalidInput(f"{name} must hold names in Unicode, got others at position {where}.")


def _numbered(
    name: str,
    column: Column,
    class_names: tuple[str, ...] | None,
    ids: NDArray[Any] | None,
    others: bool = False,
    *,
    decimals: bool = False,
) -> LabelFile:
    """Check the names found, put them in order, and renumber the codes accordingly."""
    _refuse_missing(name, column, class_names or ())
    if class_names is not None:
        numbers = class_numbers(column.names, class_names)
        if -1 in numbers and others:
            _plain_names(name, column)  # which refuses fractions among numbers
            further = [text for text, at in zip(column.names, numbers, strict=True) if at < 0]
            new_number = iter(range(len(class_names), len(class_names) + len(further)))
            numbers = [next(new_number) if at < 0 else at for at in numbers]
            class_names = (*class_names, *further)
        elif -1 in numbers:
            unknown = numbers.index(-1)
            raise InvalidInput(
                f"{name} must hold only known classes ({listed(class_names, quote=False)}), "
                f"got {quoted(column.names[unknown])} at {column.place_of(unknown)}."
            )
    else:
        plain = _plain_names(name, column, decimals=decimals)
        class_names = tuple(sorted(set(plain), key=_by_number_then_name(plain)))
        number = {text: index for index, text in enumerate(class_names)}
        numbers = [number[text] for text in plain]
    new = np.array(numbers, dtype=label_dtype(len(class_names)))
    return LabelFile(new[column.codes], class_names, ids)


def _refuse_missing(name: str, column: Column, known: tuple[str, ...]) -> None:
    for at, text in enumerate(column.names):
        if (not text or text.lower() == "nan") and text not in known:
            got = "NaN" if text else "a blank"
            told = f"{name} must have a label for every example, got {got} at {column.place_of(at)}"
            # Of a submission, whose classes are known, every row counts.
            raise InvalidInput(f"{told}." if known else f"{told}; {UNLABELLED}.")


def _plain_names(name: str, column: Column, *, decimals: bool = False) -> list[str]:
    """Return the names, each number in one spelling where all of them are numbers."""
    if not all(map(is_number, column.names)):
        return column.names
    plain = [plain_spelling(text) for text in column.names]
    for at, text in enumerate(plain):
        if not is_integer(text) and not (decimals and math.isfinite(float(text))):
            raise InvalidInput(
                f"{name} must hold class names or whole numbers, "
                f"got {quoted(column.names[at])} at {column.place_of(at)}."
            )
    return plain


def _by_number_then_name(names: Sequence[str]) -> Any:
    if all(map(is_integer, names)):
        return lambda text: (int(text), text)
    if all(map(is_number, names)):
        return lambda text: (float(text), text)
    return str
