"""What a receipt says of the value it carries."""

import pickle
import warnings

import numpy as np
import pytest

from holdfast.errors import LedgerError
from holdfast.guard import Guard, GuardedFile, OutcomeGuard, Policy
from holdfast.rules import Told

N = 200
# Matches of four submissions in turn: the second is worse, the third better, the fourth the same.
MATCHES = [100, 60, 150, 150]


def submissions(labels):
    """Return predictions with these numbers of matches, each another one."""
    rng = np.random.default_rng(4)
    for matches in MATCHES:
        wrong = rng.choice(N, N - matches, replace=False)
        prediction = labels.copy()
        prediction[wrong] = (labels[wrong] + 1) % 4
        yield prediction


def receipts(rule, folder, teams=("blue",) * 4, **settings):
    labels = np.random.default_rng(3).integers(0, 4, N)
    guard = Guard(labels, Policy(rule, **settings), folder / "ledger.db", n_classes=4, create=True)
    return guard, [
        (prediction, guard.score(prediction, team=team))
        for prediction, team in zip(submissions(labels), teams, strict=True)
    ]


@pytest.mark.parametrize(
    ("rule", "new_best", "own"),
    [
        ("exact", [None] * 4, [True] * 4),
        ("round:1", [None] * 4, [True] * 4),
        ("gaussian:0.01", [None] * 4, [True] * 4),
        ("ladder:0.01", [True, False, True, False], [True, False, True, False]),
        ("ladder", [True, False, True, False], [True, False, True, False]),
        ("shaky:step=0.1,scale=0.0001", [True, False, True, False], [True, False, True, False]),
        ("thresholdout:threshold=0.1,scale=0.0001,budget=9", [None] * 4, [True] * 3 + [False]),
        ("rank", [True, False, True, True], [True] * 4),
        ("improved", [True, False, True, False], [True] * 4),
        ("subsample:0.99+ladder:0.01", [True, False, True, False], [True, False, True, False]),
        # What follows hides whether it climbed, so the receipt does not say it.
        ("ladder:0.01+round:1", [None] * 4, [None] * 4),
        ("exact+ladder:0.01+exact", [True, False, True, False], [True, False, True, False]),
    ],
)
def test_a_receipt_says_whether_it_is_a_new_best_and_whose_value_it_carries(
    rule, new_best, own, tmp_path
):
    guard, answered = receipts(rule, tmp_path)
    assert [receipt.new_best for _, receipt in answered] == new_best
    assert [receipt.own for _, receipt in answered] == own
    for prediction, receipt in answered:
        again = guard.score(prediction, team="blue")
        assert again.repeated
        assert (again.new_best, again.own, again.meaning) == (
            receipt.new_best, receipt.own, receipt.meaning,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "meaning"),
    [
        ("exact", "exact score of this submission"),
        ("round:2", "score of this submission, rounded to 2 decimals"),
        ("round:0.05", "score of this submission, rounded to a step of 0.05"),
        ("ladder:0.01", "best so far of team blue, in steps of 0.01"),
        ("ladder", "best so far of team blue"),
        ("improved", "whether this submission beat the best so far of team blue, 1 or 0"),
        ("rank", "rank of this submission among those of team blue, 1 the best"),
        (
            "gaussian:0.01",
            "score of this submission plus Gaussian noise of standard deviation 0.01",
        ),
        ("split:4", "score of this submission on part 1 of 4 parts of the examples"),
        (
            "subsample:0.5+round:2",
            "score of this submission on a fixed 0.5 of the examples, rounded to 2 decimals",
        ),
    ],
)
def test_a_receipt_says_in_words_what_its_value_is(rule, meaning, tmp_path):
    _, answered = receipts(rule, tmp_path)
    assert answered[0][1].meaning == meaning


def test_with_one_memory_for_everybody_the_best_is_that_of_all_teams(tmp_path):
    teams = ("blue", "red", "blue", "red")
    _, answered = receipts("ladder:0.01", tmp_path, teams, memory="data_set")
    assert answered[1][1].meaning == "best so far of all teams, in steps of 0.01"
    assert answered[1][1].own is False
    assert answered[1][1].released == answered[0][1].released == 0.5


def test_a_batch_says_later_which_of_its_looks_were_new_bests(tmp_path):
    guard, answered = receipts("batch:4+ladder:0.01", tmp_path)
    assert [receipt.released for _, receipt in answered] == [None, None, None, 0.75]
    assert answered[0][1].meaning == "nothing yet: the batch is not full"
    again = [guard.score(prediction, team="blue") for prediction, _ in answered]
    assert [receipt.released for receipt in again] == [0.5, 0.5, 0.75, 0.75]
    assert [receipt.new_best for receipt in again] == [True, False, True, False]


def test_a_record_without_a_note_claims_nothing_for_a_rule_that_repeats_values():
    assert Told.from_text("", speaks=True) == Told(new_best=None, own=None)
    assert Told.from_text("", speaks=False) == Told(new_best=None, own=True)


@pytest.mark.parametrize("text", ["moved", "[]", '{"own": "yes", "new_best": 1}', "{" * 5000])
def test_a_note_that_is_none_of_ours_claims_nothing(text):
    assert Told.from_text(text, speaks=True) == Told(new_best=None, own=None)


@pytest.mark.parametrize(
    "rule", ["exact", "gaussian:0.01", "ladder:0.01", "shaky:step=0.01,scale=0.002"]
)
def test_a_score_is_this_submissions_own_or_none(rule, tmp_path):
    for _, receipt in receipts(rule, tmp_path)[1]:
        assert receipt.score == (receipt.shown if receipt.own else None)
        assert receipt.answer == receipt.shown


def test_reading_anothers_value_warns_once_for_each_guard(tmp_path):
    labels = np.random.default_rng(3).integers(0, 4, N)
    for name in ("one", "two"):
        path = tmp_path / f"{name}.db"
        guard = Guard(labels, Policy("ladder:0.01"), path, n_classes=4, create=True)
        seen = [guard.score(each, team="blue") for each in submissions(labels)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert seen[0].released == seen[0].score  # its own
            _ = [each.shown for each in seen]
        with pytest.warns(UserWarning, match=r"best so far of team blue.*not this submission's"):
            assert seen[1].released == seen[0].shown
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert seen[3].released == seen[2].shown
    assert pickle.loads(pickle.dumps(seen[1])) == seen[1]


def test_try_score_returns_a_refusal_and_records_what_score_does(tmp_path):
    labels = np.random.default_rng(3).integers(0, 4, N)
    policy = Policy("exact", looks_per_team=2, window="day", refusals_per_team=2)
    guard = Guard(labels, policy, tmp_path / "ledger.db", n_classes=4, create=True)
    good, bad, more, over = submissions(labels)
    answered = guard.try_score(good, team="blue")
    assert (answered.refused, answered.score) == ("", guard.score(good, team="blue").score)
    short = guard.try_score(bad[:-1], team="blue")
    assert (short.refused, short.score, short.receipt_id) == (
        "prediction must have length 200, got 199.", None, "",
    )  # fmt: skip
    assert (short.looks_left, short.next_allowed_at, short.waiting) == (1, None, False)
    guard.try_score(more, team="blue")
    spent = guard.try_score(over, team="blue")
    assert "blue may look again at" in spent.refused
    assert spent.looks_left == 0
    assert spent.next_allowed_at == guard.allowance(team="blue")[1]
    assert [entry.kind for entry in guard.ledger.entries()[1:]] == ["look", "refused", "look"]


def test_every_guard_has_try_score_and_a_broken_ledger_raises(tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\n1,a\n2,b\n")
    labels.chmod(0o600)
    policy = Policy("exact", looks_per_team=1)
    files = GuardedFile(labels, policy, tmp_path / "files.db", create=True)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,label\n1,a\n")
    assert "2" in files.try_score(wrong, team="blue").refused
    assert files.try_score(labels, team="blue").score == 1.0
    tasks = OutcomeGuard(["a"], policy, tmp_path / "tasks.db", secret=b"0" * 16, create=True)
    assert "unknown id" in tasks.try_score({"b": True}, team="blue").refused
    assert tasks.try_score({"a": True}, team="blue").score == 1.0
    assert "all looks" in tasks.try_score({"a": False}, team="blue").refused
    for kept in tmp_path.glob("tasks.db*"):
        kept.unlink()
    with pytest.raises(LedgerError):
        tasks.try_score({"a": False}, team="blue")
