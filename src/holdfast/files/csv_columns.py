"""The id, label and part columns of a CSV file.

A clean file, as most programs write it, is read as one array of bytes. Any other is read one row
at a time, with care (`csv_rows`): that reader alone decides what is wrong with a file, and says so.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from holdfast.files.csv_clean import LARGEST_CLEAN_FILE, read_clean
from holdfast.files.csv_header import column_places
from holdfast.files.csv_rows import IdColumn, csv_header, csv_rows
from holdfast.files.ids import Ids
from holdfast.files.name_columns import Column, GrowingColumn

__all__ = ["read_carefully", "read_columns"]


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
    at = column_places(path, csv_header(file, path), id_column, label_column)
    labels, splits = GrowingColumn(path, "line"), GrowingColumn(path, "line", "parts")
    ids = None if at.ids is None else IdColumn(file, path, at.ids)
    for line, (id_, label, split) in csv_rows(file, path, at, most_rows):
        labels.append(label, line)
        if at.split is not None:
            splits.append(split, line)
        if ids is not None:
            ids.append(id_, line)
    split_column = None if at.split is None else splits.column()
    return None if ids is None else ids.ids(), labels.column(), split_column
