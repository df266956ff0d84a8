"""Ledger entries: the fields that are hashed, and the hash chain over them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias

from holdfast.ledger.moments import Microseconds, is_moment
from holdfast.ledger.sealing import sign

__all__ = [
    "VERSION",
    "Draft",
    "Entry",
    "Head",
    "Kind",
    "first_hash",
    "looks_spent",
    "looks_spent_by_all",
    "wrong_kinds",
]

# opened: a data set seen for the first time, or told more of; linked: another name of a data set,
# such as its labels without ids; look: an answer; failed: a submission that cost a look and got no
# number, since it could not be scored, or, if it names its prediction, since a metric has no value
# for it; refused: one that could not be scored and cost nothing; answer: what an earlier look
# learns when its batch is full; choice: a look named for the final result; closed: the final
# ranking on the private part; carried: a look on a data set that turned out to be this one, as
# earlier versions counted it; charged: one of another team, which has been merged with this one;
# host: what a host did, such as putting another policy in force.
Kind: TypeAlias = Literal[
    "opened",
    "linked",
    "look",
    "failed",
    "refused",
    "answer",
    "choice",
    "closed",
    "carried",
    "charged",
    "host",
]

# The one format that is written and read; format 1 was written by version 0.1 alone.
VERSION: Final = 2
FORMAT: Final = f"holdfast-ledger-{VERSION}"


@dataclass(frozen=True)
class Head:
    """The end of the chain: how many entries, the last one's hash, and its time."""

    number: int
    hash: str
    time: Microseconds


@dataclass(frozen=True)
class Draft:
    """An entry before it has a place in the chain.

    `released` is the text of the released number, so that every storage gives it back digit for
    digit, or of several by name, as a JSON object; `state` is the digest of the sealed state
    after this look; `team_looks` and `data_set_looks` count what has been spent, this entry
    included.
    """

    kind: Kind
    data_set: str
    team: str
    time: Microseconds
    prediction: str
    rule: str
    policy: str
    released: str | None
    state: str
    scope: str
    team_looks: int
    data_set_looks: int
    detail: str

    def after(self, head: Head, key: bytes | None = None) -> Entry:
        """Return the entry that follows `head`, signed if there is a key."""
        values = {name: getattr(self, name) for name in DRAFT_FIELDS}
        number = head.number + 1
        place = [FORMAT, number, head.hash]
        content = json.dumps([*place, *values.values()], separators=(",", ":"))
        digest = hashlib.sha256(content.encode()).hexdigest()
        signature = "" if key is None else sign(digest, key)
        return Entry(**values, number=number, previous=head.hash, hash=digest, signature=signature)


NUMBER_FIELDS: Final = ("number", "time", "team_looks", "data_set_looks")
TEXT_FIELDS: Final = (
    "previous", "hash", "signature", "kind", "data_set", "team", "prediction", "rule", "policy",
    "state", "scope", "detail",
)  # fmt: skip
DRAFT_FIELDS = tuple(f.name for f in fields(Draft))


@dataclass(frozen=True)
class Entry(Draft):
    """An entry in the chain, signed by the owner of the labels."""

    number: int
    previous: str
    hash: str
    signature: str

    @property
    def draft(self) -> Draft:
        """What the hash is over, besides the place in the chain."""
        return Draft(**{name: getattr(self, name) for name in DRAFT_FIELDS})

    @property
    def receipt_id(self) -> str:
        """A name for this entry that fixes its whole past: place and hash."""
        return f"{self.number}-{self.hash[:32]}"


def wrong_kinds(entry: Entry) -> list[str]:
    """Return which fields hold a value of a kind, or a moment, that no writer puts there.

    A database keeps values of any kind in any column if somebody puts them there.
    """
    wrong = [name for name in NUMBER_FIELDS if type(getattr(entry, name)) is not int]
    wrong += [name for name in TEXT_FIELDS if not isinstance(getattr(entry, name), str)]
    released: object = entry.released
    if not isinstance(released, str | None):
        wrong.append("released")
    if not wrong and not is_moment(entry.time):
        wrong.append("time")
    return wrong


def looks_spent(kind: Kind) -> int:
    """Return how many looks an entry of this kind costs its team.

    >>> looks_spent("failed"), looks_spent("refused")
    (1, 0)
    """
    return int(kind in ("look", "failed", "carried", "charged"))


def looks_spent_by_all(kind: Kind) -> int:
    """Return how many looks an entry of this kind costs the data set; some have been paid before.

    >>> looks_spent_by_all("carried"), looks_spent_by_all("charged")
    (1, 0)
    """
    return int(kind in ("look", "failed", "carried"))


def first_hash(salt: bytes) -> str:
    """Return what the first entry of a ledger follows."""
    return hashlib.sha256(FORMAT.encode() + salt).hexdigest()
