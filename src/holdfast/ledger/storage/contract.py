"""Questions to the storage of a ledger, and the records that answer them."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from holdfast.ledger.moments import Microseconds

__all__ = ["Past", "Question", "StoredState", "Tally"]

# A question of a transaction by name, with its parameters: ("opened", (data_set,)). A name that is
# none of the ledger's is a query in SQL, for tables that a caller keeps beside the ledger's.
Question: TypeAlias = tuple[str, tuple[Any, ...]]


class Past(NamedTuple):
    """What a team had spent at some point: how many looks, and when the last of them was."""

    looks: int
    last: Microseconds | None


class StoredState(NamedTuple):
    """A rule's sealed state, and whose it is."""

    data_set: str
    scope: str
    rule: str
    sealed: bytes


class Tally(NamedTuple):
    """How many looks, or failed submissions, a team has in one history, and when the last was.

    `charged` is 1 for those of another team that was merged with it: they tell it as much as its
    own, and count once for all teams together.
    """

    team: str
    rule: str
    scope: str
    kind: str
    charged: int
    looks: int
    last: Microseconds
    first: int
