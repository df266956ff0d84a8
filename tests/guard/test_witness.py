"""A witness outside the ledger, and copies that are put in its place."""

import json
import multiprocessing
import os
import pickle
import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from holdfast.errors import InvalidInput, LedgerError
from holdfast.guard import Guard, Ledger, Policy
from holdfast.ledger.storage.copies import back_up, restore
from holdfast.ledger.witness import FileWitness, Mark, open_witness

LABELS = np.arange(40) % 4


@pytest.fixture(params=["file", "postgres"])
def place(request, tmp_path):
    if request.param == "file":
        (tmp_path / "elsewhere").mkdir()
        return str(tmp_path / "elsewhere" / "witness")
    return request.getfixturevalue("new_postgres_url")()


def guard_at(path, place, **create):
    policy = Policy("exact", looks_per_team=5, witness=place)
    return Guard(LABELS, policy, path, **create)


def prediction(index):
    guess = np.zeros(40, dtype=int)
    guess[:4] = [index % 4, index // 4 % 4, 1, 2]
    return guess


def put_back_quietly(copy, path):
    """Restore a copy as somebody does who wants nobody to notice: nothing is left of the new."""
    for file in path.parent.glob("ledger.db*"):
        file.unlink()
    shutil.copy(copy, path)


def test_the_witness_holds_the_head_after_every_look(sqlite_url, place):
    guard = guard_at(sqlite_url, place, create=True)
    for index in range(3):
        receipt = guard.score(prediction(index), team="blue")
        assert str(open_witness(place).read()).startswith(receipt.receipt_id)
    head = guard.ledger.verify()
    assert open_witness(place).read() == Mark(head.entries, head.head)
    assert head.ok


def test_a_restored_backup_is_refused_by_a_process_that_saw_nothing(tmp_path, place):
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    guard = guard_at(path, place, create=True)
    guard.score(prediction(0), team="blue")
    back_up(path, copy)
    guard.score(prediction(1), team="blue")
    guard.ledger.close()
    put_back_quietly(copy, path)
    with Ledger(path) as unwatched:  # without a witness nothing is wrong with it
        assert unwatched.verify().ok
    fresh = guard_at(path, None)
    assert fresh.policy.witness is None
    with pytest.raises(LedgerError, match=r"set back: it ends with entry 2, but its witness .* 3"):
        guard_at(path, place).score(prediction(2), team="blue")
    with Ledger(path, witness=place) as watched:
        [problem] = watched.verify().problems
        assert "its witness has seen entry 3" in problem


def test_another_ledger_of_the_same_length_is_refused(tmp_path, place):
    path = tmp_path / "ledger.db"
    guard = guard_at(path, place, create=True)
    guard.score(prediction(0), team="blue")
    guard.ledger.close()
    for file in tmp_path.glob("ledger.db*"):
        file.unlink()
    with pytest.raises(LedgerError, match=r"the ledger (is another one|was set back)"):
        guard_at(path, place, create=True).score(prediction(1), team="blue")
    other = Guard(LABELS, Policy("exact"), path)
    for index in range(4):
        other.score(prediction(index), team="blue")
    with pytest.raises(LedgerError, match="is another one: its entry 2 is not what its witness"):
        guard_at(path, place).score(prediction(1), team="blue")


def test_a_ledger_ahead_of_its_witness_is_fine(sqlite_url, place):
    """Where a process dies between the commit and the witness."""
    guard_at(sqlite_url, place, create=True).score(prediction(0), team="blue")
    unwatched = Guard(LABELS, Policy("exact", looks_per_team=5), sqlite_url)
    for index in (1, 2):
        unwatched.score(prediction(index), team="blue")
    assert open_witness(place).read().number == 2
    guard = guard_at(sqlite_url, place)
    assert guard.score(prediction(3), team="blue").looks_left == 1
    assert open_witness(place).read().number == 5


def test_a_missing_witness_is_refused_and_not_made_anew(tmp_path, place):
    path = tmp_path / "ledger.db"
    Ledger(path, create=True).close()
    with pytest.raises(LedgerError, match=r"run: holdfast ledger witness PLACE LEDGER"):
        guard_at(path, place)
    assert open_witness(place).read() is None


def test_a_witness_that_cant_be_moved_releases_nothing_and_the_look_is_answered_later(tmp_path):
    path, folder = tmp_path / "ledger.db", tmp_path / "elsewhere"
    folder.mkdir()
    guard = guard_at(path, str(folder / "witness"), create=True)
    guard.score(prediction(0), team="blue")

    class Stuck(FileWitness):
        def move(self, mark, *, back=False):
            raise LedgerError("witness can't be used: full. Nothing was released.")

    working = guard.ledger.storage.witness
    guard.ledger.storage.witness = Stuck(working.path)
    with pytest.raises(LedgerError, match="full"):
        guard.score(prediction(1), team="blue")
    with pytest.raises(LedgerError, match="full"):  # nor from the record
        guard.score(prediction(1), team="blue")
    guard.ledger.storage.witness = working
    receipt = guard.score(prediction(1), team="blue")
    assert (receipt.repeated, receipt.looks_left) == (True, 3)
    assert str(working.read()).startswith(receipt.receipt_id)


@pytest.mark.parametrize("text", ["", "3", "3-abc", "x-" + "0" * 64, "\xff" * 70])
def test_a_witness_file_with_anything_else_in_it_is_refused(tmp_path, text):
    (tmp_path / "witness").write_text(text, encoding="latin-1")
    with pytest.raises(LedgerError, match="the witness must hold N-HASH"):
        guard_at(tmp_path / "ledger.db", str(tmp_path / "witness"), create=True)


def test_a_witness_never_goes_back_unless_told(place):
    witness = pickle.loads(pickle.dumps(open_witness(place)))
    new, old = Mark(7, "7" * 64), Mark(6, "6" * 64)
    witness.move(new)
    witness.move(old)
    assert witness.read() == new
    witness.move(old, back=True)
    assert witness.read() == old


def test_places_that_no_witness_can_be_at_are_refused():
    for place in ("", "mysql://host/db", "sqlite:///x"):
        with pytest.raises(InvalidInput, match="witness must be the path of a file or postgresql"):
            open_witness(place)


def look_often(path, place, seed):
    guard = guard_at(path, place)
    for index in range(5):
        guard.score(prediction(index), team=f"team {seed}")
    os._exit(0)


def test_processes_share_a_witness(tmp_path, place):
    path = tmp_path / "ledger.db"
    guard_at(path, place, create=True).ledger.close()
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=look_often, args=(path, place, seed)) for seed in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(600)
        assert child.exitcode == 0
    with Ledger(path, witness=place) as ledger:
        assert ledger.verify().entries == 21
        assert ledger.verify().ok
    assert open_witness(place).read().number == 21


def test_a_backup_has_what_is_only_in_the_log_and_can_be_put_back(tmp_path):
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    guard = guard_at(path, None, create=True)
    receipts = [guard.score(prediction(index), team="blue").receipt_id for index in range(3)]
    back_up(path, copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.glob("copy*")] == ["copy.db"]
    with Ledger(copy) as ledger:
        assert ledger.verify(receipts=receipts).ok
    with pytest.raises(InvalidInput, match="must not exist yet"):
        back_up(path, copy)
    with pytest.raises(InvalidInput, match="must not exist yet"):
        restore(copy, path, 1.0)
    guard.score(prediction(3), team="blue")
    guard.ledger.close()
    path.unlink()
    restore(copy, path, 1.0)
    again = guard_at(path, None)
    assert again.score(prediction(4), team="blue").looks_left == 1
    assert again.ledger.verify(receipts=receipts).ok


def test_a_copy_without_its_log_is_refused_and_not_taken_for_an_emptier_ledger(tmp_path):
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    guard = guard_at(path, None, create=True)
    whole = []
    for index in range(8):
        if index == 4:  # so long that the log is moved into the file
            before = path.stat().st_size
            guard.note("x" * 5_000_000, by="host")
            assert path.stat().st_size > before + 5_000_000
        guard.score(prediction(index), team=f"team {index % 2}")
        shutil.copy(path, copy)
        with pytest.raises(LedgerError, match=r"lacks the looks .* in its log alone"):
            Ledger(copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")  # with it, it is the ledger
        with Ledger(copy) as ledger:
            whole.append(len(ledger.entries()))
        copy.unlink()
    assert whole == [2, 3, 4, 5, 7, 8, 9, 10]
    guard.ledger.close()
    shutil.copy(path, copy)
    with Ledger(copy) as ledger:  # closed in order: the file is all there is
        assert len(ledger.entries()) == whole[-1]
    assert guard_at(path, None).score(prediction(9), team="blue").looks_left == 4


def test_a_ledger_that_was_used_and_given_no_look_is_whole(tmp_path):
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    guard = guard_at(path, None, create=True)
    guard.score(prediction(0), team="blue")
    guard.ledger.close()
    again = guard_at(path, None)
    again.score(prediction(0), team="blue")  # from the record: nothing is written
    back_up(path, copy)
    again.ledger.close()
    for place in (path, copy):
        with Ledger(place) as ledger:
            assert ledger.verify().ok


def test_a_copy_put_in_place_by_hand_is_noticed_by_the_note_beside_it(tmp_path):
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    guard = guard_at(path, None, create=True)
    back_up(path, copy)
    guard.score(prediction(0), team="blue")
    guard.ledger.close()
    shutil.copy(copy, path)
    with pytest.raises(LedgerError, match="its last writer has seen entry 2"):
        guard_at(path, None).score(prediction(1), team="blue")


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_ledger_that_others_may_read_or_write_is_refused(tmp_path, suffix):
    path = tmp_path / "ledger.db"
    guard = guard_at(path, None, create=True)
    guard.score(prediction(0), team="blue")
    for mode in (0o640, 0o604, 0o602):
        os.chmod(f"{path}{suffix}", mode)
        with pytest.raises(LedgerError, match=rf"got mode {mode:04o}; run: chmod 600 {path}"):
            guard_at(path, None)
    shared = Ledger(f"sqlite:///{path}?shared=true")
    assert len(shared.entries()) == 2
    shared.close()
    with pytest.raises(InvalidInput, match=r"no option but \?shared=true, got \?mode=ro"):
        Ledger(f"sqlite:///{path}?mode=ro")


def test_the_commands_back_up_restore_and_watch(tmp_path, capsys):
    from holdfast.cli import main

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, capsys.readouterr()

    path, copy, witness = tmp_path / "ledger.db", tmp_path / "copy.db", tmp_path / "witness"
    assert run("ledger", "init", path)[0] == 0
    assert run("ledger", "witness", witness, path)[0] == 0
    guard = guard_at(path, str(witness))
    guard.score(prediction(0), team="blue")
    code, told = run("ledger", "backup", copy, path, "--json")
    assert (code, json.loads(told.out)["entries"]) == (0, 2)
    head = json.loads(told.out)["head"]
    guard.score(prediction(1), team="blue")
    assert run("ledger", "verify", path, "--head", head, "--witness", witness)[0] == 0
    newer = str(open_witness(str(witness)).read())
    assert run("ledger", "restore", copy, path)[0] == 2
    guard.ledger.close()
    path.unlink()
    assert run("ledger", "restore", copy, path)[0] == 0
    code, told = run("ledger", "verify", path, "--head", newer)
    assert code == 1
    assert "is not in the chain: entries were removed or rewritten" in told.out
    code, told = run("ledger", "verify", path, "--witness", witness)
    assert code == 1
    assert run("ledger", "witness", witness, path)[0] == 4
    assert run("ledger", "witness", witness, path, "--back")[0] == 0
    assert guard_at(path, str(witness)).score(prediction(2), team="blue").looks_left == 3
    code, told = run("ledger", "backup", tmp_path / "x", "postgresql://u@127.0.0.1:1/d")
    assert (code, "pg_dump --table='holdfast_*'" in told.err) == (2, True)


def test_a_copy_that_was_edited_is_not_put_back(tmp_path, capsys):
    from holdfast.cli import main

    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    guard = guard_at(path, None, create=True)
    guard.score(prediction(0), team="blue")
    back_up(path, copy)
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("UPDATE holdfast_entries SET released = '0.5' WHERE number = 2")
    assert main(["ledger", "restore", str(copy), str(tmp_path / "new.db")]) == 4
    assert "does not verify: entry 2 was edited" in capsys.readouterr().err
    assert not (tmp_path / "new.db").exists()


def test_a_new_ledger_is_not_made_for_a_witness_of_another(tmp_path, capsys):
    """Every look at it would be refused as one at a ledger that was set back."""
    from holdfast.cli import main

    witness = str(tmp_path / "witness")
    assert main(["ledger", "init", str(tmp_path / "one.db"), "--witness", witness]) == 0
    assert main(["ledger", "init", str(tmp_path / "two.db"), "--witness", witness]) == 2
    assert "got one that knows a head" in capsys.readouterr().err
    assert not (tmp_path / "two.db").exists()


@pytest.mark.parametrize("place", ["/dev/zero", "pipe", "."])
def test_a_witness_without_an_end_is_refused_and_not_waited_for(place, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    guard_at(tmp_path / "ledger.db", None, create=True)
    with pytest.raises(LedgerError, match=r"must be a .*file, got a .* Nothing was released\."):
        guard_at(tmp_path / "ledger.db", str(tmp_path / place))


def test_copies_to_where_nothing_can_be_written_are_refused_in_one_line(tmp_path, capsys):
    from holdfast.cli import main

    path, nowhere = str(tmp_path / "ledger.db"), str(tmp_path / "nowhere" / "copy.db")
    assert main(["ledger", "init", path]) == 0
    for command in (["backup", nowhere, path], ["restore", path, nowhere]):
        assert main(["ledger", *command]) == 4
        told = capsys.readouterr().err
        assert "can't be written: No such file or directory." in told
        assert told.count("\n") == 1
