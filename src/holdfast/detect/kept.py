"""Looks whose predictions a board's ledger keeps."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from holdfast.detect.looks import Look
from holdfast.errors import InvalidInput
from holdfast.guard.entry import Entry
from holdfast.guard.guard import Guard
from holdfast.guard.storage import Storage
from holdfast.labels import Labels

__all__ = ["kept_looks"]


def kept_looks(guard: Guard, storage: Storage, looks: Iterable[tuple[str, Entry]]) -> list[Look]:
    """Return the looks of a board, each with the name of its team, that can be read again.

    Each is read in a view of its own when it is needed, never in a look's transaction.

    Parameters
    ----------
    guard
        Whose looks they are; it must keep predictions.
    storage
        Where its ledger lies.
    looks
        Teams and entries, in the order of the entries.
    """
    if not guard.keeps:
        raise InvalidInput(
            "a board's submissions are kept where its labels have a private part; here they are "
            "not. Give holdfast detect the files that were sent."
        )
    found = []
    for team, entry in looks:
        if entry.data_set == guard.data_set:
            found.append(Look(team, f"entry {entry.number}", partial(_read, guard, storage, entry)))
    return found


def _read(guard: Guard, storage: Storage, entry: Entry) -> Labels:
    with storage.reading() as ledger:
        return np.ascontiguousarray(guard.kept_prediction(ledger, entry))
