"""Ctrl-C ends every command that works on several processes: one line, 130, and nothing stays.

The commands run as a shell runs them, in a session of their own, and get a real signal: all their
processes, as from a terminal, or the parent alone, as from `kill -INT`.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.paces import few

DEADLINE = 120.0  # seconds for what takes a moment, for the sake of loaded machines
PROC = Path("/proc")
START = "import sys; from holdfast.cli import main; sys.exit(main())"

SIZES = ("--n-examples", "2000", "--n-classes", "10", "--looks", "1001")
GRID = """
attacks = ["block-majority"]
problems = [[20000, 10, 1001]]
seeds = 100000
"""
# Each would work for minutes, the demo for half a minute.
COMMANDS = {
    "attack": ("attack", "block-majority", *SIZES, "--trials", "1000000"),
    "matrix": ("bench", "matrix", *SIZES),
    "audit": ("audit", "--looks", "3000"),
    "reproduce": ("paper", "reproduce", "--out", "out", "--effort", "100"),
    "audit --metric": ("audit", "--metric", "f1_macro", "--looks", "3000"),
    "sweep": ("sweep", "grid.toml"),
    "bench": ("bench", "--full"),
    "demo": ("demo",),
}
# What they may leave besides the grid that was given: sweeps go on from the rows they have.
KEPT = {"sweep": {"grid.rows.jsonl"}, "bench": {"full.rows.jsonl"}}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (PROC / "self" / "status").exists(), reason="needs Linux's /proc"),
]


def processes_of(session):
    """Return the processes of a session that have not ended: their numbers and status lines."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                # After the name in brackets: state, parent, process group, session.
                state, _, _, its_session = (
                    (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                )
                if int(its_session) == session and state not in "ZX":
                    lines = (folder / "status").read_text().splitlines()
                    status = dict(line.split(":", 1) for line in lines)
                    found[int(folder.name)] = (folder / "cmdline").read_text(), status
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended meanwhile
    return found


def starting(command, status):
    """Tell whether this is a worker, whatever it does."""
    return "multiprocessing.spawn" in command


def at_work(command, status):
    """Tell whether this is a worker that is ready for tasks: from then on it catches SIGTERM."""
    caught = int(status["SigCgt"], 16) >> (signal.SIGTERM - 1)
    return starting(command, status) and caught & 1


def wait_until(condition, what):
    latest = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < latest, what
        time.sleep(0.02)


@pytest.fixture
def interrupted(tmp_path):
    """Run a command, interrupt it when two workers are so far, and return its outcome."""
    temporary, folder = tmp_path / "temporary", tmp_path / "folder"
    temporary.mkdir()
    folder.mkdir()
    (folder / "grid.toml").write_text(GRID)
    started = []

    def run(arguments, when, send):
        parent = subprocess.Popen(
            [sys.executable, "-c", START, *arguments, "--processes", "2", "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(temporary)},
            start_new_session=True,
        )
        started.append(parent)

        def far_enough():
            assert parent.poll() is None, parent.communicate()
            return sum(bool(when(*each)) for each in processes_of(parent.pid).values()) == 2

        wait_until(far_enough, "no two workers came so far")
        send(parent.pid, signal.SIGINT)
        out, err = parent.communicate(timeout=DEADLINE)
        return parent, out, err

    yield run
    for parent in started:
        if parent.poll() is None:
            os.killpg(parent.pid, signal.SIGKILL)
            parent.communicate()


# All commands work on one pool: that the parent alone may get the signal is tried where it is most
# delicate, while workers start, and while they work.
@pytest.mark.parametrize(
    ("name", "when", "send"),
    [
        *few(1, [("attack", starting, os.kill), ("attack", starting, os.killpg)]),
        pytest.param("attack", at_work, os.kill, marks=pytest.mark.long),
        *few(4, [(name, at_work, os.killpg) for name in COMMANDS]),
    ],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_ctrl_c_is_one_line_and_exit_code_130_and_nothing_stays(
    name, send, when, interrupted, tmp_path
):
    parent, out, err = interrupted(COMMANDS[name], when, send)
    # That kernels are compiled is told by whoever comes first.
    said = [line for line in err.splitlines() if line and "ompil" not in line]
    if name.startswith("audit"):  # it tells findings and steps, and at the end what is known so far
        del said[:-1]
    assert (parent.returncode, out, said) == (130, "", ["error: interrupted."])
    wait_until(lambda: not processes_of(parent.pid), "a process outlived the command")
    assert list((tmp_path / "temporary").iterdir()) == []
    left = {path.name for path in (tmp_path / "folder").rglob("*") if path.is_file()}
    assert left <= {"grid.toml", *KEPT.get(name, ())}
