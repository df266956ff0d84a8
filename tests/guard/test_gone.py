"""Ways in which a ledger goes away while a guard has it open: each is noticed at once."""

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, LedgerError
from holdfast.guard import Guard, Ledger, Policy
from holdfast.ledger.storage import files_in_place

LABELS = np.arange(40) % 4
BUDGET = 2

CHECKPOINT = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    print(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
"""


def open_guard(path, **create):
    return Guard(LABELS, Policy("exact", looks_per_team=BUDGET), path, **create)


def prediction(index):
    guess = np.zeros(40, dtype=int)
    guess[:4] = [index % 4, index // 4 % 4, 1, 2]
    return guess


def back_up(path, copy):
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    copy.chmod(0o600)


def checkpoint(path):
    subprocess.run([sys.executable, "-c", CHECKPOINT, str(path)], check=True, capture_output=True)


def remove(path, old):
    path.unlink()


def remove_all(path, old):
    for file in path.parent.glob("ledger.db*"):
        file.unlink()


def move_away(path, old):
    path.rename(path.with_name("elsewhere.db"))


def rename_over(path, old):
    old.replace(path)


def truncate(path, old):
    os.truncate(path, 0)


def truncate_half(path, old):
    checkpoint(path)  # or the log would have all that is cut off
    os.truncate(path, path.stat().st_size // 2)


def copy_over(path, old):
    # By another process: closing the file in this one would drop SQLite's locks.
    subprocess.run(["cp", str(old), str(path)], check=True)


def copy_over_after_a_checkpoint(path, old):
    checkpoint(path)
    copy_over(path, old)


def rename_folder(path, old):
    path.parent.rename(path.parent.with_name("another"))


def swap_folder(path, old):
    rename_folder(path, old)
    path.parent.mkdir()
    shutil.copy(path.parent.with_name("another") / old.name, path)


def remove_log(path, old):
    path.with_name("ledger.db-wal").unlink()


def remove_index_of_log(path, old):
    path.with_name("ledger.db-shm").unlink()


def restore_in_order(path, old):
    with closing(sqlite3.connect(old)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)


WAYS = [
    remove, remove_all, move_away, rename_over, truncate, truncate_half,
    copy_over_after_a_checkpoint, rename_folder, swap_folder, remove_log, remove_index_of_log,
    restore_in_order,
]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "ledger.db"


@pytest.mark.parametrize("go_away", WAYS)
@pytest.mark.parametrize("spent", [1, 2])
def test_a_ledger_that_goes_away_is_noticed_by_the_next_look(path, go_away, spent):
    guard, old = open_guard(path, create=True), path.with_name("old.db")
    back_up(path, old)
    for index in range(spent):
        guard.score(prediction(index), team="blue")
    go_away(path, old)
    for index in (5, 6):
        with pytest.raises(LedgerError, match=r"Nothing was released\."):
            guard.score(prediction(index), team="blue")
    with pytest.raises(LedgerError):  # not even what was answered before: it may be undone
        guard.score(prediction(0), team="blue")
    assert not guard.ledger.verify().ok


def looks_of_another_process(path, output):
    answers = 0
    try:
        guard = open_guard(path)
        for index in range(10, 20):
            guard.score(prediction(index), team="blue")
            answers += 1
    except (LedgerError, BudgetExhausted) as error:
        output.send((answers, type(error).__name__))


@pytest.mark.parametrize(
    "go_away",
    [remove, remove_all, move_away, truncate, truncate_half, rename_folder, copy_over,
     copy_over_after_a_checkpoint],
)  # fmt: skip
def test_a_new_process_finds_no_fresh_looks_where_a_ledger_was(path, go_away):
    guard, old = open_guard(path, create=True), path.with_name("old.db")
    guard.score(prediction(0), team="blue")
    back_up(path, old)
    guard.score(prediction(1), team="blue")
    go_away(path, old)
    spawn = multiprocessing.get_context("fork")
    ours, theirs = spawn.Pipe()
    child = spawn.Process(target=looks_of_another_process, args=(path, theirs))
    child.start()
    assert ours.poll(600)
    answers, error = ours.recv()
    child.join(600)
    assert (answers, error in ("LedgerError", "LedgerMissing", "BudgetExhausted")) == (0, True)


def test_a_second_name_of_the_file_gives_no_second_budget(path):
    """The newest looks are in a log that is found by the name, so a hard link would miss them."""
    guard, other = open_guard(path, create=True), path.with_name("other.db")
    for index in range(BUDGET):
        guard.score(prediction(index), team="blue")
    os.link(path, other)
    spawn = multiprocessing.get_context("fork")
    ours, theirs = spawn.Pipe()
    child = spawn.Process(target=looks_of_another_process, args=(other, theirs))
    child.start()
    assert ours.poll(600)
    assert ours.recv() == (0, "LedgerError")
    child.join(600)
    with pytest.raises(LedgerError, match=r"another name \(a hard link\)"):
        guard.score(prediction(0), team="blue")
    other.unlink()
    assert guard.score(prediction(0), team="blue").repeated


@pytest.mark.parametrize("name", ["ledger.db", "a ledger.db"])
def test_a_file_that_is_mounted_without_its_folder_is_refused(tmp_path, name, monkeypatch):
    """Its log would lie in a folder of the container's own, unseen by others."""
    path, mounts = tmp_path / name, tmp_path / "mountinfo"
    open_guard(path, create=True).ledger.close()
    line = "36 35 98:0 {} {} rw,noatime - ext4 /dev/root rw\n"
    root = line.format("/", "/")
    monkeypatch.setattr(files_in_place, "MOUNT_TABLE", str(mounts))
    mounts.write_text(root + line.format("/x", str(tmp_path).replace(" ", "\\040")))
    open_guard(path).ledger.close()
    mounts.write_text(root + line.format("/x", str(path).replace(" ", "\\040")))
    with pytest.raises(LedgerError, match="mounted by itself"):
        open_guard(path)


def test_an_untouched_copy_over_itself_costs_nothing(path):
    """What changes the file but not what is in it is verified once, and then goes on."""
    guard, old = open_guard(path, create=True), path.with_name("old.db")
    guard.score(prediction(0), team="blue")
    shutil.copy(path, old)
    copy_over(path, old)
    assert guard.score(prediction(1), team="blue").looks_left == 0
    assert guard.ledger.verify().ok


def test_a_ledger_that_comes_back_goes_on(path):
    guard = open_guard(path, create=True)
    guard.score(prediction(0), team="blue")
    away = path.with_name("away.db")
    path.rename(away)
    with pytest.raises(LedgerError, match="it was removed or moved"):
        guard.score(prediction(1), team="blue")
    away.rename(path)
    assert guard.score(prediction(1), team="blue").looks_left == 0


def test_a_database_whose_tables_were_made_anew_is_refused(ledger_url):
    """On either database: the tables are in order, but they are not those that were seen."""
    guard = open_guard(ledger_url, create=True)
    guard.score(prediction(0), team="blue")
    with guard.ledger.storage.inner.writing() as transaction:
        for table in ("holdfast_entries", "holdfast_states"):
            transaction._engine.write(f"DELETE FROM {table}", ())
        transaction._engine.write(
            "UPDATE holdfast_ledger SET number = 0, time = 0, hash = ?", ("0" * 64,)
        )
    with pytest.raises(LedgerError, match=r"set back: it ends with entry 0, .* has seen entry 2\."):
        guard.score(prediction(1), team="blue")
    with pytest.raises(LedgerError, match="set back"):
        guard.allowance(team="blue")
    guard.ledger.close()


def test_what_others_write_is_no_setback(ledger_url):
    one, two = open_guard(ledger_url, create=True), open_guard(ledger_url)
    for index in range(3):
        one.score(prediction(index), team=f"team {index}")
        two.score(prediction(index), team=f"group {index}")
    assert len(one.ledger.entries()) == len(two.ledger.entries()) == 7
    with Ledger(ledger_url) as ledger:
        assert ledger.verify().ok
    one.ledger.close()
    two.ledger.close()
