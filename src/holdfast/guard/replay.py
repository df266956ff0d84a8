"""Replay of recorded looks under another release rule, for whoever hosts a board.

Rules tell different things about one score, and several of them together tell it exactly: steps of
many widths that overlap, or two scales of the same noise. So what is replayed is never the score
itself, but that of the prediction with a few rows changed: which ones, and how many, is drawn once
for each prediction, under the key of the labels. Whatever is asked, in whatever order, is told of
that prediction alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, LedgerError
from holdfast.guard.budget import memory_budget
from holdfast.guard.entry import Entry
from holdfast.guard.guard import Guard
from holdfast.guard.kept_predictions import unpacked
from holdfast.guard.policy import Policy
from holdfast.guard.storage import Transaction
from holdfast.labels import Labels
from holdfast.protocols import Answer

__all__ = ["replay"]

# Any fixed number: the same looks give the same replay.
SEED = 0x72657031
# By how many examples a replayed score is off, as a standard deviation: whoever takes it for the
# exact one is right in one of ten looks.
EXAMPLES_OFF = 4.0


def replay(
    guard: Guard, ledger: Transaction, looks: Iterable[Entry], policy: Policy
) -> Iterator[tuple[Entry, Answer | None]]:
    """Yield what each look would have been told under another policy's rule and memory.

    The looks are those that were taken, as if nobody had asked otherwise. Nothing is recorded.
    What a look shows, metric and breakdown, stays the guard's own. Scores are off by a few
    examples, see above.

    Parameters
    ----------
    guard
        Whose looks they are; it must keep predictions.
    ledger
        An open transaction.
    looks
        Entries of answered looks, in order.
    policy
        The other policy. Its rule must not pass on exact scores.
    """
    rule = policy.mechanism
    if not guard.keeps:
        raise InvalidInput(
            "looks can be replayed where the labels have a private part: only then predictions "
            "are kept."
        )
    # Digits enough to tell every count apart, or noise too small to hide one example, are exact
    # scores under another name.
    told = rule.shows == "scores"
    smallest = min(guard.sizes)
    here = guard.problem._replace(n_examples=smallest)
    n_scored = rule.scored(here).n_examples
    if rule.keeps_exact or (told and rule.resolution(here) * n_scored <= 1.0):
        raise InvalidInput(f"rule must not release exact scores to be shown, got {policy.release}.")
    found, examples = guard._in_ledger.settled(), guard._examples
    remembered = guard.problem._replace(n_queries=memory_budget(policy))
    shown = guard.shown_under(policy)
    rng = np.random.default_rng(SEED)
    states: dict[str, Any] = {}
    for look in looks:
        sealed = ledger.prediction(look.data_set, look.prediction)
        if sealed is None:
            raise LedgerError(f"the prediction of look {look.receipt_id} is not in the ledger.")
        named = unpacked(sealed, found.owner.key, look.prediction, *guard.kept_as)
        query = found.in_order(examples.scored(guard.as_given(named)))
        query = _moved(query, found.labels, guard.problem.n_classes, found.owner.key)
        scope = look.team if policy.memory == "team" else ""
        answers, states[scope] = shown.release(
            found.labels, found.order, query, states.get(scope), remembered, rng
        )
        yield look, answers[-1].numbers if answers else None


def _moved(query: Labels, labels: Labels, n_classes: int, key: bytes) -> Labels:
    """Return a prediction with a few rows put right or wrong, always the same ones."""
    drawn = hashlib.blake2b(query.tobytes(), key=key, person=b"replay").digest()
    rng = np.random.default_rng(list(drawn))
    shift = round(rng.normal(scale=EXAMPLES_OFF))
    rows = np.flatnonzero((query == labels) == (shift < 0))
    rows = rng.permutation(rows)[: abs(shift)]
    moved = np.array(query)
    moved[rows] = labels[rows] if shift > 0 else (labels[rows] + 1) % n_classes
    return moved
