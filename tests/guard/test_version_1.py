"""A ledger of format 1 opens, verifies, keeps its budgets and goes on in format 2."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from holdfast.certificates import certify_histories
from holdfast.errors import BudgetExhausted, InvalidInput, LedgerError
from holdfast.guard import Guard, Ledger, Policy, exposure
from holdfast.guard.data_set import names_of, owners_of
from holdfast.guard.parts import Part
from holdfast.guard.windows import DAY
from tests.guard.data.make_version_1 import IDS, LABELS, PREDICTIONS, REVERSED, START, N

DUMP = (Path(__file__).parent / "data" / "version_1.sql").read_text()
NEW = np.random.default_rng(1).integers(0, 3, (9, N))
SHUFFLED = np.random.default_rng(2).permutation(N)
GIVEN = np.arange(N)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    """A ledger with the rows that format 1 wrote."""
    if request.param == "sqlite":
        url = request.getfixturevalue("sqlite_url")
        with sqlite3.connect(url) as connection:
            connection.executescript(DUMP)
        connection.close()
        Path(url).chmod(0o600)
        return url
    url = request.getfixturevalue("postgres_url")
    source = sqlite3.connect(":memory:")
    source.executescript(DUMP)
    with Ledger(url, create=True) as ledger, ledger.storage.writing() as transaction:
        for table in ("ledger", "entries", "states"):
            rows = source.execute(f"SELECT * FROM holdfast_{table}").fetchall()
            transaction._engine.write(f"DELETE FROM holdfast_{table}", ())
            places = ", ".join("?" for _ in rows[0])
            for row in rows:
                transaction._engine.write(f"INSERT INTO holdfast_{table} VALUES ({places})", row)
    source.close()
    return url


def guard_for(url, order=GIVEN, *, ids=True, rule="ladder:0.01", days=100, **settings):
    settings = {"looks_per_team": 5, "looks_per_data_set": 20, **settings}
    return Guard(
        LABELS[order],
        Policy(rule, failed="look", **settings),
        url,
        ids=IDS[order] if ids else None,
        now=lambda: START + days * DAY,
    )


def verified(guard):
    with guard.ledger.storage.reading() as transaction:
        owners = owners_of(transaction, guard._in_ledger.names)
    return guard.ledger.verify(owner=owners).problems == ()


def test_it_verifies_with_the_labels_as_it_is_and_reading_changes_nothing(url):
    with Ledger(url) as ledger:
        names = names_of(LABELS, None, ledger.salt())
        with ledger.storage.reading() as transaction:
            owners = owners_of(transaction, names)
            assert transaction.version() == 1
        assert ledger.verify(owner=owners).problems == ()
        assert [(one.looks, one.failed) for one in exposure(ledger)] == [(6, 1), (1, 0)]
        guard_for(url).allowance(team="somebody else")
        assert ledger.verify(owner=owners).problems == ()


@pytest.mark.parametrize("order", [GIVEN, SHUFFLED], ids=["its own order", "another order"])
@pytest.mark.parametrize("team", ["Red Fox", "red fox", "RED  FOX"])
def test_a_team_keeps_its_budget_under_every_spelling_and_with_ids(team, order, url):
    guard_for(url)._in_ledger.settled()  # format 1 knew one order alone: it must be met once
    guard = guard_for(url, order)
    assert guard.score(PREDICTIONS[0][order], team=team).repeated
    assert guard.score(NEW[0][order], team=team).looks_left == 1
    assert guard.score(NEW[1][order], team=team).looks_left == 0
    with pytest.raises(BudgetExhausted):
        guard.score(NEW[2][order], team=team)
    assert verified(guard)


def test_three_spellings_of_one_team_share_what_they_had(url):
    guard = guard_for(url)
    assert guard.allowance(team="blue team") == (1, None)
    assert guard.score(NEW[0], team="Blue Team").looks_left == 0
    with pytest.raises(BudgetExhausted):
        guard.score(NEW[1], team="BLUE TEAM")
    kinds = [entry.kind for entry in guard.ledger.entries()[10:]]
    assert kinds == ["upgraded", "linked", "merged", "merged", "look"]
    (found, _) = exposure(guard.ledger)
    assert [(team.team, team.looks) for team in found.teams] == [("Blue Team", 5), ("Red Fox", 2)]
    assert verified(guard)
    assert verified(guard_for(url))


def test_the_rules_memory_goes_on_where_it_was(url):
    guard = guard_for(url)
    before = guard.score(PREDICTIONS[1], team="blue team")
    assert before.repeated
    worst = (LABELS + 1) % 3
    assert guard.score(worst, team="blue team").released == before.released


def test_a_rule_that_works_by_place_still_picks_the_same_examples(url):
    guard = guard_for(url, rule="subsample:0.5")
    told = guard.score(PREDICTIONS[4], team="Red Fox").released
    turned = guard_for(url, SHUFFLED, rule="subsample:0.5")
    assert turned.score(PREDICTIONS[4][SHUFFLED], team="newcomer").released == told


def test_both_orders_of_format_1_become_one_budget_when_both_are_met(url):
    assert guard_for(url).score(NEW[0], team="red fox").looks_left == 1
    turned = guard_for(url, GIVEN[REVERSED])
    assert turned.score(PREDICTIONS[0][REVERSED], team="red fox").looks_left == 0
    with pytest.raises(BudgetExhausted):
        turned.score(NEW[1][REVERSED], team="red fox")
    plain = guard_for(url, GIVEN[REVERSED], ids=False)
    with pytest.raises(BudgetExhausted):
        plain.score(NEW[1][REVERSED], team="red fox")
    assert plain.data_set == turned.data_set == guard_for(url).data_set
    assert verified(turned)
    (found,) = exposure(turned.ledger)
    assert (found.looks, found.failed) == (8, 1)


def test_without_ids_it_goes_on_too(url):
    guard = guard_for(url, ids=False)
    assert guard.score(NEW[0], team="Red Fox").looks_left == 1
    with guard.ledger.storage.reading() as transaction:
        assert transaction.version() == 2
    assert verified(guard)


def test_a_window_opens_again_for_a_team_with_one_spelling(url):
    # It looked on the fourth, fifth and sixth day.
    assert (
        guard_for(url, days=7, looks_per_team=2, window="4 days").allowance(team="red fox")[0] == 0
    )
    guard = guard_for(url, days=9, looks_per_team=2, window="4 days")
    assert guard.score(NEW[0], team="red fox").looks_left == 0


def test_other_class_numbers_are_refused_before_anything_is_written(url):
    other = Guard((LABELS + 1) % 3, Policy("exact"), url, ids=IDS)
    with pytest.raises(InvalidInput, match="same examples under other class numbers"):
        other.score(NEW[0], team="red")
    assert len(other.ledger.entries()) == 10
    with other.ledger.storage.reading() as transaction:
        assert transaction.version() == 1


def test_edits_of_the_older_part_still_show_after_the_upgrade(url):
    guard = guard_for(url)
    guard.score(NEW[0], team="red")
    with guard.ledger.storage.writing() as transaction:
        transaction._engine.write(
            "UPDATE holdfast_entries SET released = '0.9' WHERE number = 3", ()
        )
    assert "entry 3 was edited: its hash does not fit." in guard.ledger.verify().problems


def test_a_ledger_that_claims_an_older_format_than_its_entries_have_is_noticed(url):
    guard = guard_for(url)
    guard.score(NEW[0], team="red")
    with guard.ledger.storage.writing() as transaction:
        transaction.set_version(1)
    assert not guard.ledger.verify().ok


def test_an_upgraded_ledger_has_room_for_predictions(url):
    part = Part("public", np.arange(0, N, 2), keeps=True)
    guard = Guard(LABELS, Policy("exact"), url, ids=IDS, part=part, now=lambda: START + 100 * DAY)
    with guard.ledger.storage.writing() as transaction:
        transaction._engine.write("DROP TABLE IF EXISTS holdfast_predictions", ())
    receipt = guard.score(NEW[0], team="blue")
    with guard.ledger.storage.reading() as transaction:
        look = transaction.entry(int(receipt.receipt_id.split("-")[0]))
        assert transaction.prediction(look.data_set, look.prediction) is not None
    assert guard.ledger.verify().ok


def test_no_edit_of_an_upgraded_ledger_is_silent(tmp_path):
    url = tmp_path / "ledger.db"
    with sqlite3.connect(url) as connection:
        connection.executescript(DUMP)
    connection.close()
    url.chmod(0o600)
    guard = guard_for(url)
    guard.score(NEW[0], team="blue team")
    turned = guard_for(url, GIVEN[REVERSED])
    turned.score(NEW[1][REVERSED], team="red fox")
    kinds = {entry.kind for entry in guard.ledger.entries()}
    assert kinds >= {"upgraded", "linked", "merged", "carried"}
    with turned.ledger.storage.reading() as transaction:
        owners = owners_of(transaction, [*guard._in_ledger.names, *turned._in_ledger.names])
    guard.ledger.close()
    turned.ledger.close()
    rng = np.random.default_rng(7)
    values = [None, 0, 1, -3, 10**6, "", "x", "1", "{}", b"x", 0.5, 2**62]
    connection = sqlite3.connect(url, isolation_level=None)
    silent, done = [], 0
    while done < 80:
        table = ("holdfast_entries", "holdfast_states", "holdfast_ledger")[
            rng.choice(3, p=[0.8, 0.15, 0.05])
        ]
        rows = connection.execute(f"SELECT rowid, * FROM {table}").fetchall()
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        row, place = rows[rng.integers(len(rows))], rng.integers(len(columns))
        value = values[rng.integers(len(values))]
        old = row[1 + place]
        statement = f"UPDATE {table} SET {columns[place]} = ? WHERE rowid = ?"
        try:
            connection.execute(statement, (value, row[0]))
        except sqlite3.Error:
            continue
        new = connection.execute(f"SELECT {columns[place]} FROM {table} WHERE rowid = ?", (row[0],))
        changed = new.fetchone()[0] != old
        if changed:
            done += 1
            try:
                with Ledger(url) as ledger:
                    found = ledger.verify(owner=owners).problems
            except LedgerError as error:
                found = (str(error),)
            if not found:
                silent.append((table, columns[place], row[1:4], old, value))
        connection.execute(statement, (old, row[0]))
    connection.close()
    assert silent == []
    with Ledger(url) as ledger:
        assert ledger.verify(owner=owners).problems == ()


@pytest.mark.parametrize(
    ("rule", "plain"),
    [
        ("laplace:0.3", "exact"),
        ("gaussian:0.3", "exact"),
        ("shaky:step=0.1,scale=0.3", "exact"),
        ("thresholdout:threshold=0.1,scale=0.3,budget=9", "exact"),
        ("round:1+laplace:0.3+round:3", "round:1"),
        ("round:1", "round:1"),
    ],
)
def test_noise_that_was_drawn_as_a_float_counts_for_nothing(rule, plain, url):
    """The digits of a float tell which counts it may have been added to."""
    _write_rule_over(url, "ladder:0.01", rule)
    with Ledger(url) as ledger:
        before = exposure(ledger)[0]
    looks = {("subsample:0.5", "Red Fox"): 1}
    team = dict.fromkeys([(plain, name) for name in ("BLUE TEAM", "blue team", "Red Fox")], 1)
    expected = certify_histories(N, 3, looks | team | {(plain, "Blue Team"): 2})
    assert (before.gain, before.nats) == (expected.gain, expected.nats)
    guard = guard_for(url, rule="laplace:0.3", looks_per_team=99, looks_per_data_set=99)
    guard.score(NEW[0], team="green")
    after = exposure(guard.ledger)[0]
    # What is drawn today counts as noise, and what was drawn before stays as it is.
    both = certify_histories(
        N, 3, looks | team | {(plain, "Blue Team"): 2, ("laplace:0.3", "green"): 1}
    )
    assert after.gain == both.gain
    green = next(team for team in after.teams if team.team == "green")
    assert green.gain == certify_histories(N, 3, {("laplace:0.3", "green"): 1}).gain


def test_a_memory_of_floats_that_all_teams_shared_excludes_nothing(url):
    rule = "shaky:step=0.1,scale=0.3"
    _write_rule_over(url, "ladder:0.01", rule, scope="")
    with Ledger(url) as ledger:
        found = exposure(ledger)[0]
    assert (found.gain, found.nats) == pytest.approx((1 - 1 / 3, N * np.log(3)), rel=1e-12)
    assert {team.gain for team in found.teams} == {1 - 1 / 3}


def test_looks_that_are_carried_over_from_before_the_upgrade_count_without_their_noise(url):
    _write_rule_over(url, "ladder:0.01", "laplace:0.3")
    guard_for(url, looks_per_data_set=99)._in_ledger.settled()
    guard = guard_for(url, REVERSED, looks_per_data_set=99)  # two data sets of format 1 are one
    guard._in_ledger.settled()
    entries = guard.ledger.entries()
    assert [entry.rule for entry in entries if entry.kind == "carried"] == ["laplace:0.3"]
    found = next(each for each in exposure(guard.ledger) if each.looks == 7)
    exact = {("exact", str(number)): 1 for number in range(4)} | {("exact", "Blue Team"): 2}
    expected = certify_histories(N, 3, exact | {("subsample:0.5", "Red Fox"): 1})
    assert found.gain == expected.gain


def _write_rule_over(url, old, new, **more):
    """Let the looks of format 1 have another rule; nothing here verifies the chain."""
    changes = {"rule": new, **more}
    columns = ", ".join(f"{name} = ?" for name in changes)
    statement = f"UPDATE holdfast_entries SET {columns} WHERE kind = 'look' AND rule = ?"
    with Ledger(url) as ledger, ledger.storage.inner.writing() as transaction:
        transaction._engine.write(statement, [*changes.values(), old])
