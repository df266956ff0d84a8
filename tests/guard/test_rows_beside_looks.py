"""A caller's own rows and a look are one transaction, on both databases."""

import threading

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, InvalidQuery
from holdfast.guard import Guard, Policy
from tests.guard.test_guard import LABELS, guard_for, other

TABLE = "CREATE TABLE sent (id TEXT PRIMARY KEY, entry BIGINT NOT NULL, note TEXT, body BYTEA)"
FIND = "SELECT entry FROM sent WHERE id = ?"


def with_table(url, **settings):
    guard = guard_for(url, **settings)
    with guard.ledger.storage.writing() as transaction:
        transaction.execute(TABLE)
    return guard


def sent(guard):
    with guard.ledger.storage.reading() as transaction:
        return transaction.rows("SELECT id, entry, note, body FROM sent ORDER BY entry, id")


def look(guard, key, prediction, team="blue", fail=False):
    """Score with an idempotency key, as a server does."""

    def before(transaction):
        rows = transaction.rows(FIND, (key,))
        return transaction.entry(rows[0][0]) if rows else None

    def inside(transaction, entry, receipt):
        transaction.execute(
            "INSERT INTO sent VALUES (?, ?, ?, ?)", (key, entry.number, None, b"\0" + key.encode())
        )
        if fail:
            raise RuntimeError("the caller's own trouble")
        assert receipt.receipt_id == entry.receipt_id

    ahead = [(FIND, (key,))]
    return guard.score(prediction, team=team, before=before, inside=inside, ahead=ahead)


def test_a_look_and_its_row_are_recorded_together(ledger_url):
    guard = with_table(ledger_url)
    receipt = look(guard, "a", other(1))
    number = int(receipt.receipt_id.split("-")[0])
    assert sent(guard) == [("a", number, None, b"\0a")]
    assert guard.ledger.verify(receipts=[receipt.receipt_id]).ok


def test_a_row_that_fails_takes_the_look_with_it(ledger_url):
    guard = with_table(ledger_url, looks_per_team=1)
    with pytest.raises(RuntimeError, match="own trouble"):
        look(guard, "a", other(1), fail=True)
    assert sent(guard) == []
    assert guard.allowance(team="blue")[0] == 1
    assert look(guard, "a", other(1)).looks_left == 0


def test_a_look_that_is_refused_leaves_no_row(ledger_url):
    guard = with_table(ledger_url, looks_per_team=1)
    look(guard, "a", other(1))
    with pytest.raises(BudgetExhausted):
        look(guard, "b", other(2))
    assert [row[0] for row in sent(guard)] == ["a"]


def test_a_key_is_answered_from_the_record_whatever_is_sent_with_it(ledger_url):
    guard = with_table(ledger_url, looks_per_team=2)
    first = look(guard, "a", other(1))
    again = look(guard, "a", other(2))
    assert again.repeated
    assert (again.receipt_id, again.released, again.looks_left) == (
        first.receipt_id,
        first.released,
        1,
    )
    assert len(sent(guard)) == 1


def test_a_repeated_prediction_under_another_key_gets_a_row_of_the_first_look(ledger_url):
    guard = with_table(ledger_url)
    first = look(guard, "a", other(1))
    assert look(guard, "b", other(1)).receipt_id == first.receipt_id
    assert [row[1] for row in sent(guard)] == [int(first.receipt_id.split("-")[0])] * 2


def test_a_key_of_an_earlier_rule_is_answered_under_that_rule(ledger_url):
    guard = with_table(ledger_url)
    first = look(guard, "a", np.arange(40) % 4 ^ (np.arange(40) < 1))
    coarse = Guard(LABELS, Policy("round:1"), guard.ledger)
    again = look(coarse, "a", LABELS)
    assert (again.released, again.receipt_id) == (first.released, first.receipt_id)


def test_a_key_finds_the_answer_that_a_batch_gave_later(ledger_url):
    guard = with_table(ledger_url, release="batch:2")
    assert look(guard, "a", other(1)).released is None
    look(guard, "b", other(2))
    assert look(guard, "a", other(1)).released == 9 / 40


def test_copies_of_one_key_at_once_are_one_look(ledger_url):
    guard = with_table(ledger_url, looks_per_team=50)
    receipts = []

    def send():
        receipts.append(look(Guard(LABELS, guard.policy, guard.ledger), "a", other(1)))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({receipt.receipt_id for receipt in receipts}) == 1
    assert [receipt.repeated for receipt in receipts].count(False) == 1
    assert len(guard.ledger.entries()) == 2


@pytest.mark.parametrize("failed", ["free", "look"])
def test_a_refusal_and_its_row_are_recorded_together(ledger_url, failed):
    guard = with_table(ledger_url, failed=failed, looks_per_team=2)

    def before(transaction):
        rows = transaction.rows(FIND, ("a",))
        return transaction.entry(rows[0][0]) if rows else None

    def inside(transaction, entry):
        transaction.execute(
            "INSERT INTO sent VALUES (?, ?, ?, ?)", ("a", entry.number, entry.kind, None)
        )

    for _ in range(3):
        guard.refuse("it is a picture", team="blue", before=before, inside=inside)
    assert [entry.kind for entry in guard.ledger.entries()[1:]] == [
        "failed" if failed == "look" else "refused"
    ]
    assert [row[2] for row in sent(guard)] == ["failed" if failed == "look" else "refused"]
    assert guard.allowance(team="blue")[0] == (1 if failed == "look" else 2)


def test_what_the_callback_raises_ends_the_look(ledger_url):
    guard = with_table(ledger_url)

    def before(transaction):
        raise InvalidQuery("this key belongs to another body.")

    with pytest.raises(InvalidQuery, match="another body"):
        guard.score(other(1), team="blue", before=before)
    assert len(guard.ledger.entries()) == 1


def test_a_written_row_is_seen_by_the_next_question(ledger_url):
    guard = with_table(ledger_url)
    with guard.ledger.storage.writing([(FIND, ("a",))]) as transaction:
        assert transaction.rows(FIND, ("a",)) == []
        transaction.execute("INSERT INTO sent VALUES (?, ?, ?, ?)", ("a", 7, None, None))
        assert transaction.rows(FIND, ("a",)) == [(7,)]
