"""What is known of the hidden labels, and what every position shows when it is not in play."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice.layout import Round
from holdfast.attacks.exact.lattice.rows import Ints
from holdfast.labels import label_dtype

__all__ = ["Asking", "Board", "ask_round"]

Result = TypeVar("Result")

Asking = Generator[NDArray[Any], int, Result]
"""Yields queries, is sent match counts, returns what it found."""


class Board:
    """Labels in the attack's own terms, relative to the per-example shift.

    Parameters
    ----------
    shifts
        The per-example shift.
    n_classes
        Number of classes.
    looks
        Looks that may be taken.
    """

    def __init__(self, shifts: NDArray[Any], n_classes: int, looks: int) -> None:
        self.n_classes = n_classes
        self.looks = looks
        self.shifts = np.asarray(shifts, np.int64)
        n = self.shifts.size
        self.label: Ints = np.full(n, -1, np.int64)
        self.certain = np.zeros(n, np.bool_)
        self.guess: Ints = np.zeros(n, np.int64)
        self.base: NDArray[Any] = self.actual(np.arange(n), np.zeros(n, np.int64))

    def actual(self, members: Ints, labels: Ints) -> NDArray[Any]:
        """Return labels to send for relative labels of some positions."""
        m = self.n_classes
        return ((labels + self.shifts[members]) % m).astype(label_dtype(m))

    def show(self, position: int, label: int) -> None:
        """Let a position show a relative label."""
        self.base[position] = (label + int(self.shifts[position])) % self.n_classes

    def show_all(self, members: Ints, label: Ints | int) -> None:
        """Let positions show a relative label."""
        labels = np.broadcast_to(np.asarray(label, np.int64), members.shape)
        self.base[members] = self.actual(members, labels)

    def settle(self, position: int, label: int, certain: bool) -> None:
        """Take a label as known."""
        self.label[position] = label
        self.certain[position] = certain
        self.show(position, label)


def ask_round(board: Board, rnd: Round) -> Asking[Ints]:
    """Ask all rows of a round; return the values of its coins."""
    counts = []
    rnd.close(board.actual, board.base)
    for x in range(rnd.size):
        query = rnd.row(x)
        extra = rnd.extra(query)
        matches = yield query
        counts.append(matches + extra)
    return rnd.read(counts)
