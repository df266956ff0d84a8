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
from holdfast.guard.storage.sql import SqlTransaction
from tests.guard.rules import Coarse, Noise, Talkative

N, MATCHES = 100_003, 61_007
EXACT = repr(MATCHES / N)[2:8]
UNRELEASED = re.compile(rf"{EXACT}|{MATCHES}|{N - MATCHES}|{repr(1 - MATCHES / N)[2:8]}")


# Salts, keys, receipts, times and addresses are new in each run, and one run in a thousand has five
# given digits among them. What leaks, leaks always: its digits are there in every one of the runs.
RUNS = 4


def leaks(tell):
    """Return the places whose text has unreleased digits in each of several runs of ``tell``."""
    runs = [tell() for _ in range(RUNS)]
    return {place for place in runs[0] if all(UNRELEASED.search(run[place]) for run in runs)}


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


def test_what_leaks_each_time_is_told_from_digits_that_turn_up_once():
    turn = iter(range(RUNS))
    assert leaks(
        lambda: {
            "always": f"best={MATCHES}",
            "once": f"salt 9f{MATCHES}c" if next(turn) == 1 else "salt 9f0c",
            "never": "0.6",
        }
    ) == {"always"}


def test_no_unreleased_digit_is_in_the_database_receipt_logs_or_reprs(
    new_ledger_url, caplog, capfd
):
    caplog.set_level(logging.DEBUG)

    def tell():
        guard, prediction, _ = guard_with(Coarse(), new_ledger_url())
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
    def tell():
        url = new_sqlite_url()
        guard, prediction, labels = guard_with(Coarse(), url)
        guard.score(prediction, team="blue")
        content = b"".join(path.read_bytes() for path in Path(url).parent.iterdir())
        for secret in (labels[:64].tobytes(), guard._owner.key, guard._owner.key.hex().encode()):
            assert secret not in content
        return {"file": content.decode("latin-1")}

    assert leaks(tell) == set()


def test_the_state_is_kept_all_the_same(ledger_url):
    guard, prediction, _ = guard_with(Coarse(), ledger_url)
    guard.score(prediction, team="blue")
    from holdfast.guard.sealing import unseal

    with guard.ledger.storage.reading() as transaction:
        (state,) = transaction.states()
    assert unseal(state.sealed, guard._owner.key)["best"] == MATCHES


@pytest.mark.parametrize("failure", ["rule", "commit"])
def test_no_exception_carries_the_score_in_text_cause_or_frames(
    failure, new_ledger_url, monkeypatch
):
    def tell():
        rule = Talkative() if failure == "rule" else Coarse()
        guard, prediction, _ = guard_with(rule, new_ledger_url())
        with monkeypatch.context() as patch:
            if failure == "commit":
                patch.setattr(SqlTransaction, "append", _broken)
            with pytest.raises(HoldfastError) as caught:
                guard.score(prediction, team="blue")
        error = caught.value
        if failure == "rule":
            assert isinstance(error, ReleaseFailed)
            assert "ValueError" in str(error)
        shown = traceback.TracebackException.from_exception(error, capture_locals=True).format()
        told = repr(error) + str(error) + repr(error.__context__) + repr(error.__cause__)
        return {
            "error": told + "".join(shown) + pickle.dumps(error).decode("latin-1"),
            "database": everything_stored(guard),
        }

    assert leaks(tell) == set()


def _broken(self, entry):
    self._engine.write("INSERT INTO no_such_table VALUES (1)", ())


def test_nothing_alive_after_a_look_is_an_evaluation(tmp_path):
    from holdfast.protocols import Evaluation

    guard, prediction, _ = guard_with(Coarse(), tmp_path / "ledger.db")
    guard.score(prediction, team="blue")
    gc.collect()
    assert not any(isinstance(thing, Evaluation) for thing in gc.get_objects())


def test_an_invalid_prediction_says_nothing_of_the_labels(new_sqlite_url):
    def tell():
        guard, prediction, _ = guard_with(Coarse(), new_sqlite_url(), failed="look")
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
