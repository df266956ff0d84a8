"""Looks whose predictions a ledger keeps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from holdfast.detect.looks import Look
from holdfast.detect.reading import as_judged
from holdfast.errors import InvalidInput
from holdfast.guard.guard import Guard
from holdfast.labels import Labels
from holdfast.ledger.entry import Entry
from holdfast.ledger.storage import Storage

__all__ = ["kept_looks"]


def kept_looks(
    guard: Guard, storage: Storage, name_of: Callable[[str], str | None] = str
) -> list[Look]:
    """Return the looks at a guard's labels that can be read again, in the order of the ledger.

    Each is read in a view of its own when it is needed, never in a look's transaction.

    Parameters
    ----------
    guard
        Whose looks they are; it must keep predictions.
    storage
        Where its ledger lies.
    name_of
        What a team of the ledger is called; None: its looks are none of these.
    """
    if not guard.keeps:
        raise InvalidInput(
            "a board's submissions are kept where its labels have a private part; here they are "
            "not. Give holdfast detect the files that were sent."
        )
    with storage.reading() as ledger:
        found = [
            each
            for each in ledger.entries()
            if each.kind == "look" and each.data_set == guard.data_set
        ]
    names = {team: name_of(team) for team in dict.fromkeys(each.team for each in found)}
    return [
        Look(name, f"entry {each.number}", partial(_read, guard, storage, each))
        for each in found
        if (name := names[each.team]) is not None
    ]


def _read(guard: Guard, storage: Storage, entry: Entry) -> Labels:
    with storage.reading() as ledger:
        kept = guard.kept_prediction(ledger, entry)
    return np.ascontiguousarray(as_judged(kept, guard.policy.display.metric))
