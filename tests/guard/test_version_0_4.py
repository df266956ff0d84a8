"""A ledger that version 0.4 wrote opens, verifies and keeps every budget; format 1 is refused."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, InvalidInput, LedgerError
from holdfast.guard import Ledger, exposure
from tests.guard.data.make_version_0_4 import (
    BY_ID,
    BY_PLACE,
    IDS,
    NUMBERS,
    PARTED,
    PUBLIC,
    QUERIES,
    N,
    guard,
)

DUMP = (Path(__file__).parent / "data" / "version_0_4.sql").read_text()
TURNED = slice(None, None, -1)
SHUFFLED = np.random.default_rng(2).permutation(N)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    """A ledger with the rows that version 0.4 wrote."""
    if request.param == "sqlite":
        return loaded(request.getfixturevalue("sqlite_url"))
    url = request.getfixturevalue("postgres_url")
    source = sqlite3.connect(":memory:")
    source.executescript(DUMP)
    with Ledger(url, create=True) as ledger, ledger.storage.writing() as transaction:
        for table in ("ledger", "entries", "states", "predictions"):
            rows = source.execute(f"SELECT * FROM holdfast_{table}").fetchall()
            transaction._engine.write(f"DELETE FROM holdfast_{table}", ())
            places = ", ".join("?" for _ in rows[0])
            for row in rows:
                transaction._engine.write(f"INSERT INTO holdfast_{table} VALUES ({places})", row)
    source.close()
    return url


def loaded(path, *changes):
    connection = sqlite3.connect(path)
    connection.executescript(DUMP)
    for change in changes:
        connection.execute(change)
    connection.commit()
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    Path(path).chmod(0o600)
    return path


def verified(guard):
    owners = [name.owner for name in guard._in_ledger.labels.names]
    return guard.ledger.verify(owner=owners).problems == ()


def test_it_verifies_and_reading_changes_nothing(url):
    with Ledger(url) as ledger:
        assert ledger.verify().problems == ()
        entries = ledger.entries()
        told = [(each.looks, [team.looks for team in each.teams]) for each in exposure(ledger)]
        # Blue has two looks, and knows what red was told.
        assert told == [(3, [3, 1]), (4, [1, 2, 1]), (1, [1]), (2, [1, 1])]
        guard(url, BY_ID, IDS).allowance(team="somebody else")
        assert ledger.entries() == entries


@pytest.mark.parametrize("order", [slice(None), TURNED, SHUFFLED], ids=["given", "turned", "new"])
def test_labels_by_id_go_on_in_any_order(order, url):
    by_id = guard(url, BY_ID, IDS, order, release="ladder:0.01")
    assert by_id.allowance(team="blue")[0] == 2
    assert by_id.score(QUERIES[0][order], team="blue").repeated
    assert by_id.score(QUERIES[5][order], team="blue").looks_left == 1
    assert verified(by_id)
    with pytest.raises(InvalidInput, match="must come with their ids"):
        guard(url, BY_ID)


def test_labels_by_place_go_on_in_their_order_with_ids_or_without(url):
    assert guard(url, BY_PLACE).score(QUERIES[0], team="blue").looks_left == 2
    with_ids = guard(url, BY_PLACE, IDS)
    assert with_ids.score(QUERIES[1], team="blue").looks_left == 1
    assert with_ids.score(QUERIES[3], team="blue").repeated
    assert with_ids.score(QUERIES[1], team="green").looks_left == 2  # its carried look counts
    assert verified(with_ids)
    with pytest.raises(InvalidInput, match="order in which the ledger first knew them"):
        guard(url, BY_PLACE, IDS, TURNED)
    with pytest.raises(InvalidInput, match="must come with their ids"):
        guard(url, BY_PLACE, order=TURNED)  # known to be these labels since they had ids


def test_numbers_keep_their_budget_though_zeros_have_no_sign_any_more(url):
    assert "-0.0" in map(str, NUMBERS.tolist())
    again = guard(url, NUMBERS, metric="mae")
    assert again.score(np.zeros(N), team="blue").looks_left == 3
    assert verified(again)
    # From now on they are the same labels without the signs, too.
    with pytest.raises(InvalidInput, match=r"-0\.0 was not 0\.0 then"):
        guard(url, NUMBERS + 0.0, metric="mae")


def test_kept_predictions_are_read_as_they_were_kept(url):
    parted = guard(url, PARTED, IDS, SHUFFLED, part=PUBLIC_OF_SHUFFLED)
    assert parted.score(QUERIES[7][SHUFFLED], team="blue").repeated
    assert parted.score(QUERIES[0][SHUFFLED], team="blue").looks_left == 3
    assert verified(parted)


PUBLIC_OF_SHUFFLED = type(PUBLIC)(
    "public", np.flatnonzero(np.isin(SHUFFLED, PUBLIC.rows)), keeps=True
)


def test_nobody_gets_a_look_back(url):
    by_place = guard(url, BY_PLACE)
    for query in QUERIES[:5]:
        by_place.score(query, team="red")
    with pytest.raises(BudgetExhausted):
        by_place.score(QUERIES[8], team="red")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE holdfast_ledger SET version = 1",
        "UPDATE holdfast_entries SET data_set = '', kind = 'upgraded' WHERE number = 5",
    ],
    ids=["as it was made", "gone on in format 2"],
)
def test_format_1_is_refused_in_one_sentence(change, sqlite_url):
    loaded(sqlite_url, change)
    with pytest.raises(LedgerError, match="began in format 1, which version"):
        Ledger(sqlite_url)
