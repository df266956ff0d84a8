"""One data set, one budget: rows in another order, renamed classes, ids that come and go."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, InvalidInput, LedgerError
from holdfast.guard import Guard, GuardedFile, Ledger, Policy, exposure
from holdfast.guard.data_set import names_of, owners_of
from holdfast.guard.parts import Part

RNG = np.random.default_rng(5)
N = 60
LABELS = RNG.integers(0, 4, N)
IDS = RNG.permutation(1000)[:N]
QUERIES = RNG.integers(0, 4, (12, N))
ORDERS = [np.arange(N), np.arange(N)[::-1], RNG.permutation(N), np.argsort(IDS)]


class Rows:
    """The label set with its rows in some order, and predictions for them in that order."""

    def __init__(self, url, order=ORDERS[0], *, ids=True, release="exact", looks=4):
        self.order = order
        self.guard = Guard(
            LABELS[order],
            Policy(release, looks_per_team=looks, looks_per_data_set=20),
            url,
            create=True,
            ids=IDS[order] if ids else None,
        )

    def score(self, query, team="blue"):
        return self.guard.score(QUERIES[query][self.order], team=team)


def verified(guard):
    """Check the whole ledger, the signatures of this label set included."""
    with guard.ledger.storage.reading() as transaction:
        owners = owners_of(transaction, guard._in_ledger.names)
    return guard.ledger.verify(owner=owners).problems == ()


def test_rows_in_any_order_share_the_budget_and_its_answers(ledger_url):
    left = [Rows(ledger_url, order).score(i).looks_left for i, order in enumerate(ORDERS)]
    assert left == [3, 2, 1, 0]
    late = Rows(ledger_url, RNG.permutation(N))
    with pytest.raises(BudgetExhausted):
        late.score(9)
    for i in range(4):
        assert late.score(i).repeated
    assert late.guard.allowance(team="blue") == (0, None)
    assert verified(late.guard)


def test_ids_as_texts_are_the_same_ids(ledger_url):
    Rows(ledger_url).score(0)
    order = ORDERS[2]
    policy = Policy("exact", looks_per_team=4)
    texts = Guard(LABELS[order], policy, ledger_url, ids=IDS[order].astype(str))
    assert texts.score(QUERIES[1][order], team="blue").looks_left == 2


@pytest.mark.parametrize("release", ["subsample:0.5", "split:2", "ladder:0.01", "rank"])
def test_a_rule_that_works_by_place_answers_alike_in_every_order(release, new_sqlite_url):
    def play(orders):
        url = new_sqlite_url()
        rows = [Rows(url, order, release=release, looks=12) for order in orders]
        return [rows[i % len(rows)].score(i).released for i in range(12)]

    assert play(ORDERS) == play(ORDERS[:1])


@pytest.mark.parametrize("order", ORDERS[:2], ids=["as it is", "turned round"])
@pytest.mark.parametrize("first", [True, False], ids=["ids first", "ids later"])
def test_the_same_rows_with_and_without_ids_share_the_budget(first, order, ledger_url):
    one, other = (Rows(ledger_url, order, ids=ids) for ids in (first, not first))
    left = [rows.score(i).looks_left for i, rows in enumerate([one, other, one, other])]
    assert left == [3, 2, 1, 0]
    assert other.score(0).repeated
    assert one.guard.data_set == other.guard.data_set
    assert verified(one.guard)
    assert verified(other.guard)


def test_two_budgets_of_the_same_rows_become_one_when_ids_show_it(ledger_url):
    plain = [Rows(ledger_url, order, ids=False) for order in ORDERS[:2]]
    assert [rows.score(i).looks_left for i, rows in enumerate(plain)] == [3, 3]
    with_ids = Rows(ledger_url, ORDERS[0])
    assert with_ids.score(2).looks_left == 2
    turned = Rows(ledger_url, ORDERS[1])
    assert turned.score(3).looks_left == 0  # the look under the other order counts here now
    with pytest.raises(BudgetExhausted):
        plain[1].score(4)  # it was open all the while
    assert plain[1].guard.data_set == turned.guard.data_set
    assert verified(turned.guard)
    (found,) = exposure(turned.guard.ledger)
    assert found.looks == 4
    assert [(team.team, team.looks) for team in found.teams] == [("blue", 4)]


def test_what_is_carried_over_keeps_the_data_sets_own_budget(ledger_url):
    plain, by_id = Rows(ledger_url, ORDERS[1], ids=False), Rows(ledger_url, ORDERS[0])
    for team in range(9):
        plain.score(team, team=f"team {team}")
        by_id.score(team, team=f"team {team}")
    last = Rows(ledger_url, ORDERS[1])
    assert [last.score(10, team=f"late {i}").looks_left for i in range(2)] == [1, 0]
    with pytest.raises(BudgetExhausted):
        last.score(10, team="too late")


def test_renamed_classes_are_found_and_refused_in_any_order(ledger_url):
    Rows(ledger_url).score(0)
    for order in ORDERS:
        renamed = Guard((LABELS[order] + 1) % 4, Policy("exact"), ledger_url, ids=IDS[order])
        with pytest.raises(InvalidInput, match="same examples under other class numbers"):
            renamed.score(QUERIES[1], team="blue")
    assert len(Ledger(ledger_url).entries()) == 3


def test_other_labels_for_the_same_ids_are_another_data_set(ledger_url):
    Rows(ledger_url).score(0)
    changed = LABELS.copy()
    changed[7] = (changed[7] + 1) % 4
    guard = Guard(changed, Policy("exact", looks_per_team=4), ledger_url, ids=IDS)
    assert guard.score(QUERIES[1], team="blue").looks_left == 3


def test_rows_without_ids_in_another_order_are_another_data_set(ledger_url):
    assert Rows(ledger_url, ORDERS[0], ids=False).score(0).looks_left == 3
    assert Rows(ledger_url, ORDERS[1], ids=False).score(1).looks_left == 3


def test_an_edited_link_is_noticed_and_never_followed(ledger_url):
    rows = Rows(ledger_url)
    rows.score(0)
    with rows.guard.ledger.storage.writing() as transaction:
        transaction._engine.write(
            "UPDATE holdfast_states SET sealed = ? WHERE rule = 'link'", (b"x" * 80,)
        )
    assert any("link" in problem for problem in rows.guard.ledger.verify().problems)
    assert not verified(rows.guard)
    with pytest.raises(LedgerError, match="edited"):
        Rows(ledger_url, ids=False)


def test_a_look_that_is_counted_again_must_have_been_one(ledger_url):
    for order in ORDERS[:2]:
        Rows(ledger_url, order, ids=False).score(0)
    Rows(ledger_url, ORDERS[0]).score(1)
    ledger = Rows(ledger_url, ORDERS[1]).guard
    ledger.score(QUERIES[2], team="red")
    (carried,) = (entry for entry in ledger.ledger.entries() if entry.kind == "carried")
    assert verified(ledger)
    with ledger.ledger.storage.writing() as transaction:
        transaction._engine.write(
            "UPDATE holdfast_entries SET detail = ? WHERE number = ?", ("1-x", carried.number)
        )
    problem = f"entry {carried.number} counts a look again that was none."
    assert problem in ledger.ledger.verify().problems


def test_a_file_may_be_sorted_renamed_and_relabelled_without_a_new_budget(sqlite_url, tmp_path):
    names = np.array(["ant", "bee", "cat", "dog"])

    def file(name, order, classes=names, labels=LABELS):
        path = tmp_path / name
        rows = [f"{IDS[i]},{classes[labels[i]]}" for i in order]
        path.write_text("id,label\n" + "\n".join(rows) + "\n")
        path.chmod(0o600)
        return path

    policy = Policy("exact", looks_per_team=3)
    guess = [file(f"guess{i}.csv", ORDERS[2], labels=QUERIES[i]) for i in range(4)]
    one = GuardedFile(file("truth.csv", ORDERS[0]), policy, sqlite_url, create=True)
    assert one.score(guess[0], team="blue").looks_left == 2
    two = GuardedFile(file("other name.csv", ORDERS[1]), policy, sqlite_url)
    assert two.score(guess[1], team="blue").looks_left == 1
    assert two.score(guess[0], team="blue").repeated
    upper = np.char.upper(names)
    three = GuardedFile(file("upper.csv", ORDERS[2], upper), policy, sqlite_url)
    third = file("GUESS.csv", ORDERS[3], upper, QUERIES[2])
    assert three.score(third, team="blue").looks_left == 0
    np.save(tmp_path / "truth.npy", LABELS[ORDERS[1]])
    (tmp_path / "truth.npy").chmod(0o600)
    np.save(tmp_path / "guess.npy", QUERIES[3][ORDERS[1]])
    four = GuardedFile(tmp_path / "truth.npy", policy, sqlite_url)
    with pytest.raises(BudgetExhausted):
        four.score(tmp_path / "guess.npy", team="blue")


def test_a_part_is_the_same_part_in_any_order_of_the_whole(ledger_url):
    public = RNG.random(N) < 0.5

    def guard(order):
        rows = np.flatnonzero(public[order])
        return Guard(
            LABELS[order],
            Policy("subsample:0.5", looks_per_team=3),
            ledger_url,
            create=True,
            ids=IDS[order],
            part=Part("public", rows),
        )

    first = guard(ORDERS[0]).score(QUERIES[0][ORDERS[0]], team="blue")
    assert guard(ORDERS[1]).score(QUERIES[1][ORDERS[1]], team="blue").looks_left == 1
    for order in ORDERS:
        again = guard(order).score(QUERIES[0][order], team="blue")
        assert (again.repeated, again.released) == (True, first.released)
    changed = QUERIES[0].copy()
    changed[np.flatnonzero(~public)[0]] += 1
    changed %= 4
    assert not guard(ORDERS[2]).score(changed[ORDERS[2]], team="blue").repeated


def test_a_name_that_the_older_format_took_stays_good_for_its_team(sqlite_url):
    found = Rows(sqlite_url).guard._in_ledger.found
    mixed = "bl\u0443e"  # its third letter is Cyrillic
    with pytest.raises(InvalidInput, match="must not mix Cyrillic and Latin"):
        found.team(mixed)
    assert replace(found, spellings={mixed: (mixed,)}).team(mixed) == mixed


def test_ids_that_are_none_are_refused_before_a_ledger_is_made(tmp_path):
    with pytest.raises(InvalidInput, match="ids must be distinct, got '7' twice"):
        Guard([0, 1, 1], Policy("exact"), tmp_path / "ledger.db", create=True, ids=[7, 8, 7])
    assert list(tmp_path.iterdir()) == []


def test_names_by_id_and_by_order_never_meet(tmp_path):
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        by_id, by_order = names_of(np.array([0, 1], np.uint8), [1, 2], ledger.salt())
    assert by_id.owner.data_set != by_order.owner.data_set
    assert by_id.owner.key != by_order.owner.key
