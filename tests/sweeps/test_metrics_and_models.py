"""Cells of other metrics, and of models read from files: gains in the metric's own unit."""

import numpy as np
import pytest

from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.errors import InvalidInput
from holdfast.metrics import F1, CohenKappa, LogLoss
from holdfast.metrics.registry import parse_metric
from holdfast.sweeps import Experiment, read_experiment, run


def save_labels(path, labels):
    lines = ["id,label", *(f"{at},{label}" for at, label in enumerate(labels)), ""]
    path.write_text("\n".join(lines))
    return str(path)


@pytest.fixture
def hidden():
    return np.random.default_rng(11).integers(2, size=120)


def rows_of(tmp_path, hidden, **more):
    given = {"labels": [save_labels(tmp_path / "truth.csv", hidden)], "n_queries": [60]}
    return list(run(Experiment(**(given | more))))


def test_a_gain_is_in_the_metrics_unit_above_the_best_constant(tmp_path, hidden):
    (row,) = rows_of(tmp_path, hidden, attacks=["lattice"], metrics=["f1"], n_queries=[130])
    assert (row["error"], row["matches"], row["score"]) == (None, 120, 1.0)
    everywhere = F1().score(hidden, np.ones(120, dtype=int))
    assert row["gain"] == pytest.approx(1.0 - everywhere)
    assert row["gain_examples"] is None


def test_decimals_tell_counts_or_about_so(tmp_path):
    hidden = np.random.default_rng(14).integers(2, size=400)
    rows = rows_of(
        tmp_path,
        hidden,
        attacks=["lattice", "champion-challenger"],
        rules=["round:3", "round:2"],
        metrics=["f1", "balanced_accuracy"],
        n_queries=[100],
    )
    for row in rows:
        if row["attack"] == "lattice" and row["rule"] == "round:2":
            assert "Lattice needs ExactAnswers" in row["error"]
        else:
            assert row["error"] is None
            assert row["matches"] > 200 + 40


def test_a_falling_loss_is_a_gain(tmp_path, hidden):
    (row,) = rows_of(tmp_path, hidden, attacks=["auto"], metrics=["log_loss"])
    share = hidden.mean()
    assert row["gain"] == pytest.approx(LogLoss().score(hidden, np.full(120, share)), abs=1e-9)
    assert row["looks"] < 60
    assert row["matches"] is None


def test_match_counts_are_read_from_several_classes(tmp_path):
    hidden = np.random.default_rng(12).integers(4, size=90)
    rows = rows_of(
        tmp_path, hidden, attacks=["lattice"], metrics=["cohen_kappa", "f1_macro"], n_queries=[150]
    )
    assert rows[0]["matches"] == 90
    assert rows[0]["gain"] == pytest.approx(1.0 - CohenKappa().score(hidden, np.zeros(90, int)))
    assert "belongs to several numbers of matches" in rows[1]["error"]


@pytest.mark.parametrize(
    "metric",
    ["f1_macro", "f1_weighted", "precision_macro", "recall_macro", "balanced_accuracy"],
)
def test_macro_averages_are_played_as_audits_play_them(tmp_path, metric):
    hidden = np.random.default_rng(12).choice(3, size=90, p=[0.5, 0.3, 0.2])
    (row,) = rows_of(tmp_path, hidden, attacks=["auto"], metrics=[metric], n_queries=[30])
    assert row["error"] is None
    board = MetricBoard(parse_metric(metric), sizes=tuple(np.bincount(hidden).tolist()))
    assert [each.name for each in attacks_on(board, 3)] == [
        "joint-counts",
        "linear-reader",
        "shuffle-climb",
    ]
    assert row["gain"] > 0.05


def test_what_does_not_fit_is_a_row_with_its_reason(tmp_path, hidden):
    rows = rows_of(
        tmp_path,
        hidden,
        attacks=["lattice"],
        rules=["exact", "gaussian:0.01"],
        metrics=["log_loss", "balanced_accuracy"],
    )
    reasons = {(row["rule"], row["metric"]): row["error"] for row in rows}
    assert "what digits can't be read from" in reasons["exact", "log_loss"]
    assert "between two limits" in reasons["gaussian:0.01", "log_loss"]
    assert "needs ExactAnswers" in reasons["gaussian:0.01", "balanced_accuracy"]
    assert reasons["exact", "balanced_accuracy"] is None
    (counts,) = run(
        Experiment(["block-majority"], metrics=["f1"], labels=["counts"], problems=[(60, 2, 5)])
    )
    assert "where a look tells an accuracy" in counts["error"]


def test_models_of_files_are_voted_on_and_the_gain_is_above_their_vote(tmp_path, hidden):
    rng = np.random.default_rng(13)
    (tmp_path / "models").mkdir()
    for name in "abc":
        wrong = rng.random(120) < 0.3
        save_labels(tmp_path / "models" / f"{name}.csv", np.where(wrong, 1 - hidden, hidden))
    one, all_three = "models/a.csv", "models/*.csv"
    save_labels(tmp_path / "truth.csv", hidden)
    (tmp_path / "grid.toml").write_text(
        'attacks = ["constant", "champion-challenger"]\nlabels = ["truth.csv", "uniform"]\n'
        f'priors = ["{one}", "{all_three}"]\nn_queries = [20]\nproblems = [[50, 2, 20]]\n'
    )
    experiment = read_experiment(tmp_path / "grid.toml")
    rows = list(run(experiment))
    for row in rows:
        if row["labels"] == "uniform":
            assert "predictions are about the examples of a label file" in row["error"]
        elif row["attack"] == "constant":  # it hands in the vote's labels
            assert (row["error"], row["gain"]) == (None, 0.0)
    found = {
        (row["attack"], row["prior"].rpartition("/")[2]): row
        for row in rows
        if row["labels"] != "uniform"
    }
    first = np.loadtxt(tmp_path / "models/a.csv", int, delimiter=",", skiprows=1)[:, 1]
    alone = found["constant", "a.csv"]
    assert alone["matches"] == np.count_nonzero(first == hidden)
    played = found["champion-challenger", "*.csv"]
    start = found["constant", "*.csv"]["matches"]
    assert played["gain_examples"] == played["matches"] - start > 0
    assert start >= alone["matches"]


def test_a_row_follows_what_the_models_say_not_where_they_lie(tmp_path, hidden):
    found = []
    for folder, flip in (("one", 3), ("two", 3), ("three", 4)):
        (tmp_path / folder).mkdir()
        given = hidden.copy()
        given[:flip] ^= 1
        prior = save_labels(tmp_path / folder / "model.csv", given)
        (row,) = rows_of(tmp_path, hidden, attacks=["constant"], priors=[prior])
        found.append(row["address"])
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"metrics": ["f1_makro"]}, "did you mean f1_macro"),
        ({"priors": ["nowhere.csv"]}, "files of predicted labels that are there"),
        ({"priors": ["nowhere/*.csv"]}, "files of predicted labels that are there"),
    ],
)
def test_bad_metrics_and_models_are_refused_in_one_line(settings, words):
    with pytest.raises(InvalidInput, match=words) as refusal:
        Experiment(["constant"], problems=[(50, 2, 5)], **settings)
    assert "\n" not in str(refusal.value)


def test_predictions_of_another_length_are_refused_before_anything_is_played(tmp_path, hidden):
    prior = save_labels(tmp_path / "model.csv", hidden[:-1])
    with pytest.raises(InvalidInput, match="must have 120 predictions, one per label, got 119"):
        rows_of(tmp_path, hidden, attacks=["constant"], priors=[prior])


def test_an_attack_that_takes_no_model_is_not_played_with_one():
    experiment = Experiment(
        ["block-majority", "constant"], problems=[(90, 3, 8)], priors=["none", "model:0.6"]
    )
    said = {(row["attack"], row["prior"]): row["error"] for row in run(experiment)}
    assert said.pop(("block-majority", "model:0.6")).startswith("block-majority takes no model")
    assert set(said.values()) == {None}
