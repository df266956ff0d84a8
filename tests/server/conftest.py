# ruff: noqa: F401, F811 - fixtures of another folder
"""Boards of the tests' own, on both databases, behind a test client or a real socket."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest

pytest.importorskip("fastapi")

from argon2 import PasswordHasher
from starlette.testclient import TestClient

from holdfast.server import store
from holdfast.server.accounts import new_token
from holdfast.server.app import create
from holdfast.server.boards import Boards
from holdfast.server.gatekeeper import Gatekeeper
from holdfast.server.settings import Settings
from tests.guard.conftest import (
    ledger_url,
    new_ledger_url,
    new_postgres_url,
    new_sqlite_url,
    postgres_server,
    postgres_url,
    quick_fingerprint,
    sqlite_url,
)

# Quick on purpose; what is slow about a password is the library's business.
HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
CLASSES = ("bird", "cat", "dog")


def write_labels(path, n=60, seed=0, split=False, ids=True):
    """Write hidden labels of three classes; return their numbers."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    lines = ["id,label,Usage" if split else "id,label"]
    for number, label in enumerate(labels):
        part = f",{'Public' if number % 2 == 0 else 'Private'}" if split else ""
        lines.append(f"{number + 100},{CLASSES[label]}{part}")
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o600)
    return labels


def as_csv(labels):
    """Return a submission as the body of a request."""
    lines = [f"{number + 100},{CLASSES[label]}" for number, label in enumerate(labels)]
    return ("id,label\n" + "\n".join(lines) + "\n").encode()


class Place:
    """A database with a board, its hidden labels, and tokens to it."""

    def __init__(self, url, folder, *, policy='release = "exact"\n', slug="pets", **options):
        self.url, self.folder, self.slug = url, folder, slug
        self.labels_file = folder / f"{slug}.csv"
        split = options.pop("split", False)
        n = options.pop("n", 60)
        self.labels = write_labels(self.labels_file, n=n, split=split, seed=options.pop("seed", 0))
        self.gatekeeper = Gatekeeper(url, create=True)
        self.boards = Boards(self.gatekeeper)
        self.board = self.boards.create(slug, self.labels_file, policy, title="Pets", **options)

    def team(self, name):
        with self.gatekeeper.store.writing() as transaction:
            return store.new_team(transaction, self.board.id, name, 0)

    def token(self, team=None, scope="submit", days=180):
        number = team.id if team is not None else 0
        with self.gatekeeper.store.writing() as transaction:
            return new_token(
                transaction, board=self.board.id, team=number, scope=scope, name=scope, days=days
            )

    def app(self, **settings):
        return create(Settings(database=self.url, **settings), hasher=HASHER)

    @contextlib.contextmanager
    def client(self, **settings):
        with TestClient(self.app(**settings), base_url="http://board.test") as client:
            yield client

    def entries(self):
        return self.gatekeeper.ledger.entries()

    def phase(self):
        return self.boards.phase(self.board)


@pytest.fixture
def place(sqlite_url, tmp_path):
    return Place(sqlite_url, tmp_path)


@pytest.fixture
def new_place(new_ledger_url, tmp_path):
    """Makes boards on either database."""
    return lambda **options: Place(new_ledger_url(), tmp_path, **options)


def bearer(token, **more):
    return {"Authorization": f"Bearer {token}", **more}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def listening(place, **settings):
    """Serve on a real socket, in a thread; the address of the board."""
    import uvicorn

    port = free_port()
    app = place.app(public_url=f"http://127.0.0.1:{port}", **settings)
    config = uvicorn.Config(app, port=port, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive())
        assert server.started, "the server did not start"
        yield f"http://127.0.0.1:{port}/b/{place.slug}"
    finally:
        server.should_exit = True
        thread.join()


def start_process(database, port, *options):
    """Serve in a process of its own, as `holdfast serve` does; return when it is ready."""
    program = "import sys; from holdfast.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--database", database, "--port", str(port),
         "--flood", "10000/second", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    lines = []
    threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True).start()
    process.lines = lines

    def ready():
        assert process.poll() is None, "".join(lines)
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").status == 200

    wait_until(ready)
    return process


def wait_until(holds, patience=60.0):
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.02)
