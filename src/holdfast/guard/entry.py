"""Ledger entries: the fields that are hashed, and the hash chain over them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias

from holdfast.guard.sealing import sign
from holdfast.guard.windows import Microseconds

__all__ = [
    "READABLE_VERSIONS",
    "VERSION",
    "Draft",
    "Entry",
    "Head",
    "Kind",
    "first_hash",
    "looks_spent",
    "looks_spent_by_all",
]

# upgraded: the ledger goes on in a newer format; opened: a data set seen for the first time;
# linked: another name of a data set, such as its labels in another order; look: an answer; failed:
# a submission that could not be scored and was charged; refused: one that could not be scored and
# cost nothing; answer: what an earlier look learns when its batch is full; choice: a look named for
# the final result; closed: the final ranking on the private part; merged: an earlier look on this
# data set under another spelling of the team's name; carried: one on a data set that turned out to
# be this one; charged: one of another team, which has been merged with this one; host: what a host
# did, such as putting another policy in force.
Kind: TypeAlias = Literal[
    "upgraded",
    "opened",
    "linked",
    "look",
    "failed",
    "refused",
    "answer",
    "choice",
    "closed",
    "merged",
    "carried",
    "charged",
    "host",
]

# Format 1 knew a team by the letters of its name and labels by their order alone.
VERSION: Final = 2
READABLE_VERSIONS: Final = (1, 2)


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

    def after(self, head: Head, key: bytes | None = None, *, version: int = VERSION) -> Entry:
        """Return the entry that follows `head` in a format, signed if there is a key."""
        values = {name: getattr(self, name) for name in DRAFT_FIELDS}
        number = head.number + 1
        place = [_format(version), number, head.hash]
        content = json.dumps([*place, *values.values()], separators=(",", ":"))
        digest = hashlib.sha256(content.encode()).hexdigest()
        signature = "" if key is None else sign(digest, key)
        return Entry(**values, number=number, previous=head.hash, hash=digest, signature=signature)


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


def looks_spent(kind: Kind) -> int:
    """Return how many looks an entry of this kind costs its team.

    >>> looks_spent("failed"), looks_spent("refused")
    (1, 0)
    """
    return int(kind in ("look", "failed", "merged", "carried", "charged"))


def looks_spent_by_all(kind: Kind) -> int:
    """Return how many looks an entry of this kind costs the data set; some have been paid before.

    >>> looks_spent_by_all("carried"), looks_spent_by_all("merged")
    (1, 0)
    """
    return int(kind in ("look", "failed", "carried"))


def first_hash(salt: bytes, version: int = VERSION) -> str:
    """Return what the first entry of a ledger follows that was made in a format."""
    return hashlib.sha256(_format(version).encode() + salt).hexdigest()


def _format(version: int) -> str:
    return f"holdfast-ledger-{version}"
