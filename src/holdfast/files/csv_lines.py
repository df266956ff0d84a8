"""Lines of a CSV file, split into cells, and its header, which need no numpy.

A command refuses a table without the columns that it needs before it loads what would read it.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO

from holdfast.errors import InvalidInput
from holdfast.files.csv_header import column_places
from holdfast.files.forms import is_plain_csv
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import shortened

__all__ = ["check_columns", "csv_header", "csv_lines", "delimiter_of"]

# A file of something else shows as an endless line; a table has short ones.
LONGEST_LINE = 1 << 20
# Beyond this a table is no test set; it is refused before it is read.
MOST_LINES = 20_000_000
# What may separate columns: a comma, or else what Excel writes where that is the decimal point.
DELIMITERS = (",", ";", "\t", "|")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def check_columns(
    path: Path, *, id_column: str | None = None, label_column: str | None = None
) -> None:
    """Refuse a file that is none, or a CSV file without columns of labels, as `read_labels` does.

    What has to be unpacked or put into another form is left to whoever reads it.
    """
    with open_regular_file(path) as file:
        if is_plain_csv(file):
            column_places(str(path), csv_header(file, str(path)), id_column, label_column)


def csv_header(file: BinaryIO, path: str) -> list[str]:
    """Return the names in the first line, which may be blank."""
    for _, row in csv_lines(file, path):
        return row
    return []


def csv_lines(file: BinaryIO, path: str) -> Iterator[tuple[int, list[str]]]:
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
            "save it as CSV UTF-8, or say its encoding where it is read (--encoding cp1252)."
        ) from None
    finally:
        # The file stays open for whoever opened it; it is detached already if it was no UTF-8.
        with contextlib.suppress(ValueError):
            text.detach()


def delimiter_of(first_line: str) -> str:
    r"""Return what separates the columns: a comma, or what else does where no comma does.

    >>> lines = "id,a;b", "Id;Klasse", '"a;b","c"', "a\tb", "a|b", "label"
    >>> [delimiter_of(line) for line in lines]
    [',', ';', ',', '\t', '|', ',']
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
