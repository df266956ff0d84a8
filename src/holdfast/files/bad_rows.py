"""Rows of a submission that break a rule, by public facts alone: ids, classes, columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.files.csv_header import column_places
from holdfast.files.spelling import class_numbers
from holdfast.quoting import shortened

__all__ = ["bad_rows"]

# How many are told.
MOST_ROWS = 20


def bad_rows(
    body: bytes,
    *,
    ids: Collection[str] | None,
    classes: Sequence[str],
    id_column: str | None = None,
    label_column: str | None = None,
) -> list[dict[str, Any]]:
    r"""Return line, column, rule and value of the first rows of a CSV file that break a rule.

    Empty where nothing can be said row by row, as of an NPY file or one that is too short.

    >>> bad_rows(b"id,label\n1,cat\n1,cow\n", ids={"1", "2"}, classes=["cat", "dog"])
    ... # doctest: +NORMALIZE_WHITESPACE
    [{'line': 3, 'column': 'id', 'rule': 'must be there once', 'value': '1'},
     {'line': 3, 'column': 'label', 'rule': 'must be a known class', 'value': 'cow'}]
    """
    try:
        reader = csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), strict=True)
        header = [name.strip() for name in next(reader, [])]
        at = column_places("submission", header, id_column, label_column)
        at_id = at.ids if ids is not None else None
        found = _found(reader, header, at_id, at.labels, ids or (), classes)
        return list(islice(found, MOST_ROWS))
    except (UnicodeDecodeError, csv.Error, InvalidInput):
        return []


def _found(
    reader: Any,
    header: Sequence[str],
    at_id: int | None,
    at_label: int,
    ids: Collection[str],
    classes: Sequence[str],
) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    known: dict[str, bool] = {}
    for row in reader:

        def told(column: str | None, rule: str, value: object, line: int = reader.line_num) -> Any:
            return {"line": line, "column": column, "rule": rule, "value": shortened(str(value))}

        if not row:
            continue
        if len(row) != len(header):
            yield told(None, f"must have {len(header)} values", len(row))
            continue
        if at_id is not None:
            id_ = row[at_id].strip().removesuffix(".0")
            if id_ not in ids:
                yield told(header[at_id], "must be an id of the test set", row[at_id])
            elif id_ in seen:
                yield told(header[at_id], "must be there once", row[at_id])
            seen.add(id_)
        label = row[at_label].strip()
        if label not in known:
            known[label] = bool(label) and class_numbers([label], classes) != [-1]
        if not known[label]:
            yield told(header[at_label], "must be a known class", label)
