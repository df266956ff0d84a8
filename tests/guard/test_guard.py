import copy
import multiprocessing
import os
import pickle
import resource
import stat
import urllib.parse
from collections import deque
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, LedgerError
from holdfast.guard import Guard, Ledger, Policy
from holdfast.ledger.moments import DAY, SECOND, as_microseconds

LABELS = np.arange(40) % 4


class Clock:
    def __init__(self, *parts):
        self.now = as_microseconds(datetime(*parts, tzinfo=UTC))

    def __call__(self):
        return self.now


def guard_for(url, labels=LABELS, now=None, n_classes=None, **settings):
    policy = Policy(**{"release": "exact", **settings})
    extra = {} if now is None else {"now": now}
    return Guard(labels, policy, url, create=True, n_classes=n_classes, **extra)


def other(index):
    """Return a prediction that differs from every other index's."""
    prediction = np.zeros(40, dtype=int)
    prediction[:8] = [(index >> (2 * bit)) & 3 for bit in range(8)]
    return prediction


def test_a_look_is_answered_counted_and_recorded(ledger_url):
    guard = guard_for(ledger_url, looks_per_team=3)
    receipt = guard.score(np.zeros(40, dtype=int), team="blue")
    assert (receipt.released, receipt.looks_left, receipt.repeated) == (0.25, 2, False)
    opened, look = guard.ledger.entries()
    assert (opened.kind, look.kind, look.team, look.released) == ("opened", "look", "blue", "0.25")
    assert look.receipt_id == receipt.receipt_id
    assert guard.ledger.verify(receipts=[receipt.receipt_id]).ok


def test_a_team_gets_its_looks_and_not_one_more(ledger_url):
    guard = guard_for(ledger_url, looks_per_team=2)
    assert [guard.score(other(i), team="blue").looks_left for i in range(2)] == [1, 0]
    with pytest.raises(BudgetExhausted, match="all looks of blue") as caught:
        guard.score(other(2), team="blue")
    assert caught.value.next_allowed_at is None
    assert guard.score(other(2), team="red").looks_left == 1
    assert len(guard.ledger.entries()) == 4


def test_the_data_set_has_a_budget_of_its_own_that_no_window_renews(ledger_url):
    clock = Clock(2026, 1, 1)
    guard = guard_for(ledger_url, looks_per_team=2, looks_per_data_set=3, window="day", now=clock)
    left = [guard.score(other(i), team=team).looks_left for i, team in enumerate("aab")]
    assert left == [1, 0, 0]
    clock.now += 400 * DAY
    with pytest.raises(BudgetExhausted) as caught:
        guard.score(other(9), team="c")
    assert caught.value.next_allowed_at is None


def test_an_identical_resubmission_is_answered_from_the_record(ledger_url):
    guard = guard_for(ledger_url, looks_per_team=1)
    first = guard.score(other(5), team="blue")
    again = guard.score(other(5).astype(np.uint8), team="blue")
    assert again.repeated
    assert (again.released, again.receipt_id) == (first.released, first.receipt_id)
    assert len(guard.ledger.entries()) == 2
    with pytest.raises(BudgetExhausted):
        guard.score(other(6), team="blue")
    assert not guard.score(other(5), team="red").repeated


def test_spellings_of_one_team_name_share_its_budget_and_its_answers(ledger_url):
    guard = guard_for(ledger_url, looks_per_team=3)
    first = guard.score(other(1), team="Blue Team")
    assert guard.score(other(2), team="ｂｌｕｅ team").looks_left == 1
    assert guard.score(other(1), team=" BLUE\u00a0team ").receipt_id == first.receipt_id
    assert guard.score(other(3), team="blue  team").looks_left == 0
    with pytest.raises(BudgetExhausted, match="all looks of blue team"):
        guard.score(other(4), team="BLUE TEAM")
    assert guard.allowance(team="Blue team") == (0, None)
    assert guard.choose_final(first.receipt_id, team="BLUE team").repeated
    assert {entry.team for entry in guard.ledger.entries()} == {"", "blue team"}


def test_copies_renamed_files_and_new_processes_share_the_budget(ledger_url):
    guard_for(ledger_url, looks_per_team=1).score(other(1), team="blue")
    copy = guard_for(ledger_url, labels=list(LABELS), looks_per_team=1)
    with pytest.raises(BudgetExhausted):
        copy.score(other(2), team="blue")


def test_other_class_numbers_are_refused_rather_than_given_a_new_budget(ledger_url):
    guard_for(ledger_url).score(other(1), team="blue")
    with pytest.raises(InvalidInput, match="same examples under other class numbers"):
        guard_for(ledger_url, labels=(LABELS + 1) % 4).score(other(2), team="blue")
    with pytest.raises(InvalidInput, match=r"n_classes must be 4, as recorded .*, got 5"):
        guard_for(ledger_url, n_classes=5).score(other(2), team="blue")


def test_another_label_set_has_another_budget_in_the_same_ledger(ledger_url):
    guard_for(ledger_url, looks_per_team=1).score(other(1), team="blue")
    different = guard_for(ledger_url, labels=LABELS // 2, looks_per_team=1)
    assert different.score(other(1), team="blue").looks_left == 0


def test_a_day_ends_at_midnight_utc_and_says_so(ledger_url):
    clock = Clock(2026, 3, 31, 23, 30)
    guard = guard_for(ledger_url, looks_per_team=1, window="day", now=clock)
    receipt = guard.score(other(1), team="blue")
    assert receipt.next_allowed_at == datetime(2026, 4, 1, tzinfo=UTC)
    with pytest.raises(BudgetExhausted, match="2026-04-01T00:00:00") as caught:
        guard.score(other(2), team="blue")
    assert caught.value.next_allowed_at == datetime(2026, 4, 1, tzinfo=UTC)
    clock.now += 1800 * SECOND
    assert guard.score(other(2), team="blue").looks_left == 0


def test_the_next_look_has_a_moment_only_if_it_is_not_allowed_now(ledger_url):
    clock = Clock(2026, 1, 1)
    guard = guard_for(ledger_url, looks_per_team=2, window="day", now=clock)
    assert guard.allowance(team="blue") == (2, None)
    first = guard.score(other(1), team="blue")
    assert (first.looks_left, first.next_allowed_at) == (1, None)
    assert guard.score(other(1), team="blue").next_allowed_at is None
    second = guard.score(other(2), team="blue")
    tomorrow = datetime(2026, 1, 2, tzinfo=UTC)
    assert (second.looks_left, second.next_allowed_at) == (0, tomorrow)
    assert guard.allowance(team="blue") == (0, tomorrow)
    assert guard.choose_final(first.receipt_id, team="blue").next_allowed_at == tomorrow
    clock.now += DAY
    assert guard.allowance(team="blue") == (2, None)
    last = guard_for(ledger_url, looks_per_team=9, looks_per_data_set=3, now=clock)
    done = last.score(other(3), team="blue")
    assert (done.looks_left, done.next_allowed_at) == (0, None)


def test_a_pickle_carries_the_labels_only_if_that_was_asked_for(ledger_url):
    guard = guard_for(ledger_url, looks_per_team=3)
    with pytest.raises(TypeError, match=r"would carry the hidden labels.*picklable=True"):
        pickle.dumps(guard)
    assert copy.deepcopy({"scorer": guard})["scorer"] is guard
    open_hearted = Guard(LABELS, guard.policy, ledger_url, picklable=True)
    open_hearted.score(other(1), team="blue")
    travelled = pickle.loads(pickle.dumps(open_hearted))
    assert travelled.score(other(2), team="blue").looks_left == 1
    assert travelled.score(other(1), team="blue").repeated


def test_a_gap_is_kept_even_with_looks_left(ledger_url):
    clock = Clock(2026, 1, 1)
    guard = guard_for(ledger_url, min_gap="10 minutes", now=clock)
    receipt = guard.score(other(1), team="blue")
    assert receipt.looks_left == 99
    assert receipt.next_allowed_at == datetime(2026, 1, 1, 0, 10, tzinfo=UTC)
    with pytest.raises(BudgetExhausted):
        guard.score(other(2), team="blue")
    clock.now += 600 * SECOND
    guard.score(other(2), team="blue")


@pytest.mark.parametrize("window", ["day", "week", "month", "1 day", "total"])
def test_turning_the_clock_back_gives_no_look(window, ledger_url):
    clock = Clock(2026, 5, 15, 12)
    guard = guard_for(ledger_url, looks_per_team=1, window=window, now=clock)
    guard.score(other(1), team="blue")
    for back in (1, 20, 400):
        clock.now -= back * DAY
        with pytest.raises(BudgetExhausted):
            guard.score(other(2), team="blue")
    # Nor for a fresh handle in a process that never saw the later time.
    with pytest.raises(BudgetExhausted):
        guard_for(ledger_url, looks_per_team=1, window=window, now=clock).score(
            other(2), team="blue"
        )


@pytest.mark.parametrize("rule", ["batch:3", "batch:3+round:1"])
def test_a_batch_answers_all_its_teams_when_it_is_full(rule, ledger_url):
    guard = guard_for(ledger_url, release=rule, memory="data_set", looks_per_team=2)
    asked = [(team, other(i)) for i, team in enumerate("abcab")]
    for batch in (asked[:3], asked[3:]):
        receipts = [guard.score(prediction, team=team) for team, prediction in batch]
        assert [receipt.released is None for receipt in receipts[:2]] == [True, True]
    for index, (team, prediction) in enumerate(asked[:4]):
        again = guard.score(prediction, team=team)
        expected = pytest.approx(
            np.mean(prediction == LABELS), abs=0.051 if "round" in rule else 1e-12
        )
        assert again.repeated
        assert again.released == (None if index == 3 else expected)
    assert guard.ledger.entries()[-1].data_set_looks == 5
    assert guard.ledger.verify().ok


def test_a_failed_submission_is_free_or_costs_a_look_as_the_policy_says(ledger_url):
    guard = guard_for(ledger_url, looks_per_team=2)
    for bad in ([0, 1], np.full(40, 4), np.full(40, 0.5), "nonsense"):
        with pytest.raises(InvalidQuery, match="prediction must"):
            guard.score(bad, team="blue")
    assert [entry.kind for entry in guard.ledger.entries()] == ["opened", *["refused"] * 4]
    assert guard.allowance(team="blue")[0] == 2
    strict = guard_for(ledger_url, looks_per_team=2, failed="look")
    with pytest.raises(InvalidQuery, match="prediction must have length 40, got 2"):
        strict.score([0, 1], team="blue")
    assert strict.allowance(team="blue")[0] == 1
    assert strict.ledger.entries()[-1].kind == "failed"
    assert strict.score(other(1), team="blue").looks_left == 0
    with pytest.raises(BudgetExhausted):
        strict.score([0, 1], team="blue")
    assert strict.ledger.verify().ok


@pytest.mark.parametrize("team", ["", "  ", "a\x00b", "a\nb", 7, None, "x" * 201])
def test_a_team_needs_a_name(team, tmp_path):
    guard = guard_for(tmp_path / "ledger.db")
    with pytest.raises(InvalidInput, match="team must"):
        guard.score(other(1), team=team)


def test_a_team_names_as_many_final_choices_as_the_policy_says(ledger_url):
    guard = guard_for(ledger_url, final_choices=1)
    first, second = (guard.score(other(i), team="blue") for i in (1, 2))
    assert guard.choose_final(first.receipt_id, team="blue").released == first.released
    guard.choose_final(first.receipt_id, team="blue")
    with pytest.raises(InvalidInput, match="final choices must be at most 1"):
        guard.choose_final(second.receipt_id, team="blue")
    with pytest.raises(InvalidInput, match="must be a look of red"):
        guard.choose_final(first.receipt_id, team="red")
    for wrong in ("", "9-00", "2-" + "0" * 32, "x"):
        with pytest.raises(InvalidInput, match="must be a look of blue"):
            guard.choose_final(wrong, team="blue")
    assert guard.allowance(team="blue")[0] == 98
    assert guard.ledger.verify().ok


def test_a_forked_process_gets_its_own_connection(ledger_url):
    guard = guard_for(ledger_url)
    guard.score(other(1), team="blue")
    child = os.fork()
    if child == 0:
        try:
            guard.score(other(2), team="blue")
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    guard.score(other(3), team="blue")
    assert guard.ledger.entries()[-1].team_looks == 3


def test_a_read_only_ledger_releases_nothing(tmp_path):
    path = tmp_path / "ledger.db"
    guard = guard_for(path)
    guard.score(other(1), team="blue")
    guard.ledger.storage.inner._connected()._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError, match=r"readonly database. Nothing was released") as caught:
        guard.score(other(2), team="blue")
    assert caught.value.__cause__ is None
    guard.ledger.storage.inner._connected()._connection.execute("PRAGMA query_only = OFF")
    assert len(guard.ledger.entries()) == 2


def test_a_full_disk_releases_nothing_and_loses_nothing(tmp_path):
    guard = guard_for(tmp_path / "ledger.db")
    receipt = guard.score(other(1), team="blue")
    connection = guard.ledger.storage.inner._connected()._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LedgerError, match=r"full\. Nothing was released"):
        deque((guard.score(other(index), team="blue") for index in range(2, 2000)), maxlen=0)
    counted = guard.ledger.entries()[-1].team_looks
    connection.execute("PRAGMA max_page_count = 100000")
    assert guard.score(other(5000), team="blue").looks_left == 100 - counted - 1
    assert guard.ledger.verify(receipts=[receipt.receipt_id]).ok


def test_a_lost_server_connection_is_an_error_and_then_replaced(postgres_url):
    guard = guard_for(postgres_url)
    guard.score(other(1), team="blue")
    with Ledger(postgres_url) as killer:
        mine, theirs = guard.ledger.storage.inner._connected(), killer.storage.inner._connected()
        [[(pid,)]] = mine.run(("SELECT pg_backend_pid()::bigint", ()))
        theirs.run(("SELECT pg_terminate_backend(?::bigint::int)", (pid,)))
    with pytest.raises(LedgerError, match="Nothing was released"):
        guard.score(other(2), team="blue")
    assert guard.score(other(2), team="blue").looks_left == 98


def test_the_ledger_file_is_its_owners_alone(tmp_path):
    path = tmp_path / "ledger.db"
    guard_for(path).score(other(1), team="blue")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_exhausted_budget_survives_pickling():
    error = BudgetExhausted("no more", next_allowed_at=datetime(2026, 1, 1, tzinfo=UTC))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.next_allowed_at) == ("no more", error.next_allowed_at)
    assert BudgetExhausted("plain").next_allowed_at is None
    assert error.next_allowed_at + timedelta(0) == error.next_allowed_at


def test_a_read_only_database_releases_nothing(postgres_url):
    guard_for(postgres_url).score(other(1), team="blue")
    read_only = postgres_url + urllib.parse.quote(" -cdefault_transaction_read_only=on")
    guard = guard_for(read_only)
    with pytest.raises(LedgerError, match=r"read-only transaction.*Nothing was released"):
        guard.score(other(2), team="blue")
    assert len(guard.ledger.entries()) == 2


def limited(path, output):
    """Look with a cap on the size of every file, as on a full disk, until the ledger fails."""
    guard = guard_for(path, looks_per_team=5000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
    received = 0
    try:
        for index in range(5000):
            guard.score(other(index), team="blue")
            received += 1
    except LedgerError as error:
        output.send((received, str(error)))


def test_a_disk_that_takes_no_more_bytes_releases_nothing(tmp_path):
    path = tmp_path / "ledger.db"
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    child = fork.Process(target=limited, args=(path, theirs))
    child.start()
    assert ours.poll(1200)
    received, message = ours.recv()
    child.join()
    assert message.endswith("Nothing was released.")
    ledger = Ledger(path)
    assert ledger.verify().ok
    assert ledger.entries()[-1].team_looks == received > 0
