"""One-dimensional NPY arrays of numbers or names, read without trusting a word of the header.

The header of an NPY file is a Python expression. It is matched here against the one form that
labels have, and what it promises is compared with the file before anything is allocated.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["NPY_MAGIC", "NpyHeader", "read_npy", "read_npy_blocks", "read_npy_header"]

NPY_MAGIC = b"\x93NUMPY"
# numpy's own limit on a header that it evaluates.
LONGEST_HEADER = 10_000
# Values that are read at a time.
BLOCK_VALUES = 1 << 16

HEADER_ENTRY = (
    r"(?:['\"]descr['\"]\s*:\s*['\"](?P<descr>[<>=|]?[biufcSUVOMm]\d{0,9}(?:\[\d*[a-zA-Z]+\])?)['\"]"
    r"|['\"]fortran_order['\"]\s*:\s*(?P<order>True|False)"
    r"|['\"]shape['\"]\s*:\s*\((?P<shape>[\d\s,L]*)\))"
)
# The same entry three times over; a group's name may be used once only.
ENTRY_GROUPS = ("descr", "order", "shape")
HEADER_PATTERN = re.compile(
    r"\s*\{\s*"
    + r"\s*,\s*".join(
        re.sub(r"\(\?P<(\w+)>", rf"(?P<\g<1>{turn}>", HEADER_ENTRY)
        for turn in range(len(ENTRY_GROUPS))
    )
    + r"\s*,?\s*\}\s*",
    re.ASCII,
)


@dataclass(frozen=True)
class NpyHeader:
    """What an NPY file says of itself: the kind of value, and how many.

    A table has `columns`, and stands in the file column `by_column` or row by row.
    """

    dtype: np.dtype[Any]
    count: int
    columns: int | None = None
    by_column: bool = False


def read_npy_header(file: BinaryIO, name: str, *, table: bool = False) -> NpyHeader:
    """Read the header of an NPY file, or raise `InvalidInput`; the file stands behind it then.

    An array of two dimensions is refused unless a `table` is wanted.
    """
    head = file.read(8)
    width = {1: 2, 2: 4, 3: 4}.get(head[6] if len(head) == 8 else 0)
    if head[:6] != NPY_MAGIC or width is None:
        raise _not_plain(name, "an unknown version")
    length = int.from_bytes(file.read(width), "little")
    if length > LONGEST_HEADER:
        raise _not_plain(name, f"a header of {length:,} bytes")
    data = file.read(length)
    if len(data) < length:
        raise _not_plain(name, "a header that is cut off")
    text = data.decode("utf-8" if head[6] == 3 else "latin-1", "replace")
    match = HEADER_PATTERN.fullmatch(text)
    parts = match.groupdict() if match else {}
    found = {
        part: next((parts[f"{part}{turn}"] for turn in range(3) if parts.get(f"{part}{turn}")), "")
        for part in ENTRY_GROUPS
    }
    # An empty tuple is the shape of a single number.
    if match is None or not found["descr"] or not found["order"]:
        raise _not_plain(name, f"the header {quoted(text.strip())}")
    shape = _shape(found["shape"])
    if shape is None:
        raise _not_plain(name, f"the header {quoted(text.strip())}")
    if table and len(shape) == 2:
        dtype = _dtype(name, found["descr"])
        return NpyHeader(dtype, shape[0] * shape[1], shape[1], found["order"] == "True")
    if len(shape) != 1:
        raise InvalidInput(f"{name} must be one-dimensional, got shape {quoted(shape)}.")
    return NpyHeader(_dtype(name, found["descr"]), shape[0])


def read_npy(file: BinaryIO, header: NpyHeader, name: str) -> NDArray[Any]:
    """Return the whole array behind the header."""
    parts = list(read_npy_blocks(file, header, name, size=max(header.count, 1)))
    return parts[0] if parts else np.empty(0, header.dtype)


def read_npy_blocks(
    file: BinaryIO, header: NpyHeader, name: str, *, size: int = BLOCK_VALUES
) -> Iterator[NDArray[Any]]:
    """Yield the array behind the header in blocks."""
    itemsize = header.dtype.itemsize
    if itemsize == 0:
        raise InvalidInput(f"{name} must hold labels, got values of no bytes.")
    start = file.tell()
    held = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    if header.count * itemsize > held:
        raise _not_plain(
            name, f"{held:,} bytes behind a header that promises {header.count * itemsize:,}"
        )
    left = header.count
    while left:
        data = file.read(min(left, size) * itemsize)
        if len(data) < min(left, size) * itemsize:
            raise _not_plain(name, "a file that is cut off while it is read")
        left -= len(data) // itemsize
        yield np.frombuffer(data, dtype=header.dtype)


def _shape(text: str) -> tuple[int, ...] | None:
    sizes = [size.strip().removesuffix("L") for size in text.split(",")]
    if sizes[-1] == "":
        sizes.pop()  # behind the comma that makes a tuple of one
    elif len(sizes) == 1:
        return None  # a number in brackets is no tuple
    if not all(size.isdigit() and len(size) < 19 for size in sizes):
        return None
    return tuple(int(size) for size in sizes)


def _dtype(name: str, descr: str) -> np.dtype[Any]:
    try:
        dtype = np.dtype(descr)
    except (TypeError, ValueError, OverflowError, MemoryError):
        raise _not_plain(name, f"the dtype {quoted(descr)}") from None
    if dtype.kind == "O":
        raise _not_plain(name, "pickled Python objects")
    return dtype


def _not_plain(name: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{name} must be a plain NPY array, got: {reason}.")
