"""Integrity checks of an SQLite ledger as a database: its pages and its schema."""

from __future__ import annotations

import sqlite3

from holdfast.ledger.storage.sql import schema

__all__ = ["damage"]

# More findings than anybody reads; one is enough to know.
MOST_FINDINGS = 20


def damage(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite's own check finds, and where the schema is not the ledger's.

    A trigger can change what a commit writes, and a lost index or constraint what a question
    finds, without any entry being edited.
    """
    found = [
        str(line) for (line,) in connection.execute(f"PRAGMA integrity_check({MOST_FINDINGS})")
    ]
    problems = [f"the database is damaged: {line}" for line in found if line != "ok"]
    stored = {
        str(name): (str(kind), _words(text))
        for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master")
    }
    for statement in schema("BLOB"):
        text = statement.replace("IF NOT EXISTS ", "")
        name = text.split()[2]
        if stored.get(name) != (text.split()[1].lower(), _words(text)):
            problems.append(f"the schema was edited: {name} is missing or another one.")
    for name, (kind, _) in stored.items():
        if kind in ("trigger", "view"):
            problems.append(f"the schema was edited: there is a {kind} {name}.")
    return problems


def _words(text: object) -> list[str]:
    return str(text).split()
