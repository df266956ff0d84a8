"""The exact score exists only inside the transaction: look for it everywhere else."""

import dataclasses
import gc
import logging
import pickle
import re
import traceback

import numpy as np
import pytest

from holdfast.errors import HoldfastError, InvalidQuery, ReleaseFailed
from holdfast.guard import Guard, Policy
from tests.guard.rules import Coarse, Noise, Talkative

# 61 007 matches of 100 003: no part of these digits appears by itself.
N, MATCHES = 100_003, 61_007
EXACT = repr(MATCHES / N)[2:8]
UNRELEASED = re.compile(rf"{EXACT}|{MATCHES}|{N - MATCHES}|{repr(1 - MATCHES / N)[2:8]}")


def guard_with(rule, url, **settings):
    policy = Policy("exact", **settings)
    object.__setattr__(policy, "mechanism", rule)
    labels = np.random.default_rng(5).integers(0, 3, N).astype(np.uint8)
    prediction = labels.copy()
    prediction[MATCHES:] = (labels[MATCHES:] + 1) % 3
    return Guard(labels, policy, url, n_classes=3), prediction, labels


def everything_stored(guard):
    """Return all that the database holds, as text, with states raw and unsealed by nobody."""
    with guard.ledger.storage.reading() as transaction:
        parts = [repr(dataclasses.astuple(entry)) for entry in transaction.entries()]
        for state in transaction.states():
            parts += [repr(state), state.sealed.decode("latin-1")]
        parts += [repr(transaction.head())]
    return "\n".join(parts)


def test_the_pattern_finds_the_score_where_it_is():
    assert UNRELEASED.search(f"accuracy {MATCHES / N}")
    assert UNRELEASED.search(f"matches={MATCHES}")
    assert not UNRELEASED.search("0.6")


def test_no_unreleased_digit_is_in_the_database_receipt_logs_or_reprs(ledger_url, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    guard, prediction, _ = guard_with(Coarse(), ledger_url)
    receipt = guard.score(prediction, team="blue")
    repeated = guard.score(prediction, team="blue")
    assert receipt.released == 0.6
    shown = capfd.readouterr()
    places = {
        "receipt": repr(receipt) + repr(dataclasses.asdict(receipt)),
        "repeated": repr(repeated),
        "database": everything_stored(guard),
        "log": caplog.text,
        "output": shown.out + shown.err,
        "reprs": repr(guard) + repr(guard.policy) + repr(guard.ledger) + repr(guard.problem),
        "attributes": repr(vars(guard)) + repr(vars(guard.ledger)),
    }
    found = {name for name, text in places.items() if UNRELEASED.search(text)}
    assert found == set()


def test_no_unreleased_byte_is_in_the_file(tmp_path):
    guard, prediction, labels = guard_with(Coarse(), tmp_path / "ledger.db")
    guard.score(prediction, team="blue")
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not UNRELEASED.search(content.decode("latin-1"))
    for secret in (labels[:64].tobytes(), guard._owner.key, guard._owner.key.hex().encode()):
        assert secret not in content


def test_the_state_is_kept_all_the_same(ledger_url):
    guard, prediction, _ = guard_with(Coarse(), ledger_url)
    guard.score(prediction, team="blue")
    from holdfast.guard.sealing import unseal

    with guard.ledger.storage.reading() as transaction:
        (state,) = transaction.states()
    assert unseal(state.sealed, guard._owner.key)["best"] == MATCHES


@pytest.mark.parametrize("failure", ["rule", "commit"])
def test_no_exception_carries_the_score_in_text_cause_or_frames(failure, ledger_url, monkeypatch):
    guard, prediction, _ = guard_with(Talkative() if failure == "rule" else Coarse(), ledger_url)
    if failure == "commit":
        from holdfast.guard.storage.sql import SqlTransaction

        monkeypatch.setattr(SqlTransaction, "append", _broken)
    with pytest.raises(HoldfastError) as caught:
        guard.score(prediction, team="blue")
    error = caught.value
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    told += repr(error) + str(error) + repr(error.__context__) + repr(error.__cause__)
    told += pickle.dumps(error).decode("latin-1")
    assert not UNRELEASED.search(told)
    if failure == "rule":
        assert isinstance(error, ReleaseFailed)
        assert "ValueError" in str(error)
    monkeypatch.undo()
    assert not UNRELEASED.search(everything_stored(guard))


def _broken(self, entry):
    self._engine.write("INSERT INTO no_such_table VALUES (1)", ())


def test_nothing_alive_after_a_look_is_an_evaluation(tmp_path):
    from holdfast.protocols import Evaluation

    guard, prediction, _ = guard_with(Coarse(), tmp_path / "ledger.db")
    guard.score(prediction, team="blue")
    gc.collect()
    assert not any(isinstance(thing, Evaluation) for thing in gc.get_objects())


def test_an_invalid_prediction_says_nothing_of_the_labels(tmp_path):
    guard, prediction, _ = guard_with(Coarse(), tmp_path / "ledger.db", failed="look")
    wrong = prediction.astype(int)
    wrong[-1] = 9
    with pytest.raises(InvalidQuery) as caught:
        guard.score(wrong, team="blue")
    assert str(caught.value) == f"prediction must lie in 0 .. 2, got 9 at position {N - 1}."
    assert not UNRELEASED.search(everything_stored(guard))


def test_noise_is_fresh_for_each_look_and_each_ledger(tmp_path):
    seen = []
    for name in ("a.db", "b.db"):
        guard, prediction, labels = guard_with(Noise(), tmp_path / name)
        seen += [guard.score(p, team="blue").released for p in (prediction, labels)]
    assert len(set(seen)) == 4
