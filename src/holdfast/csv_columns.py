"""Read the id and label columns of a CSV file, one row at a time.

Memory stays near what the result takes: ids become arrays block by block, and a label is one
integer per row plus its name once per class.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.quoting import listed, quoted

__all__ = ["Column", "read_columns"]

# A file of something else shows as an endless line; a table of labels has short ones.
LONGEST_LINE = 1 << 20
LONGEST_ID = 256
BLOCK = 1 << 15
# Beyond this a table is no test set; it is refused before it is read.
MOST_LINES = 20_000_000
# Kaggle and Hugging Face name the column that says which part a row belongs to so.
SPLIT_NAMES = ("usage", "split")


@dataclass(frozen=True, eq=False)
class Column:
    """A column of names: `names[codes[row]]`, and where each name was first seen."""

    codes: NDArray[Any]
    names: list[str]
    firsts: list[str]


def read_columns(
    path: Path, *, id_column: str | None, label_column: str | None
) -> tuple[NDArray[Any] | None, Column, Column | None]:
    """Return the ids, the labels and the `Usage` or `split` column; None where there is none."""
    _refuse_too_long(path)
    labels, splits = _Names(), _Names()
    blocks: list[NDArray[Any]] = []
    block: list[str] = []
    at_id: int | None = None
    for line, id_, label, split in _rows(path, id_column, label_column):
        if "\n" in label or "\r" in label:
            raise InvalidInput(
                f"{path} must have labels of one line, got a longer one at line {line}."
            )
        labels.append(label, line)
        if split is not None:
            splits.append(split, line)
        if id_ is not None:
            at_id = line
            if not id_ or len(id_) > LONGEST_ID:
                got = f"{len(id_)} characters" if id_ else "a blank"
                raise InvalidInput(
                    f"{path} must have ids of 1 to {LONGEST_ID} characters, got {got} "
                    f"at line {line}."
                )
            block.append(id_)
            if len(block) == BLOCK:
                blocks.append(_as_array(block))
                block = []
    if not labels.codes:
        raise InvalidInput(f"{path} must hold at least one example, got a header only.")
    column, split_column = labels.column(), splits.column() if splits.codes else None
    if at_id is None:
        return None, column, split_column
    blocks.append(_as_array(block))
    ids = _joined([part for part in blocks if part.size])
    _refuse_duplicates(path, ids, id_column, label_column)
    return ids, column, split_column


class _Names:
    """A growing column of names, each kept once."""

    def __init__(self) -> None:
        self.codes = array("I")
        self._numbers: dict[str, int] = {}
        self._firsts: list[str] = []

    def append(self, name: str, line: int) -> None:
        number = self._numbers.setdefault(name, len(self._numbers))
        if number == len(self._firsts):
            self._firsts.append(f"line {line}")
        self.codes.append(number)

    def column(self) -> Column:
        return Column(np.array(self.codes), list(self._numbers), self._firsts)


def _refuse_too_long(path: Path) -> None:
    lines = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            lines += chunk.count(b"\n")
            if lines > MOST_LINES:
                raise InvalidInput(f"{path} must have at most {MOST_LINES:,} lines, got more.")


def _as_array(ids: list[str]) -> NDArray[Any]:
    """Return integers if every id is written as one, plainly; else strings."""
    texts = np.array(ids, dtype=np.str_)
    try:
        numbers = texts.astype(np.int64)
    except (ValueError, OverflowError):
        return texts
    return numbers if np.array_equal(numbers.astype(np.str_), texts) else texts


def _joined(blocks: list[NDArray[Any]]) -> NDArray[Any]:
    if len({block.dtype.kind for block in blocks}) > 1:
        blocks = [block.astype(np.str_) for block in blocks]
    return np.concatenate(blocks)


def _refuse_duplicates(
    path: Path, ids: NDArray[Any], id_column: str | None, label_column: str | None
) -> None:
    order = np.argsort(ids, kind="stable")
    same = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
    if not same.size:
        return
    second = int(order[same + 1].min())
    first = int(np.flatnonzero(ids == ids[second])[0])
    # Lines and rows differ where a quoted value spans lines, so look the two lines up.
    lines = [
        line
        for row, (line, _, _, _) in enumerate(_rows(path, id_column, label_column))
        if row in (first, second)
    ]
    raise InvalidInput(
        f"{path} must have distinct ids, got {quoted(str(ids[second]))} at lines {lines[0]} "
        f"and {lines[1]}."
    )


def _rows(
    path: Path, id_column: str | None, label_column: str | None
) -> Iterator[tuple[int, str | None, str, str | None]]:
    """Yield (line number, id or None, label, split or None) for each row below the header."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            reader = csv.reader(_checked_lines(path, file), strict=True)
            header = [name.strip() for name in next(reader, [])]
            at_id, at_label = _positions(path, header, id_column, label_column)
            at_split = _split_position(header, (at_id, at_label))
            blank = 0
            for row in reader:
                line = reader.line_num
                if not row:
                    blank = blank or line
                    continue
                if blank:  # only the end of the file may be blank
                    raise InvalidInput(
                        f"{path} must have a label for every example, got a blank at line {blank}."
                    )
                if len(row) != len(header):
                    raise InvalidInput(
                        f"{path} must have {len(header)} values in every row, "
                        f"got {len(row)} at line {line}."
                    )
                yield (
                    line,
                    None if at_id is None else row[at_id].strip(),
                    row[at_label].strip(),
                    None if at_split is None else row[at_split].strip(),
                )
        except csv.Error as error:
            raise InvalidInput(f"{path} must be CSV, got: {error}.") from None
        except UnicodeDecodeError:
            raise InvalidInput(
                f"{path} must be UTF-8 text, got other bytes at line {_undecodable(path)}."
            ) from None


def _checked_lines(path: Path, file: TextIO) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if "\0" in line:
            raise InvalidInput(f"{path} must be text, got a NUL byte at line {number}.")
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            raise InvalidInput(
                f"{path} must have lines of at most {LONGEST_LINE} characters, "
                f"got a longer one at line {number}."
            )
        yield line


def _undecodable(path: Path) -> int:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1


def _split_position(header: Sequence[str], taken: Sequence[int | None]) -> int | None:
    """Find the one column that says which part a row belongs to."""
    places = [
        at for at, name in enumerate(header) if name.lower() in SPLIT_NAMES and at not in taken
    ]
    # Two columns are id and label, whatever their names.
    return places[0] if len(places) == 1 and len(header) > 2 else None


def _positions(
    path: Path, header: Sequence[str], id_column: str | None, label_column: str | None
) -> tuple[int | None, int]:
    """Return which column holds the ids (None: none does) and which the labels."""
    found = listed(header)
    if not header or not any(header):
        raise InvalidInput(f"{path} must name its columns in the first line, got a blank line.")
    named = {id_column, label_column} & set(header)
    if not named and all(_is_number(name) for name in header):
        raise InvalidInput(
            f"{path} must name its columns in the first line, got {found}; if those are the "
            f"names, say which column holds the labels."
        )
    if len(header) == 1 and label_column is None and (";" in header[0] or "\t" in header[0]):
        raise InvalidInput(f"{path} must separate columns by commas, got {found}.")
    at_label = _named(path, header, "label", label_column)
    at_id = _named(path, header, "id", id_column)
    if at_label is None:
        at_split = _split_position(header, (at_id,)) if len(header) == 3 else None
        others = [at for at in range(len(header)) if at not in (at_id, at_split)]
        few = len(header) - (at_split is not None) <= 2
        at_label = others[-1] if few and others else _common(header, "label")
        if at_label is None:
            raise InvalidInput(
                f"{path} must have a column named label, or say which one it is; found {found}."
            )
    at_split = _split_position(header, (at_label,))
    rest = [at for at in range(len(header)) if at not in (at_label, at_split)]
    if at_id is None and len(rest) <= 1:
        at_id = rest[0] if rest else None
    elif at_id is None and len(header) > 2:
        at_id = _common(header, "id")
        if at_id is None and label_column is None:
            raise InvalidInput(
                f"{path} must have a column named id, or say which one it is; found {found}."
            )
    if at_id == at_label:
        raise InvalidInput(f"{path} must have ids and labels in two columns, found {found}.")
    return at_id, at_label


def _named(path: Path, header: Sequence[str], what: str, name: str | None) -> int | None:
    if name is None:
        return None
    if name not in header:
        raise InvalidInput(
            f"{path} must have the {what} column {quoted(name)}; found {listed(header)}."
        )
    return header.index(name)


def _common(header: Sequence[str], name: str) -> int | None:
    """Find the one column with that name, in any case."""
    places = [at for at, column in enumerate(header) if column.lower() == name]
    return places[0] if len(places) == 1 else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
