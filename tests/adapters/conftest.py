"""A board served by a process of its own, and clients of its teams."""

import json
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pytest

N = 40


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The folder of two boards, one that rounds and one with a Ladder, and their address."""
    folder = tmp_path_factory.mktemp("board")
    labels = np.random.default_rng(2).integers(2, size=N)
    write(folder / "labels.csv", labels)
    # Other ids: the same labels would be the same data set, and one budget.
    write(folder / "others.csv", labels, first=1000)
    for file in ("labels.csv", "others.csv"):
        (folder / file).chmod(0o600)
    for board, file, rule in (("even", "labels", "round:2"), ("steps", "others", "ladder:0.01")):
        (folder / "policy.toml").write_text(f'release = "{rule}"\nlooks_per_team = 3\n')
        holdfast(
            folder, "board", "init", board, "--labels", f"{file}.csv", "--policy", "policy.toml"
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "holdfast", "serve", "--database", "holdfast-board.db"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*command, "--port", str(port)], cwd=folder, stderr=log)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz")
                break
            except OSError:
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.1)
        yield folder, f"http://127.0.0.1:{port}", labels
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def board(served, request):
    """What makes a client of a board, for a team of the test's own."""
    from holdfast.client import BoardClient

    folder, address, _ = served

    def client(name="even"):
        team = request.node.name[:40].replace("[", "-").replace("]", "")
        made = holdfast(folder, "board", "token", name, "--team", team, "--json")
        return BoardClient(f"{address}/b/{name}", json.loads(made)["token"], patience=20)

    return client


def holdfast(folder, *command):
    ran = subprocess.run(
        [sys.executable, "-m", "holdfast", *command], cwd=folder, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def write(path, labels, first=0):
    path.write_text(as_csv(labels, first))


def as_csv(labels, first=0):
    rows = [f"{first + at},{label}" for at, label in enumerate(labels)]
    return "\n".join(["id,label", *rows, ""])


def with_wrong(labels, wrong):
    guess = labels.copy()
    guess[:wrong] = 1 - guess[:wrong]
    return guess
