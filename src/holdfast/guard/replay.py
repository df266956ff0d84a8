"""Replay of recorded looks under another release rule, for the owner of the labels."""

from __future__ import annotations

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
from holdfast.protocols import Answer

__all__ = ["replay"]

# Any fixed number: the same looks give the same replay.
SEED = 0x72657031


def replay(
    guard: Guard, ledger: Transaction, looks: Iterable[Entry], policy: Policy
) -> Iterator[tuple[Entry, Answer | None]]:
    """Yield what each look would have been told under another policy's rule and memory.

    The looks are those that were taken, as if nobody had asked otherwise. Nothing is recorded.
    What a look shows, metric and breakdown, stays the guard's own.

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
    # Digits enough to tell every count apart are exact scores under another name.
    told = rule.shows == "scores" and not rule.adds_noise
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
        scope = look.team if policy.memory == "team" else ""
        answers, states[scope] = shown.release(
            found.labels, found.order, query, states.get(scope), remembered, rng
        )
        yield look, answers[-1].numbers if answers else None
