"""One data set, one order, one budget: rows in another order, renamed classes, ids that come."""

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, InvalidInput, LedgerError
from holdfast.files.label_files import LabelFile
from holdfast.guard import Guard, GuardedFile, Ledger, Policy, close
from holdfast.guard.guarded import GuardedSolution
from holdfast.guard.label_set import LabelSet
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
    owners = [name.owner for name in guard._in_ledger.labels.names]
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


def test_rows_that_get_ids_later_go_on_in_the_order_that_they_have(ledger_url):
    one, other = Rows(ledger_url, ORDERS[2], ids=False), Rows(ledger_url, ORDERS[2])
    left = [rows.score(i).looks_left for i, rows in enumerate([one, other, one, other])]
    assert left == [3, 2, 1, 0]
    assert one.score(1).repeated
    assert other.score(0).repeated
    assert one.guard.data_set == other.guard.data_set
    assert verified(one.guard)
    # Now the ledger knows their ids, in no order but that one.
    with pytest.raises(InvalidInput, match="order in which the ledger first knew them"):
        Rows(ledger_url, ORDERS[0])


@pytest.mark.parametrize("order", [ORDERS[0], ORDERS[3]], ids=["as it is", "sorted by id"])
def test_rows_that_lose_their_ids_are_known_and_refused(order, ledger_url):
    open_all_the_while = Rows(ledger_url, order, ids=False)
    Rows(ledger_url, order).score(0)
    entries = Ledger(ledger_url).entries()
    with pytest.raises(InvalidInput, match="must come with their ids"):
        Rows(ledger_url, order, ids=False)
    with pytest.raises(InvalidInput, match="must come with their ids"):
        open_all_the_while.score(1)
    assert Ledger(ledger_url).entries() == entries


def test_the_same_labels_under_other_ids_are_no_new_budget(ledger_url):
    """Row for row they are those that the ledger knows, so ids that were renamed are refused."""
    Rows(ledger_url).score(0)
    entries = Ledger(ledger_url).entries()
    with pytest.raises(InvalidInput, match="must have the ids under which the ledger knows"):
        Guard(LABELS, Policy("exact"), ledger_url, ids=IDS + 1000)
    assert Ledger(ledger_url).entries() == entries


def test_rows_that_are_two_data_sets_stay_two_with_a_budget_each(ledger_url):
    """One without ids and one by id, opened in another order: neither gets the other's looks."""
    Rows(ledger_url, ORDERS[0], ids=False).score(0)
    Rows(ledger_url, ORDERS[1]).score(1)
    with pytest.raises(InvalidInput, match="must be one data set of the ledger, got two"):
        Rows(ledger_url, ORDERS[0])
    assert Rows(ledger_url, ORDERS[0], ids=False).score(2).looks_left == 2
    assert Rows(ledger_url, ORDERS[3]).score(2).looks_left == 2


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


@pytest.mark.parametrize("detail", ['{"linked_to": "x"}', '{"linked_to": 7}', "{"])
def test_an_edited_alias_is_noticed_and_never_followed(detail, ledger_url):
    rows = Rows(ledger_url)
    rows.score(0)
    with rows.guard.ledger.storage.writing() as transaction:
        transaction._engine.write(
            "UPDATE holdfast_entries SET detail = ? WHERE kind = 'linked'", (detail,)
        )
    assert not rows.guard.ledger.verify().ok
    with pytest.raises(LedgerError, match="edited"):
        Rows(ledger_url, ids=False)


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
    np.save(tmp_path / "truth.npy", LABELS[ORDERS[0]])
    (tmp_path / "truth.npy").chmod(0o600)
    with pytest.raises(InvalidInput, match="must come with their ids"):
        GuardedFile(tmp_path / "truth.npy", policy, sqlite_url)


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


class Board(GuardedSolution):
    """Labels with a public and a private part, every other row, in some order, with ids or not."""

    def __init__(self, url, order, *, ids):
        self.place = order
        truth = LabelFile(
            LABELS[order].astype(np.uint8),
            ("ant", "bee", "cat", "dog"),
            IDS[order] if ids else None,
            order % 2,
            ("Private", "Public"),
        )
        super().__init__(truth, Policy("exact", looks_per_team=4), url, create=True)

    def _file(self, submission, name):
        raise NotImplementedError

    def look(self, query, team):
        return self.guard.score(QUERIES[query][self.place], team=team)

    def finals(self):
        return {final.team: final.score for final in close(self).results}


def private(query):
    return float(np.mean((QUERIES[query] == LABELS)[::2]))


@pytest.mark.parametrize("later", [ORDERS[0], ORDERS[2]], ids=["same order", "another order"])
@pytest.mark.parametrize("first", [True, False], ids=["ids", "no ids"])
def test_kept_predictions_decide_in_the_order_in_which_they_were_kept(first, later, tmp_path):
    """Ids may be added to the file, and its rows be sorted where they have had ids from the
    beginning: each final score is that of what was sent, or the file is refused."""
    url = tmp_path / "ledger.db"
    begun = Board(url, ORDERS[0], ids=first)
    begun.look(0, "blue")
    if not first and later is not ORDERS[0]:
        # Other rows in the order of the public ones: to the ledger a data set of its own.
        assert Board(url, later, ids=True).guard.data_set != begun.guard.data_set
        return
    ended = Board(url, later, ids=True)
    ended.look(1, "red")
    assert ended.guard.data_set == begun.guard.data_set
    assert ended.finals() == {"blue": private(0), "red": private(1)}


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
def test_rows_whose_place_in_the_whole_has_changed_are_refused_where_predictions_are_kept(
    ids, tmp_path
):
    url = tmp_path / "ledger.db"
    Board(url, ORDERS[0], ids=ids).look(0, "blue")
    parted = np.concatenate([ORDERS[0][1::2], ORDERS[0][::2]])  # the public rows come first now
    board = Board(url, parted, ids=ids)
    if ids:
        board.look(1, "red")
        assert board.finals() == {"blue": private(0), "red": private(1)}
        return
    with pytest.raises(InvalidInput, match="same places of the whole test set"):
        board.look(1, "red")


def test_zeros_of_both_signs_are_one_number_and_ids_of_both_forms_one_id(ledger_url):
    truth = np.array([0.0, 1.5, 0.0, 2.0])
    accented = ["é1", "é2", "e3", "e4"]
    policy = Policy("exact", metric="mae", looks_per_team=2)
    spellings = [
        (truth, ["\u00e91", "\u00e92", "e3", "e4"]),
        (-truth * -1 - 0.0, ["e\u03011", "e\u03012", "e3", "e4"]),
        (np.where(truth == 0.0, -0.0, truth), accented),
    ]
    guards = [
        Guard(each, policy, ledger_url, create=True, ids=ids if by_id else None)
        for by_id in (True,)
        for each, ids in spellings
    ]
    left = [
        guard.score(np.arange(4.0) + i, team="blue").looks_left
        for i, guard in enumerate(guards[:2])
    ]
    assert left == [1, 0]
    with pytest.raises(BudgetExhausted):
        guards[2].score(np.arange(4.0) + 7, team="blue")
    negative = guards[0].score(np.array([-0.0, 1.0, 2.0, 3.0]), team="blue")
    assert negative.repeated  # and in what is handed in, too


def test_ids_that_are_none_are_refused_before_a_ledger_is_made(tmp_path):
    with pytest.raises(InvalidInput, match="ids must be distinct, got '7' twice"):
        Guard([0, 1, 1], Policy("exact"), tmp_path / "ledger.db", create=True, ids=[7, 8, 7])
    assert list(tmp_path.iterdir()) == []


def test_names_by_id_and_by_order_never_meet(tmp_path):
    with Ledger(tmp_path / "ledger.db", create=True) as ledger:
        by_id, by_order = LabelSet(np.array([0, 1], np.uint8), 2, [1, 2], ledger.salt()).names
    assert by_id.owner.data_set != by_order.owner.data_set
    assert by_id.owner.key != by_order.owner.key
