"""Columns of class names: each name kept once, and a number per row."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import MOST_CLASSES

__all__ = ["LONGEST_NAME", "Column", "GrowingColumn"]

LONGEST_NAME = 256
# Letters of all class names together: four bytes each in the worst case.
MOST_LETTERS = 1 << 25


@dataclass(frozen=True, eq=False)
class Column:
    """A column of names, `names[codes[row]]`, and where each name was first seen."""

    codes: NDArray[Any]
    names: list[str]
    firsts: Sequence[int]
    unit: str = "line"

    def place_of(self, name: int) -> str:
        """Return where the name of that number was first seen."""
        return f"{self.unit} {self.firsts[name]}"


class GrowingColumn:
    """A column of names that grows row by row, each name kept once.

    Parameters
    ----------
    name
        What messages call the file.
    unit
        What its places are: lines, rows or positions.
    what
        What messages call the names.
    """

    def __init__(self, name: str, unit: str, what: str = "labels") -> None:
        self.codes = array("I")
        self._name, self._unit, self._what = name, unit, what
        self._numbers: dict[str, int] = {}
        self._firsts = array("Q")
        self._room = MOST_LETTERS

    def append(self, text: str, place: int) -> None:
        """Add a row, or raise `InvalidInput` if its name can't be a class."""
        number = self._numbers.setdefault(text, len(self._numbers))
        if number == len(self._firsts):
            self._check_new(text, place)
            self._firsts.append(place)
        self.codes.append(number)

    def _check_new(self, text: str, place: int) -> None:
        where = f"at {self._unit} {place}"
        if len(text) > LONGEST_NAME:
            raise InvalidInput(
                f"{self._name} must have {self._what} of at most {LONGEST_NAME} characters, "
                f"got {len(text)} {where}."
            )
        if "\n" in text or "\r" in text:
            raise InvalidInput(
                f"{self._name} must have {self._what} of one line, got a longer one {where}."
            )
        if len(self._firsts) == MOST_CLASSES:
            raise InvalidInput(
                f"{self._name} must have at most {MOST_CLASSES:,} classes, got another {where}."
            )
        self._room -= len(text)
        if self._room < 0:
            raise InvalidInput(
                f"{self._name} must have class names of at most {MOST_LETTERS:,} characters in "
                f"all, got more {where}."
            )

    def column(self) -> Column:
        """Return what has grown."""
        return Column(np.array(self.codes), list(self._numbers), self._firsts, self._unit)
