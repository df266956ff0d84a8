"""Load on servers of the same machine: senders that cost little, a bare endpoint, what was used.

The senders share the machine with what they measure, so they are one process without threads that
writes prepared bytes to eight sockets; what it needs of the processor is told beside the figures.
"""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import os
import secrets
import selectors
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

N, CLASSES, CLIENTS = 10_000, 10, 8
# Connections of a crowd, and the files that it takes with some to spare.
IDLE, HALF_SENT, FILES = 1_000, 200, 4096
# Where a bare endpoint finds its database.
VARIABLE = "HOLDFAST_BARE_DATABASE"


def bare() -> Any:
    """Return an endpoint that parses an upload and commits a row, with the board's own parts."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from holdfast.files.label_files import read_labels

    insert = committing(os.environ[VARIABLE])
    turn = threading.Lock()

    def work(body: bytes) -> int:
        total = int(read_labels(io.BytesIO(body)).labels.sum())
        with turn:
            insert(total)
        return total

    async def take(request: Request) -> JSONResponse:
        return JSONResponse({"total": await asyncio.to_thread(work, await request.body())})

    return Starlette(routes=[Route("/submissions", take, methods=["POST"])])


def committing(database: str) -> Any:
    """Return a function that adds a row, which is on the disk when it returns."""
    make = "CREATE TABLE IF NOT EXISTS sent (total BIGINT)"
    if database.startswith("postgres"):
        import psycopg

        connection = psycopg.connect(database, autocommit=True)
        connection.execute("SELECT pg_advisory_lock(1)")  # two workers may start at once
        connection.execute(make)
        connection.execute("SELECT pg_advisory_unlock(1)")
        connection.execute("SET synchronous_commit = on")
        return lambda total: connection.execute("INSERT INTO sent VALUES (%s)", (total,))
    file = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = FULL")
    file.execute(make)
    return lambda total: file.execute("INSERT INTO sent VALUES (?)", (total,))


def body_of(kind: str, seed: int) -> bytes:
    """Return labels as the body of a submission."""
    labels = np.random.default_rng(seed).integers(CLASSES, size=N).astype(np.uint8)
    if kind == "npy":
        file = io.BytesIO()
        np.save(file, labels)
        return file.getvalue()
    return b"id,label\n" + b"".join(b"%d,%d\n" % pair for pair in enumerate(labels.tolist()))


class Sender:
    """One client: a connection, and a request of which eight labels change every time."""

    def __init__(self, port: int, path: str, token: str, kind: str) -> None:
        # No two runs send the same labels, or they would be answered from the record.
        body = body_of(kind, secrets.randbits(64))
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        head += f"Authorization: Bearer {token}\r\n\r\n" if token else "\r\n"
        self._request = bytearray(head.encode() + body)
        first, step = (128, 1) if kind == "npy" else (len("id,label\n") + 2, 4)
        self._places = [len(head) + first + step * place for place in range(8)]
        self._zero = 0 if kind == "npy" else ord("0")
        self._number = 0
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._got = b""
        self.began = self.due = 0.0

    def send(self) -> None:
        """Send the next request."""
        self._number += 1
        for place, digit in zip(self._places, f"{self._number:08d}", strict=True):
            self._request[place] = self._zero + int(digit)
        self.began = time.perf_counter()
        self.socket.sendall(self._request)

    def answered(self) -> bool:
        """Read what has come; tell whether the answer is complete."""
        self._got += self.socket.recv(65536)
        head, end, body = self._got.partition(b"\r\n\r\n")
        if not end:
            return False
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(body) < length:
            return False
        if not head.startswith(b"HTTP/1.1 2") or b'"repeated":true' in body:
            raise RuntimeError(self._got.decode(errors="replace"))
        self._got = b""
        return True


def send_all(
    port: int, path: str, tokens: list[str], kind: str, seconds: float, rate: float | None, out: Any
) -> None:
    """Send for a while from eight connections; put the times that requests took, and its own."""
    took: list[float] = []
    waiting = selectors.DefaultSelector()
    pace = 0.0 if rate is None else CLIENTS / rate
    begin = time.perf_counter()
    resting: list[Sender] = []
    for number in range(CLIENTS):
        token = tokens[number % len(tokens)] if tokens else ""
        sender = Sender(port, path, token, kind)
        sender.due = begin + pace * number / CLIENTS
        waiting.register(sender.socket, selectors.EVENT_READ, sender)
        resting.append(sender)
    own, busy = time.process_time(), 0
    while busy or time.perf_counter() < begin + seconds:
        now = time.perf_counter()
        for sender in [each for each in resting if each.due <= now < begin + seconds]:
            resting.remove(sender)
            sender.send()
            sender.due += pace
            busy += 1
        pause = min((each.due - now for each in resting), default=1.0)
        for key, _ in waiting.select(max(pause, 0.0)):
            if key.data.answered():
                took.append(time.perf_counter() - key.data.began)
                resting.append(key.data)
                busy -= 1
    out.put((took, time.perf_counter() - begin, time.process_time() - own))


@dataclass
class Server:
    """A server process under load, and all that was measured of it."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    path: str
    tokens: list[str]
    database: int | None = None  # the database's process, where it is another one
    took: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0
    sending: float = 0.0
    storing: float = 0.0

    def load(self, kind: str, seconds: float, rate: float | None = None) -> None:
        """Send to it for a while."""
        out: Any = multiprocessing.Queue()
        cpu, stored = cpu_of(self.process.pid), cpu_of(self.database)
        arguments = (self.port, self.path, self.tokens, kind, seconds, rate, out)
        sender = multiprocessing.Process(target=send_all, args=arguments)
        sender.start()
        took, wall, own = out.get()
        sender.join()
        self.took += took
        self.seconds += wall
        self.cpu += cpu_of(self.process.pid) - cpu
        self.storing += cpu_of(self.database) - stored
        self.sending += own

    @property
    def rate(self) -> float:
        """Requests per second."""
        return len(self.took) / self.seconds

    @property
    def each(self) -> float:
        """The server's processor time per request, in milliseconds."""
        return 1e3 * self.cpu / len(self.took)

    def quantile(self, share: float) -> float:
        """Return within how many milliseconds this share of the requests was answered."""
        return 1e3 * sorted(self.took)[int(share * (len(self.took) - 1))]

    def told(self, what: str) -> None:
        """Print what was measured, and forget it."""
        many = len(self.took)
        p50, p99 = self.quantile(0.5), self.quantile(0.99)
        others = f"senders {1e3 * self.sending / many:.2f}"
        if self.database is not None:
            others += f", database {1e3 * self.storing / many:.2f}"
        print(
            f"{what:28} {self.rate:6.0f}/s  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms  "
            f"{self.each:5.2f} ms CPU each ({others})",
            flush=True,
        )

    def forget(self) -> None:
        """Begin a new measurement."""
        self.took, self.seconds, self.cpu, self.sending, self.storing = [], 0.0, 0.0, 0.0, 0.0

    def stop(self) -> None:
        """End the server."""
        self.process.terminate()
        self.process.wait()


def start_bare(database: str, workers: int = 1, pid: int | None = None) -> Server:
    """Serve the bare endpoint."""
    port = free_port()
    run = (
        "import uvicorn; uvicorn.run('benchmarks.board_load:bare', factory=True, "
        f"port={port}, workers={workers}, log_config=None, access_log=False)"
    )
    environment = {**os.environ, VARIABLE: database}
    process = subprocess.Popen(
        [sys.executable, "-c", run], stderr=subprocess.DEVNULL, env=environment
    )
    await_start(process, port)
    return Server("bare", process, port, "/submissions", [], pid)


def start_board(
    database: str, slug: str, tokens: list[str], workers: int = 1, pid: int | None = None
) -> Server:
    """Serve a board as `holdfast serve` does."""
    port = free_port()
    program = "import sys; from holdfast.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--database", database, "--port", str(port),
         "--workers", str(workers), "--flood", "1000000/second"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    await_start(process, port)
    return Server("board", process, port, f"/api/v1/boards/{slug}/submissions", tokens, pid)


@contextmanager
def crowd(port: int, path: str, token: str) -> Iterator[list[socket.socket]]:
    """Open connections that ask nothing, and some that begin an upload and never end it: those."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    half = f"{head}Content-Length: 1000\r\n\r\nid,label\n".encode()
    with ExitStack() as opened:
        for _ in range(IDLE):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        sent = []
        for _ in range(HALF_SENT):
            sent.append(opened.enter_context(socket.create_connection(("127.0.0.1", port))))
            sent[-1].sendall(half)
        yield sent


def raised_file_limit(wanted: int) -> int:
    """Allow this process and those that it starts so many files, if it may; return how many."""
    import resource  # there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_start(process: subprocess.Popen[bytes], port: int) -> None:
    """Return when a server listens."""
    while True:
        if process.poll() is not None:
            raise RuntimeError("the server did not start")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


def cpu_of(pid: int | None) -> float:
    """Return the processor time of a process and its children, in seconds."""
    if pid is None:
        return 0.0
    total = 0.0
    for each in [pid, *children_of(pid)]:
        parts = Path(f"/proc/{each}/stat").read_text().rpartition(") ")[2].split()
        # With that of children that have ended.
        total += sum(int(part) for part in parts[11:15]) / os.sysconf("SC_CLK_TCK")
    return total


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(child) for child in listed]
    return found + [deeper for child in found for deeper in children_of(child)]


def memory_of(pid: int) -> float:
    """Return the memory of a process in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
