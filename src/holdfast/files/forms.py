"""Files of tables in the forms that people have them, as the CSV files that they would be.

Packed by gzip, Parquet, JSON and JSON lines, data frames, and text in an encoding of another day:
each becomes a table in UTF-8 with commas, and one reader decides what is wrong with a table,
whichever form it has. What a file is, is told by what is in it, never by its name.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import importlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO, TextIOWrapper
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.quoting import quoted, shortened

__all__ = ["as_csv", "check_encoding", "frame_as_csv", "is_frame", "is_plain_csv", "read_as"]

GZIP, PARQUET, NPY, JSON_STARTS = b"\x1f\x8b", b"PAR1", b"\x93NUM", (b"[", b"{")
# Larger ones are no tables of a test set; a few kilobytes may unpack to as much as one likes.
LARGEST_UNPACKED, LARGEST_JSON = 1 << 30, 256 << 20
# Beyond this a file that was made here lies on disk.
MOST_IN_MEMORY = 64 << 20
BLOCK = 1 << 20
# What else begins so, and what to do with it. A pickle may run a program: it is never opened.
OTHERS = {
    b"PK\x03\x04": "an Excel workbook, an archive of arrays or a zip file; save the one table or "
    "array as CSV UTF-8, Parquet or NPY",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV UTF-8",
    b"ARROW1": "a Feather file; write it as Parquet",
    b"\x80\x04\x95": "a pickle, which is never opened; write Parquet or CSV",
    b"\x80\x05\x95": "a pickle, which is never opened; write Parquet or CSV",
    b"BZh": "packed by bzip2; unpack it, or pack it by gzip",
    b"\xfd7zXZ": "packed by xz; unpack it, or pack it by gzip",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it, or pack it by gzip",
    b"\x89HDF": "an HDF5 file; write the table as Parquet or CSV",
    b"SQLite": "an SQLite database; write the table as CSV",
}
UTF_8 = ("utf-8", "utf-8-sig", "ascii")

_encoding: ContextVar[str | None] = ContextVar("encoding", default=None)


@contextmanager
def read_as(encoding: str | None) -> Iterator[None]:
    """Read files of text in an encoding for the time being; None: UTF-8."""
    token = _encoding.set(None if encoding is None else check_encoding(encoding))
    try:
        yield
    finally:
        _encoding.reset(token)


def check_encoding(encoding: str) -> str:
    """Return an encoding's usual name, or raise `InvalidInput` if there is none of that name.

    >>> check_encoding("CP1252"), check_encoding("utf8")
    ('cp1252', 'utf-8')
    """
    try:
        name = codecs.lookup(encoding).name
        "a".encode(name)
    except (LookupError, ValueError):
        raise InvalidInput(
            f"encoding must be one that Python knows, such as cp1252 or utf-16, got "
            f"{quoted(encoding)}."
        ) from None
    return name


def as_csv(file: BinaryIO, path: str) -> tuple[BinaryIO, str]:
    """Return a file as the CSV or NPY file that it would be, and what messages call it.

    A file that is one already is returned as it is; any other is closed.
    """
    _refuse_other(file, path)
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(GZIP):
        with file:
            unpacked = _unpacked(file, path)
        return as_csv(unpacked, path)
    as_it_would_be = f"{path}, as the CSV file that it would be,"
    if magic == PARQUET:
        with file:
            return _parquet(file, path), as_it_would_be
    encoding = _encoding.get()
    if encoding is not None and encoding not in UTF_8 and not magic.startswith(NPY):
        with file:
            file = _recoded(file, path, encoding)
    if _is_json(file):
        with file:
            return _written(_json_rows(file, path)), as_it_would_be
    return file, path


def _refuse_other(file: BinaryIO, path: str) -> None:
    """Refuse a file of another form by the name of the form, with what to do."""
    start = file.read(8)
    file.seek(0)
    for begins, what in OTHERS.items():
        if start.startswith(begins):
            file.close()
            raise InvalidInput(f"{path} must be CSV, JSON, Parquet or NPY, got {what}.")


def is_plain_csv(file: BinaryIO) -> bool:
    """Tell whether a file is none of the other forms, nor empty: then it is CSV or nothing."""
    magic = file.read(4)
    file.seek(0)
    packed = (GZIP, PARQUET, NPY, *(begins[:4] for begins in OTHERS))
    others = magic.startswith(packed) or _is_json(file) or _encoding.get() is not None
    return bool(magic) and not others


def _is_json(file: BinaryIO) -> bool:
    start = file.read(256)
    file.seek(0)
    return start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(JSON_STARTS)


def is_frame(source: object) -> bool:
    """Tell whether something is a data frame, and no file."""
    return not isinstance(source, str | os.PathLike) and not hasattr(source, "read")


def frame_as_csv(frame: Any, name: str, *, named_index: bool = False) -> BinaryIO:
    """Return a frame of pandas, polars, pyarrow or the like as the file that it would be.

    Parameters
    ----------
    frame
        The frame; of pandas and polars a series will do.
    name
        What messages call it.
    named_index
        Whether an index that has a name is a column, too.
    """
    if hasattr(frame, "to_csv"):  # pandas itself, where narwhals need not be there
        text = frame.to_csv(index=named_index and frame.index.name is not None)
    else:
        with needed_for("a frame that is not of pandas"):
            narwhals = importlib.import_module("narwhals")
        try:
            native = narwhals.from_native(frame, eager_only=True, allow_series=True)
            text = (native.to_frame() if hasattr(native, "to_frame") else native).write_csv()
        except TypeError:
            kind = type(frame).__name__
            raise InvalidInput(f"{name} must be a data frame, got {quoted(kind)}.") from None
    return BytesIO(text.encode(errors="surrogatepass"))


def _scratch() -> BinaryIO:
    return cast(BinaryIO, SpooledTemporaryFile(MOST_IN_MEMORY))


def _unpacked(file: BinaryIO, path: str) -> BinaryIO:
    """Return what gzip has packed."""
    found, size = _scratch(), 0
    try:
        with gzip.open(file, "rb") as packed:
            while block := packed.read(BLOCK):
                size += len(block)
                if size > LARGEST_UNPACKED:
                    raise InvalidInput(
                        f"{path} must unpack to at most {LARGEST_UNPACKED >> 30} GB, got more."
                    )
                found.write(block)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path} must be a whole gzip file, got: {error}.") from None
    found.seek(0)
    return found


def _recoded(file: BinaryIO, path: str, encoding: str) -> BinaryIO:
    """Return a text in UTF-8."""
    found, line = _scratch(), 1
    text = TextIOWrapper(file, encoding=encoding, newline="")
    try:
        while block := text.read(BLOCK):
            line += block.count("\n")
            found.write(block.removeprefix("\ufeff").encode(errors="surrogatepass"))
    except UnicodeError:
        raise InvalidInput(
            f"{path} must be text in {encoding}, got other bytes at line {line} or behind it."
        ) from None
    finally:
        text.detach()
    found.seek(0)
    return found


def _parquet(file: BinaryIO, path: str) -> BinaryIO:
    """Return a Parquet file's flat columns as CSV."""
    with needed_for("a Parquet file"):
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
        writer = importlib.import_module("pyarrow.csv")
    try:
        table = parquet.read_table(file)
        for at, field in enumerate(table.schema):
            if arrow.types.is_dictionary(field.type):  # what pandas calls a category
                column = table.column(at).cast(field.type.value_type)
                table = table.set_column(at, field.name, column)
        found = _scratch()
        writer.write_csv(table, found)
    except (arrow.ArrowException, OSError) as error:
        raise InvalidInput(
            f"{path} must be a Parquet file of flat columns, got: {shortened(str(error))}."
        ) from None
    found.seek(0)
    return found


def _json_rows(file: BinaryIO, path: str) -> Sequence[Mapping[str, Any]]:
    """Return the rows of a JSON text or of JSON lines, each by the names of its columns."""
    data = file.read(LARGEST_JSON + 1)
    if len(data) > LARGEST_JSON:
        raise InvalidInput(f"{path} must be at most {LARGEST_JSON >> 20} MB of JSON, got more.")
    try:
        text = data.decode("utf-8-sig")
        try:
            return _rows_of(json.loads(text))
        except json.JSONDecodeError as error:
            lines = [line for line in text.splitlines() if line.strip()]
            if len(lines) < 2 or error.msg != "Extra data":
                raise
            return _rows_of([_loaded(line, at) for at, line in enumerate(lines, start=1)])
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{path} must be JSON or JSON lines of a table, got: {shortened(str(error))}."
        ) from None


def _loaded(line: str, at: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} in row {at}") from None


def _rows_of(found: Any) -> Sequence[Mapping[str, Any]]:
    """Return rows from what JSON holds in any of its usual forms, or raise `ValueError`."""
    rows = _listed(found) if isinstance(found, dict) else found
    if not isinstance(rows, list):
        raise ValueError("neither a list nor an object")
    if not all(isinstance(each, dict) for each in rows):
        rows = [{"label": each} for each in rows]
    if any(isinstance(cell, dict | list) for row in rows for cell in row.values()):
        raise ValueError("rows that are no flat objects")
    return rows


def _listed(found: dict[str, Any]) -> list[Any]:
    """Return the rows of an object: of columns, of rows beside their description, or of labels."""
    if isinstance(found.get("data"), list) and ("columns" in found or "schema" in found):
        data: list[Any] = found["data"]
        columns = found.get("columns")
        if columns is None:
            return data
        return [dict(zip(columns, row, strict=True)) for row in data]
    values = list(found.values())
    if values and all(isinstance(each, list) for each in values):
        return [dict(zip(found, row, strict=True)) for row in zip(*values, strict=True)]
    if values and all(isinstance(each, dict) for each in values):
        # Columns of values by row, as pandas writes them.
        keys = list(values[0])
        if any(list(each) != keys for each in values):
            raise ValueError("columns with other rows than the first one's")
        return [{name: found[name][key] for name in found} for key in keys]
    if "label" in found:  # the only row
        return [found]
    return [{"id": key, "label": value} for key, value in found.items()]


def _written(rows: Sequence[Mapping[str, Any]]) -> BinaryIO:
    """Return rows as a CSV file; a cell that is missing or null is blank."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    found = _scratch()
    text = TextIOWrapper(found, encoding="utf-8", errors="surrogatepass", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(_cells(row, columns) for row in rows)
    text.detach()
    found.seek(0)
    return found


def _cells(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return a row's cells as texts; numbers and truth values as JSON has them."""
    cells = [row.get(name) for name in columns]
    return ["" if each is None else each if isinstance(each, str) else json.dumps(each)
            for each in cells]  # fmt: skip
