"""Columns of a CSV file that hold ids, labels and parts, found from its header."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.errors import HoldfastNote, InvalidInput
from holdfast.files.spelling import is_number
from holdfast.quoting import listed, quoted

__all__ = ["ColumnPlaces", "column_places"]

# Kaggle and Hugging Face name the column that says which part a row belongs to so.
SPLIT_NAMES = ("usage", "split")
# What a column of labels is called elsewhere, where none is named label.
LABEL_NAMES = ("target", "answer", "y", "class")


class ColumnPlaces(NamedTuple):
    """Columns, counted from 0; None: there is none."""

    ids: int | None
    labels: int
    split: int | None


def column_places(
    path: str, header: Sequence[str], id_column: str | None, label_column: str | None
) -> ColumnPlaces:
    """Find the columns by the names in the first line, or raise `InvalidInput`."""
    at_id, at_label = _positions(path, header, id_column, label_column)
    places = _split_positions(header, (at_id, at_label))
    if len(places) > 1:
        # Which rows are private is nothing to guess.
        raise InvalidInput(
            f"{path} must have one column that says which part a row belongs to, got "
            f"{listed(header[at] for at in places)}; give the others another name."
        )
    return ColumnPlaces(at_id, at_label, places[0] if places else None)


def _split_positions(header: Sequence[str], taken: Sequence[int | None]) -> list[int]:
    """Find the columns that may say which part a row belongs to."""
    if len(header) <= 2:  # they are id and label, whatever their names
        return []
    return [at for at, name in enumerate(header) if name.lower() in SPLIT_NAMES and at not in taken]


def _split_position(header: Sequence[str], taken: Sequence[int | None]) -> int | None:
    places = _split_positions(header, taken)
    return places[0] if len(places) == 1 else None


def _positions(
    path: str, header: Sequence[str], id_column: str | None, label_column: str | None
) -> tuple[int | None, int]:
    """Return which column holds the ids (None: none does) and which the labels."""
    found = listed(header)
    if not header or not any(header):
        raise InvalidInput(f"{path} must name its columns in the first line, got a blank line.")
    named = {id_column, label_column} & set(header)
    known = {name.lower() for name in header} & {"id", "label", *LABEL_NAMES, *SPLIT_NAMES}
    # A row begins with an id; a column may be called 0 beside one that has a name.
    first_row = not known and is_number(header[0])
    if not named and (first_row or all(is_number(name) for name in header)):
        raise InvalidInput(
            f"{path} must name its columns in the first line, got {found}; if those are the "
            f"names, say which column holds the labels."
        )
    at_label = _named(path, header, "label", label_column)
    at_id = _named(path, header, "id", id_column)
    if at_label is None:
        at_split = _split_position(header, (at_id,)) if len(header) == 3 else None
        others = [at for at in range(len(header)) if at not in (at_id, at_split)]
        few = len(header) - (at_split is not None) <= 2
        both = _common(header, "id") is not None and _common(header, "label") is not None
        at_label = others[-1] if few and others and not both else _common(header, "label")
        if at_label is None:
            at_label = _called_otherwise(path, header)
        if at_label is None:
            raise InvalidInput(
                f"{path} must have a column named label, or say which one it is; found {found}."
            )
    at_split = _split_position(header, (at_label,))
    rest = [at for at in range(len(header)) if at not in (at_label, at_split)]
    if at_id is None and len(rest) <= 1:
        at_id = rest[0] if rest else None
    elif at_id is None and len(header) > 2:
        at_id = _common(header, "id")
        if at_id is None and label_column is None:
            raise InvalidInput(
                f"{path} must have a column named id, or say which one it is; found {found}."
            )
    if at_id == at_label:
        raise InvalidInput(f"{path} must have ids and labels in two columns, found {found}.")
    return at_id, at_label


def _called_otherwise(path: str, header: Sequence[str]) -> int | None:
    """Find the one column of labels by another name, where none is named label."""
    able = [at for at, name in enumerate(header) if name.lower() in LABEL_NAMES]
    if len(able) > 1:
        raise InvalidInput(
            f"{path} must have a column named label, or say which one it is; "
            f"{listed(header[at] for at in able)} may all be it."
        )
    if not able:
        return None
    taken = quoted(header[able[0]])
    told = f"{path}: the labels are the column {taken}; label_column names another."
    warnings.warn(told, HoldfastNote, stacklevel=2)
    return able[0]


def _named(path: str, header: Sequence[str], what: str, name: str | None) -> int | None:
    if name is None:
        return None
    if name not in header:
        raise InvalidInput(
            f"{path} must have the {what} column {quoted(name)}; found {listed(header)}."
        )
    if list(header).count(name) > 1:
        raise InvalidInput(f"{path} must have one column {quoted(name)}, got more.")
    return header.index(name)


def _common(header: Sequence[str], name: str) -> int | None:
    """Find the one column with that name, in any case."""
    places = [at for at, column in enumerate(header) if column.lower() == name]
    return places[0] if len(places) == 1 else None
