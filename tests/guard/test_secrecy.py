"""The exact score exists only inside the transaction: look for it everywhere else."""

import dataclasses
import gc
import logging
import pickle
import re
import traceback
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import HoldfastError, InvalidQuery, ReleaseFailed
from holdfast.guard import Guard, Policy
from holdfast.ledger.storage.sql import Transaction
from tests.guard.rules import Coarse, Noise, Talkative

N = 100_003
# Salts, keys and receipts are new in each run, times and addresses hardly change between two, and
# one run in a thousand has five given digits among them. What leaks, leaks whatever the score is:
# each of these scores, all of them released as 0.6, has to show for itself.
SCORES = (61_007, 58_943, 62_771, 56_389)


def unreleased(matches):
    """Return a pattern for every way to write a score of so many matches."""
    shares = (repr(count / N)[2:8] for count in (matches, N - matches))
    return re.compile("|".join([str(matches), str(N - matches), *shares]))


def leaks(tell):
    """Return the places of ``tell(matches)`` whose text gives the score away, for each score."""
    runs = [(unreleased(matches), tell(matches)) for matches in SCORES]
    places = runs[0][1].keys()
    return {place for place in places if all(found.search(text[place]) for found, text in runs)}


def guard_with(rule, url, matches=SCORES[0], **settings):
    policy = Policy("exact", **settings)
    object.__setattr__(policy, "mechanism", rule)
    labels = np.random.default_rng(5).integers(0, 3, N).astype(np.uint8)
    prediction = labels.copy()
    prediction[matches:] = (labels[matches:] + 1) % 3
    return Guard(labels, policy, url, create=True, n_classes=3), prediction, labels


def everything_stored(guard):
    """Return all that the database holds, as text, with states raw and unsealed by nobody."""
    with guard.ledger.storage.reading() as transaction:
        parts = [repr(dataclasses.astuple(entry)) for entry in transaction.entries()]
        for state in transaction.states():
            parts += [repr(state), state.sealed.decode("latin-1")]
        parts += [repr(transaction.head())]
    return "\n".join(parts)


@pytest.mark.parametrize("matches", SCORES)
def test_the_pattern_finds_the_score_where_it_is(matches):
    pattern = unreleased(matches)
    for shown in (f"accuracy {matches / N}", f"matches={matches}", f"loss {1 - matches / N:.7f}"):
        assert pattern.search(shown)
    assert not pattern.search(f"0.6 of {N}")
    assert sum(bool(unreleased(other).search(f"matches={matches}")) for other in SCORES) == 1


def test_what_leaks_each_time_is_told_from_digits_that_are_there_anyway():
    assert leaks(
        lambda matches: {
            "always": f"best={matches}",
            "anyway": f"at 0x7f{SCORES[0]}c0",
            "once": f"salt 9f{SCORES[2]}c" if matches == SCORES[2] else "salt 9f0c",
            "never": "0.6",
        }
    ) == {"always"}


def test_no_unreleased_digit_is_in_the_database_receipt_logs_or_reprs(
    new_ledger_url, caplog, capfd
):
    caplog.set_level(logging.DEBUG)

    def tell(matches):
        guard, prediction, _ = guard_with(Coarse(), new_ledger_url(), matches)
        caplog.clear()
        receipt = guard.score(prediction, team="blue")
        repeated = guard.score(prediction, team="blue")
        assert receipt.released == 0.6
        shown = capfd.readouterr()
        return {
            "receipt": repr(receipt) + repr(dataclasses.asdict(receipt)),
            "repeated": repr(repeated),
            "database": everything_stored(guard),
            "log": caplog.text,
            "output": shown.out + shown.err,
            "reprs": repr(guard) + repr(guard.policy) + repr(guard.ledger) + repr(guard.problem),
            "attributes": repr(vars(guard)) + repr(vars(guard.ledger)),
        }

    assert leaks(tell) == set()


def test_no_unreleased_byte_is_in_the_file(new_sqlite_url):
    def tell(matches):
        url = new_sqlite_url()
        guard, prediction, labels = guard_with(Coarse(), url, matches)
        guard.score(prediction, team="blue")
        content = b"".join(path.read_bytes() for path in Path(url).parent.iterdir())
        for secret in (
            labels[:64].tobytes(),
            guard._in_ledger.found.owner.key,
            guard._in_ledger.found.owner.key.hex().encode(),
        ):
            assert secret not in content
        return {"file": content.decode("latin-1")}

    assert leaks(tell) == set()


def test_the_state_is_kept_all_the_same(ledger_url):
    guard, prediction, _ = guard_with(Coarse(), ledger_url)
    guard.score(prediction, team="blue")
    from holdfast.ledger.sealing import unseal

    with guard.ledger.storage.reading() as transaction:
        (state,) = transaction.states()
    assert unseal(state.sealed, guard._in_ledger.found.owner.key)["best"] == SCORES[0]


@pytest.mark.parametrize("failure", ["rule", "commit"])
def test_no_exception_carries_the_score_in_text_cause_or_frames(
    failure, new_ledger_url, monkeypatch
):
    def tell(matches):
        rule = Talkative() if failure == "rule" else Coarse()
        guard, prediction, _ = guard_with(rule, new_ledger_url(), matches)
        with monkeypatch.context() as patch:
            if failure == "commit":
                patch.setattr(Transaction, "append", _broken)
            error = refusal_of(guard, prediction)
        if failure == "rule":
            assert isinstance(error, ReleaseFailed)
            assert "ValueError" not in str(error)
        shown = traceback.TracebackException.from_exception(error, capture_locals=True).format()
        told = repr(error) + str(error) + repr(error.__context__) + repr(error.__cause__)
        return {
            "error": told + "".join(shown) + pickle.dumps(error).decode("latin-1"),
            "database": everything_stored(guard),
        }

    assert leaks(tell) == set()


def test_no_exception_holds_an_answer_that_was_not_recorded(ledger_url, monkeypatch):
    guard = Guard(np.arange(40) % 4, Policy("exact"), ledger_url, create=True)
    guard.score(np.zeros(40, dtype=int), team="blue")
    monkeypatch.setattr(Transaction, "append", _broken)
    error = refusal_of(guard, np.arange(40) // 4 % 4)
    frames, chain = [], [error]
    while chain:
        each = chain.pop()
        chain += [other for other in (each.__cause__, each.__context__) if other is not None]
        frames += [frame for frame, _ in traceback.walk_tb(each.__traceback__)]
    assert {"score", "refusal_of"} <= {frame.f_code.co_name for frame in frames}
    assert not any("answer" in frame.f_locals for frame in frames)


def refusal_of(guard, prediction):
    """Return what a look raises; its frames begin here, where no local of ours is the score."""
    with pytest.raises(HoldfastError) as caught:
        guard.score(prediction, team="blue")
    return caught.value


def _broken(self, entry):
    self._engine.write("INSERT INTO no_such_table VALUES (1)", ())


def test_nothing_alive_after_a_look_is_an_evaluation(tmp_path):
    from holdfast.protocols import Evaluation

    def alive():
        # By type: to ask a dead weak reference for its class, as isinstance does, is an error.
        return [thing for thing in gc.get_objects() if issubclass(type(thing), Evaluation)]

    guard, prediction, _ = guard_with(Coarse(), tmp_path / "ledger.db")
    before = alive()  # what other tests have left behind
    guard.score(prediction, team="blue")
    gc.collect()
    assert [thing for thing in alive() if not any(thing is old for old in before)] == []


def test_an_invalid_prediction_says_nothing_of_the_labels(new_sqlite_url):
    def tell(matches):
        guard, prediction, _ = guard_with(Coarse(), new_sqlite_url(), matches, failed="look")
        wrong = prediction.astype(int)
        wrong[-1] = 9
        with pytest.raises(InvalidQuery) as caught:
            guard.score(wrong, team="blue")
        assert str(caught.value) == f"prediction must lie in 0 .. 2, got 9 at position {N - 1}."
        return {"database": everything_stored(guard)}

    assert leaks(tell) == set()


def test_noise_is_fresh_for_each_look_and_each_ledger(tmp_path):
    seen = []
    for name in ("a.db", "b.db"):
        guard, prediction, labels = guard_with(Noise(), tmp_path / name)
        seen += [guard.score(p, team="blue").released for p in (prediction, labels)]
    assert len(set(seen)) == 4
