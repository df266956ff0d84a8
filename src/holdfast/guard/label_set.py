"""Label sets, and every name by which a ledger can know them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.guard.fingerprint import coding, fingerprint, has_negative_zeros
from holdfast.guard.ids import order_by_id
from holdfast.labels import Labels
from holdfast.ledger.sealing import Fingerprint

__all__ = ["LabelSet", "Name", "Order", "Within"]

# A permutation of the examples; None: they stay as they are.
Order: TypeAlias = NDArray[Any] | None


@dataclass(frozen=True, eq=False)
class Name:
    """A name that a label set has or had, its key, and its order of the given examples.

    Attributes
    ----------
    owner
        The name and the key.
    order
        The order of the scored examples.
    whole
        The order of the whole test set, where that is more.
    by_id
        Whether these orders are those of the ids.
    former
        Whether only earlier versions gave it: a data set may have been opened under it.
    """

    owner: Fingerprint
    order: Order = None
    whole: Order = None
    by_id: bool = False
    former: bool = False


@dataclass(frozen=True, eq=False)
class Within:
    """The test set of which the scored examples are a part: its ids or None, and their rows.

    `keeps` tells whether predictions about all of it are kept.
    """

    n_examples: int
    ids: object | None
    rows: NDArray[Any]
    keeps: bool


class LabelSet:
    """The labels that looks are scored on, with every name that a ledger can know them by.

    Parameters
    ----------
    labels
        The scored labels, in the order of the file.
    n_classes
        Their number of classes.
    ids
        One distinct id per example; None: they are known by their order.
    salt
        The ledger's salt.
    within
        What they are a part of; None: they are the whole test set.
    told_by_ids
        Whether their ids alone tell which rows they are, as those of one part of a test set do,
        whatever labels another part has. If not, labels that are equal row for row to those of a
        data set under other ids are taken for the same rows with new ids.
    tasks
        The range of an outcome, where the labels are hidden bits of tasks, which nobody guesses;
        None: they are labels.
    """

    def __init__(
        self,
        labels: Labels,
        n_classes: int,
        ids: object | None,
        salt: bytes,
        within: Within | None = None,
        *,
        told_by_ids: bool = False,
        tasks: tuple[float, float] | None = None,
    ) -> None:
        self.labels, self.n_classes, self.tasks = labels, n_classes, tasks
        self.told_by_ids = told_by_ids and ids is not None
        self._ids, self._salt, self._within = ids, salt, within
        self.names = self._names()
        if has_negative_zeros(labels) or not _composed(ids, len(labels)):
            known = {name.owner.data_set for name in self.names}
            former = self._names(former=True)
            self.names += [name for name in former if name.owner.data_set not in known]

    def _names(self, *, former: bool = False) -> list[Name]:
        """Return the name by id, if there are ids, and the one by order; as they are, or were."""
        canonical = not former
        owner = fingerprint(self.labels, self._salt, canonical=canonical)
        names = [Name(owner, former=former)]
        if self._ids is not None:
            ordered, order = order_by_id(self._ids, len(self.labels), composed=canonical)
            owner = fingerprint(self.labels[order], self._salt, ids=ordered, canonical=canonical)
            whole = None
            if self._within is not None:
                n, ids = self._within.n_examples, self._within.ids
                _, whole = order_by_id(ids, n, composed=canonical)
            names.insert(0, Name(owner, _unless_trivial(order), whole, by_id=True, former=former))
        return names

    def opening(self, name: Name) -> dict[str, Any]:
        """Return what the entry says that opens a data set under a name."""
        labels = self.labels if name.order is None else self.labels[name.order]
        told: dict[str, Any] = {
            "n_examples": len(labels),
            "n_classes": self.n_classes,
            "coding": coding(labels, name.owner.key),
        }
        if self._within is not None and self._within.keeps:
            told["rows"] = _rows_check(self._within, name)
        if self.tasks is not None:
            told["tasks"] = [float(end) for end in self.tasks]
        return told


def _rows_check(within: Within, name: Name) -> str:
    """Return a check of where the scored examples stand in the whole test set.

    It says nothing without the key. Kept predictions are about the whole test set, and would be
    read wrongly if its other rows stood elsewhere.
    """
    digest = hashlib.blake2b(key=name.owner.key, digest_size=8, person=b"rows")
    scored = np.zeros(within.n_examples, dtype=np.bool_)
    scored[within.rows] = True
    if name.by_id:
        ordered, _ = order_by_id(within.ids, within.n_examples, composed=not name.former)
        digest.update(f"{ordered.dtype.str} ".encode() + ordered.tobytes())
    digest.update((scored if name.whole is None else scored[name.whole]).tobytes())
    return digest.hexdigest()


def _composed(ids: object | None, n_examples: int) -> bool:
    """Tell whether ids, if there are any, are in Unicode's composed form as they are."""
    if ids is None:
        return True
    composed, _ = order_by_id(ids, n_examples)
    plain, _ = order_by_id(ids, n_examples, composed=False)
    return np.array_equal(composed, plain)


def _unless_trivial(order: NDArray[Any]) -> Order:
    return None if np.array_equal(order, np.arange(order.size)) else order
