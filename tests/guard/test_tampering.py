"""Edits of a ledger, none of which passes unseen or ends in a traceback, whoever reads it."""

import shutil
import sqlite3
from contextlib import closing, suppress

import numpy as np
import pytest

from holdfast.cli import main
from holdfast.errors import HoldfastError, InvalidQuery, LedgerError
from holdfast.guard import Guard, GuardedFile, Ledger, Policy, exposure
from holdfast.guard.closing import close
from holdfast.guard.fingerprint import fingerprint
from holdfast.guard.receipt import released_score
from holdfast.ledger.storage.copies import back_up
from holdfast.ledger.storage.sql import COLUMNS

LABELS = (np.arange(30) % 3).astype(np.uint8)
ENTRIES = 12
EDITS = 500

# Values of every kind that a column of SQLite takes, whatever its type is.
VALUES = [
    None, "", "x", "0", "é" * 9, b"", b"\x00\xff", 0, -1, 1, 7, 2**63 - 1, -(2**63), 0.5, 1e300,
    "1e400", "nan", "[]", "{", "\x00", "9" * 400, 2**62, -(2**62), "[" * 5000, '{"f1": {}}',
    '{"linked_to": 3}', "1-" + "0" * 32,
]  # fmt: skip
LEDGER_COLUMNS = ("version", "salt", "number", "hash", "time")
STATE_COLUMNS = ("data_set", "scope", "rule", "sealed")
SCHEMA = [
    "DROP INDEX holdfast_by_team",
    "DROP INDEX holdfast_by_data_set",
    "DROP INDEX holdfast_by_prediction",
    "DROP TABLE holdfast_states",
    "DROP TABLE holdfast_entries",
    "DROP TABLE holdfast_ledger",
    "ALTER TABLE holdfast_entries DROP COLUMN detail",
    "ALTER TABLE holdfast_entries ADD COLUMN more TEXT",
    "ALTER TABLE holdfast_entries RENAME COLUMN rule TO rules",
    "ALTER TABLE holdfast_states RENAME TO holdfast_conditions",
    "CREATE TRIGGER t AFTER INSERT ON holdfast_entries BEGIN DELETE FROM holdfast_states; END",
    "CREATE TRIGGER u AFTER UPDATE ON holdfast_ledger BEGIN SELECT 1; END",
    "CREATE VIEW v AS SELECT * FROM holdfast_entries",
]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A ledger with looks of three teams under two rules, an answer and a final choice."""
    path = tmp_path_factory.mktemp("tampering") / "ledger.db"
    guard = Guard(LABELS, Policy("batch:2", failed="look"), path, create=True)
    receipts = [
        guard.score(np.roll(LABELS, shift), team=team)
        for shift, team in enumerate(["blue", "blue", "red", "red", "green"])
    ]
    guard.choose_final(receipts[0].receipt_id, team="blue")
    exact = Guard(LABELS, Policy("exact"), guard.ledger)
    receipts += [exact.score(np.roll(LABELS, shift), team="blue") for shift in range(3)]
    entries = guard.ledger.entries()
    assert len(entries) == ENTRIES
    guard.ledger.close()
    exact.ledger.close()
    for leftover in path.parent.glob("ledger.db.*"):
        leftover.unlink()
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]
    return path, [receipt.receipt_id for receipt in receipts], entries


def edit_a_column(database, rng):
    column = COLUMNS[rng.integers(len(COLUMNS))]
    value = VALUES[rng.integers(len(VALUES))]
    row = int(rng.integers(1, ENTRIES + 1))
    database.execute(f"UPDATE holdfast_entries SET {column} = ? WHERE number = ?", (value, row))


def edit_the_head(database, rng):
    column = LEDGER_COLUMNS[rng.integers(len(LEDGER_COLUMNS))]
    value = VALUES[rng.integers(len(VALUES))]
    database.execute(f"UPDATE holdfast_ledger SET {column} = ?", (value,))


def edit_a_state(database, rng):
    column = STATE_COLUMNS[rng.integers(len(STATE_COLUMNS))]
    value = VALUES[rng.integers(len(VALUES))]
    database.execute(
        f"UPDATE holdfast_states SET {column} = ? WHERE rowid = "
        "(SELECT rowid FROM holdfast_states ORDER BY random() LIMIT 1)",
        (value,),
    )


def move_rows(database, rng):
    one, two = (int(number) for number in rng.choice(np.arange(1, ENTRIES + 1), 2, replace=False))
    kind = int(rng.integers(6))
    names = ", ".join(name for name in COLUMNS if name != "number")
    if kind == 0:
        database.execute("DELETE FROM holdfast_entries WHERE number = ?", (one,))
    elif kind == 1:
        database.execute("DELETE FROM holdfast_entries WHERE number >= ?", (one,))
    elif kind == 2:
        database.execute(
            f"INSERT INTO holdfast_entries (number, {names}) "
            f"SELECT {ENTRIES + 1}, {names} FROM holdfast_entries WHERE number = ?",
            (one,),
        )
    elif kind == 3:
        database.execute("UPDATE holdfast_entries SET number = -1 WHERE number = ?", (one,))
        database.execute("UPDATE holdfast_entries SET number = ? WHERE number = ?", (one, two))
        database.execute("UPDATE holdfast_entries SET number = ? WHERE number = -1", (two,))
    elif kind == 4:
        table = ("holdfast_entries", "holdfast_states", "holdfast_ledger")[rng.integers(3)]
        database.execute(f"DELETE FROM {table}")
    else:
        database.execute("INSERT INTO holdfast_states VALUES ('d', 's', 'exact', x'00')")


def edit_the_schema(database, rng):
    database.execute(SCHEMA[rng.integers(len(SCHEMA))])


KINDS = [edit_a_column, edit_a_column, edit_a_column, edit_the_head, edit_a_state, move_rows,
         edit_the_schema]  # fmt: skip


def edit_bytes(path, rng):
    """Overwrite, cut off, fill up or exchange bytes of the file itself."""
    data = bytearray(path.read_bytes())
    kind, place = int(rng.integers(5)), int(rng.integers(len(data)))
    if kind == 0:
        data[place] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        end = min(len(data), place + int(rng.integers(1, 400)))
        data[place:end] = rng.bytes(end - place)
    elif kind == 2:
        del data[place:]
    elif kind == 3:
        page = 4096 * int(rng.integers(len(data) // 4096))
        data[page : page + 4096] = bytes(4096)
    else:
        data[: int(rng.integers(1, 100))] = rng.bytes(99)
    path.write_bytes(data)


def content(path):
    """Return all rows of all tables as SQLite reads them; None: it can't."""
    try:
        with closing(sqlite3.connect(path)) as database:
            tables = ("holdfast_ledger", "holdfast_entries", "holdfast_states")
            rows = [database.execute(f"SELECT * FROM {name}").fetchall() for name in tables]
            names = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
            sound = database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except (sqlite3.Error, UnicodeError):
        return None
    return (rows, names) if sound else None


def verdict(path, receipts):
    """Return what verification says, as a list of findings; it may raise nothing else."""
    try:
        with Ledger(path) as ledger:
            owner = fingerprint(LABELS, ledger.salt())
            return list(ledger.verify(receipts=receipts, owner=owner).problems)
    except LedgerError as error:
        return [str(error)]


@pytest.mark.slow
def test_five_hundred_edits_are_all_seen_and_none_ends_in_a_traceback(original, tmp_path):
    source, receipts, _ = original
    rng = np.random.default_rng(12)
    before, seen, harmless = content(source), 0, 0
    assert verdict(source, receipts) == []
    for number in range(EDITS):
        path = tmp_path / f"{number}.db"
        shutil.copy(source, path)
        if number % 3 == 0:
            edit_bytes(path, rng)
        else:
            # What fails breaks a constraint that the database itself holds.
            opened = sqlite3.connect(path, isolation_level=None)
            with closing(opened) as database, suppress(sqlite3.Error):
                KINDS[rng.integers(len(KINDS))](database, rng)
        changed = content(path) != before
        findings = verdict(path, receipts)
        if changed:
            assert findings, f"edit {number} was not seen"
        for finding in findings:
            assert "Traceback" not in finding
            assert "\n" not in finding
        seen, harmless = seen + bool(findings), harmless + (not changed and not findings)
        for file in tmp_path.glob(f"{number}.db*"):
            file.unlink()
    assert seen + harmless == EDITS
    assert seen > 0.8 * EDITS  # the rest hit unused bytes, or wrote the value that was there


def test_what_verification_meets_is_a_finding_on_the_command_line_too(original, tmp_path, capsys):
    source, receipts, _ = original
    rng = np.random.default_rng(13)
    for number in range(12):
        path = tmp_path / f"{number}.db"
        shutil.copy(source, path)
        if number % 2:
            edit_bytes(path, rng)
        else:
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                edit_a_column(database, rng)
        code = main(["ledger", "verify", str(path), "--receipt", receipts[0]])
        output = capsys.readouterr()
        assert code in (0, 1, 4)
        assert (output.err == "") == (code != 4)
        assert output.err.count("\n") <= 1


READ_EDITS = 150


@pytest.fixture(scope="module", params=["ladder:0.01", "round:2"])
def board(tmp_path_factory, request):
    """A ledger of a board with a private part, which has entries of all kinds but a closing."""
    folder = tmp_path_factory.mktemp("board")
    truth, guess = folder / "truth.csv", folder / "guess.csv"
    rows = [f"{i},{label},{'Public' if i % 2 else 'Private'}" for i, label in enumerate(LABELS)]
    truth.write_text("\n".join(["id,label,Usage", *rows, ""]))
    truth.chmod(0o600)
    policy = Policy(request.param, metric="f1_macro", also=("accuracy",), looks_per_team=50)
    if request.param == "round:2":
        policy = Policy(request.param, looks_per_team=50, window="day", failed="look")

    def submitted(labels):
        guess.write_text("\n".join(["id,label", *(f"{i},{c}" for i, c in enumerate(labels)), ""]))
        return guess

    host = GuardedFile(truth, policy, folder / "ledger.db", create=True)
    for shift in range(4):
        receipt = host.score(submitted(np.roll(LABELS, shift)), team=f"team {shift % 2}")
    with pytest.raises(InvalidQuery):
        host.score(submitted(LABELS[:-1]), team="team 0")
    host.guard.choose_final(receipt.receipt_id, team="team 1")
    host.guard.note("merged", by="host", pooled=("team 0", "team 1"))
    host.guard.ledger.close()
    return folder / "ledger.db", truth, policy, submitted


@pytest.mark.slow
def test_no_edited_value_ends_a_reader_in_a_foreign_exception(board, tmp_path, capsys):
    """`ledger show`, exposure, entries, looks, choices, closings: one sentence, or the answer."""
    source, truth, policy, submitted = board
    rng = np.random.default_rng(5)
    with closing(sqlite3.connect(source)) as database:
        names = [row[0] for row in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]  # fmt: skip
        cells = [
            (name, column[1], row[0])
            for name in names
            for column in database.execute(f"PRAGMA table_info({name})").fetchall()
            for row in database.execute(f"SELECT rowid FROM {name}").fetchall()
        ]

    def look():
        host = GuardedFile(truth, policy, path)
        host.guard.allowance(team="team 0")
        last = host.score(submitted(rng.permutation(LABELS)), team="team 0")
        host.score(submitted(LABELS), team="team 0")
        host.guard.choose_final(last.receipt_id, team="team 0")
        host.guard.note("merged", by="host", pooled=("team 1", "team 0"))
        close(host)

    readers = [
        lambda: main(["ledger", "show", str(path)]),
        lambda: exposure(Ledger(path)),
        lambda: [released_score(entry) for entry in Ledger(path).entries()],
        lambda: back_up(path, tmp_path / "copy.db"),
        look,
    ]
    for number in range(READ_EDITS):
        path = tmp_path / f"{number}.db"
        shutil.copy(source, path)
        table, column, row = cells[rng.integers(len(cells))]
        value = VALUES[rng.integers(len(VALUES))]
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as database,
            suppress(sqlite3.IntegrityError),
        ):
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
        for reader in readers:
            with suppress(HoldfastError):
                reader()
            error = capsys.readouterr().err
            assert "Traceback" not in error
            assert error.count("\n") <= 1
        for file in (*tmp_path.glob(f"{number}.db*"), *tmp_path.glob("copy.db*")):
            file.unlink()


@pytest.mark.parametrize("statement", SCHEMA)
def test_every_edit_of_the_schema_is_found(original, tmp_path, statement):
    path = tmp_path / "ledger.db"
    shutil.copy(original[0], path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement)
    assert verdict(path, original[1])


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DROP INDEX holdfast_by_team", "the index holdfast_by_team is missing or broken."),
        ("ALTER TABLE holdfast_states DROP CONSTRAINT holdfast_states_pkey", "its primary key."),
        ("ALTER TABLE holdfast_entries ENABLE ROW LEVEL SECURITY", "hides rows."),
        ("CREATE RULE r AS ON DELETE TO holdfast_entries DO INSTEAD NOTHING", "have a rule: r"),
        (
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
            "CREATE TRIGGER t BEFORE INSERT ON holdfast_states FOR EACH ROW EXECUTE FUNCTION f()",
            "have a trigger: t",
        ),
        ("DROP TABLE holdfast_states", "can't be used"),
        ("ALTER TABLE holdfast_entries DROP COLUMN detail", "can't be used"),
        ("DELETE FROM holdfast_ledger", "head was edited|salt was edited"),
        (
            "ALTER TABLE holdfast_entries ALTER COLUMN time TYPE TEXT",
            "time of the wrong kind|can't be used",
        ),
    ],
)
def test_what_could_change_a_postgresql_ledger_unseen_is_found(postgres_url, statement, problem):
    import re

    import psycopg

    guard = Guard(LABELS, Policy("exact"), postgres_url, create=True)
    guard.score(LABELS, team="blue")
    ledger = guard.ledger
    assert ledger.verify().ok
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(statement.encode())
    assert any(re.search(problem, found) for found in ledger.verify().problems)
    ledger.close()
