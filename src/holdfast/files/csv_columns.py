"""Columns of a CSV file: clean ones at once, all others row by row."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files.csv_header import column_places
from holdfast.files.csv_lines import csv_header
from holdfast.files.csv_rows import IdColumn, csv_rows
from holdfast.files.ids import MULTIPLIERS, Ids, as_ids, distinct_keys
from holdfast.files.name_columns import Column, GrowingColumn

__all__ = ["LARGEST_CLEAN_FILE", "read_carefully", "read_clean", "read_columns"]

# Up to some forty bytes of memory are taken per byte of the file.
LARGEST_CLEAN_FILE = 1 << 23
LONGEST_LINE = 1 << 14
# Bytes of an id or a label, a whole number of words.
LONGEST_VALUE, WORD_BYTES = 64, 8
MOST_DIGITS = 16
# Arrays allocated for a file of few values, of which three are used: see `_split`.
SPARE_ARRAYS, SMALL_FILE_VALUES = 32, 1 << 16
# Names that the table of their first rows has room for without many sharing a slot.
NAME_BITS = 16
# Bytes of a name that needs no hash to find its slot.
UNHASHED_BYTES = NAME_BITS // 8

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMMA, NEWLINE, SPACE, ZERO = (ord(letter) for letter in ",\n 0")

Words = NDArray[np.uint64]


# By how many bytes of a word belong to a value: what is kept of it, and how far it is moved so
# that the value ends with the word.
WORD_MASKS = np.array([np.uint64((1 << 8 * used) - 1) for used in range(WORD_BYTES + 1)])
WORD_SHIFTS = np.array([np.uint64(64 - 8 * used) for used in range(WORD_BYTES + 1)])
# The least integer of so many digits that has no zero before it.
LEAST_BY_DIGITS = np.array(
    [0, 0] + [10**digits for digits in range(1, MOST_DIGITS)], dtype=np.uint64
)


@dataclass(frozen=True)
class _Values:
    """The values of one column: where each starts in the bytes, and how long it is."""

    data: bytes
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def words(self, at: NDArray[np.int64]) -> Words:
        """Return the eight bytes from each place on."""
        # One word from every byte on: they overlap, so this is no copy.
        everywhere: Words = np.ndarray(
            (len(self.data) - WORD_BYTES + 1,), dtype="<u8", buffer=self.data, strides=(1,)
        )
        return everywhere[at]

    def all_words(self) -> list[Words]:
        """Return the values as words, the first eight bytes of each, the next eight, ..."""
        longest = int(self.lengths.max())
        if longest == 1:
            return [np.frombuffer(self.data, dtype=np.uint8)[self.starts].astype(np.uint64)]
        return [
            self.words(self.starts + first) & WORD_MASKS.take(self.lengths - first, mode="clip")
            for first in range(0, longest, WORD_BYTES)
        ]


def read_clean(
    data: bytes, path: str, *, id_column: str | None, label_column: str | None
) -> tuple[Ids | None, Column, Column | None] | None:
    """Return the ids, the labels and the parts of a clean table; None: it is not clean.

    Parameters
    ----------
    data
        The whole file.
    path
        What the file is called.
    id_column, label_column
        Which columns to read, as for `read_labels`.
    """
    data = data.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.isascii() or b'"' in data or b"\r" in data:
        return None
    head, newline, _ = data[:LONGEST_LINE].partition(b"\n")
    if not newline or not head.decode("ascii").isprintable():
        return None
    if b"," not in head and b";" in head:
        return None
    header = [name.strip() for name in head.decode("ascii").split(",")]
    try:
        places = column_places(path, header, id_column, label_column)
    except InvalidInput:
        return None
    body = data[len(head) + 1 :].rstrip(b"\n")
    if not body:
        return None
    columns = _split(body + b"\n" + bytes(LONGEST_VALUE + WORD_BYTES), len(header))
    if columns is None:
        return None
    used = [columns[at] for at in places if at is not None]
    if any(not _is_plain(values, b" " in body) for values in used):
        return None
    ids: Ids | None = None
    if places.ids is not None:
        ids = _ids(columns[places.ids])
        if ids is None:
            return None
    labels = _names(columns[places.labels])
    split = None if places.split is None else _names(columns[places.split])
    if labels is None or (split is None and places.split is not None):
        return None
    return ids, labels, split


def _split(padded: bytes, width: int) -> list[_Values] | None:
    """Return the columns of a table with that many values in every line; None: it has others."""
    every = np.frombuffer(padded, dtype=np.uint8)[: -LONGEST_VALUE - WORD_BYTES]
    ends = np.flatnonzero((every == NEWLINE) | (every == COMMA))
    lines, rest = divmod(ends.size, width)
    # Control characters are refused but for the line ends, and those stand where a line ends.
    if rest or np.count_nonzero(every < SPACE) != lines:
        return None
    # Allocated together, and for small files with room to spare that is never touched: glibc keeps
    # as much memory as the largest piece that it got back, and to take fresh pages from the system
    # for each file would cost more than reading it.
    rooms = SPARE_ARRAYS if ends.size <= SMALL_FILE_VALUES else 3
    places = np.empty((rooms, width, lines), dtype=np.int64)
    behind, starts, lengths = places[:3]
    behind[:] = ends.reshape(lines, width).T
    if (every[behind[-1]] != NEWLINE).any():
        return None
    starts[0, 0] = 0
    np.add(behind[-1, :-1], 1, out=starts[0, 1:])
    np.add(behind[:-1], 1, out=starts[1:])
    np.subtract(behind, starts, out=lengths)
    if lengths.max() > LONGEST_LINE // width:
        return None
    return [_Values(padded, starts[at], lengths[at]) for at in range(width)]


def _is_plain(values: _Values, spaces: bool) -> bool:
    """Return whether no value is blank, too long, or has a space before or behind it."""
    if values.lengths.min() == 0 or values.lengths.max() > LONGEST_VALUE:
        return False
    if not spaces:
        return True
    every = np.frombuffer(values.data, dtype=np.uint8)
    firsts, lasts = every[values.starts], every[values.starts + values.lengths - 1]
    return not ((firsts == SPACE) | (lasts == SPACE)).any()


def _names(values: _Values) -> Column | None:
    """Return a column of names, numbered as they first appear; None: there are too many."""
    words = values.all_words()
    keys = _keys(words)
    slots = short = keys.view(np.int64)
    if values.lengths.max() > UNHASHED_BYTES:
        slots = ((keys * MULTIPLIERS[0]) >> np.uint64(64 - NAME_BITS)).view(np.int64)
    rows = np.arange(keys.size, dtype=np.int32)
    table = np.empty(1 << NAME_BITS, dtype=np.int32)
    table[slots[::-1]] = rows[::-1]  # the last write, so the first row with a name, stays
    first_rows: NDArray[Any] = table[slots]
    if slots is not short and not _same_words(words, first_rows):
        # Two names share a slot.
        _, first_at, codes = np.unique(keys, return_index=True, return_inverse=True)
        first_rows = first_at[codes]
        if not _same_words(words, first_rows):
            return None
    firsts = np.flatnonzero(first_rows == rows)
    if firsts.size > 1 << NAME_BITS:
        return None
    numbers = np.empty(keys.size, dtype=np.uint32)
    numbers[firsts] = np.arange(firsts.size, dtype=np.uint32)
    starts = values.starts[firsts].tolist()
    lengths = values.lengths[firsts].tolist()
    names = [
        values.data[start : start + length].decode("ascii")
        for start, length in zip(starts, lengths, strict=True)
    ]
    # The header is line 1.
    return Column(numbers[first_rows], names, (firsts + 2).tolist())


def _same_words(words: list[Words], rows: NDArray[Any]) -> bool:
    """Return whether each value is the same as that of the row named for it."""
    return all(bool((word[rows] == word).all()) for word in words)


def _keys(words: list[Words]) -> Words:
    """Return one word per value: the value itself where it fits, else a hash of it."""
    if len(words) == 1:
        return words[0]
    keys: Words = words[0] * MULTIPLIERS[1]
    for word, multiplier in zip(words[1:], MULTIPLIERS[2:], strict=False):
        keys = (keys ^ (keys >> np.uint64(29))) + word * multiplier
    return keys


def _ids(values: _Values) -> Ids | None:
    """Return distinct ids, integers if all of them are; None: two may be the same."""
    numbers = _integers(values)
    if numbers is not None:
        return numbers if _distinct_integers(numbers) else None
    words = values.all_words()
    if not distinct_keys(_keys(words)):
        return None
    longest = int(values.lengths.max())
    letters = np.stack(words, axis=1).astype("<u8", copy=False).view(np.uint8)[:, :longest]
    texts: NDArray[Any] = letters.astype(np.uint32).view(f"=U{longest}").reshape(-1)
    return as_ids(texts)


def _distinct_integers(numbers: NDArray[np.int64]) -> bool:
    most = int(numbers.max()) + 1
    if most > 8 * numbers.size:
        return distinct_keys(numbers.view(np.uint64))
    seen = np.zeros(most, dtype=np.bool_)
    seen[numbers] = True
    return bool(np.count_nonzero(seen) == numbers.size)


def _integers(values: _Values) -> NDArray[np.int64] | None:
    """Return the values as integers if all are digits without a leading zero; else None."""
    longest = int(values.lengths.max())
    # One look at the first byte spares ids with letters the rest.
    if longest > MOST_DIGITS or not ZERO <= values.data[values.starts[0]] <= ZERO + 9:
        return None
    before = np.maximum(values.lengths - WORD_BYTES, 0) if longest > WORD_BYTES else 0
    numbers = _eight_digits(values.words(values.starts + before), values.lengths - before)
    if longest > WORD_BYTES and numbers is not None:
        higher = _eight_digits(values.words(values.starts), values.lengths - WORD_BYTES)
        numbers = None if higher is None else numbers + higher * np.uint64(10**WORD_BYTES)
    if numbers is None or (numbers < LEAST_BY_DIGITS.take(values.lengths)).any():
        return None
    return numbers.view(np.int64)


def _eight_digits(words: Words, used: NDArray[np.int64]) -> Words | None:
    """Return the numbers that the first `used` bytes of each word write; None: not all do.

    The digits are moved to the end of the word, behind zeros, and then added up in pairs, in fours
    and in eights, all at once. Where no byte is used, nothing is left of the word: zero.
    """
    digits = (words ^ np.uint64(0x3030303030303030)) << WORD_SHIFTS.take(used, mode="clip")
    # A byte above 9 gets its highest bit set, by itself or by the addition.
    high = np.uint64(0x8080808080808080)
    if (((digits + np.uint64(0x7676767676767676)) | digits) & high).any():
        return None
    digits = digits * np.uint64(10) + (digits >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    fours = (digits & mask) * np.uint64(0x000F424000000064)
    fours += ((digits >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)
    eights: Words = fours >> np.uint64(32)
    return eights


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
