"""Ledgers of both kinds; PostgreSQL is a real server that the tests start themselves."""

import os
import secrets
import subprocess
import sys
import tempfile
import urllib.parse

import pytest

from tests.guard import servers

WATCHDOG = """
import os, shutil, signal, sys
sys.stdin.read()
os.kill(int(sys.argv[1]), signal.SIGQUIT)
shutil.rmtree(sys.argv[2], ignore_errors=True)
"""


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
