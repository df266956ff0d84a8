"""A label set as a ledger knows it: one data set under every name that the labels can have.

Labels with ids have two names: one by id, the same for any order of the rows, and one by their
order, which is all that the same labels have when they come without ids, and all that format 1
knew. Whichever is met first is the data set; the other is linked to it, under its own key, with the
order that the data set's looks are in. So neither a new order nor missing ids renew a budget.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput, LedgerError
from holdfast.guard.entry import VERSION, Draft, Entry, looks_spent, looks_spent_by_all
from holdfast.guard.fingerprint import Fingerprint, coding, fingerprint
from holdfast.guard.ids import order_by_id
from holdfast.guard.ledger import append, data_set_detail, state_digest
from holdfast.guard.sealing import seal, unseal
from holdfast.guard.storage import Transaction
from holdfast.guard.storage.contract import StoredState
from holdfast.guard.team import spelling_key, team_key
from holdfast.guard.windows import Microseconds
from holdfast.labels import Labels

__all__ = ["DataSet", "Name", "charge", "find", "names_of", "owners_of", "record", "settle"]

# Where a rule's state would stand, a linked name keeps what it leads to.
LINK_RULE = "link"

# A permutation of the examples; None: they stay as they are.
Order = NDArray[Any] | None


@dataclass(frozen=True, eq=False)
class Name:
    """A name of a label set, its key, and in which order of the given examples it stands."""

    owner: Fingerprint
    order: Order = None


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """What a ledger has recorded about a label set, or will.

    Attributes
    ----------
    owner
        The name under which its looks are recorded, and the key.
    labels
        The labels in the order of those looks.
    order
        Where each of them stands among the given examples.
    opening
        What the data set's first entry says.
    known
        Whether the ledger has it.
    settled
        Whether the ledger has all its names, so that nothing is to be recorded before a look.
    spellings
        The teams of a ledger's older format by key, as they are written there.
    """

    owner: Fingerprint
    labels: Labels
    order: Order
    opening: str
    known: bool
    settled: bool
    spellings: Mapping[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        """The data set's name in the ledger."""
        return self.owner.data_set

    def team(self, name: str) -> str:
        """Return how the ledger writes a team, or raise `InvalidInput` for what is no name."""
        key = spelling_key(name) if isinstance(name, str) else ""
        written = self.spellings.get(key, ())
        return written[0] if name in written else self.written(team_key(name))

    def written(self, key: str) -> str:
        """Return how the ledger writes the team with this key."""
        return self.spellings.get(key, (key,))[0]

    def in_order(self, query: Labels) -> Labels:
        """Return predictions for the given examples in the data set's order."""
        return query if self.order is None else query[self.order]


def names_of(labels: Labels, ids: object | None, salt: bytes) -> list[Name]:
    """Return the names that a label set can have in a ledger, the better one first."""
    names = [Name(fingerprint(labels, salt))]
    if ids is not None:
        ordered, order = order_by_id(ids, len(labels))
        by_id = fingerprint(labels[order], salt, ids=ordered)
        names.insert(0, Name(by_id, _unless_trivial(order)))
    return names


def owners_of(ledger: Transaction, names: Sequence[Name]) -> tuple[Fingerprint, ...]:
    """Return every fingerprint under which a label set's owner has signed entries.

    A link that was edited leads nowhere here: it is for the check of the ledger to say so.
    """
    owners = [name.owner for name in names]
    for name in names:
        with suppress(LedgerError):
            place = _follow(ledger, name)
            owners += [] if place is None else [place.owner]
    return tuple(owners)


def find(ledger: Transaction, names: Sequence[Name], labels: Labels, n_classes: int) -> DataSet:
    """Return the data set that one of the names leads to; else what the first will open."""
    places = [_follow(ledger, name) for name in names]
    known = [place for place in places if place is not None]
    best = known[0] if known else names[0]
    ordered = labels if best.order is None else labels[best.order]
    check = coding(ordered, best.owner.key)
    opening = {"n_examples": len(labels), "n_classes": n_classes, "coding": check}
    found = DataSet(
        owner=replace(best.owner, coding=check),
        labels=ordered,
        order=best.order,
        opening=json.dumps(opening),
        known=bool(known),
        settled=False,
        spellings=_spellings(ledger, best.owner.data_set),
    )
    complete = len({place.owner.data_set for place in known}) == 1 and len(known) == len(names)
    settled = (
        complete
        and ledger.version() == VERSION
        and ledger.opened(found.name) == found.opening
        and not any(True for _ in _unmerged(ledger, found))
    )
    return replace(found, settled=settled)


def settle(
    ledger: Transaction,
    names: Sequence[Name],
    labels: Labels,
    n_classes: int,
    now: Microseconds,
) -> DataSet:
    """Record whatever the ledger does not know about a label set yet, and return its data set.

    Raises
    ------
    InvalidInput
        The ledger knows the labels under another number of classes, or other class numbers.
    """
    found = find(ledger, names, labels, n_classes)
    if found.settled:
        return found
    places = [_follow(ledger, name) for name in names]
    # Everything is checked before anything is written.
    for place in places:
        if place is not None:
            _check_opening(ledger, place, labels, n_classes)
    if ledger.version() != VERSION:
        _upgrade(ledger, now)
        found = replace(found, spellings=_spellings(ledger, found.name))
    if not found.known:
        record(ledger, found.owner, "opened", "", now, detail=found.opening)
    here = Name(found.owner, found.order)
    for name, place in zip(names, places, strict=True):
        there = name if place is None else place
        if there.owner.data_set == found.name:
            continue
        if place is not None:
            _carry(ledger, place, found, now)
        _link(ledger, there, here, now)
    for entry, team in list(_unmerged(ledger, found)):
        _count_again(ledger, found, "merged", entry, team, now, scope=entry.scope)
    return replace(found, known=True, settled=True)


def record(
    ledger: Transaction,
    owner: Fingerprint,
    kind: Any,
    team: str,
    now: Microseconds,
    *,
    prediction: str = "",
    rule: str = "",
    policy: str = "",
    released: str | None = None,
    state: str = "",
    scope: str = "",
    detail: str = "",
) -> Entry:
    """Append an entry about a data set, with the counts that follow from the ones before it."""
    draft = Draft(
        kind=kind,
        data_set=owner.data_set,
        team=team,
        time=now,
        prediction=prediction,
        rule=rule,
        policy=policy,
        released=released,
        state=state,
        scope=scope,
        team_looks=ledger.team_past(owner.data_set, team).looks + looks_spent(kind),
        data_set_looks=ledger.data_set_looks(owner.data_set) + looks_spent_by_all(kind),
        detail=detail,
    )
    return append(ledger, draft, owner.key)


def _follow(ledger: Transaction, name: Name) -> Name | None:
    """Return the data set that a name leads to; None: the ledger does not know it."""
    passed = set()
    while True:
        detail = data_set_detail(ledger, name.owner.data_set)
        if detail is None:
            return None
        if "linked_to" not in detail:
            return name
        passed.add(name.owner.data_set)
        sealed = ledger.state(name.owner.data_set, "", LINK_RULE)
        if sealed is None or detail["linked_to"] in passed:
            raise LedgerError("a data set's link in the ledger was edited; nothing was released.")
        link = unseal(sealed, name.owner.key)
        key = bytes.fromhex(str(link["key"]))
        order = _composed(name.order, _decoded(link["order"]))
        name = Name(Fingerprint(str(link["data_set"]), "", key), order)


def _link(ledger: Transaction, there: Name, here: Name, now: Microseconds) -> None:
    """Let one name lead to another."""
    link = {
        "data_set": here.owner.data_set,
        "key": here.owner.key.hex(),
        "order": _encoded(_composed(_inverse(there.order), here.order)),
    }
    sealed = seal(link, there.owner.key)
    record(
        ledger,
        there.owner,
        "linked",
        "",
        now,
        rule=LINK_RULE,
        state=state_digest(sealed),
        detail=json.dumps({"linked_to": here.owner.data_set}),
    )
    ledger.put_state(StoredState(there.owner.data_set, "", LINK_RULE, sealed))


def _carry(ledger: Transaction, place: Name, found: DataSet, now: Microseconds) -> None:
    """Count the looks again that were spent on the same examples as another data set."""
    for entry in ledger.spent(place.owner.data_set):
        # A history of its own: its answers did not depend on those that this data set gave.
        scope = f"{place.owner.data_set[:16]} {entry.scope}"
        team = found.written(spelling_key(entry.team))
        _count_again(ledger, found, "carried", entry, team, now, scope=scope)


def charge(ledger: Transaction, found: DataSet, team: str, other: str, now: Microseconds) -> int:
    """Count another team's looks as a team's own, since it now knows what they told."""
    counted = 0
    for entry in ledger.spent_by(found.name, other):
        look: Entry | None = entry
        if entry.kind in ("merged", "charged"):  # the look itself, which was paid for
            look = ledger.entry(int(entry.detail.partition("-")[0]))
        if look is not None and spelling_key(look.team) != spelling_key(team):
            _count_again(ledger, found, "charged", look, team, now, scope=look.scope)
            counted += 1
    return counted


def _count_again(
    ledger: Transaction,
    found: DataSet,
    kind: Any,
    entry: Entry,
    team: str,
    now: Microseconds,
    *,
    scope: str,
) -> None:
    record(
        ledger,
        found.owner,
        kind,
        team,
        now,
        prediction=entry.prediction,
        rule=entry.rule,
        policy=entry.policy,
        released=entry.released,
        scope=scope,
        detail=entry.receipt_id,
    )


def _check_opening(ledger: Transaction, place: Name, labels: Labels, n_classes: int) -> None:
    recorded = data_set_detail(ledger, place.owner.data_set) or {}
    if recorded.get("n_classes") != n_classes:
        raise InvalidInput(
            f"n_classes must be {recorded.get('n_classes')}, as recorded for this data set, "
            f"got {n_classes}."
        )
    ordered = labels if place.order is None else labels[place.order]
    if recorded.get("coding") != coding(ordered, place.owner.key):
        raise InvalidInput(
            "labels must number the classes as they did at the first look: these are the "
            "same examples under other class numbers."
        )


def _upgrade(ledger: Transaction, now: Microseconds) -> None:
    """Go on in the present format; programs that know only the older one then refuse."""
    detail = json.dumps({"from": ledger.version(), "to": VERSION})
    ledger.set_version(VERSION)
    ledger.make_room_for_predictions()
    draft = Draft("upgraded", "", "", now, "", "", "", None, "", "", 0, 0, detail)
    # About no data set, so nobody's key signs it.
    ledger.append(draft.after(ledger.head()))


def _spellings(ledger: Transaction, data_set: str) -> dict[str, tuple[str, ...]]:
    """Return how an older format wrote the teams of a data set, by key, oldest first."""
    end = ledger.upgraded()
    if end is None:
        if ledger.version() == VERSION:
            return {}
        end = ledger.head().number + 1
    found: dict[str, tuple[str, ...]] = {}
    for team in ledger.spellings(data_set, end):
        key = spelling_key(team)
        found[key] = (*found.get(key, ()), team)
    return found


def _unmerged(ledger: Transaction, found: DataSet) -> Iterator[tuple[Entry, str]]:
    """Yield the looks under a team's further spellings that don't count under its first yet."""
    further = {
        spelling: written[0]
        for written in found.spellings.values()
        for spelling in written[1:]
        # Counted first, by the index, since the looks themselves may be many.
        if ledger.team_past(found.name, spelling).looks
    }
    done = {team: ledger.merged(found.name, team) for team in set(further.values())}
    expected = sum(ledger.team_past(found.name, spelling).looks for spelling in further)
    if sum(map(len, done.values())) == expected:
        return
    for entry in ledger.spent(found.name):
        team = further.get(entry.team)
        if team is not None and entry.receipt_id not in done[team]:
            yield entry, team


def _unless_trivial(order: NDArray[Any]) -> Order:
    return None if np.array_equal(order, np.arange(order.size)) else order


def _composed(first: Order, second: Order) -> Order:
    """Return the order that comes of applying one and then the other."""
    if first is None or second is None:
        return second if first is None else first
    return _unless_trivial(first[second])


def _inverse(order: Order) -> Order:
    if order is None:
        return None
    inverse = np.empty_like(order)
    inverse[order] = np.arange(order.size)
    return inverse


def _encoded(order: Order) -> str | None:
    if order is None:
        return None
    return base64.b85encode(zlib.compress(order.astype("<u4").tobytes(), 1)).decode()


def _decoded(text: object) -> Order:
    if text is None:
        return None
    content = zlib.decompress(base64.b85decode(str(text)))
    return np.frombuffer(content, "<u4").astype(np.intp)
