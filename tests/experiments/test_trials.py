import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import InvalidInput
from holdfast.experiments import Experiment, attack_names, make_attack, run, run_trial, trials

PROBLEM = Problem(200, 4, 21)


def without_seconds(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_a_row_is_flat_and_its_numbers_agree():
    (row,) = run([Experiment("block-majority", PROBLEM, trials=1, seed=5)])
    assert list(row) == [
        *("attack", "n_examples", "n_classes", "n_queries", "trial", "seed"),
        *("matches", "accuracy", "bias", "gain_examples", "looks", "seconds"),
    ]
    assert (row["n_examples"], row["n_classes"], row["n_queries"]) == PROBLEM
    assert row["accuracy"] == row["matches"] / 200
    assert row["bias"] == pytest.approx(row["accuracy"] - 1 / 4)
    assert row["gain_examples"] == row["matches"] - 50
    assert row["looks"] == 21


@pytest.mark.slow
def test_rows_are_the_same_whatever_the_number_of_processes(monkeypatch):
    monkeypatch.setattr(trials, "SECONDS_TO_START", 0.0)  # else so little needs no processes
    experiments = [
        Experiment("block-majority", PROBLEM, trials=7, seed=1),
        Experiment("block-majority", Problem(90, 2, 9), trials=5, seed=2, label_kind="sorted"),
    ]
    reported = []
    alone = run(experiments)
    together = run(experiments, processes=2, on_trials=reported.append)
    assert without_seconds(alone) == without_seconds(together)
    assert [row["trial"] for row in alone] == [*range(7), *range(5)]
    assert sum(reported) == 12


def test_what_is_done_before_processes_would_have_started_needs_none(monkeypatch):
    experiments = [Experiment("block-majority", PROBLEM, trials=7, seed=1)]
    monkeypatch.setattr(trials, "SECONDS_TO_START", 60.0)
    monkeypatch.setattr("multiprocessing.get_context", None)
    assert without_seconds(run(experiments, processes=2)) == without_seconds(run(experiments))


def test_another_seed_is_another_result_and_one_trial_can_be_repeated_alone():
    first = Experiment("block-majority", PROBLEM, trials=6, seed=1)
    second = Experiment("block-majority", PROBLEM, trials=6, seed=2)
    assert [row["matches"] for row in run([first])] != [row["matches"] for row in run([second])]
    assert without_seconds([run_trial(first, 4)]) == without_seconds(run([first]))[4:5]


def test_given_labels_are_played_on():
    labels = np.arange(200) % 4
    rows = run([Experiment("block-majority", PROBLEM, trials=20, seed=0, labels=labels)])
    assert len({row["matches"] for row in rows}) > 1  # the attack's own randomness remains
    assert np.mean([row["bias"] for row in rows]) > 0


@pytest.mark.parametrize("without_features", [False, True])
def test_every_listed_attack_can_be_played_by_name(without_features):
    names = attack_names(without_features=without_features)
    assert names == sorted(names)
    problem = Problem(12, 2, 8)
    for name in names:
        (row,) = run(
            [Experiment(name, problem, trials=1, seed=0, without_features=without_features)]
        )
        assert 0 <= row["matches"] <= 12
        assert row["looks"] <= 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attack": "magic"}, "attack must be one of "),
        ({"trials": 0}, "trials must be at least 1, got 0."),
        ({"seed": -1}, "seed must be at least 0, got -1."),
        ({"label_kind": "odd"}, "label_kind must be one of "),
        ({"labels": np.zeros(3, dtype=int)}, "labels must have length 200, got 3."),
        ({"problem": Problem(5, 2, 9)}, "n_queries must be at most n_examples + 1 = 6"),
    ],
)
def test_a_bad_experiment_is_refused_before_it_runs(options, message):
    with pytest.raises(InvalidInput) as caught:
        Experiment(
            **{"attack": "block-majority", "problem": PROBLEM, "trials": 1, "seed": 0, **options}
        )
    assert str(caught.value).startswith(message)


def test_an_unknown_attack_without_features_is_told_apart():
    with pytest.raises(InvalidInput, match=r"^attack without features must be one of "):
        make_attack("magic", PROBLEM, np.random.default_rng(0), without_features=True)


def test_the_number_of_processes_is_checked():
    with pytest.raises(InvalidInput, match=r"^processes must be at least 1, got 0\.$"):
        run([], processes=0)


@pytest.mark.parametrize(("seed", "trial"), [(0, 0), (16, 3), (2**32 - 1, 70_000), (2**40 + 1, 2)])
def test_a_trials_generators_are_those_of_spawned_sequences(seed, trial):
    """Descendants too: an oracle without features spawns from its own."""
    experiment = Experiment("constant", Problem(4, 2, 1), trials=1, seed=seed)
    spawned = np.random.SeedSequence(seed, spawn_key=(trial,)).spawn(3)
    for use, sequence in enumerate(spawned):
        mine, theirs = trials._generator(experiment, trial, use), np.random.default_rng(sequence)
        assert mine.bit_generator.state == theirs.bit_generator.state
        mine, theirs = mine.spawn(2)[1], theirs.spawn(2)[1]
        assert mine.bit_generator.state == theirs.bit_generator.state
