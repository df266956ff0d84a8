"""The id, label and part columns of a CSV file.

A clean file, as most programs write it, is read as one array of bytes. Any other is read one row
at a time, with care: that reader alone decides what is wrong with a file, and says so. Its memory
stays near what the result takes: ids become arrays block by block, and a label is one integer per
row plus its name once per class.
"""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Iterator
from io import TextIOWrapper
from typing import BinaryIO, TextIO

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.files.csv_clean import LARGEST_CLEAN_FILE, read_clean
from holdfast.files.csv_header import column_places
from holdfast.files.ids import Ids, as_ids, as_plain_integers, distinct_keys, id_keys
from holdfast.files.name_columns import LONGEST_NAME, Column, GrowingColumn
from holdfast.quoting import quoted, shortened

__all__ = ["checked_lines", "read_carefully", "read_columns"]

# A file of something else shows as an endless line; a table of labels has short ones.
LONGEST_LINE = 1 << 20
# Ids that are held as texts at a time.
BLOCK_IDS = 1 << 15
# Beyond this a table is no test set; it is refused before it is read.
MOST_LINES = 20_000_000


def read_columns(
    file: BinaryIO,
    path: str,
    *,
    id_column: str | None,
    label_column: str | None,
    most_rows: int | None = None,
) -> tuple[Ids | None, Column, Column | None]:
    """Return the ids, the labels and the `Usage` or `split` column; None where there is none."""
    size = file.seek(0, os.SEEK_END)
    if size <= LARGEST_CLEAN_FILE:
        file.seek(0)
        table = read_clean(
            file.read(size + 1), path, id_column=id_column, label_column=label_column
        )
        if table is not None and (most_rows is None or table[1].codes.size <= most_rows):
            return table
    return read_carefully(
        file, path, id_column=id_column, label_column=label_column, most_rows=most_rows
    )


def read_carefully(
    file: BinaryIO,
    path: str,
    *,
    id_column: str | None,
    label_column: str | None,
    most_rows: int | None = None,
) -> tuple[Ids | None, Column, Column | None]:
    """Return what `read_columns` does, from a file of any shape, row by row."""
    _refuse_too_long(file, path)
    labels, splits = GrowingColumn(path, "line"), GrowingColumn(path, "line")
    blocks: list[Ids] = []
    block: list[str] = []
    at_id: int | None = None
    for line, id_, label, split in _rows(file, path, id_column, label_column):
        labels.append(label, line)
        if most_rows is not None and len(labels.codes) > most_rows:
            raise InvalidInput(f"{path} must have at most {most_rows:,} rows, got more.")
        if split is not None:
            splits.append(split, line)
        if id_ is not None:
            at_id = line
            if not id_ or len(id_) > LONGEST_NAME:
                got = f"{len(id_)} characters" if id_ else "a blank"
                raise InvalidInput(
                    f"{path} must have ids of 1 to {LONGEST_NAME} characters, got {got} "
                    f"at line {line}."
                )
            block.append(id_)
            if len(block) == BLOCK_IDS:
                blocks.append(_as_array(block))
                block = []
    if not labels.codes:
        raise InvalidInput(f"{path} must hold at least one example, got a header only.")
    column, split_column = labels.column(), splits.column() if splits.codes else None
    if at_id is None:
        return None, column, split_column
    blocks.append(_as_array(block))
    ids = _joined([part for part in blocks if part.size])
    del blocks
    if not distinct_keys(id_keys(ids)):
        _refuse_duplicates(file, path, ids, id_column, label_column)
    return ids, column, split_column


def _refuse_too_long(file: BinaryIO, path: str) -> None:
    lines = 0
    file.seek(0)
    while chunk := file.read(1 << 20):
        lines += chunk.count(b"\n")
        if lines > MOST_LINES:
            raise InvalidInput(f"{path} must have at most {MOST_LINES:,} lines, got more.")


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


def _refuse_duplicates(
    file: BinaryIO, path: str, ids: Ids, id_column: str | None, label_column: str | None
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
        for row, (line, _, _, _) in enumerate(_rows(file, path, id_column, label_column))
        if row in (first, second)
    ]
    raise InvalidInput(
        f"{path} must have distinct ids, got {quoted(str(ids[second]))} at lines {lines[0]} "
        f"and {lines[1]}."
    )


def _rows(
    file: BinaryIO, path: str, id_column: str | None, label_column: str | None
) -> Iterator[tuple[int, str | None, str, str | None]]:
    """Yield (line number, id or None, label, split or None) for each row below the header."""
    file.seek(0)
    text = TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        reader = csv.reader(checked_lines(path, text), strict=True)
        header = [name.strip() for name in next(reader, [])]
        at = column_places(path, header, id_column, label_column)
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
                None if at.ids is None else row[at.ids].strip(),
                row[at.labels].strip(),
                None if at.split is None else row[at.split].strip(),
            )
    except csv.Error as error:
        raise InvalidInput(f"{path} must be CSV, got: {shortened(str(error))}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path} must be UTF-8 text, got other bytes at line {_undecodable(text.detach())}."
        ) from None
    finally:
        # The file stays open for whoever opened it; it is detached already if it was no UTF-8.
        with contextlib.suppress(ValueError):
            text.detach()


def checked_lines(path: str, file: TextIO) -> Iterator[str]:
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
