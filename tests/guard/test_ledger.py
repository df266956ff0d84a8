"""Any edit shows: one by one, every field of every table."""

import dataclasses
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from holdfast.guard import Guard, Ledger, Policy
from holdfast.guard.fingerprint import fingerprint
from holdfast.ledger.entry import Entry, Head, first_hash
from holdfast.ledger.sealing import seal, unseal

LABELS = (np.arange(30) % 3).astype(np.uint8)
TEXT_FIELDS = [
    f.name for f in dataclasses.fields(Entry) if f.name not in ("number", "signature", "time")
]


@pytest.fixture
def guard(ledger_url):
    guard = Guard(LABELS, Policy("exact", failed="look"), ledger_url, create=True)
    for index in range(3):
        guard.score(np.roll(LABELS, index), team="blue")
    guard.score(LABELS, team="red")
    yield guard
    guard.ledger.close()


def edit(guard, statement, parameters=()):
    with guard.ledger.storage.writing() as transaction:
        transaction._engine.write(statement, parameters)


def test_an_honest_ledger_verifies_with_labels_and_receipts(guard):
    receipt = guard.score(LABELS, team="red")
    owner = fingerprint(LABELS, guard.ledger.salt())
    verification = guard.ledger.verify(receipts=[receipt.receipt_id], owner=owner)
    assert verification.problems == ()
    assert verification.entries == 5


@pytest.mark.parametrize("field", TEXT_FIELDS)
def test_an_edit_of_any_field_shows(guard, field):
    value = 7 if field in ("team_looks", "data_set_looks") else "7"
    edit(guard, f"UPDATE holdfast_entries SET {field} = ? WHERE number = 3", (value,))
    verification = guard.ledger.verify()
    assert not verification.ok
    assert any("entry 3" in problem for problem in verification.problems)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE holdfast_entries SET time = time - 1 WHERE number = 3", "entry 3 was edited"),
        ("DELETE FROM holdfast_entries WHERE number = 2", "entry 3 does not follow entry 1"),
        ("DELETE FROM holdfast_entries WHERE number = 5", "the head says 5 entries"),
        ("UPDATE holdfast_entries SET number = 9 WHERE number = 5", "entry 9 does not follow"),
        ("UPDATE holdfast_ledger SET number = 4", "the head says 4 entries"),
        ("UPDATE holdfast_states SET sealed = salt FROM holdfast_ledger", "was edited"),
        ("DELETE FROM holdfast_states", "is missing"),
        ("UPDATE holdfast_states SET scope = 'x' WHERE scope = 'red'", "was edited"),
    ],
)
def test_an_edit_of_places_the_head_or_states_shows(guard, statement, problem):
    edit(guard, statement)
    assert any(problem in found for found in guard.ledger.verify().problems)


def test_another_salt_shows(guard):
    edit(guard, "UPDATE holdfast_ledger SET salt = ?", (b"0" * 32,))
    assert not guard.ledger.verify().ok


def rewrite(guard, entries):
    """Recompute the whole chain over other entries, as a thorough forger would."""
    with guard.ledger.storage.writing() as transaction:
        transaction._engine.write("DELETE FROM holdfast_entries", ())
        head = Head(0, first_hash(transaction.salt()), 0)
        for entry in entries:
            forged = entry.draft.after(head)
            transaction.append(dataclasses.replace(forged, signature=entry.signature))
            head = Head(forged.number, forged.hash, forged.time)


def test_a_recomputed_chain_shows_by_a_receipt_or_by_the_labels(guard, ledger_url):
    entries = guard.ledger.entries()
    entries[2] = dataclasses.replace(entries[2], released="0.9")
    rewrite(guard, entries)
    receipt, head = entries[2].receipt_id, f"5-{entries[4].hash}"
    with Ledger(ledger_url) as fresh:  # has seen nothing of what was there before
        assert fresh.verify().ok
        owner = fingerprint(LABELS, fresh.salt())
        for problem, given in [
            (f"receipt {receipt} is not in the chain.", {"receipts": [receipt]}),
            (f"head {head} is not in the chain", {"heads": [head]}),
            ("entry 3 is not signed with these labels.", {"owner": owner}),
        ]:
            assert any(problem in found for found in fresh.verify(**given).problems)


def test_a_cut_end_shows_by_a_receipt_or_a_head(guard, ledger_url):
    entries = guard.ledger.entries()
    end = guard.ledger.verify()
    rewrite(guard, entries[:-1])
    with Ledger(ledger_url) as fresh:
        for given in ({"receipts": [entries[-1].receipt_id]}, {"heads": [f"5-{end.head[:16]}"]}):
            problems = fresh.verify(**given).problems
            assert any("is not in the chain" in problem for problem in problems)


def test_every_head_that_the_ledger_had_is_in_its_chain(guard, ledger_url):
    with Ledger(ledger_url) as ledger:
        start = first_hash(ledger.salt())
        heads = [f"0-{start}", *(f"{e.number}-{e.hash}" for e in ledger.entries())]
        assert ledger.verify(heads=heads).ok
        for wrong in ("5-" + "0" * 64, "6-" + heads[5][2:], heads[4][:8], "x", "5", "-1-" + start):
            [problem] = ledger.verify(heads=[wrong]).problems
            assert "is not in the chain" in problem


def test_an_edited_state_is_never_used(guard):
    from holdfast.errors import LedgerError

    edit(guard, "UPDATE holdfast_states SET sealed = ?", (b"x" * 80,))
    with pytest.raises(LedgerError, match="state in the ledger was edited"):
        guard.score(np.zeros(30, dtype=int), team="blue")


def test_a_seal_hides_equal_states_and_opens_with_its_key_alone():
    from holdfast.errors import LedgerError

    state, key = {"best": 7, "waiting": [0.1, "é"]}, b"k" * 32
    one, two = seal(state, key), seal(state, key)
    assert one != two
    assert unseal(one, key) == unseal(two, key) == state
    for broken in (one[:-1], one[:20], b"", bytes([one[20] ^ 1]).join([one[:20], one[21:]])):
        with pytest.raises(LedgerError):
            unseal(broken, key)
    with pytest.raises(LedgerError):
        unseal(one, b"j" * 32)


def test_reading_makes_no_ledger(tmp_path):
    from holdfast.errors import LedgerMissing

    with pytest.raises(LedgerMissing, match="there is none"):
        Ledger(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_the_ledger_is_used_without_the_guard():
    """A program that keeps a ledger of its own loads no labels, metrics, rules or policies."""
    program = (
        "import sys, holdfast.ledger;"
        "above = ('guard', 'labels', 'problem', 'metrics', 'rules', 'evaluate');"
        "print([name for name in above if f'holdfast.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_example_without_a_guard_counts_records_and_notices(tmp_path):
    """Each call is a process of its own, as callers' are."""
    file = Path(__file__).parents[2] / "examples" / "ledger" / "answers.py"
    place = tmp_path / "ledger.db"

    def ask(caller, question):
        command = [sys.executable, str(file), str(place), caller, question]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout.split(" (")[0].strip(), done.stderr

    told = [ask("blue", question) for question in ("one", "two", "one", "three", "four")]
    assert told[0] == told[2]
    assert [answer for _, answer, _ in told] == ["31", "55", "31", "51", "no answer left"]
    assert ask("red", "four") == (0, "56", "")
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("UPDATE holdfast_entries SET released = '99' WHERE number = 2")
    code, answer, error = ask("green", "five")
    assert (code, answer) == (1, "")
    assert error.endswith("entry 2 was edited: its hash does not fit. Nothing was released.\n")
