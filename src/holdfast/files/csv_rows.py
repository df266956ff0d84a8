"""Rows of a CSV file: the one reader of tables, with one set of limits.

Labels, numbers, groups and names of any kind are read by it, whatever becomes of them: UTF-8 text,
columns separated by commas, semicolons or tabs, lines and cells of limited length, as many cells in
every row as the header has, nothing blank but the end of the file. Its memory is that of a row:
columns become arrays as they grow.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import chain
from typing import BinaryIO, TextIO

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.files.ids import Ids, as_ids, as_plain_integers, distinct_keys, id_keys
from holdfast.files.name_columns import LONGEST_NAME
from holdfast.quoting import quoted, shortened

__all__ = ["IdColumn", "csv_header", "csv_rows", "delimiter_of"]

# A file of something else shows as an endless line; a table has short ones.
LONGEST_LINE = 1 << 20
# Ids that are held as texts at a time.
BLOCK_IDS = 1 << 15
# Beyond this a table is no test set; it is refused before it is read.
MOST_LINES = 20_000_000
# What may separate columns: a comma, or else what Excel writes where that is the decimal point.
DELIMITERS = (",", ";", "\t")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def csv_header(file: BinaryIO, path: str) -> list[str]:
    """Return the names in the first line, which may be blank."""
    for _, row in _lines(file, path):
        return row
    return []


def csv_rows(
    file: BinaryIO, path: str, at: Sequence[int | None], most_rows: int | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the chosen cells of each row below the header, without blanks around them.

    Parameters
    ----------
    file
        The file, open.
    path
        What messages call it.
    at
        Which columns, counted from 0; None gives an empty cell.
    most_rows
        The most rows; a file with more is an error. None: 20 million lines.
    """
    rows = _lines(file, path)
    width = len(next(rows, (0, []))[1])
    blank = n_rows = 0
    for line, row in rows:
        if not row:
            blank = blank or line
            continue
        if blank:  # only the end of the file may be blank
            raise InvalidInput(
                f"{path} must have a value for every example, got a blank at line {blank}."
            )
        if len(row) != width:
            raise InvalidInput(
                f"{path} must have {width} values in every row, got {len(row)} at line {line}."
            )
        n_rows += 1
        if most_rows is not None and n_rows > most_rows:
            raise InvalidInput(f"{path} must have at most {most_rows:,} rows, got more.")
        yield line, ["" if here is None else row[here] for here in at]
    if not n_rows:
        raise InvalidInput(f"{path} must hold at least one example, got a header only.")


class IdColumn:
    """A column of distinct ids that grows row by row: integers, as long as all of them are.

    Parameters
    ----------
    file, path
        The table, to find a row again that is there twice, and what messages call it.
    at
        Which column it is.
    """

    def __init__(self, file: BinaryIO, path: str, at: int) -> None:
        self._file, self._path, self._at = file, path, at
        self._blocks: list[Ids] = []
        self._block: list[str] = []

    def append(self, id_: str, line: int) -> None:
        """Add an id, or raise `InvalidInput` if it can't be one."""
        if not id_ or len(id_) > LONGEST_NAME:
            got = f"{len(id_)} characters" if id_ else "a blank"
            raise InvalidInput(
                f"{self._path} must have ids of 1 to {LONGEST_NAME} characters, got {got} "
                f"at line {line}."
            )
        self._block.append(id_)
        if len(self._block) == BLOCK_IDS:
            self._blocks.append(_as_array(self._block))
            self._block = []

    def ids(self) -> Ids:
        """Return all ids, or raise `InvalidInput` if one is there twice."""
        ids = _joined([*self._blocks, *([_as_array(self._block)] if self._block else [])])
        if not distinct_keys(id_keys(ids)):
            self._refuse_duplicates(ids)
        return ids

    def _refuse_duplicates(self, ids: Ids) -> None:
        order = np.argsort(ids, kind="stable")
        same = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
        if not same.size:
            return
        second = int(order[same + 1].min())
        first = int(np.flatnonzero(ids == ids[second])[0])
        # Lines and rows differ where a quoted value spans lines, so look the two lines up.
        rows = enumerate(csv_rows(self._file, self._path, (self._at,)))
        lines = [line for row, (line, _) in rows if row in (first, second)]
        raise InvalidInput(
            f"{self._path} must have distinct ids, got {quoted(str(ids[second]))} at lines "
            f"{lines[0]} and {lines[1]}."
        )


def _as_array(ids: list[str]) -> Ids:
    """Return integers if every id is written as one, plainly; else strings."""
    texts = np.array(ids, dtype=np.str_)
    numbers = as_plain_integers(texts)
    return texts if numbers is None else numbers


def _joined(blocks: list[Ids]) -> Ids:
    kinds = {block.dtype.kind for block in blocks}
    if len(kinds) > 1:
        blocks = [block.astype(np.str_) for block in blocks]
    ids = np.concatenate(blocks)
    return ids if kinds == {"i"} else as_ids(ids)


def _lines(file: BinaryIO, path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the last line and the cells of the header and of each row, however many there are."""
    _refuse_too_long(file, path)
    file.seek(0)
    if file.read(2) in UTF16_MARKS:
        raise InvalidInput(f"{path} must be UTF-8 text, got UTF-16; save it as UTF-8.")
    file.seek(0)
    text = TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        lines = _checked(path, text)
        first = next(lines, "")
        reader = csv.reader(chain([first], lines), delimiter=delimiter_of(first), strict=True)
        for row in reader:
            yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise InvalidInput(f"{path} must be CSV, got: {shortened(str(error))}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path} must be UTF-8 text, got other bytes at line {_undecodable(text.detach())}; "
            "save it as CSV UTF-8, or say its encoding where it is read."
        ) from None
    finally:
        # The file stays open for whoever opened it; it is detached already if it was no UTF-8.
        with contextlib.suppress(ValueError):
            text.detach()


def delimiter_of(first_line: str) -> str:
    r"""Return what separates the columns: a comma, or a semicolon or a tab where no comma does.

    >>> [delimiter_of(line) for line in ("id,a;b", "Id;Klasse", '"a;b","c"', "a\tb", "label")]
    [',', ';', ',', '\t', ',']
    """
    for delimiter in DELIMITERS:
        with contextlib.suppress(csv.Error):
            names = next(
                csv.reader([first_line.strip(" \r\n")], delimiter=delimiter, strict=True), []
            )
            if len([name for name in names if name.strip()]) > 1:
                return delimiter
    return DELIMITERS[0]


def _refuse_too_long(file: BinaryIO, path: str) -> None:
    lines = 0
    file.seek(0)
    while chunk := file.read(1 << 20):
        lines += chunk.count(b"\n")
        if lines > MOST_LINES:
            raise InvalidInput(f"{path} must have at most {MOST_LINES:,} lines, got more.")


def _checked(path: str, file: TextIO) -> Iterator[str]:
    """Yield the lines of a text that may be a table, or raise `InvalidInput`."""
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


def _undecodable(file: BinaryIO) -> int:
    file.seek(0)
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return 1
