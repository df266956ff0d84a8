"""Submissions in files: a folder per team, or a table that says whose a file is and when it came.

A folder, or the same as a zip archive, holds a folder per team, in which files are looks in the
order of their names (`2.csv` before `10.csv`); teams are taken one after the other. With a table of
the columns team, time and file, beside which the files lie, looks are in the order of time, in
which accounts that work together can be seen as one stream.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.detect.looks import Look
from holdfast.detect.reading import SubmissionReader
from holdfast.errors import InvalidInput
from holdfast.files.outcomes import ZIP_ERRORS
from holdfast.files.tables import Table, read_table
from holdfast.quoting import listed, quoted, shortened

__all__ = ["Found", "read_submissions", "unpacked_place"]

COLUMNS = ("team", "time", "file")
KINDS = (".csv", ".npy", ".tsv", ".json", ".jsonl", ".parquet", ".gz")
# What systems and editors put beside submissions.
HIDDEN = (".", "__MACOSX")
# An archive that grows beyond this is refused before it is unpacked.
LARGEST_ARCHIVE = 16 << 30
MOST_FILES = 1_000_000
# The bit of a member's flags that says so.
ENCRYPTED = 1


class Found(NamedTuple):
    """The looks of a place in order, and the files that are none, each with the reason."""

    looks: list[Look]
    left_out: list[tuple[str, str]]


@contextmanager
def unpacked_place(place: Path) -> Iterator[Path]:
    """Yield the place itself, or the folder into which it is unpacked for the time being."""
    if not zipfile.is_zipfile(place):
        if place.suffix.lower() == ".zip" and place.is_file():
            raise InvalidInput(f"{place} must be a whole zip archive; it breaks off, or is none.")
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        _unpack(place, folder)
        inside = [each for each in Path(folder).iterdir() if not each.name.startswith(HIDDEN)]
        # An archive of one folder is that folder, unless its files are looks of one team.
        alone = len(inside) == 1 and inside[0].is_dir()
        yield inside[0] if alone and any(map(_is_team, inside[0].iterdir())) else Path(folder)


def _unpack(place: Path, folder: str) -> None:
    """Unpack an archive into a folder, or raise `InvalidInput`."""
    try:
        with zipfile.ZipFile(place) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            size = sum(each.file_size for each in members)
            if size > LARGEST_ARCHIVE or len(members) > MOST_FILES:
                raise InvalidInput(
                    f"{place} must unpack to at most {LARGEST_ARCHIVE >> 30} GB and "
                    f"{MOST_FILES:,} files, got {size:,} bytes in {len(members):,} files."
                )
            if any(each.flag_bits & ENCRYPTED for each in members):
                raise InvalidInput(
                    f"{place} must not be encrypted; unpack it, and give the folder."
                )
            # Names that lead out of the folder are put inside it.
            for member in members:
                archive.extract(member, folder)
    except ZIP_ERRORS as error:
        said = shortened(str(error).replace(f"{folder}/", ""))
        raise InvalidInput(
            f"{place} must be a zip archive that can be unpacked, got one with an error: {said}"
        ) from None
    if not members:
        raise InvalidInput(f"{place} must hold submissions; the archive is empty.")


def _is_team(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith(HIDDEN)


def read_submissions(place: Path, reader: SubmissionReader) -> Found:
    """Return the looks of a folder, or of a table of team, time and file, in time order.

    A file that can't be read as the others are is no look: it would have been refused. Where
    nothing that the host gave was read before, most files must fit the first one.
    """
    if not place.exists():
        raise InvalidInput(f"submissions must be a folder, a zip archive or a table, got {place}.")
    table = place if place.is_file() else _table_in(place)
    named = list(_of_folder(place) if table is None else _of_table(table, place.is_dir()))
    if not named:
        raise InvalidInput(
            f"{place} must hold a folder for each team with its CSV or NPY files, or a table of "
            f"the columns {listed(COLUMNS, quote=False)}; it has no submission."
        )
    looks, others, unfit, rooted = [], [], [], reader.has_rows
    for team, name, path in named:
        called = f"{team}/{name}"
        if table is None and path.suffix.lower() not in KINDS:
            others.append((called, f"{name} must end in {', '.join(KINDS)}."))
            continue
        try:
            reader.labels(path)
        except InvalidInput as error:
            # Files are called by their place in a folder, which may be one unpacked for now.
            unfit.append((called, str(error).replace(f"{place}/", "")))
            continue
        looks.append(Look(team, name, partial(reader.labels, path)))
    if not looks:
        raise InvalidInput(f"{place} must hold submissions; {(unfit + others)[0][1]}")
    if not rooted and len(unfit) > len(looks):
        raise InvalidInput(
            f"{place} must hold submissions of one board; {len(unfit)} of "
            f"{len(unfit) + len(looks)} files do not fit {looks[0].team}/{looks[0].name}, the "
            f"first: {unfit[0][1]} Give a baseline, whose ids are the board's."
        )
    return Found(looks, others + unfit)


def _table_in(folder: Path) -> Path | None:
    """Return the one CSV file beside the teams' folders, if it is such a table."""
    files = [
        each
        for each in folder.iterdir()
        if each.suffix.lower() == ".csv" and each.is_file() and not each.name.startswith(HIDDEN)
    ]
    if len(files) != 1:
        return None
    with files[0].open("rb") as opened:
        names = opened.readline(4096).decode("utf-8", "replace").lower()
    return files[0] if all(re.search(rf"\b{name}\b", names) for name in COLUMNS) else None


def _of_folder(folder: Path) -> Iterator[tuple[str, str, Path]]:
    for team in sorted(filter(_is_team, folder.iterdir()), key=lambda path: _natural(path.name)):
        files = [each for each in team.rglob("*") if each.is_file()]
        for path in sorted(files, key=lambda path: _natural(path.relative_to(team).as_posix())):
            inside = path.relative_to(team)
            if not any(part.startswith(HIDDEN) for part in inside.parts):
                yield team.name, inside.as_posix(), path


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key by which numbers in names are in the order of numbers.

    >>> sorted(["look10.csv", "look9.csv"], key=_natural)
    ['look9.csv', 'look10.csv']
    """
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _of_table(table: Path, inside: bool) -> Iterator[tuple[str, str, Path]]:
    """Yield team, name and path in order of time; `inside`: the files must lie in its folder."""
    found = read_table(table, named=True)
    rows = [_cells(found, name, table) for name in COLUMNS]
    times = _times(rows[1], table)
    home = table.resolve().parent
    for at in sorted(range(len(times)), key=times.__getitem__):
        team, file = rows[0][at], rows[2][at]
        path = Path(os.path.abspath(home / file))
        if inside and not path.is_relative_to(home):
            raise InvalidInput(f"{table} must name files of its own folder, got {quoted(file)}.")
        yield team, file, path


def _cells(table: Table, name: str, path: Path) -> list[str]:
    names = [each.lower() for each in table.columns]
    if name not in names:
        got = listed(table.columns) if table.columns else "an array without names"
        raise InvalidInput(
            f"{path} must have the columns {listed(COLUMNS, quote=False)}, got {got}."
        )
    return table.texts(names.index(name))


def _times(texts: Sequence[str], path: Path) -> list[Any]:
    """Return moments that can be compared: numbers, or ISO dates, in UTC where no zone is said."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        pass
    else:
        if not all(map(math.isfinite, numbers)):
            raise InvalidInput(f"{path} must have times that are finite numbers, got NaN or inf.")
        return numbers
    found = []
    for text in texts:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidInput(
                f"{path} must have times as numbers or as 2026-12-31T23:59:00, got {quoted(text)}."
            ) from None
        found.append(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return found
