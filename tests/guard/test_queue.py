"""Threads and processes in line for one ledger."""

import multiprocessing
import os
import signal
import threading
import time

import pytest

from holdfast.errors import LedgerError
from holdfast.ledger.storage import open_storage, sqlite
from holdfast.ledger.storage.file_lock import FileQueue, Turns, lock_path


def test_threads_get_their_turn_in_the_order_in_which_they_came():
    turns, served = Turns(), []

    def wait(index):
        with turns:
            served.append(index)

    threads = [threading.Thread(target=wait, args=(index,)) for index in range(30)]
    with turns:
        for index, thread in enumerate(threads):
            thread.start()
            while turns.waiting <= index:
                time.sleep(0.001)
    for thread in threads:
        thread.join(60)
    assert served == list(range(30))


def test_a_turn_that_raised_is_passed_on():
    turns = Turns()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), turns:
            raise ZeroDivisionError
    with turns:
        assert turns.waiting == 0


def hold(path, ready, done):
    with FileQueue(path).turn(60.0):
        ready.set()
        done.wait(60)


def test_a_process_that_does_not_move_on_is_an_error_and_not_a_wait_for_ever(tmp_path, monkeypatch):
    path = tmp_path / "ledger.db"
    storage = open_storage(path, create=True)
    fork = multiprocessing.get_context("fork")
    ready, done = fork.Event(), fork.Event()
    child = fork.Process(target=hold, args=(path, ready, done))
    child.start()
    assert ready.wait(60)
    monkeypatch.setattr(sqlite, "PATIENCE_SECONDS", 0.2)
    held = "another process has held it for 0.2 seconds. Nothing was released"
    with pytest.raises(LedgerError, match=held), storage.writing():
        pass
    with storage.reading() as transaction:  # whoever only reads does not wait
        assert transaction.head().number == 0
    done.set()
    child.join(60)
    monkeypatch.setattr(sqlite, "PATIENCE_SECONDS", 60.0)
    with storage.writing() as transaction:
        assert transaction.head().number == 0
    storage.close()


def test_a_process_that_is_killed_leaves_its_place_though_it_has_children(tmp_path):
    path, fork = tmp_path / "ledger.db", multiprocessing.get_context("fork")
    ready, done = fork.Event(), fork.Event()

    def parent():
        with FileQueue(path).turn(60.0):
            pass
        storage = open_storage(path, create=True)
        with storage.writing():
            if os.fork() == 0:  # has every handle of its parent, and lives on
                ready.set()
                done.wait(60)
                os._exit(0)
            time.sleep(60)

    # Not a Process of multiprocessing: joining one waits for whoever has a handle of the child's.
    child = os.fork()
    if child == 0:
        try:
            parent()
        finally:
            os._exit(1)
    assert ready.wait(60)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open_storage(path).writing() as transaction:
        assert transaction.head().number == 0
    done.set()


def test_a_queue_whose_file_was_removed_goes_on_at_a_new_one(tmp_path):
    path = tmp_path / "ledger.db"
    one, two = FileQueue(path), FileQueue(path)
    with one.turn(1.0) as place:
        place.note = "first"
    lock_path(path).unlink()
    with two.turn(1.0) as place:
        assert place.note == ""
        place.note = "second"
        other = threading.Thread(target=lambda: seen.append(_note(one)))
        seen = []
        other.start()
        other.join(0.1)
        assert seen == []
    other.join(60)
    assert seen == ["second"]
    one.close()
    two.close()


def _note(queue):
    with queue.turn(60.0) as place:
        return place.note
