"""Faults: killed servers and databases, copies, idle connections, clocks that are set back."""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from itertools import cycle, islice

import httpx2
import numpy as np
import pytest
from benchmarks.board_load import FILES, children_of, crowd, raised_file_limit

from holdfast.client import BoardClient
from holdfast.errors import BoardUnreachable, BudgetExhausted
from holdfast.guard import Ledger
from holdfast.server.boards import Boards
from holdfast.server.gatekeeper import Gatekeeper
from tests.server.conftest import (
    Place,
    as_csv,
    bearer,
    free_port,
    listening,
    start_process,
)
from tests.server.test_api import changed, send

# Fifty by `HOLDFAST_KILLS=50 pytest tests/server/test_faults.py`; else each of them once.
KILLS = int(os.environ.get("HOLDFAST_KILLS", "0"))
TEAMS, BUDGET = 4, 60
# Seconds after which all must have been answered: many times what a slow and busy machine needs.
PATIENCE = 600.0


def kill_all(server):
    """Kill a server with its workers, which would go on without it."""
    for pid in [*children_of(server.pid), server.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    server.wait()


def kill_database(url, dice):
    """Kill a process of the database that serves the board: it ends all others, and recovers."""
    import psycopg

    with contextlib.suppress(psycopg.Error), psycopg.connect(url) as connection:
        question = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
        os.kill(dice.choice([pid for (pid,) in connection.execute(question)]), signal.SIGKILL)
        connection.execute("SELECT 1")


@pytest.mark.slow
def test_kills_under_load_lose_no_answered_look_and_spend_none_twice(ledger_url, tmp_path):
    policy = f'release = "ladder:0.05"\nlooks_per_team = {BUDGET}\n'
    place = Place(ledger_url, tmp_path, policy=policy)
    tokens = [place.token(place.team(f"team {number}")) for number in range(TEAMS)]
    port = free_port()
    # Several workers where the database lets them; on SQLite one process serves.
    options = ("--workers", "2") if ledger_url.startswith("postgres") else ()
    server = start_process(ledger_url, port, *options)
    url = f"http://127.0.0.1:{port}/b/pets"
    answers, done, repeated = [], threading.Event(), Counter()
    dice_of = [random.Random(number) for number in range(TEAMS)]

    def sent(client, number, look):
        """Return the answer to a look; until there is one, again under its key, as is advised."""
        guess = np.random.default_rng((number, look)).integers(3, size=60)
        while True:
            with contextlib.suppress(BoardUnreachable):
                return client.submit(as_csv(guess), key=f"{number}-{look}")

    def play(number):
        client = BoardClient(url, tokens[number], patience=120, sleep=lambda s: time.sleep(s / 20))
        own = []
        while len(own) < BUDGET:
            # The last looks wait for the last kill; until then earlier ones are asked for again.
            if len(own) < BUDGET - 5 or done.is_set():
                told = sent(client, number, len(own))
                own.append((told.receipt_id, told.released))
            else:
                look = dice_of[number].randrange(len(own))
                told = sent(client, number, look)
                assert (told.receipt_id, told.released) == own[look]
                repeated[number] += 1
            time.sleep(0.01)
        with pytest.raises(BudgetExhausted):
            sent(client, number, BUDGET)
        answers.extend((number, *each) for each in own)

    threads = [
        threading.Thread(target=play, args=(number,), daemon=True) for number in range(TEAMS)
    ]
    for thread in threads:
        thread.start()
    dice, killed = random.Random(3), Counter()
    try:
        kinds = ("server", "worker", "database") if options else ("server", "server")
        for what in islice(cycle(kinds), KILLS or len(kinds)):
            time.sleep(dice.uniform(0.1, 0.6))
            killed[what] += 1
            assert all(thread.is_alive() for thread in threads)  # so that it is under load
            if what == "database":
                kill_database(ledger_url, dice)
            elif what == "worker":  # the server starts another one
                os.kill(dice.choice(children_of(server.pid)), signal.SIGKILL)
            else:
                kill_all(server)
                server = start_process(ledger_url, port, *options)
        done.set()
        deadline = time.monotonic() + PATIENCE
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                assert server.poll() is None, "".join(server.lines)
                assert time.monotonic() < deadline
    finally:
        kill_all(server)
    print(f"killed {dict(killed)}; {len(answers)} looks, {repeated.total()} asked for again")
    assert set(killed) == set(kinds)
    with Ledger(ledger_url) as ledger:
        # Every answered look is there, under one receipt, and the budget is exact.
        assert ledger.verify(receipts=[receipt for _, receipt, _ in answers]).ok
        entries = {entry.receipt_id: entry for entry in ledger.entries()}
    looks = Counter(entry.team for entry in entries.values() if entry.kind == "look")
    assert set(looks.values()) == {BUDGET}
    assert len({receipt for _, receipt, _ in answers}) == len(answers) == TEAMS * BUDGET
    assert all(float(entries[r].released) == released for _, r, released in answers)
    gatekeeper = Gatekeeper(ledger_url)  # the first one's connection went with the database
    assert Boards(gatekeeper).rebuild(place.board) == []
    gatekeeper.close()


def test_a_clock_that_is_set_back_reopens_no_window(place, monkeypatch):
    policy = 'release = "exact"\nlooks_per_team = 1\nwindow = "day"\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(place.team("blue"))
    with place.client() as client:
        assert send(client, place, token, as_csv(place.labels)).status_code == 201
        real = time.time_ns
        for back in (3600, 86_400, 10 * 86_400):
            monkeypatch.setattr(
                "holdfast.ledger.moments.time.time_ns", lambda back=back: real() - back * 10**9
            )
            refused = send(client, place, token, as_csv(changed(place.labels, 1)))
            assert refused.status_code == 409
            assert "released" not in refused.json()


@pytest.mark.slow
def test_a_full_disk_releases_nothing_and_the_same_look_goes_on_when_there_is_room(place):
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("the limit of another process can be set on Linux only")
    token = place.token(place.team("blue"))
    port = free_port()
    server = start_process(place.url, port)
    try:
        client = httpx2.Client(base_url=f"http://127.0.0.1:{port}")

        def look(wrong):
            return client.post(
                "/api/v1/boards/pets/submissions",
                content=as_csv(changed(place.labels, wrong)),
                headers=bearer(token, **{"Idempotency-Key": f"k{wrong}"}),
            )

        assert look(1).status_code == 201
        entries = list(place.entries())
        # The system refuses what the server writes, as on a full disk. A log that went into the
        # file meanwhile is written from its start, so that its size leaves room for a look.
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        for _ in range(3):
            refused = look(2)
            assert (refused.status_code, refused.json()["type"]) == (503, "ledger_unavailable")
            assert "Nothing was released." in refused.json()["detail"]
            assert int(refused.headers["Retry-After"]) > 0
        assert client.get("/b/pets").status_code == 200
        assert list(place.entries()) == entries
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)
        assert look(2).json()["released"] == 58 / 60
        assert look(2).json()["released"] == 58 / 60
    finally:
        kill_all(server)
    assert [entry.kind for entry in place.entries()].count("look") == 2
    assert place.gatekeeper.verify().ok
    assert place.boards.rebuild(place.board) == []


@pytest.mark.slow
def test_idle_and_half_sent_connections_hold_nobody_up(place):
    """How long looks take meanwhile is told by `python -m benchmarks.board crowd`."""
    pytest.importorskip("resource")
    if raised_file_limit(FILES) < FILES:
        pytest.skip("this process may not open enough files")
    token = place.token(place.team("blue"))
    with listening(place, upload_seconds=2.0, flood="100000/second") as url:
        port = int(url.split(":")[2].split("/")[0])
        with crowd(port, "/api/v1/boards/pets/submissions", token) as half_sent:
            client = BoardClient(url, token)
            guesses = [changed(place.labels, wrong) for wrong in range(20)]
            told = [client.submit(as_csv(guess), key=f"k{at}") for at, guess in enumerate(guesses)]
            assert [each.released for each in told] == [(60 - wrong) / 60 for wrong in range(20)]
            half_sent[-1].settimeout(30)
            assert b"408" in half_sent[-1].recv(200)
    assert [entry.kind for entry in place.entries()].count("refused") == 0


def test_a_worker_whose_policy_changed_elsewhere_obeys_the_new_one(new_place):
    """Two processes on one database: a host's word to one holds for the look at the other."""
    place = new_place(policy='release = "exact"\n')
    token = place.token(place.team("blue"))
    with place.client() as one, place.client() as other:
        assert send(one, place, token, as_csv(place.labels)).json()["released"] == 1.0
        policy = 'release = "round:1"\n'
        place.boards.change(place.board, place.phase(), "policy", policy, "test")
        for client, wrong in ((one, 10), (other, 20)):
            told = send(client, place, token, as_csv(changed(place.labels, wrong))).json()
            assert told["released"] == round(1 - wrong / 60, 1)
        place.boards.change(place.board, place.phase(), "stop", "", "test")
        late = send(other, place, token, as_csv(changed(place.labels, 30)))
    assert late.json()["type"] == "phase_closed"
