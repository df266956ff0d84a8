"""A content-addressed store of played cells: gains and looks under keyed digests, never labels.

The address of a play is a keyed BLAKE2 digest of everything its outcome follows from: labels,
models, seed, scenario, rule, looks, trial, the package's own source text and the versions of what
it computes with. The key is random, made on this machine, and kept in a file of its own: the store
alone does not even tell whether it holds a play on some given labels. Another audit of the same
labels, or one with another rule that shares plays with it, finds what was played.

The store is a SQLite file, so that two audits may use it at once and a power cut leaves no half of
a row. Nothing depends on it: one that can't be read is begun anew, and one that can't be written is
left alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import platform
import secrets
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from holdfast.audit.inputs.request import Request
from holdfast.audit.scenarios.plays import AnyJob
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.pool import Map

__all__ = ["ENVIRONMENT", "PlayCache", "cache_folder", "keeping"]

# A play of an audit, whatever it is of: a tuple of all that its outcome follows from.
KeptJob = TypeVar("KeptJob", bound=AnyJob)

ENVIRONMENT = "HOLDFAST_CACHE_DIR"
STORE, KEY = "plays.sqlite", "key"
KEY_BYTES = 32
# A row takes about 100 bytes; beyond so many of them those that were used longest ago go.
MOST_ROWS = 200_000
ROWS_KEPT = 150_000
# Seconds to wait for another audit's transaction, which takes milliseconds.
LOCK_WAIT_SECONDS = 2.0
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS plays (address BLOB PRIMARY KEY, gain REAL NOT NULL, "
    "looks INTEGER NOT NULL, reason TEXT, used INTEGER NOT NULL) WITHOUT ROWID"
)


def cache_folder() -> Path:
    """Return where plays are kept: HOLDFAST_CACHE_DIR, or the user's directory for caches."""
    given = os.environ.get(ENVIRONMENT)
    if given:
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "holdfast"
    places = ("LOCALAPPDATA",) if sys.platform == "win32" else ("XDG_CACHE_HOME",)
    base = next((os.environ[name] for name in places if os.environ.get(name)), None)
    return (Path(base) if base else Path.home() / ".cache") / "holdfast"


class PlayCache:
    """The plays kept for one request.

    A play is kept under a keyed digest of all that its outcome follows from: the labels, the
    models' predictions, classes and seed, the code, the libraries and the machine, and the job. So
    nothing has to be declared stale: whatever changes, the address changes with it. Without the
    key, a file of the folder, an address tells nothing of the labels; a gain is an exact score, so
    that the files are readable by their owner alone.

    Parameters
    ----------
    request
        What is audited.
    folder
        Where the store lies; made if it is not there.
    beside
        What outcomes follow from besides: what a board shows, where that is not one accuracy.

    Examples
    --------
    A folder that can't be made costs nothing but the plays:

    >>> from holdfast.audit.inputs.reading import read_request
    >>> PlayCache(read_request(None), Path("/dev/null/nowhere")).found([])
    {}
    """

    def __init__(self, request: Request, folder: Path, beside: Sequence[bytes] = ()) -> None:
        self.reused: set[AnyJob] = set()  # plays that were found so far
        self._store: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._key = _key_in(folder)
            self._store = _opened(folder / STORE)
        except (OSError, sqlite3.Error):
            return
        self._context = self._digest(
            request.labels.astype("<i8").tobytes(),
            *(model.labels.astype("<i8").tobytes() for model in request.predictions),
            repr((request.problem.n_classes, request.seed, _software())).encode(),
            *beside,
        )
        # An accuracy gains at most 1, a loss whatever it has.
        self._most = math.inf if beside else 1.0

    def found(self, jobs: Iterable[AnyJob]) -> dict[AnyJob, Played]:
        """Return what is known of these plays; they count as used, and are dropped last."""
        known: dict[AnyJob, Played] = {}
        for job in jobs:
            address = self._address(job)
            row = self._run("SELECT gain, looks, reason FROM plays WHERE address = ?", address)
            if row and (played := self._checked(*row[0])) is not None:
                known[job] = played
                self.reused.add(job)
                self._run("UPDATE plays SET used = ? WHERE address = ?", int(time.time()), address)
        return known

    def keep(self, job: AnyJob, played: Played) -> None:
        """Keep what came of a play."""
        row = (float(played.bias), int(played.looks), played.reason, int(time.time()))
        insert = "INSERT OR REPLACE INTO plays VALUES (?, ?, ?, ?, ?)"
        self._run(insert, self._address(job), *row)

    def close(self) -> None:
        """Let go of the store, and of the oldest plays if there are too many."""
        count = self._run("SELECT COUNT(*) FROM plays")
        if count and count[0][0] > MOST_ROWS:
            oldest = "SELECT address FROM plays ORDER BY used LIMIT ?"
            self._run(f"DELETE FROM plays WHERE address IN ({oldest})", count[0][0] - ROWS_KEPT)
        if self._store is not None:
            self._store.close()
            self._store = None

    def _checked(self, gain: Any, looks: Any, reason: Any) -> Played | None:
        """Return a row as a play if it can be one.

        The store is a file that others may have damaged: a gain that no play can have is played
        again, not shown.
        """
        whole = isinstance(looks, int) and looks >= 0
        likely = isinstance(gain, float) and math.isfinite(gain) and abs(gain) <= self._most
        return Played(gain, looks, reason) if whole and likely else None

    def _address(self, job: AnyJob) -> bytes:
        return self._digest(self._context, repr((*job,)).encode()) if self._store else b""

    def _digest(self, *parts: bytes) -> bytes:
        digest = hashlib.blake2b(key=self._key, digest_size=32)
        for part in parts:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        return digest.digest()

    def _run(self, statement: str, *values: Any) -> list[Any]:
        """Run a statement in a transaction of its own; a store that fails is not asked again."""
        if self._store is None:
            return []
        try:
            with self._store:
                return self._store.execute(statement, values).fetchall()
        except sqlite3.Error:
            with contextlib.suppress(sqlite3.Error):
                self._store.close()
            self._store = None
            return []


def keeping(play: Map[KeptJob, Played], kept: PlayCache | None) -> Map[KeptJob, Played]:
    """Return a map that plays only what is not kept, and keeps what it plays.

    `play` may be any pool's. Results come in the order of the tasks; `on_done` hears of kept plays
    at once, so that a progress bar jumps over them.
    """
    if kept is None:
        return play

    def mapped(
        tasks: Iterable[KeptJob], on_done: Callable[[Any, Any], None] | None = None
    ) -> Iterator[Played]:
        jobs = list(tasks)
        known = kept.found(jobs)
        for job, played in known.items():
            if on_done is not None:
                on_done(job, played)

        def done(job: KeptJob, played: Played) -> None:
            kept.keep(job, played)
            if on_done is not None:
                on_done(job, played)

        fresh = play([job for job in jobs if job not in known], done)
        for job in jobs:
            yield known[job] if job in known else next(iter(fresh))

    return mapped


def _key_in(folder: Path) -> bytes:
    """Return the folder's key; the first of several audits that start at once makes it."""
    path = folder / KEY
    if not path.exists():
        handle, made = tempfile.mkstemp(dir=folder)  # readable by its owner alone
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
            with contextlib.suppress(FileExistsError):
                os.link(made, path)
        finally:
            os.unlink(made)
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        path.unlink()
        raise OSError(f"the key in {folder} is damaged, and a new one will be made.")
    return key


def _opened(path: Path) -> sqlite3.Connection:
    """Return the store; one that is damaged is begun anew."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise  # no place to write, or locked: it may be whole
    except sqlite3.DatabaseError:
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    store = sqlite3.connect(path, timeout=LOCK_WAIT_SECONDS)
    try:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("PRAGMA synchronous = NORMAL")
        with store:
            store.execute(SCHEMA)
            store.execute("SELECT address, gain, looks, reason, used FROM plays LIMIT 1").fetchall()
        path.chmod(0o600)
    except (sqlite3.Error, OSError):
        store.close()
        raise
    return store


@cache
def _software() -> tuple[str, ...]:
    """Return what outcomes depend on besides the request: code, libraries and machine.

    Every source file counts, also those that change no number: finding out which do would take
    longer than playing again.
    """
    digest = hashlib.blake2b()
    folder = Path(str(files("holdfast")))
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.json")]):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    libraries = [version(name) for name in ("numpy", "scipy", "numba")]
    return (digest.hexdigest(), platform.python_version(), platform.machine(), *libraries)
