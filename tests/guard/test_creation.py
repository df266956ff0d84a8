"""A ledger is made when that is asked for, whole, and nowhere but where there is nothing."""

import os
import pickle
import shutil
import sqlite3
import threading

import pytest

from holdfast.errors import LedgerError, LedgerMissing
from holdfast.guard import Guard, Ledger, Policy
from holdfast.guard.adapters.frames import GuardedFrame
from holdfast.guard.adapters.scikit_learn import GuardedHoldout
from holdfast.ledger.storage import copies

LABELS = [0, 1, 2, 0]


def drop(ledger_url):
    """Take a ledger away, as its owner's mistake would."""
    if ledger_url.startswith("postgresql"):
        import psycopg

        with psycopg.connect(ledger_url, autocommit=True) as connection:
            connection.execute("DROP TABLE holdfast_ledger, holdfast_entries, holdfast_states")
    else:
        for suffix in ("", "-wal", "-shm", ".lock"):
            if os.path.exists(ledger_url + suffix):
                os.remove(ledger_url + suffix)


def test_a_missing_ledger_is_refused_with_the_command_that_makes_one(ledger_url):
    for _ in range(2):
        with pytest.raises(LedgerMissing, match=r"run: holdfast ledger init (URL|/.*ledger\.db)$"):
            Guard(LABELS, Policy("exact"), ledger_url)
    Ledger(ledger_url, create=True).close()
    guard = Guard(LABELS, Policy("exact"), ledger_url)
    assert guard.score(LABELS, team="blue").released == 1.0
    guard.ledger.close()


def test_to_create_where_there_is_a_ledger_opens_it(ledger_url):
    one = Guard(LABELS, Policy("exact", looks_per_team=2), ledger_url, create=True)
    assert one.score(LABELS, team="blue").looks_left == 1
    one.ledger.close()
    two = Guard(LABELS, Policy("exact", looks_per_team=2), ledger_url, create=True)
    assert two.score([0, 0, 0, 0], team="blue").looks_left == 0
    two.ledger.close()


def test_a_guard_that_travels_makes_no_ledger_where_it_arrives(ledger_url):
    ledger = Ledger(ledger_url, create=True)
    travelled = pickle.dumps(ledger)
    ledger.close()
    drop(ledger_url)
    with pytest.raises(LedgerMissing):
        pickle.loads(travelled).entries()
    with pytest.raises(LedgerMissing):
        Ledger(ledger_url)


def test_no_adapter_can_be_told_to_create():
    for adapter in (GuardedFrame, GuardedHoldout):
        assert "create" not in adapter.__init__.__annotations__


def test_a_file_that_was_there_is_never_made_into_a_ledger(tmp_path):
    notes, empty, other = (tmp_path / name for name in ("notes.txt", "empty.db", "other.db"))
    notes.write_text("not a database, but long enough to be read as one " * 20)
    empty.touch(mode=0o600)
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE birds (name TEXT)")
    database.close()
    before = {path: path.read_bytes() for path in (notes, empty, other)}
    for path, reason in [(notes, "not a database"), (empty, "is empty"), (other, "something else")]:
        path.chmod(0o600)
        for create in (False, True):
            with pytest.raises(LedgerError, match=f"{reason}.* Nothing was released"):
                Ledger(path, create=create)
            assert path.read_bytes() == before[path]


def test_a_rest_of_another_ledger_is_not_taken_into_a_new_one(tmp_path):
    path = tmp_path / "ledger.db"
    guard = Guard(LABELS, Policy("exact"), path, create=True)
    guard.score(LABELS, team="blue")
    shutil.copy(f"{path}-wal", tmp_path / "kept")
    guard.ledger.close()
    path.unlink()
    (tmp_path / "kept").rename(f"{path}-wal")
    with pytest.raises(LedgerError, match=r"must not be made beside ledger\.db-wal"):
        Ledger(path, create=True)
    assert not path.exists()


def test_the_file_alone_is_a_ledger_until_looks_are_in_its_log(tmp_path):
    path, copy, late = (tmp_path / f"{name}.db" for name in ("ledger", "copy", "late"))
    guard = Guard(LABELS, Policy("exact"), path, create=True)
    shutil.copy(path, copy)  # without its log, while it is open
    with Ledger(copy) as alone:
        assert alone.salt() == guard.ledger.salt()
        assert alone.verify().ok
    guard.score(LABELS, team="blue")
    shutil.copy(path, late)
    with pytest.raises(LedgerError, match="lacks the looks that were in its log alone"):
        Ledger(late)
    guard.ledger.close()


def test_a_crash_while_it_is_made_leaves_nothing(tmp_path, monkeypatch):
    def fail(path):
        new_file_fill(path)
        raise KeyboardInterrupt

    new_file_fill = copies._fill
    monkeypatch.setattr(copies, "_fill", fail)
    with pytest.raises(KeyboardInterrupt):
        Ledger(tmp_path / "ledger.db", create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db.lock"]


def test_twenty_that_create_at_once_have_one_ledger(ledger_url):
    salts, start = [], threading.Barrier(20)

    def create():
        start.wait(60)
        with Ledger(ledger_url, create=True) as ledger:
            salts.append(ledger.salt())

    threads = [threading.Thread(target=create) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(salts) == 20
    assert len(set(salts)) == 1


def test_a_ledger_behind_a_link_is_made_where_the_link_points(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "ledger.db").symlink_to(tmp_path / "disk" / "real.db")
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        assert ledger.verify().ok
    assert (tmp_path / "ledger.db").is_symlink()
    assert (tmp_path / "disk" / "real.db").stat().st_size > 0
