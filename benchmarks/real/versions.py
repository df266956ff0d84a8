"""Versions of plays: whether a kept game would be played otherwise today."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from holdfast.attacks.registry import attack_type
from holdfast.errors import InvalidInput
from holdfast.sweeps.cells import Cell, address
from holdfast.sweeps.references import digest

__all__ = ["is_of_today", "versions_of"]


def versions_of(attack: str | None) -> dict[str, int]:
    """Return today's versions of the attacks that one or several names say, but for the first.

    >>> versions_of("block-majority, auto")
    {'auto': 2}
    """
    found = {}
    for name in (attack or "").split(", "):
        with suppress(InvalidInput):  # what there is no more
            found[name] = attack_type(name).results
    return {name: version for name, version in found.items() if version > 1}


def is_of_today(row: Mapping[str, Any]) -> bool:
    """Tell whether a sweep would give a cell the row's address today.

    The address has the attack's version in it, which the row does not tell.
    """
    labels = _digest(row["labels"])
    cell = Cell(*(row[name] for name in Cell._fields))
    return labels is None or address(cell, {row["labels"]: labels}) == row["address"]


@lru_cache(maxsize=64)
def _digest(path: str) -> str | None:
    return digest(path)
