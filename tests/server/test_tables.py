"""The server's tables: those of an empty database, and those of version 0.4 brought up to date."""

from pathlib import Path

import pytest

from holdfast.errors import LedgerError
from holdfast.ledger.chain import Ledger
from holdfast.server.schema import OLDEST, SINCE, migrate

# What version 0.4 wrote for an empty database: its tables were of version 3.
STATEMENTS = Path(__file__).with_name("tables_of_0_4.sql").read_text(encoding="utf-8")
COLUMNS = {
    "sqlite": "SELECT m.name, c.name, c.type, c.[notnull] FROM sqlite_master AS m, "
    "pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name LIKE 'holdfast_%'",
    "postgres": "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text "
    "FROM information_schema.columns WHERE table_schema = current_schema() "
    "AND table_name LIKE 'holdfast_%'",
}
INDEXES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    "postgres": "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() "
    "AND indexname NOT LIKE '%_key' AND indexname NOT LIKE '%_pkey'",
}


def of_0_4(url):
    ledger = Ledger(url, create=True)
    with ledger.storage.writing() as transaction:
        for statement in STATEMENTS.split(";\n"):
            if statement.strip():
                transaction.execute(statement)
                transaction.rows("SELECT 1")  # sends it: what follows may be about a new table
    return ledger


def shape(ledger):
    kind = (
        "postgres" if ledger.storage.inner.__class__.__name__.startswith("Postgres") else "sqlite"
    )
    with ledger.storage.reading() as transaction:
        # What froze is elsewhere by now; and SQLite lets a key of one column be NULL in name.
        rows = [tuple(map(str, row)) for row in transaction.rows(COLUMNS[kind])]
        columns = {row[: 3 if row[1] == "id" else 4] for row in rows if row[1] != "snapshot"}
        return columns, set(transaction.rows(INDEXES[kind]))


def test_tables_of_0_4_become_those_of_an_empty_database(new_ledger_url):
    fresh, older = Ledger(new_ledger_url(), create=True), of_0_4(new_ledger_url())
    migrate(fresh.storage)
    migrate(older.storage)
    assert shape(fresh) == shape(older)
    migrate(older.storage)  # nothing is left to do


@pytest.mark.parametrize("version", [OLDEST - 1, OLDEST + len(SINCE) + 1])
def test_tables_of_no_released_server_are_refused(version, new_sqlite_url):
    ledger = of_0_4(new_sqlite_url())
    with ledger.storage.writing() as transaction:
        transaction.execute("UPDATE holdfast_server SET version = ?", (version,))
    with pytest.raises(LedgerError, match=f"must be of version 3 to .*, got {version}"):
        migrate(ledger.storage)
