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

__all__ = ["Column", "read_columns"]

# A file of something else shows as an endless line; a table of labels has short ones.
LONGEST_LINE = 1 << 20
LONGEST_ID = 256
BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class Column:
    """A column of names: `names[codes[row]]`, and where each name was first seen."""

    codes: NDArray[Any]
    names: list[str]
    firsts: list[str]


def read_columns(
    path: Path, *, id_column: str | None, label_column: str | None
) -> tuple[NDArray[Any] | None, Column]:
    """Return the ids (None if there are none) and the label column of a CSV file."""
    codes = array("I")
    lines: dict[str, str] = {}
    numbers: dict[str, int] = {}
    blocks: list[NDArray[Any]] = []
    block: list[str] = []
    at_id: int | None = None
    for line, id_, label in _rows(path, id_column, label_column):
        number = numbers.setdefault(label, len(numbers))
        if number == len(lines):
            lines[label] = f"line {line}"
        codes.append(number)
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
    if not codes:
        raise InvalidInput(f"{path} must hold at least one example, got a header only.")
    column = Column(np.array(codes), list(numbers), list(lines.values()))
    if at_id is None:
        return None, column
    blocks.append(_as_array(block))
    ids = _joined([part for part in blocks if part.size])
    _refuse_duplicates(path, ids, id_column, label_column)
    return ids, column


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
        for row, (line, _, _) in enumerate(_rows(path, id_column, label_column))
        if row in (first, second)
    ]
    raise InvalidInput(
        f"{path} must have distinct ids, got {str(ids[second])!r} at lines {lines[0]} "
        f"and {lines[1]}."
    )


def _rows(
    path: Path, id_column: str | None, label_column: str | None
) -> Iterator[tuple[int, str | None, str]]:
    """Yield (line number, id or None, label) for each row below the header."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            reader = csv.reader(_checked_lines(path, file), strict=True)
            header = [name.strip() for name in next(reader, [])]
            at_id, at_label = _positions(path, header, id_column, label_column)
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
                yield line, None if at_id is None else row[at_id].strip(), row[at_label].strip()
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
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1


def _positions(
    path: Path, header: Sequence[str], id_column: str | None, label_column: str | None
) -> tuple[int | None, int]:
    """Return which column holds the ids (None: none does) and which the labels."""
    found = ", ".join(repr(name) for name in header)
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
        others = [position for position in range(len(header)) if position != at_id]
        at_label = others[-1] if len(header) <= 2 and others else _common(header, "label")
        if at_label is None:
            raise InvalidInput(
                f"{path} must have a column named label, or say which one it is; found {found}."
            )
    if at_id is None and len(header) == 2:
        at_id = 1 - at_label
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
        found = ", ".join(repr(column) for column in header)
        raise InvalidInput(f"{path} must have the {what} column {name!r}; found {found}.")
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
