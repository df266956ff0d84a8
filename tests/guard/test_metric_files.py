"""Other metrics from files and on platforms: what submissions hold, and which column shows what."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from holdfast import metrics
from holdfast.cli import main
from holdfast.errors import InvalidInput, InvalidQuery, NotSupported
from holdfast.guard import GuardedFile, Ledger, Policy, close
from holdfast.guard.adapters import kaggle
from holdfast.guard.adapters.scikit_learn import GuardedHoldout

RNG = np.random.default_rng(8)
N = 24
IDS = RNG.permutation(1000)[:N]
CLASSES = np.array(["cat", "dog", "emu"])
LABELS = np.append(RNG.integers(3, size=N - 3), [0, 1, 2])
GROUPS = np.array(["north", "south", "south"] * (N // 3))


def write(path, table):
    pd.DataFrame(table).to_csv(path, index=False)
    path.chmod(0o600)
    return path


@pytest.fixture
def truth(tmp_path):
    return write(tmp_path / "truth.csv", {"id": IDS, "label": CLASSES[LABELS], "region": GROUPS})


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    path = tmp_path / "ledger.db"
    Ledger(path, create=True).close()
    monkeypatch.setenv("HOLDFAST_LEDGER", str(path))
    return path


def test_probabilities_are_matched_by_id_and_by_the_names_of_classes(tmp_path, truth, ledger):
    rows = RNG.dirichlet(np.ones(3), size=N).round(6)
    rows[:, 0] += 1 - rows.sum(axis=1)
    order = RNG.permutation(N)
    table = {"id": IDS[order], **{CLASSES[c]: rows[order, c] for c in (2, 0, 1)}}
    host = GuardedFile(truth, Policy("exact", metric="log_loss"), ledger)
    receipt = host.score(write(tmp_path / "guess.csv", table), team="red")
    assert receipt.released == pytest.approx(metrics.LogLoss().score(LABELS, rows), abs=1e-12)
    for same in (rows, np.asfortranarray(rows)):
        np.save(tmp_path / "guess.npy", same)
        again = host.score(tmp_path / "guess.npy", team="red").released
        assert again == pytest.approx(receipt.released, abs=1e-12)


def test_a_breakdown_is_a_column_of_the_labels(tmp_path, truth, ledger):
    host = GuardedFile(truth, Policy("exact", breakdown="region"), ledger)
    guess = RNG.integers(3, size=N)
    order = RNG.permutation(N)
    table = {"id": IDS[order], "label": CLASSES[guess[order]]}
    receipt = host.score(write(tmp_path / "guess.csv", table), team="red")
    right = guess == LABELS
    assert receipt.numbers == {
        "region=north": right[GROUPS == "north"].mean(),
        "region=south": right[GROUPS == "south"].mean(),
        "accuracy": right.mean(),
    }
    with pytest.raises(InvalidInput, match="group column 'planet'; found"):
        GuardedFile(truth, Policy("exact", breakdown="planet"), ledger)


def test_ranked_labels_and_numbers_and_sets_are_read(tmp_path, truth, ledger):
    pairs = np.array([RNG.permutation(3)[:2] for _ in range(N)])
    host = GuardedFile(truth, Policy("exact", metric="top_k_accuracy:2"), ledger)
    table = {"id": IDS, "first": CLASSES[pairs[:, 0]], "second": CLASSES[pairs[:, 1]]}
    released = host.score(write(tmp_path / "pairs.csv", table), team="red").released
    assert released == np.mean((pairs == LABELS[:, None]).any(axis=1))

    targets, guess = RNG.normal(size=N).round(3), RNG.normal(size=N).round(3)
    hidden = write(tmp_path / "prices.csv", {"id": IDS, "price": targets})
    host = GuardedFile(hidden, Policy("exact", metric="mae"), ledger)
    order = RNG.permutation(N)
    table = {"id": IDS[order], "price": guess[order]}
    released = host.score(write(tmp_path / "guess.csv", table), team="red").released
    assert released == pytest.approx(np.abs(targets - guess).mean(), abs=1e-12)

    sets, given = RNG.integers(2, size=(2, N, 3))
    columns = {name: sets[:, c] for c, name in enumerate("abc")}
    hidden = write(tmp_path / "tags.csv", {"id": IDS, **columns})
    host = GuardedFile(hidden, Policy("exact", metric="hamming_loss"), ledger)
    table = {"id": IDS, **{name: given[:, "abc".index(name)] for name in "cab"}}
    released = host.score(write(tmp_path / "given.csv", table), team="red").released
    assert released == np.mean(sets != given)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"id": IDS, "cat": [0.5] * N, "dog": [0.5] * N}, "one column for each class"),
        ({"id": IDS, "cat": ["x"] * N, "dog": [0.5] * N, "emu": [0.0] * N}, "numbers, got 'x'"),
        ({"id": IDS, "cat": [2.0] * N, "dog": [-1.0] * N, "emu": [0.0] * N}, "must lie in"),
        ({"id": IDS, "cat": [0.4] * N, "dog": [0.4] * N, "emu": [0.4] * N}, "sum to 1"),
        ({"id": IDS, "cat": [""] * N, "dog": [0.4] * N, "emu": [0.4] * N}, "got a blank"),
        ({"id": IDS[1:], "cat": [1] * 23, "dog": [0] * 23, "emu": [0] * 23}, "must have 24 rows"),
    ],
)
def test_a_file_that_can_not_be_scored_costs_nothing(tmp_path, truth, ledger, table, message):
    host = GuardedFile(truth, Policy("exact", metric="log_loss"), ledger)
    with pytest.raises(InvalidQuery, match=message):
        host.score(write(tmp_path / "guess.csv", table), team="red")
    assert host.guard.allowance(team="red")[0] == 100


def test_the_private_part_is_ranked_by_the_metric_and_in_its_direction(tmp_path, ledger):
    usage = ["Public"] * 12 + ["Private"] * 12
    targets = np.arange(N) / 4
    table = {"id": IDS, "price": targets, "Usage": usage}
    hidden = write(tmp_path / "prices.csv", table)
    host = GuardedFile(hidden, Policy("round:2", metric="mse"), ledger)
    for team, shift in (("far", 2.0), ("near", 0.5)):
        guess = write(tmp_path / f"{team}.csv", {"id": IDS, "price": targets + shift})
        assert host.score(guess, team=team).released == shift**2
    finals = close(host)
    assert [(each.team, each.score) for each in finals.results] == [("near", 0.25), ("far", 4.0)]
    assert finals.metric == "mse"
    assert close(host).metric == "mse"
    assert host.guard.ledger.verify().ok


def test_targets_are_found_beside_other_columns(tmp_path, ledger):
    table = {"id": IDS, "label": np.arange(N), "region": GROUPS}
    hidden = write(tmp_path / "prices.csv", table)
    host = GuardedFile(hidden, Policy("exact", metric="mse"), ledger)
    # The column of a submission may be called anything, also where the labels' was named.
    guess = write(tmp_path / "guess.csv", {"id": IDS, "prediction": np.arange(N) + 2})
    assert host.score(guess, team="red").released == 4.0
    named = GuardedFile(hidden, Policy("exact", metric="mse"), ledger, label_column="label")
    assert named.score(guess, team="red").released == 4.0
    other = write(tmp_path / "other.csv", {"id": IDS, "price": np.arange(N), "region": GROUPS})
    with pytest.raises(InvalidInput, match="got 'price', 'region'; say which one it is"):
        GuardedFile(other, Policy("exact", metric="mse"), ledger)


def test_kaggle_scores_the_policys_metric_with_and_without_a_ledger(tmp_path, monkeypatch):
    (tmp_path / "policy.toml").write_text('release = "round:3"\nmetric = "mse"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOLDFAST_LEDGER", raising=False)
    solution = pd.DataFrame({"id": IDS, "price": np.arange(N) / 4})
    guess = pd.DataFrame({"id": IDS[::-1], "price": np.arange(N)[::-1] / 4 + 0.5})
    assert kaggle.score(solution, guess, "id") == 0.25
    Ledger(tmp_path / "ledger.db", create=True).close()
    monkeypatch.setenv("HOLDFAST_LEDGER", str(tmp_path / "ledger.db"))
    assert kaggle.score(solution, guess, "id") == 0.25
    with pytest.raises(kaggle.ParticipantVisibleError, match="numbers"):
        kaggle.score(solution, guess.assign(price="x"), "id")
    (tmp_path / "policy.toml").write_text('release = "round:3"\nbreakdown = "region"\n')
    with pytest.raises(InvalidInput, match="shows one number"):
        kaggle.score(solution, guess, "id")


def test_scikit_learns_models_are_scored_by_the_policys_metric(tmp_path):
    X = RNG.normal(size=(60, 3))
    y = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
    good = LogisticRegression().fit(X[:20], y[:20])
    bad = LogisticRegression().fit(X[:20], 1 - y[:20])
    policy = Policy("exact", metric="log_loss")
    holdout = GuardedHoldout(X[20:], y[20:], policy, Ledger(tmp_path / "a.db", create=True))
    receipt = holdout.score(good)
    exact = metrics.LogLoss().score(y[20:], good.predict_proba(X[20:]))
    assert receipt.released == pytest.approx(exact)
    assert holdout.select({"bad": bad, "good": good}).best == "good"
    assert holdout.scorer(good, X[20:]) == -receipt.released
    numbers = GuardedHoldout(
        X[20:], X[20:, 0], Policy("exact", metric="mse"), Ledger(tmp_path / "b.db", create=True)
    )
    assert numbers.score(LinearRegression().fit(X, X[:, 0])).released < 1e-20
    with pytest.raises(NotSupported, match="predict_proba"):
        holdout.score(LinearRegression().fit(X, y))


HIDDEN = {
    "log_loss": (
        {"label": CLASSES[LABELS]},
        dict(zip(CLASSES, np.full((3, N), 1 / 3), strict=True)),
    ),
    "mse": ({"target": np.arange(N) / 2}, {"target": np.ones(N)}),
    "exact_match": (
        {"a": LABELS % 2, "b": LABELS // 2},
        {"a": np.ones(N, int), "b": np.zeros(N, int)},
    ),
}


@pytest.mark.parametrize("metric", HIDDEN)
def test_signatures_are_checked_with_labels_of_every_form_and_with_none_of_others(
    metric, tmp_path, capsys
):
    """Numbers and label sets could not be given, and labels of no data set held without a word."""
    hidden, guess = HIDDEN[metric]
    path, other = tmp_path / "ledger.db", tmp_path / "other.csv"
    truth = write(tmp_path / "truth.csv", {"id": IDS, **hidden})
    write(other, {"id": IDS + 1, **hidden})
    host = GuardedFile(truth, Policy("exact", metric=metric), path, create=True)
    host.score(write(tmp_path / "guess.csv", {"id": IDS, **guess}), team="red")
    host.guard.ledger.close()
    verify = ["ledger", "verify", str(path), "--labels"]
    assert main([*verify, str(truth)]) == 0
    assert main([*verify, str(other)]) == 2
    assert "no signature was checked" in capsys.readouterr().err
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE holdfast_entries SET signature = 'none' WHERE kind = 'look'")
    assert main([*verify, str(truth)]) == 1
    assert "is not signed with these labels" in capsys.readouterr().out
