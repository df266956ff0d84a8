"""Ledgers of both kinds; PostgreSQL is a real server that the tests start themselves."""

import os
import secrets
import subprocess
import sys
import tempfile
import urllib.parse

import pytest

from holdfast.guard import fingerprint
from tests.guard import servers

WATCHDOG = """
import os, shutil, signal, sys
sys.stdin.read()
os.kill(int(sys.argv[1]), signal.SIGQUIT)
shutil.rmtree(sys.argv[2], ignore_errors=True)
"""

FULL_COST = fingerprint.SCRYPT_COST
# Modules whose ledgers other processes open, or that come from files: those have the full cost.
FULL_FINGERPRINT = {
    "test_adapters",
    "test_closing",
    "test_commands",
    "test_deployment",
    "test_disk",
    "test_faults",
    "test_fingerprint",
    "test_forwarder",
    "test_gone",
    "test_load",
    "test_story",
    "test_version_0_4",
}


@pytest.fixture(scope="module", autouse=True)
def quick_fingerprint(request):
    """Make the hash of labels quick: guards are made by the thousand, and nobody guesses labels."""
    if request.module.__name__.rpartition(".")[2] in FULL_FINGERPRINT:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint, "SCRYPT_COST", 2)
        fingerprint._slow_hash.cache_clear()
        yield
    fingerprint._slow_hash.cache_clear()


@pytest.fixture
def full_fingerprint(monkeypatch):
    """Hash labels at the cost that hosts pay: for records of what was written."""
    monkeypatch.setattr(fingerprint, "SCRYPT_COST", FULL_COST)
    fingerprint._slow_hash.cache_clear()
    yield
    fingerprint._slow_hash.cache_clear()


@pytest.fixture(scope="session")
def postgres_server():
    """URL of a server: the one named by HOLDFAST_TEST_POSTGRES_URL, else one of our own."""
    given = os.environ.get("HOLDFAST_TEST_POSTGRES_URL")
    if given:
        yield given
        return
    server = servers.start("holdfast-postgres-")
    import psycopg

    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        # Processes are killed here, machines are not: what was written need not reach a disk.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    # A run that is killed can't stop its server: what reads this pipe notices, and does. It has a
    # session of its own, so that it is not killed together with the run.
    watchdog = subprocess.Popen(
        [sys.executable, "-c", WATCHDOG, str(server.get_pid()), str(server.pgdata)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    yield server.get_uri()
    watchdog.kill()
    watchdog.wait()
    servers.crash(server)  # nobody needs this data again
    server.cleanup()


@pytest.fixture
def new_postgres_url(postgres_server):
    """Makes ledgers that know nothing of each other: a fresh schema for each call."""
    import psycopg

    names = []

    def make():
        names.append(f"test_{secrets.token_hex(8)}")
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {names[-1]}".encode())
        mark = "&" if "?" in postgres_server else "?"
        return f"{postgres_server}{mark}options={urllib.parse.quote(f'-csearch_path={names[-1]}')}"

    yield make
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        for name in names:
            connection.execute(f"DROP SCHEMA {name} CASCADE".encode())


@pytest.fixture
def new_sqlite_url(tmp_path):
    """Makes ledgers that know nothing of each other: a fresh file for each call."""
    return lambda: str(tempfile.mkdtemp(dir=tmp_path) + "/ledger.db")


@pytest.fixture
def postgres_url(new_postgres_url):
    return new_postgres_url()


@pytest.fixture
def sqlite_url(tmp_path):
    return str(tmp_path / "ledger.db")


@pytest.fixture(params=["sqlite", "postgres"])
def ledger_url(request):
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture(params=["sqlite", "postgres"])
def new_ledger_url(request):
    return request.getfixturevalue(f"new_{request.param}_url")
