"""The private part is scored once, from kept predictions, when the owner closes the board."""

import csv
import json
import multiprocessing
import os
import signal

import numpy as np
import pytest

from holdfast.cli import main
from holdfast.errors import BudgetExhausted, InvalidInput, LedgerError
from holdfast.guard import GuardedFile, Ledger, Policy, close, exposure
from holdfast.metrics import OwnMetric

N = 60
TRUTH = np.random.default_rng(4).integers(0, 3, N)
PRIVATE = np.random.default_rng(5).permutation(N) < 40
NAMES = np.array(["cat", "dog", "emu"])


@pytest.fixture
def board(tmp_path):
    """Labels with 20 public and 40 private rows, and ways to submit to them."""

    class Board:
        labels = tmp_path / "truth.csv"
        ledger = tmp_path / "ledger.db"

        def host(self, release="exact", **settings):
            return GuardedFile(self.labels, Policy(release, **settings), self.ledger)

        def submission(self, public, private, name="guess.csv"):
            """Write a submission with so many right answers in each part."""
            right = np.zeros(N, dtype=bool)
            right[np.flatnonzero(~PRIVATE)[:public]] = True
            right[np.flatnonzero(PRIVATE)[:private]] = True
            guess = np.where(right, TRUTH, (TRUTH + 1) % 3)
            return self.write(name, guess)

        def write(self, name, labels, usage=None, order=None):
            rows = [
                f"{i},{NAMES[labels[i]]}" + ("" if usage is None else f",{usage[i]}")
                for i in (range(N) if order is None else order)
            ]
            path = tmp_path / name
            header = "id,label" if usage is None else "id,label,Usage"
            path.write_text("\n".join([header, *rows]) + "\n")
            path.chmod(0o600)
            return path

    board = Board()
    board.write("truth.csv", TRUTH, np.where(PRIVATE, "Private", "Public"))
    Ledger(board.ledger, create=True).close()
    return board


def shown(finals):
    return [(final.rank, final.team, final.score, final.chosen) for final in finals.results]


def test_teams_are_ranked_by_the_private_part_alone(board):
    host = board.host()
    host.score(board.submission(20, 10), team="climber")  # all public rows right, few private
    host.score(board.submission(10, 30), team="honest")
    host.score(board.submission(9, 30), team="other")
    finals = close(host)
    assert shown(finals) == [
        (1, "honest", 0.75, False),
        (1, "other", 0.75, False),
        (3, "climber", 0.25, False),
    ]
    assert [final.released for final in finals.results] == [0.5, 0.45, 1.0]
    assert (finals.n_examples, finals.repeated) == (40, False)


def test_named_submissions_count_and_the_best_of_them(board):
    host = board.host()
    first = host.score(board.submission(20, 0), team="blue")
    second = host.score(board.submission(3, 8), team="blue")
    third = host.score(board.submission(4, 6), team="blue")
    assert first.released > third.released > second.released
    for receipt in (second, third):
        host.guard.choose_final(receipt.receipt_id, team="blue")
    (final,) = close(host).results
    assert (final.score, final.chosen, final.receipt_id) == (0.2, True, second.receipt_id)


def test_without_a_choice_the_earliest_best_released_look_counts(board):
    host = board.host("ladder:0.1")
    for public, private in ((10, 4), (16, 20), (12, 36), (16, 40)):
        host.score(board.submission(public, private), team="blue")
    # The Ladder repeats 0.8 after the second look, which alone reached it.
    assert shown(close(host)) == [(1, "blue", 0.5, False)]


def test_without_scores_the_last_look_counts(board):
    host = board.host("improved")
    for public, private in ((16, 20), (10, 4)):
        host.score(board.submission(public, private), team="blue")
    assert shown(close(host)) == [(1, "blue", 0.1, False)]


def test_a_look_does_not_count_by_the_score_of_another_team(board):
    """All teams share the memory, so a team's first look is answered with what another reached."""
    host = board.host("ladder:0.01", memory="data_set")
    host.score(board.submission(15, 10), team="red")
    for public, private in ((2, 3), (12, 20)):
        assert host.score(board.submission(public, private), team="blue").released == 0.75
    assert shown(close(host)) == [(1, "blue", 0.5, False), (2, "red", 0.25, False)]


def test_answers_of_a_full_batch_count_for_their_looks(board):
    host = board.host("batch:2")
    host.score(board.submission(15, 20), team="blue")
    host.score(board.submission(10, 4), team="blue")
    (final,) = close(host).results
    assert (final.score, final.released) == (0.5, 0.75)


@pytest.mark.parametrize("failed", ["look", "free"])
def test_a_board_is_closed_once_and_answers_from_the_record_after(board, failed):
    host = board.host(failed=failed)
    receipt = host.score(board.submission(10, 30), team="blue")
    first = close(host)
    entries = Ledger(board.ledger).entries()
    again = close(board.host(failed=failed))
    assert again.repeated
    assert again.results == first.results
    assert Ledger(board.ledger).entries() == entries
    with pytest.raises(BudgetExhausted, match="the board is closed"):
        host.score(board.submission(11, 30), team="red")
    with pytest.raises(InvalidInput, match="the board is closed"):
        host.guard.choose_final(receipt.receipt_id, team="blue")
    assert host.score(board.submission(10, 30), team="blue").repeated
    spent = host.guard.allowance(team="blue")
    with pytest.raises(BudgetExhausted, match="the board is closed"):  # nor charged as a failure
        host.guard.score(TRUTH[1:], team="blue")
    assert host.guard.allowance(team="blue") == spent
    assert Ledger(board.ledger).entries() == entries


def test_the_final_scores_are_looks_at_a_data_set_of_their_own(board):
    host = board.host("round:1")
    host.score(board.submission(10, 30), team="blue")
    host.score(board.submission(11, 29), team="blue")
    close(host)
    entries = Ledger(board.ledger).entries()
    kinds = [entry.kind for entry in entries if entry.kind not in ("linked", "opened")]
    assert kinds == ["look", "look", "look", "closed"]
    public, final = (entries[[e.kind for e in entries].index("look")], entries[-2])
    assert final.data_set != public.data_set
    assert (final.rule, final.released, final.team_looks) == ("exact", "0.725", 1)
    exposed = {each.n_examples: each.looks for each in exposure(Ledger(board.ledger))}
    assert exposed == {20: 2, 40: 1}
    assert Ledger(board.ledger).verify().ok


def test_the_rows_may_be_in_another_order_when_the_board_is_closed(board):
    host = board.host()
    host.score(board.submission(10, 30), team="blue")
    order = np.random.default_rng(6).permutation(N)
    board.write("truth.csv", TRUTH, np.where(PRIVATE, "Private", "Public"), order)
    assert shown(close(board.host())) == [(1, "blue", 0.75, False)]


@pytest.mark.parametrize("value", [None, float("nan"), "much", SystemExit])
def test_a_submission_of_which_a_metric_has_no_private_value_keeps_no_board_open(board, value):
    """One team could do so on purpose, and the host was told nothing but an error."""

    def picky(truth, given):
        hits = float(np.mean(truth == given))
        if len(truth) == 40 and hits == 0.5:
            if value is SystemExit:
                raise SystemExit
            return value
        return 3.0 * hits

    metric = OwnMetric("picky", picky, low=0.0, high=2.0)
    host = board.host(metric=metric, looks_per_team=5)
    for team, public, private in (("a", 9, 20), ("b", 8, 39), ("c", 5, 8), ("d", 4, 20)):
        name = f"{team}.csv"
        look = host.score(board.submission(public, private, name), team=team)
        assert look.released == pytest.approx(min(2.0, 3.0 * public / 20))
        if team == "d":  # it has named another one, too
            host.guard.choose_final(look.receipt_id, team=team)
            more = host.score(board.submission(3, 4, "more.csv"), team=team)
            host.guard.choose_final(more.receipt_id, team=team)
    ranking = [("b", 2.0), ("c", 3.0 * 8 / 40), ("d", 3.0 * 4 / 40)]
    found = shown(close(host))
    assert found == shown(close(host))
    assert [(team, pytest.approx(score)) for _, team, score, _ in found] == ranking
    kinds = [entry.kind for entry in host.guard.ledger.entries()][-8:]
    expected = ["closed", "failed", "failed", "linked", "look", "look", "look", "opened"]
    assert sorted(kinds) == expected
    assert host.guard.ledger.verify().ok


def test_predictions_are_sealed_and_small(tmp_path):
    rng = np.random.default_rng(7)
    truth, guess = rng.integers(0, 10, (2, 10_000))
    usage = np.where(rng.random(10_000) < 0.7, "Private", "Public")
    rows = "".join(f"{i},{c},{u}\n" for i, (c, u) in enumerate(zip(truth, usage, strict=True)))
    (tmp_path / "truth.csv").write_text("id,label,Usage\n" + rows)
    (tmp_path / "truth.csv").chmod(0o600)
    (tmp_path / "guess.csv").write_text(
        "id,label\n" + "".join(f"{i},{c}\n" for i, c in enumerate(guess))
    )
    url = tmp_path / "ledger.db"
    host = GuardedFile(tmp_path / "truth.csv", Policy("exact"), url, create=True)
    host.score(tmp_path / "guess.csv", team="blue")
    with host.guard.ledger.storage.reading() as transaction:
        (look,) = (entry for entry in transaction.entries() if entry.kind == "look")
        kept = transaction.prediction(look.data_set, look.prediction)
    # Ten classes take 3.32 bits at least, and the code spends a little more.
    assert len(kept) < 10_000 * 3.6 / 8
    content = b"".join(path.read_bytes() for path in tmp_path.glob("ledger.db*"))
    assert kept[:100] in content
    assert guess[:64].astype(np.uint8).tobytes() not in content


def test_nothing_is_kept_where_no_private_part_waits(board):
    for part in ("all", "private"):
        host = board.host(part=part)
        host.score(board.submission(10, 30), team="blue")
        with host.guard.ledger.storage.reading() as transaction:
            looks = [entry for entry in transaction.entries() if entry.kind == "look"]
            assert transaction.prediction(looks[-1].data_set, looks[-1].prediction) is None
        with pytest.raises(InvalidInput, match="public part"):
            close(host)


def test_a_board_without_looks_stays_open(board):
    with pytest.raises(InvalidInput, match="no look"):
        close(board.host())
    board.host().score(board.submission(1, 2), team="blue")
    assert len(close(board.host()).results) == 1


@pytest.mark.parametrize(
    "edit", ["UPDATE holdfast_predictions SET sealed = x'00'", "DELETE FROM holdfast_predictions"]
)
def test_a_prediction_that_was_edited_or_removed_closes_nothing(board, edit):
    import sqlite3

    host = board.host()
    host.score(board.submission(10, 30), team="blue")
    with sqlite3.connect(board.ledger) as connection:
        connection.execute(edit)
    before = Ledger(board.ledger).entries()
    with pytest.raises(LedgerError, match="prediction"):
        close(host)
    assert [e for e in Ledger(board.ledger).entries() if e.kind in ("look", "closed")] == [
        e for e in before if e.kind == "look"
    ]
    if edit.startswith("DELETE"):  # sending it again costs nothing and keeps it
        assert host.score(board.submission(10, 30), team="blue").repeated
        assert shown(close(host)) == [(1, "blue", 0.75, False)]


@pytest.mark.parametrize(
    ("edit", "finding"),
    [
        ("UPDATE holdfast_predictions SET sealed = x'00'", "was edited"),
        ("UPDATE holdfast_predictions SET digest = 'x' || digest", "is missing"),
        ("DELETE FROM holdfast_predictions WHERE rowid = 1", "is missing"),
    ],
)
def test_verify_finds_predictions_that_were_edited_or_removed(board, edit, finding, capsys):
    import sqlite3

    host = board.host()
    for right in (10, 11):
        host.score(board.submission(right, 30), team="blue")
    options = ["ledger", "verify", str(board.ledger), "--labels", str(board.labels)]
    assert main(options) == 0
    with sqlite3.connect(board.ledger) as connection:
        connection.execute(edit)
    capsys.readouterr()
    assert main(options) == 1
    assert f"{finding}." in capsys.readouterr().out


def test_verify_misses_predictions_that_are_all_gone_without_having_the_labels(board):
    import sqlite3

    host = board.host()
    for right in (10, 11):
        host.score(board.submission(right, 30), team="blue")
    with sqlite3.connect(board.ledger) as connection:
        connection.execute("DELETE FROM holdfast_predictions")
    problems = Ledger(board.ledger).verify().problems
    assert problems == tuple(f"the kept prediction of entry {n} is missing." for n in (3, 4))


def test_looks_at_the_public_rows_alone_are_no_fault_and_do_not_decide(board, tmp_path):
    """They are looks at the same data set, and there is nothing to score the private part from."""
    public = np.flatnonzero(~PRIVATE)
    alone = board.write("public.csv", TRUTH, order=public)
    guess = board.write("all right.csv", TRUTH, order=public)
    host = GuardedFile(alone, Policy("exact"), board.ledger)
    best = host.score(guess, team="blue")
    host.score(guess, team="red")
    assert best.released == 1.0
    with pytest.raises(InvalidInput, match="no look at a whole test set"):
        close(board.host())
    board.host().score(board.submission(10, 30), team="blue")
    assert Ledger(board.ledger).verify().problems == ()
    assert board.host().guard.allowance(team="blue")[0] == 98
    with pytest.raises(InvalidInput, match="a look at the public examples alone"):
        board.host().guard.choose_final(best.receipt_id, team="blue")
    assert shown(close(board.host())) == [(1, "blue", 0.75, False)]
    assert Ledger(board.ledger).verify().problems == ()


def _score_and_die(labels, ledger, submission, connection):
    host = GuardedFile(labels, Policy("exact"), ledger)
    connection.send(host.score(submission, team="blue").released)
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_was_answered_before_a_kill_can_be_scored(board):
    here, there = multiprocessing.Pipe()
    path = board.submission(10, 30)
    process = multiprocessing.get_context("spawn").Process(
        target=_score_and_die, args=(board.labels, board.ledger, path, there)
    )
    process.start()
    assert here.recv() == 0.5
    process.join(30)
    assert process.exitcode == -signal.SIGKILL
    assert shown(close(board.host())) == [(1, "blue", 0.75, False)]


def test_a_board_is_closed_in_both_databases(board, ledger_url):
    host = GuardedFile(board.labels, Policy("exact"), ledger_url, create=True)
    host.score(board.submission(10, 30), team="blue")
    host.score(board.submission(12, 20), team="red")
    assert shown(close(host)) == [(1, "blue", 0.75, False), (2, "red", 0.5, False)]
    assert close(host).repeated
    assert host.guard.ledger.verify().ok


def test_two_who_close_at_once_get_one_ranking(board):
    from concurrent.futures import ThreadPoolExecutor

    board.host().score(board.submission(10, 30), team="blue")
    hosts = [board.host() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(close, hosts))
    assert sum(not finals.repeated for finals in results) == 1
    assert len({finals.results for finals in results}) == 1


def test_a_choice_on_the_command_line_decides(board, tmp_path, capsys):
    receipt = board.host().score(board.submission(3, 30), team="blue")
    board.host().score(board.submission(12, 20), team="blue")
    (tmp_path / "policy.toml").write_text('release = "exact"\nfinal_choices = 1\n')
    options = ["choose", "--policy", tmp_path / "policy.toml", "--labels", board.labels]
    options = [str(option) for option in (*options, "--ledger", board.ledger, "--team", "blue")]
    assert main([*options, "--receipt", receipt.receipt_id, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["receipt_id"], told["released"]) == (receipt.receipt_id, 0.15)
    assert main([*options, "--receipt", "1-0"]) == 2
    assert shown(close(board.host())) == [(1, "blue", 0.75, True)]


def test_close_on_the_command_line(board, tmp_path, capsys):
    board.host().score(board.submission(10, 30), team="blue")
    board.host().score(board.submission(12, 20), team="=red")
    (tmp_path / "policy.toml").write_text('release = "exact"\n')
    options = ["close", "--policy", tmp_path / "policy.toml", "--labels", board.labels]
    options = [str(option) for option in (*options, "--ledger", board.ledger)]
    umask = os.umask(0)
    assert main([*options, "--json", "--csv", str(tmp_path / "final.csv")]) == 0
    os.umask(umask)
    told = json.loads(capsys.readouterr().out)
    assert [(r["rank"], r["team"], r["score"]) for r in told["results"]] == [
        (1, "blue", 0.75), (2, "=red", 0.5),
    ]  # fmt: skip
    assert (told["repeated"], told["n_examples"]) == (False, 40)
    with (tmp_path / "final.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["rank"], row["team"], row["score"]) for row in rows] == [
        ("1", "blue", "0.75"), ("2", "'=red", "0.5"),
    ]  # fmt: skip
    assert (tmp_path / "final.csv").stat().st_mode & 0o777 == 0o600
    assert main(options) == 0
    assert "40 private examples, 2 teams (from the record)" in capsys.readouterr().out
    assert main([*options, "--csv", str(tmp_path / "no" / "x.csv")]) == 2
