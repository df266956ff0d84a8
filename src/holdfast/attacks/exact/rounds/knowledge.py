"""Labels known so far, and the label that every position shows when it is not in play."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.rounds.kernels import Ints
from holdfast.attacks.exact.rounds.layout import Round
from holdfast.labels import label_dtype

__all__ = ["Asking", "LabelKnowledge", "ask_round"]

Result = TypeVar("Result")

Asking = Generator[NDArray[Any], int, Result]
"""Yields queries, is sent match counts, returns what it found."""


class LabelKnowledge:
    """What is known of the hidden labels, all relative to the per-example shift.

    Attributes
    ----------
    label
        The label of every position as far as it is known or presumed, else -1.
    certain
        Whether that label follows from the answers.
    guess
        The label to predict where none is known.
    base
        What every position shows unless a block lets it show another label; in the host's terms.
    looks
        Looks that may still be taken.

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


def ask_round(knowledge: LabelKnowledge, rnd: Round, base_count: int | None = None) -> Asking[Ints]:
    """Ask all rows of a round; return the values of its blocks, in the order of `rnd.tags`.

    Row 0 shows every position's base label. It is not asked if its count is known beforehand:
    `base_count`.
    """
    counts = [] if base_count is None else [base_count]
    rnd.close(knowledge.actual, knowledge.base)
    for x in range(len(counts), rnd.size):
        query = rnd.row(x)
        extra = rnd.extra(query)
        matches = yield query
        counts.append(matches + extra)
    return rnd.read(counts)
