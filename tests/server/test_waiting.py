"""Servers that start while their database is away for a moment."""

import pytest
from starlette.testclient import TestClient

from holdfast.errors import LedgerError, LedgerMissing
from holdfast.ledger import storage
from holdfast.server.app import create
from holdfast.server.settings import Settings


def failing(times, error):
    """Return what raises some times before it returns how often it was called."""
    calls = []

    def make():
        calls.append(None)
        if len(calls) <= times:
            raise error
        return len(calls)

    return make


def test_a_ledger_that_answers_again_is_waited_for(monkeypatch):
    monkeypatch.setattr(storage.time, "sleep", lambda _: None)
    assert storage.waited_for(failing(3, LedgerError("it recovers"))) == 4


def test_one_that_does_not_in_time_is_an_error(monkeypatch):
    monkeypatch.setattr(storage.time, "sleep", lambda _: None)
    with pytest.raises(LedgerError, match="it recovers"):
        storage.waited_for(failing(10**9, LedgerError("it recovers")), seconds=0.01)


def test_one_that_is_not_there_is_not_waited_for():
    with pytest.raises(LedgerMissing):
        storage.waited_for(failing(1, LedgerMissing("none")))


def test_a_worker_starts_although_its_database_recovers_meanwhile(place, monkeypatch):
    from holdfast.server import app

    monkeypatch.setattr(storage.time, "sleep", lambda _: None)
    away = iter([True, True, False])
    made = app.Site

    def site(*arguments, **more):
        if next(away):
            raise LedgerError("the database system is in recovery mode")
        return made(*arguments, **more)

    monkeypatch.setattr(app, "Site", site)
    with TestClient(create(Settings(database=place.url))) as client:
        assert client.get("/readyz").status_code == 200
