"""A demo board: scikit-learn's digits, two teams, a few submissions each, then served.

python examples/board/demo.py [--port 8000] [--stop]
"""

import argparse
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

from holdfast.server import store
from holdfast.server.accounts import Accounts
from holdfast.server.boards import Boards
from holdfast.server.gatekeeper import Answer, Gatekeeper
from holdfast.server.looks import Sent

POLICY = """\
release = "ladder:0.01"
looks_per_team = 20
window = "day"
final_choices = 2
"""


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return images and labels; without scikit-learn, numbers that are as good for a board."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        rng = np.random.default_rng(0)
        labels = rng.integers(10, size=1797)
        return rng.normal(labels[:, None], 2.0, size=(1797, 64)), labels
    return load_digits(return_X_y=True)


def nearest(X: np.ndarray, y: np.ndarray, tests: np.ndarray, neighbours: int) -> np.ndarray:
    """Predict by a vote of the nearest training examples."""
    squares = (tests**2).sum(axis=1)[:, None] + (X**2).sum(axis=1)[None] - 2 * tests @ X.T
    near = y[np.argsort(squares, axis=1)[:, :neighbours]]
    return np.array([np.bincount(row, minlength=10).argmax() for row in near])


def as_csv(labels: np.ndarray) -> bytes:
    return b"id,label\n" + b"".join(b"%d,%d\n" % row for row in enumerate(labels.tolist()))


def make(folder: Path) -> tuple[str, str]:
    """Make the board in a folder; return its database and the host's invitation."""
    X, y = digits()
    train, test = slice(0, 600), slice(600, None)
    truth = folder / "solution.csv"
    parts = np.where(np.arange(y[test].size) % 2, "Private", "Public")
    lines = [
        f"{at},{label},{part}" for at, (label, part) in enumerate(zip(y[test], parts, strict=True))
    ]
    truth.write_text("id,label,Usage\n" + "\n".join(lines) + "\n")
    truth.chmod(0o600)
    database = str(folder / "board.db")
    gatekeeper = Gatekeeper(database, create=True)
    board = Boards(gatekeeper).create("digits", truth, POLICY, title="Handwritten digits")
    invitation = Accounts(gatekeeper.store).invite(board, None, "host")
    with gatekeeper.store.writing() as transaction:
        teams = [store.new_team(transaction, board.id, name, 0) for name in ("Neighbours", "Noise")]
    rng = np.random.default_rng(1)
    for size in (50, 150, 400, 600):
        guess = nearest(X[train][:size], y[train][:size], X[test], 3)
        noisy = np.where(rng.random(guess.size) < 0.3, rng.integers(10, size=guess.size), guess)
        guesses = {f"{size}-examples.csv": guess, f"noisy-{size}.csv": noisy}
        sent = [
            Sent("digits", lambda _, team=team.id: team, None, "", name, as_csv(labels))
            for team, (name, labels) in zip(teams, guesses.items(), strict=True)
        ]
        assert all(isinstance(told, Answer) for told in gatekeeper.submit(sent))
    gatekeeper.close()
    return database, invitation


def is_ready(port: int) -> bool:
    """Tell whether the server answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def serve(database: str, invitation: str, port: int) -> int:
    """Serve the board until it is stopped, and say where it is once it answers."""
    command = [sys.executable, "-m", "holdfast", "serve", "--database", database]
    with socket.socket() as other:  # whoever has the port would answer in the board's place
        if other.connect_ex(("127.0.0.1", port)) == 0:
            sys.stderr.write(f"error: port must be free, got {port}; try: make board PORT=8001\n")
            return 2
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log)
        try:
            while server.poll() is None and not is_ready(port):
                time.sleep(0.1)
            if server.poll() is None:
                print(f"The board:       http://127.0.0.1:{port}/b/digits")
                print(f"Become its host: http://127.0.0.1:{port}/join/{invitation}")
                print("Ctrl-C stops it; nothing is kept.", flush=True)
            code = server.wait()
        except KeyboardInterrupt:  # the server was sent it, too
            server.wait()
            print("Stopped.")
            return 0
        finally:  # a signal to end may have been sent to this process alone
            server.terminate()
            server.wait()
        log.seek(0)
        sys.stderr.write(log.read().decode(errors="replace"))
        return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--stop", action="store_true", help="make the board, but don't serve it")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="holdfast-board-") as folder:
        database, invitation = make(Path(folder))
        if asked.stop:
            print("The board was made.")
            return 0
        return serve(database, invitation, asked.port)


if __name__ == "__main__":
    sys.exit(main())
