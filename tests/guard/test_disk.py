"""Disks that are full or read-only, for real where the system lets a test make one."""

import multiprocessing
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.errors import LedgerError
from holdfast.guard import Ledger
from tests.guard.test_guard import guard_for, other

NOBODY = 65534


def mount(*arguments):
    if shutil.which("mount") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 400 kB: the log needs room of its own, so it is soon full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder))
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_releases_nothing_and_goes_on_when_there_is_room(small_disk):
    path = small_disk / "ledger.db"
    guard = guard_for(path, looks_per_team=5000)
    receipts = []
    full = r"can't be used: database or disk is full\. Nothing was released\."
    with pytest.raises(LedgerError, match=full):
        receipts.extend(guard.score(other(index), team="blue") for index in range(5000))
    for index in range(3):
        with pytest.raises(LedgerError, match=full):
            guard.score(other(6000 + index), team="blue")
    looks = guard.ledger.entries()[-1].team_looks
    assert looks > 0
    mount("-o", "remount,size=4m", str(small_disk))
    receipt = guard.score(other(7000), team="blue")
    assert receipt.looks_left == 5000 - looks - 1
    assert guard.ledger.verify(receipts=[receipt.receipt_id]).ok
    guard.ledger.close()


def test_a_disk_that_turned_read_only_releases_nothing(small_disk):
    path = small_disk / "ledger.db"
    guard = guard_for(path)
    receipt = guard.score(other(1), team="blue")
    guard.ledger.close()
    mount("-o", "remount,ro", str(small_disk))
    with pytest.raises(LedgerError, match=r"can't be used: .*\. Nothing was released\."):
        guard_for(path).score(other(2), team="blue")
    mount("-o", "remount,rw", str(small_disk))
    with Ledger(path) as ledger:
        assert ledger.verify(receipts=[receipt.receipt_id]).ok
        assert len(ledger.entries()) == 2


def look_without_rights(path, output):
    """Look as somebody whom the permissions bind."""
    if os.geteuid() == 0:
        os.setuid(NOBODY)
    try:
        guard_for(f"sqlite:///{path}?shared=true").score(other(2), team="blue")
        output.send("answered")
    except LedgerError as error:
        output.send(str(error))


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, unlike those that pytest makes."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-test-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    with suppress(OSError):
        shutil.rmtree(folder)


@pytest.mark.parametrize("locked", ["folder", "file"])
def test_permissions_to_read_alone_release_nothing(open_folder, locked):
    path = open_folder / "ledger.db"
    guard = guard_for(path)
    guard.score(other(1), team="blue")
    guard.ledger.close()
    path.chmod(0o444)
    open_folder.chmod(0o555 if locked == "folder" else 0o777)
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    child = fork.Process(target=look_without_rights, args=(path, theirs))
    child.start()
    assert ours.poll(1200)
    message = ours.recv()
    child.join()
    assert message.startswith(f"ledger {path} can't be used: ")
    assert message.endswith("Nothing was released.")
    path.chmod(0o600)
    open_folder.chmod(0o755)
    with Ledger(path) as ledger:
        assert ledger.verify().ok
        assert len(ledger.entries()) == 2
