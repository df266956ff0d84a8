"""One kit for every storage: the contract, whichever database keeps it."""

import threading
from dataclasses import replace

import pytest

from holdfast.errors import InvalidInput, LedgerError
from holdfast.ledger.entry import Draft
from holdfast.ledger.storage import open_storage
from holdfast.ledger.storage.contract import Past, StoredState
from holdfast.ledger.storage.sql import QUESTIONS

DRAFT = Draft(
    kind="look",
    data_set="d",
    team="blue",
    time=100,
    prediction="p",
    rule="exact",
    policy="x",
    released="0.1",
    state="",
    scope="blue",
    team_looks=1,
    data_set_looks=1,
    detail="",
)


@pytest.fixture
def storage(ledger_url):
    storage = open_storage(ledger_url, create=True)
    yield storage
    storage.close()


def add(transaction, **changes):
    entry = replace(DRAFT, **changes).after(transaction.head())
    transaction.append(entry)
    return entry


def test_an_entry_comes_back_as_it_went_in(storage):
    with storage.writing() as ledger:
        first = add(ledger, team="bläu 蓝 ?%s'", detail='{"a": 1}', released=repr(0.1 + 0.2))
        second = add(ledger, released=None, time=2**53)
    with storage.reading() as ledger:
        assert list(ledger.entries()) == [first, second]
        assert ledger.entry(2) == second
        assert ledger.entry(3) is None
        assert (ledger.head().number, ledger.head().hash) == (2, second.hash)


def test_what_raises_leaves_nothing_behind(storage):
    with storage.writing() as ledger:
        add(ledger)
        head = ledger.head()

    def crash():
        with storage.writing() as ledger:
            add(ledger)
            ledger.put_state(StoredState("d", "s", "r", b"x"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crash()
    with storage.writing() as ledger:
        assert ledger.head() == head
        assert ledger.state("d", "s", "r") is None


def test_a_second_handle_sees_what_the_first_committed(storage, ledger_url):
    other = open_storage(ledger_url)
    with storage.writing() as ledger:
        salt, entry = ledger.salt(), add(ledger)
    with other.reading() as ledger:
        assert ledger.salt() == salt
        assert list(ledger.entries()) == [entry]
    other.close()


def test_writers_take_turns(storage, ledger_url):
    order = []

    def write():
        other = open_storage(ledger_url)
        ready.set()
        with other.writing() as ledger:
            order.append("second")
            assert ledger.head().number == 1
        other.close()

    ready = threading.Event()
    thread = threading.Thread(target=write)
    with storage.writing() as ledger:
        thread.start()
        assert ready.wait(600)
        thread.join(0.2)
        add(ledger)
        order.append("first")
    thread.join(600)
    assert order == ["first", "second"]


def test_a_teams_past_is_counted_from_its_own_entries(storage):
    with storage.writing() as ledger:
        assert ledger.team_past("d", "blue") == Past(0, None)
        assert ledger.data_set_looks("d") == 0
        add(ledger, kind="opened", team="", time=5, team_looks=0, data_set_looks=0, detail="{}")
        add(ledger, time=10)
        add(ledger, time=20, team_looks=2, data_set_looks=2)
        add(ledger, time=30, kind="choice", team_looks=2, data_set_looks=2, detail="r")
        add(ledger, time=40, team="red", data_set_looks=3)
        assert ledger.team_past("d", "blue") == Past(2, 20)
        assert ledger.team_past("d", "blue", before=20) == Past(1, 10)
        assert ledger.team_past("d", "blue", before=10) == Past(0, None)
        assert ledger.team_past("d", "red") == Past(1, 40)
        assert ledger.team_past("other", "blue") == Past(0, None)
        assert [ledger.time_of_look("d", "blue", look) for look in (1, 2)] == [10, 20]
        assert ledger.data_set_looks("d") == 3
        assert ledger.opened("d") == "{}"
        assert ledger.opened("other") is None
        assert [choice.time for choice in ledger.choices("d", "blue")] == [30]


def test_free_refusals_of_a_team_are_counted_from_a_moment_on_and_cost_nothing(storage):
    with storage.writing() as ledger:
        add(ledger, time=10)
        for time in (20, 20, 35):
            add(ledger, kind="refused", time=time, prediction="", released=None)
        add(ledger, kind="refused", team="red", time=40, team_looks=0)
        add(ledger, kind="failed", time=50, team_looks=2, data_set_looks=2)
        counts = [ledger.refusals("d", "blue", since) for since in (0, 20, 21, 35, 36)]
        assert counts == [3, 3, 1, 1, 0]
        assert ledger.refusals("d", "red", 0) == 1
        assert ledger.refusals("other", "blue", 0) == 0
        assert ledger.team_past("d", "blue") == Past(2, 50)
        assert ledger.team_past("d", "blue", before=50) == Past(1, 10)
        assert ledger.team_past("d", "red") == Past(0, None)


def test_an_answer_is_found_by_team_prediction_and_rule(storage):
    with storage.writing() as ledger:
        look = add(ledger)
        add(ledger, kind="choice")
        assert ledger.answered("d", "blue", "p", "exact") == look
        for other in [
            ("e", "blue", "p", "exact"),
            ("d", "red", "p", "exact"),
            ("d", "blue", "q", "exact"),
            ("d", "blue", "p", "round:2"),
        ]:
            assert ledger.answered(*other) is None


def test_a_state_replaces_the_one_before(storage):
    with storage.writing() as ledger:
        ledger.put_state(StoredState("d", "", "r", b"\x00one"))
        ledger.put_state(StoredState("d", "", "r", b"\xfftwo"))
        ledger.put_state(StoredState("d", "blue", "r", b"three"))
        assert ledger.state("d", "", "r") == b"\xfftwo"
        assert [state.sealed for state in ledger.states()] == [b"\xfftwo", b"three"]


def test_a_url_of_another_kind_is_refused():
    with pytest.raises(InvalidInput, match=r"ledger must be a path, .* got mysql://"):
        open_storage("mysql://user:secret@host/db")


def test_a_server_that_is_not_there_is_named_without_the_password():
    with pytest.raises(LedgerError) as caught:
        open_storage("postgresql://user:secretword@127.0.0.1:1/db")
    assert "Nothing was released" in str(caught.value)
    assert "secretword" not in str(caught.value)


def test_the_file_is_its_owners_alone(tmp_path):
    storage = open_storage(f"sqlite:///{tmp_path}/ledger.db", create=True)
    with storage.writing() as ledger:
        add(ledger)
    files = list(tmp_path.iterdir())
    assert len(files) >= 1
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    storage.close()


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("answered", "holdfast_by_prediction (data_set=? AND team=? AND prediction=?)"),
        ("past", "holdfast_by_team (data_set=? AND team=?)"),
        ("data_set_looks", "holdfast_by_data_set (data_set=?)"),
        ("opened", "holdfast_by_team (data_set=? AND team=? AND team_looks=?)"),
        ("hash_at", "(number=?)"),
    ],
)
def test_what_a_look_asks_is_found_by_an_index_however_many_entries_there_are(
    tmp_path, question, index
):
    storage = open_storage(tmp_path / "ledger.db", create=True)
    text = QUESTIONS[question]
    with storage.reading() as ledger:
        plan = ledger._engine.ask(f"EXPLAIN QUERY PLAN {text}", ["x"] * text.count("?"))
    assert index in plan[0][3]
    storage.close()
