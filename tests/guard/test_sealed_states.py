"""Sealed states of rules in the ledger: kept where nothing can change, afresh elsewhere."""

import numpy as np
import pytest

from holdfast.guard import Guard, Policy

N = 60


def sealed_after_each_look(rule, ledger_url, looks=3):
    """Return the stored state after each of some looks that score the same, by one team."""
    labels = np.zeros(N, dtype=int)
    guard = Guard(labels, Policy(rule), ledger_url, n_classes=3, create=True)
    found = []
    for look in range(looks):
        guess = np.ones(N, dtype=int)
        guess[look] = 0
        guard.score(guess, team="blue")
        with guard.ledger.storage.reading() as transaction:
            found += [state.sealed for state in transaction.states()]
    assert guard.ledger.verify().ok
    return found


@pytest.mark.parametrize("rule", ["exact", "round:2", "gaussian:0.1"])
def test_a_rule_that_keeps_no_state_is_sealed_once(rule, ledger_url):
    assert len(set(sealed_after_each_look(rule, ledger_url))) == 1


@pytest.mark.parametrize("rule", ["ladder:0.5", "improved", "rank"])
def test_equal_bytes_never_tell_that_a_state_did_not_change(rule, ledger_url):
    assert len(set(sealed_after_each_look(rule, ledger_url))) == 3


def test_the_head_of_several_entries_in_one_transaction_is_the_last_one(ledger_url):
    guard = Guard(np.zeros(N, dtype=int), Policy("exact"), ledger_url, n_classes=3, create=True)
    looks = []
    for look in range(4):
        guess = np.ones(N, dtype=int)
        guess[look] = 0
        looks.append(guard.prepare(guess, team=f"team {look}"))
    with guard.ledger.storage.writing() as transaction:
        for look in looks:
            guard.take(transaction, look)
    entries = guard.ledger.entries()
    with guard.ledger.storage.reading() as transaction:
        head = transaction.head()
    assert (head.number, head.hash) == (entries[-1].number, entries[-1].hash)
    assert len([entry for entry in entries if entry.kind == "look"]) == 4
    assert guard.ledger.verify().ok
