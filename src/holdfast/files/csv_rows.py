"""Rows of a CSV file: the one reader of tables, with one set of limits.

Labels, numbers, groups and names of any kind are read by it, whatever becomes of them: UTF-8 text,
columns separated by commas, semicolons or tabs, lines and cells of limited length, as many cells in
every row as the header has, nothing blank but the end of the file. Its memory is that of a row:
columns become arrays as they grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.files.csv_lines import csv_lines
from holdfast.files.ids import Ids, as_ids, as_plain_integers, distinct_keys, id_keys
from holdfast.files.name_columns import LONGEST_NAME
from holdfast.quoting import quoted

__all__ = ["IdColumn", "csv_rows"]

# Ids that are held as texts at a time.
BLOCK_IDS = 1 << 15


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
    rows = csv_lines(file, path)
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
