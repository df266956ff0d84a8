"""Many processes at one ledger, and processes that die at any moment."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from holdfast.guard import Ledger
from holdfast.guard.fingerprint import fingerprint
from tests.guard import servers, worker

CLIENTS, THREADS, BUDGET = 50, 2, 1000
# HOLDFAST_KILLS=200 takes a minute on each database.
KILLS = int(os.environ.get("HOLDFAST_KILLS", "60"))

# Seconds after which a test gives up: many times what a slow and busy machine needs.
PATIENCE = 1200.0


@pytest.fixture
def start(ledger_url, tmp_path):
    """Return what starts a client and gives its process id."""
    with nursery_at(ledger_url, tmp_path) as one:
        yield one


@contextlib.contextmanager
def nursery_at(ledger_url, tmp_path):
    nursery = subprocess.Popen(
        [sys.executable, "-m", "tests.guard.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**os.environ, "HOLDFAST_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    started = []

    def one(budget, threads=1):
        seed = len(started)
        nursery.stdin.write(f"{ledger_url} {budget} {seed} {threads} {tmp_path}/client-{seed}\n")
        started.append(int(nursery.stdout.readline()))
        return started[-1]

    yield one
    for client in started:
        with contextlib.suppress(ProcessLookupError):
            os.kill(client, signal.SIGKILL)
    nursery.stdin.close()
    nursery.wait(PATIENCE)


def lines(folder):
    """Return every line that a client has completely written."""
    return [
        line for output in folder.glob("client-*") for line in output.read_text().split("\n")[:-1]
    ]


def answers_in(folder):
    """Return the receipt and the released score of every answer that a client heard."""
    told = [line for line in lines(folder) if not line.startswith(("refused", "failed"))]
    return [tuple(line.split(" ")) for line in told]


def check(url, answers):
    """Every answer is in the ledger once, as given, in a chain that verifies."""
    with Ledger(url) as ledger:
        owner = fingerprint(worker.LABELS.astype(np.uint8), ledger.salt())
        receipts = [receipt for receipt, _ in answers]
        verification = ledger.verify(receipts=receipts, owner=owner)
        entries = ledger.entries()
    assert verification.problems == ()
    looks = {entry.receipt_id: entry.released for entry in entries if entry.kind == "look"}
    assert len(set(receipts)) == len(receipts)
    assert all(looks[receipt] == released for receipt, released in answers)
    return len(looks)


@pytest.mark.slow
def test_fifty_processes_of_two_threads_share_a_budget_of_a_thousand(start, ledger_url, tmp_path):
    for _ in range(CLIENTS):
        start(BUDGET, THREADS)
    deadline = time.monotonic() + PATIENCE
    while lines(tmp_path).count("refused") < CLIENTS * THREADS:
        assert not [line for line in lines(tmp_path) if line.startswith("failed")]
        assert time.monotonic() < deadline
        time.sleep(0.1)
    answers = answers_in(tmp_path)
    assert len(answers) == BUDGET
    assert check(ledger_url, answers) == BUDGET


@pytest.mark.slow
def test_kills_lose_no_answer_and_break_no_chain(start, ledger_url, tmp_path):
    rng = np.random.default_rng(11)
    running, kills = [start(10**6) for _ in range(4)], 0
    deadline = time.monotonic() + PATIENCE
    # Where looks take long, few clients live to hear an answer: go on until enough of them have.
    while kills < KILLS or len(answers_in(tmp_path)) < KILLS / 4:
        # Most die at work, some while they are still opening the ledger; the others go on looking
        # meanwhile, so that one may also die waiting for its turn.
        opened, at_work = tmp_path / f"client-{kills}", rng.random() < 0.75
        while at_work and not opened.exists():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(float(rng.exponential(0.03)))
        assert time.monotonic() < deadline
        os.kill(running.pop(0), signal.SIGKILL)
        running.append(start(10**6))
        kills += 1
    for client in running:
        os.kill(client, signal.SIGKILL)
    time.sleep(0.2)
    assert not [line for line in lines(tmp_path) if line.startswith("failed")]
    answers = answers_in(tmp_path)
    counted = check(ledger_url, answers)
    # A look may be counted whose client died before it heard the answer: one per kill at most.
    assert len(answers) <= counted <= len(answers) + kills + len(running)


@pytest.mark.slow
def test_a_server_that_crashes_loses_no_answer_that_was_given(tmp_path):
    """A commit here does not wait for the disk, the answer does: crash the server to see it."""
    server = servers.start("holdfast-crash-")
    try:
        with nursery_at(server.get_uri(), tmp_path) as start:
            for crash in range(1, 6):
                before = len(answers_in(tmp_path))
                for _ in range(4):
                    start(10**6)
                deadline = time.monotonic() + PATIENCE
                while len(answers_in(tmp_path)) < before + 20:
                    assert time.monotonic() < deadline
                    time.sleep(0.01)
                servers.crash(server)
                servers.until_it_works(server.ensure_postgres_running)
                answers = answers_in(tmp_path)
                assert check(server.get_uri(), answers) >= len(answers) >= 20 * crash
    finally:
        server.cleanup()
