"""Load on a board beside a bare endpoint, and what its pages cost.

    python -m benchmarks.board [load|pages|timing] [--seconds S] [--database URL] [--workers W]

load: eight clients send predictions of 10,000 labels, as NPY and as CSV, to a board and to a bare
endpoint that parses the upload and commits one row, each in a process of its own. Figures are
requests per second, the 50th and 99th percentile in milliseconds, and the server's processor time
per request. On a busy machine only the last one and the ratios mean much.

pages: the board's page and the host's page with 10,000 teams and 200,000 looks, in milliseconds of
the processor.

timing: whether the time of an answer tells a look that climbs a Ladder from one that does not: the
difference of the medians over 2,000 looks, in random order, with a 95 % bootstrap interval.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import io
import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

N, CLASSES, CLIENTS = 10_000, 10, 8
POLICY = (
    'release = "round:2"\nlooks_per_team = 1000000000\nlooks_per_data_set = 1000000000\n'
    f"classes = {[str(number) for number in range(CLASSES)]}\n"
)


def bare(port: int, folder: str) -> None:
    """Serve an endpoint that parses an upload and commits a row, with the board's own parts."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from holdfast.files.label_files import read_labels

    connection = sqlite3.connect(f"{folder}/bare.db", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE sent (total INTEGER)")
    turn = threading.Lock()

    def work(body: bytes) -> int:
        total = int(read_labels(io.BytesIO(body)).labels.sum())
        with turn:
            connection.execute("INSERT INTO sent VALUES (?)", (total,))
        return total

    async def take(request: Request) -> JSONResponse:
        return JSONResponse({"total": await asyncio.to_thread(work, await request.body())})

    app = Starlette(routes=[Route("/submissions", take, methods=["POST"])])
    uvicorn.run(app, port=port, log_config=None, access_log=False)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder on the disk of the project, where databases are usual, and not in memory.

    It lies among the results, so that nothing of it is kept if a measurement is stopped.
    """
    results = Path("out")
    results.mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(dir=results)


def body_of(kind: str, seed: int) -> bytes:
    labels = np.random.default_rng(seed).integers(CLASSES, size=N).astype(np.uint8)
    if kind == "npy":
        file = io.BytesIO()
        np.save(file, labels)
        return file.getvalue()
    return b"id,label\n" + b"".join(b"%d,%d\n" % pair for pair in enumerate(labels.tolist()))


def another(body: bytearray, kind: str, number: int) -> bytes:
    """Return a body with other labels of its first eight examples: the digits of a number."""
    for place, digit in enumerate(f"{number:08d}"):
        if kind == "npy":
            body[128 + place] = int(digit)
        else:
            body[len("id,label\n") + 4 * place + 2] = ord(digit)
    return bytes(body)


def clients(
    port: int, path: str, tokens: list[str], kind: str, seconds: float, rate: float | None, out: Any
) -> None:
    """Send for a while from eight threads; put the times that requests took."""
    took: list[float] = []
    pace = None if rate is None else CLIENTS / rate

    def run(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Authorization": f"Bearer {tokens[number % len(tokens)]}"} if tokens else {}
        template = bytearray(body_of(kind, number))
        seed, due = number * 10**6, time.perf_counter()
        end = due + seconds
        while time.perf_counter() < end:
            seed += 1
            body = another(template, kind, seed)
            if pace is not None:
                due += pace
                time.sleep(max(0.0, due - time.perf_counter()))
            began = time.perf_counter()
            connection.request("POST", path, body=body, headers=headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status >= 300:
                raise RuntimeError(f"the server answered {answer.status}")
            took.append(time.perf_counter() - began)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    out.put(took)


def cpu_of(pid: int) -> float:
    """Return the processor time of a process and its children, in seconds."""
    total = 0.0
    for each in [pid, *children_of(pid)]:
        parts = Path(f"/proc/{each}/stat").read_text().rpartition(") ")[2].split()
        total += (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    return total


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(child) for child in listed]
    return found + [deeper for child in found for deeper in children_of(child)]


def memory_of(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(
    name: str, pid: int, port: int, path: str, tokens: list[str], kind: str, seconds: float,
    rate: float | None = None,
) -> tuple[float, float]:  # fmt: skip
    """Send and print; return the rate and the processor time per request in milliseconds."""
    out: Any = multiprocessing.Queue()
    memory, cpu, began = memory_of(pid), cpu_of(pid), time.perf_counter()
    arguments = (port, path, tokens, kind, seconds, rate, out)
    sender = multiprocessing.Process(target=clients, args=arguments)
    sender.start()
    took = sorted(out.get())
    sender.join()
    wall, busy = time.perf_counter() - began, cpu_of(pid) - cpu
    per, each = len(took) / wall, 1e3 * busy / len(took)
    p50, p99 = (1e3 * took[int(share * (len(took) - 1))] for share in (0.5, 0.99))
    print(
        f"{name:28} {per:7.0f}/s  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms  {each:5.2f} ms CPU each  "
        f"memory {memory:.0f} -> {memory_of(pid):.0f} MB",
        flush=True,
    )
    return per, each


def started(process: subprocess.Popen[bytes], port: int) -> int:
    while True:
        if process.poll() is not None:
            raise RuntimeError("the server did not start")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process.pid
        except OSError:
            time.sleep(0.1)


def load(database: str | None, workers: int, seconds: float) -> None:
    """Compare a board with a bare endpoint."""
    from holdfast.server import store
    from holdfast.server.accounts import new_token
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Gatekeeper

    with scratch() as folder:
        labels = Path(folder, "labels.csv")
        labels.write_bytes(body_of("csv", 0))
        labels.chmod(0o600)
        url = database or f"{folder}/board.db"
        gatekeeper = Gatekeeper(url, create=True)
        board = Boards(gatekeeper).create(f"load-{os.getpid()}", labels, POLICY)
        with gatekeeper.store.writing() as transaction:
            teams = [
                store.new_team(transaction, board.id, f"team {number}", 0)
                for number in range(CLIENTS)
            ]
            tokens = [
                new_token(transaction, board=board.id, team=team.id, scope="submit", name="load")
                for team in teams
            ]
        gatekeeper.close()
        ports = (free_port(), free_port())
        program = "import sys; from holdfast.cli import main; sys.exit(main())"
        served = subprocess.Popen(
            [sys.executable, "-c", program, "serve", "--database", url, "--port", str(ports[0]),
             "--workers", str(workers), "--flood", "1000000/second"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        bare_program = f"from benchmarks.board import bare; bare({ports[1]}, {folder!r})"
        plain = subprocess.Popen([sys.executable, "-c", bare_program], stderr=subprocess.DEVNULL)
        try:
            pids = started(served, ports[0]), started(plain, ports[1])
            path = f"/api/v1/boards/{board.slug}/submissions"
            figures = {}
            for at, where, whose in ((pids[1], ports[1], []), (pids[0], ports[0], tokens)):
                there = path if whose else "/submissions"
                measure("warming up", at, where, there, whose, "npy", min(seconds, 2.0))
            for kind in ("npy", "csv"):
                figures["bare", kind] = measure(
                    f"bare endpoint, {kind}", pids[1], ports[1], "/submissions", [], kind, seconds
                )
                figures["board", kind] = measure(
                    f"board, {kind}", pids[0], ports[0], path, tokens, kind, seconds
                )
            half = figures["board", "npy"][0] / 2
            measure("board, npy, half load", pids[0], ports[0], path, tokens, "npy", seconds, half)
        finally:
            for process in (served, plain):
                process.terminate()
                process.wait()
    of_bare, of_npy = figures["bare", "npy"], figures["board", "npy"]
    print(f"board of bare, npy: {of_npy[0] / of_bare[0]:.2f} in rate (0.4 wanted), "
          f"{of_bare[1] / of_npy[1]:.2f} in CPU (0.5 wanted)")  # fmt: skip
    csv = figures["board", "csv"]
    print(f"csv of npy: {csv[0] / of_npy[0]:.2f} in rate, {of_npy[1] / csv[1]:.2f} in CPU "
          "(0.7 wanted)")  # fmt: skip


def pages(n_teams: int = 10_000, looks: int = 200_000) -> None:
    """Measure the pages of a large board."""
    from starlette.testclient import TestClient

    from holdfast.guard.data_set import record
    from holdfast.guard.windows import clock
    from holdfast.server import store
    from holdfast.server.accounts import Accounts, join_team
    from holdfast.server.app import create
    from holdfast.server.boards import Boards
    from holdfast.server.gatekeeper import Gatekeeper
    from holdfast.server.records import Standing
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
        guard = gatekeeper._host(phase).guard
        found, rng = guard._settled(), np.random.default_rng(0)
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
            for row in standings.values():
                store.put(transaction, row, 3)
        gatekeeper.close()
        app = create(Settings(database=url))
        with TestClient(app, base_url="http://board.test") as client:
            client.post("/sign-in", data={"name": "host", "password": "a long password"})
            for path, most in (("/b/large", 50), ("/b/large/host", 300), ("/b/large/rules", 50)):
                took = []
                for _ in range(6):
                    began = time.process_time()
                    answer = client.get(path)
                    took.append(1e3 * (time.process_time() - began))
                    assert answer.status_code == 200, answer.status_code
                print(f"{path:16} {sorted(took[1:])[2]:6.1f} ms CPU ({most} wanted), "
                      f"{took[0]:.0f} the first time", flush=True)  # fmt: skip


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
            [told] = gatekeeper.submit([sent])
            if number >= 100:
                took[climbs].append(1e3 * (time.perf_counter() - began))
            assert isinstance(told, Answer)
            assert told.receipt.new_best is climbs
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


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.board",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="?", choices=["load", "pages", "timing"], default="load")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--database", help="postgresql://...; default: an SQLite file")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    if asked.part == "load":
        load(asked.database, asked.workers, asked.seconds)
    else:
        {"pages": pages, "timing": timing}[asked.part]()


if __name__ == "__main__":
    main()
