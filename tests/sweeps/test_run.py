"""Runs: the same rows on every executor, in every order, and after every stop."""

import json
import os
import signal
import subprocess
import sys
import threading
from itertools import product
from multiprocessing import active_children

import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import InvalidInput, NotSupported
from holdfast.experiments import trials
from holdfast.sweeps import Experiment, Journal, play_cell, read_rows, run, running, summarised
from holdfast.sweeps.cells import MEASURED
from tests.sweeps.own_attack import Halves

OWN = "tests/sweeps/own_attack.py"


def grid(**more):
    given = {
        "attacks": ["block-majority", "champion-challenger", f"{OWN}:Halves"],
        "rules": ["exact", "round:2", "gaussian:0.01", f"{OWN}:COARSE"],
        "problems": [(120, 3, 11), (90, 2, 8)],
        "labels": ["uniform", "sorted"],
        "priors": ["none", "model:0.6"],
        "seeds": 2,
    }
    return Experiment(**(given | more))


def lasting(rows):
    """Return what a second run gives again."""
    return [{name: row[name] for name in row if name not in MEASURED} for row in rows]


def test_a_row_is_the_same_in_any_order_and_alone():
    experiment = grid()
    rows = lasting(run(experiment))
    cells = list(experiment)
    for at in np.random.default_rng(5).permutation(len(cells))[:20]:
        assert lasting([play_cell(experiment.sources, cells[at])]) == [rows[at]]
    assert [(row["attack"], row["seed"]) for row in rows] == [(c.attack, c.seed) for c in cells]


def test_rows_of_another_version_of_results_are_told_in_one_line(monkeypatch):
    def elsewhere(sources, cell):
        return play_cell(sources, cell) | {"address": "another", "version": "9.9"}

    monkeypatch.setattr("holdfast.sweeps.running.play_cell", elsewhere)
    with pytest.raises(NotSupported, match=r"Holdfast 9\.9\) has another version of the results"):
        list(run(Experiment(["block-majority"], problems=[(90, 2, 8)])))


@pytest.mark.slow
def test_two_processes_give_the_rows_of_one(monkeypatch):
    monkeypatch.setattr("holdfast.sweeps.running.SECONDS_TO_START", 0.0)
    assert lasting(run(grid(), processes=2)) == lasting(run(grid()))


def test_all_rules_of_a_seed_meet_the_same_labels_and_other_seeds_others():
    """The better of two constant guesses tells how often the more frequent label is there."""
    rules = ["exact", "round:3"]
    rows = list(run(Experiment([f"{OWN}:Halves"], rules, problems=[(500, 2, 2)], seeds=3)))
    found = {(row["rule"], row["seed"]): row["matches"] for row in rows}
    assert len({found["exact", seed] for seed in range(3)}) == 3
    for seed in range(3):
        assert found["exact", seed] == found["round:3", seed] > 250


def test_gains_are_above_guessing_or_above_the_model():
    experiment = Experiment(
        ["constant"], problems=[(5000, 4, 1)], priors=["none", "model:0.7"], seeds=2
    )
    for row in run(experiment):
        start = row["accuracy"] - row["gain"]
        # Without a look of worth, constant hands in the model's labels.
        expected = 0.25 if row["prior"] == "none" else 0.7
        assert abs(start - expected) < (1e-12 if row["prior"] == "none" else 0.03)
        assert row["gain_examples"] == pytest.approx(5000 * row["gain"])


def test_a_cell_that_fails_is_a_row_with_its_reason_and_the_sweep_goes_on():
    experiment = Experiment(
        [f"{OWN}:Clumsy", "lattice", f"{OWN}:Halves"], rules=["round:2"], problems=[(300, 3, 5)]
    )
    clumsy, lattice, halves = run(experiment)
    assert clumsy["error"] == "ZeroDivisionError: of its own making"
    assert "Lattice needs ExactAnswers" in lattice["error"]
    assert lattice["matches"] is None
    assert halves["error"] is None
    assert halves["matches"] > 0
    places = summarised([clumsy, lattice, halves])
    assert [place.plays for place in places] == [0, 0, 1]
    assert [place.gain is None for place in places] == [True, True, False]


def test_what_a_journal_holds_is_not_played_again_and_a_grown_grid_plays_what_is_new(tmp_path):
    path, played = tmp_path / "rows.jsonl", []
    small, large = grid(seeds=1), grid(seeds=2)
    with Journal(path) as journal:
        first = lasting(run(small, journal=journal))
    with Journal(path, resume=True) as journal:
        kept = len(journal.rows)
        rows = lasting(run(large, journal=journal, on_rows=played.append))
    assert kept == len(small)
    assert played[0] == len(small)  # told at once, and the others as they come
    assert sum(played) == len(large)
    assert rows == lasting(run(large))
    assert [row for row in rows if row["seed"] == 0] == first
    assert len(read_rows(path)) == len(large)


def test_a_torn_line_is_dropped_and_played_again(tmp_path):
    path = tmp_path / "rows.jsonl"
    with Journal(path) as journal:
        rows = lasting(run(grid(), journal=journal))
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    with Journal(path, resume=True) as journal:
        assert len(journal.rows) == len(rows) - 1
        assert lasting(run(grid(), journal=journal)) == rows
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({line["address"] for line in lines[1:]}) == len(lines) - 1 == len(rows)


def test_a_journal_is_not_overwritten_shared_or_mistaken(tmp_path):
    path = tmp_path / "rows.jsonl"
    with Journal(path) as journal:
        journal._file.write('{"address": "half of a line')  # larger batches reach the disk so
        journal._file.flush()
        with pytest.raises(InvalidInput, match="another sweep"):
            Journal(path, resume=True)
        assert path.read_text().endswith("half of a line")
    with pytest.raises(InvalidInput, match="--resume goes on"):
        Journal(path)
    path.write_text("something else\n")
    with pytest.raises(InvalidInput, match="no journal"):
        Journal(path, resume=True)
    with pytest.raises(InvalidInput, match="can't be written"):
        Journal(tmp_path / "no" / "folder.jsonl")


def test_a_row_is_in_the_file_at_once_and_on_the_disk_within_a_second(tmp_path, monkeypatch):
    """Though no other row follows; a tenth of a second here."""
    synced = threading.Event()
    monkeypatch.setattr("holdfast.sweeps.journal.SECONDS_TO_DISK", 0.1)
    with Journal(tmp_path / "rows.jsonl") as journal:
        monkeypatch.setattr("os.fsync", lambda _: synced.set())
        journal.add([{"address": "a"}])
        assert not synced.is_set()
        assert len(journal.path.read_text().splitlines()) == 2
        assert synced.wait(5.0)


KILLED = """
import sys, time
from pathlib import Path
from holdfast.sweeps import Journal, run
from tests.sweeps.test_run import grid
with Journal(Path(sys.argv[1])) as journal:
    for at, row in enumerate(run(grid(seeds=4), journal=journal)):
        if at == 50:
            print("far enough", flush=True)
        time.sleep(0.1 if at > 50 else 0)
"""


@pytest.mark.slow
def test_after_kill_9_only_unfinished_cells_are_played(tmp_path):
    path = tmp_path / "rows.jsonl"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "far enough\n"
        os.kill(process.pid, signal.SIGKILL)
    experiment = grid(seeds=4)
    with Journal(path, resume=True) as journal:
        kept = len(journal.rows)
        assert 50 < kept < len(experiment)
        played = []
        rows = list(run(experiment, journal=journal, on_rows=played.append))
    assert played == [kept] + [1] * (len(experiment) - kept)
    assert len({row["address"] for row in rows}) == len(rows) == len(experiment)


def test_in_one_process_every_row_is_kept_before_the_next_cell_is_played(tmp_path):
    path, kept = tmp_path / "rows.jsonl", []
    with Journal(path) as journal:
        for _ in run(grid(seeds=1), journal=journal):
            kept.append(path.read_text().count("\n") - 1)
    assert kept == list(range(1, len(grid(seeds=1)) + 1))


def test_a_cluster_that_is_not_there_is_named():
    pytest.importorskip("distributed")
    with pytest.raises(NotSupported, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        next(run(grid(), cluster="tcp://127.0.0.1:9"))


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as local:
        yield local


@pytest.mark.slow
def test_on_a_cluster_the_rows_are_the_same_also_if_a_worker_is_killed(cluster):
    experiment, plain = grid(seeds=3), lasting(run(grid(seeds=3)))
    assert lasting(run(experiment, cluster=cluster.scheduler_address)) == plain
    victims = [worker.pid for worker in cluster.workers.values()]
    rows = []
    for row in run(experiment, cluster=cluster.scheduler_address):
        if not rows:
            os.kill(victims[0], signal.SIGKILL)
        rows.append(row)
    assert lasting(rows) == plain


@pytest.mark.slow
def test_a_local_cluster_is_started_for_a_sweep_and_ended_with_it():
    pytest.importorskip("distributed")
    before = {process.pid for process in active_children()}
    assert lasting(run(grid(), processes=2, cluster="local")) == lasting(run(grid()))
    assert not {process.pid for process in active_children()} - before


@pytest.mark.slow
def test_the_rows_are_the_same_if_a_local_worker_is_killed(monkeypatch):
    monkeypatch.setattr("holdfast.sweeps.running.SECONDS_TO_START", 0.0)
    monkeypatch.setattr("holdfast.sweeps.running.SECONDS_PER_BATCH", 0.05)
    experiment, plain = grid(seeds=3), lasting(run(grid(seeds=3)))
    before, rows, counted = set(active_children()), [], []
    for row in run(experiment, processes=2, on_rows=counted.append):
        if len(rows) == 5:
            os.kill(
                next(each for each in active_children() if each not in before).pid, signal.SIGKILL
            )
        rows.append(row)
    assert lasting(rows) == plain
    assert sum(counted) == len(experiment)


class Fatal(Halves):
    """Ends its process."""

    def tell(self, answer):
        os._exit(3)


def with_a_fatal_attack():
    return Experiment(
        ["tests.sweeps.test_run:Fatal", f"{OWN}:Halves", "constant"], problems=[(30, 2, 2)]
    )


def what_was_fatal(rows):
    error, *others = [row["error"] for row in rows]
    assert others == [None] * 2
    assert rows[0]["looks"] == 0
    return error


@pytest.mark.slow
def test_a_cell_that_ends_its_worker_each_time_is_a_row_and_the_others_are_played(tmp_path):
    """Also where its rehearsal does, and again when the sweep is resumed."""
    counted = []
    with Journal(tmp_path / "rows.jsonl") as journal:
        rows = list(
            run(with_a_fatal_attack(), processes=2, journal=journal, on_rows=counted.append)
        )
    error = what_was_fatal(rows)
    assert error.startswith("no worker played it: a worker process ended")
    assert "exit code 3" in error
    assert sum(counted) == len(rows)
    with Journal(tmp_path / "rows.jsonl", resume=True) as journal:
        assert sorted(row["attack"] for row in journal.rows.values()) == sorted(
            row["attack"] for row in rows[1:]
        )


@pytest.mark.slow
def test_a_cell_that_ends_its_dask_worker_each_time_is_a_row_and_the_others_are_played():
    """Dask tries three more times before it says so; here none, which takes less long."""
    pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        rows = list(run(with_a_fatal_attack(), processes=2, cluster="local"))
    assert what_was_fatal(rows).startswith("no worker played it: several workers died over one")


def test_a_cell_that_needs_more_memory_than_workers_declare_is_a_row_and_the_others_are_played():
    distributed = pytest.importorskip("distributed")
    experiment = Experiment(["constant"], problems=[(50, 2, 2), (1 << 20, 2, 2), (60, 2, 2)])
    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=None, resources={"MEMORY": 1e6}
    ) as local:
        first, large, last = run(experiment, cluster=local.scheduler_address)
    assert [first["error"], last["error"]] == [None, None]
    assert large["error"] == (
        "no worker played it: it needs about 0.0671 GB, and no worker declares MEMORY of more than "
        "0.001 GB."
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["matrix", "--n-examples", "60", "--n-classes", "2", "--looks", "5", "--trials", "2",
         "--rule", "exact"],
        ["audit", "labels.csv", "--looks", "4", "--no-cache"],
    ],
    ids=["matrix", "audit"],
)  # fmt: skip
def test_a_matrix_and_an_audit_are_the_same_on_a_cluster(
    cluster, command, tmp_path, capsys, monkeypatch
):
    from holdfast.cli import main

    monkeypatch.chdir(tmp_path)
    labels = np.random.default_rng(6).integers(2, size=60)
    lines = ["id,label", *(f"{at},{label}" for at, label in enumerate(labels)), ""]
    (tmp_path / "labels.csv").write_text("\n".join(lines))

    def told(*more):
        assert main([*command, "--json", *more]) == 0
        return {
            name: part
            for name, part in json.loads(capsys.readouterr().out).items()
            if name not in ("seconds", "date")
        }

    assert told("--cluster", cluster.scheduler_address) == told("--processes", "1")


def test_every_attack_rule_and_kind_of_knowledge_is_rehearsed_small_before_workers_start():
    attacks, rules, classes = ["constant", "prior-climb"], ["exact", "ladder"], [10, 300]
    experiment = Experiment(
        attacks,
        rules,
        n_examples=[10**7],
        n_classes=classes,
        n_queries=[500],
        labels=["sorted", "counts"],
        priors=["none", "model:0.7", "model:0.8"],
        seeds=3,
    )
    cells = running._rehearsals(experiment)
    assert sorted((cell.attack, cell.rule, cell.n_classes, cell.prior) for cell in cells) == sorted(
        product(attacks, rules, classes, ["none", "model:0.6"])
    )
    for cell in cells:
        assert cell.problem == (2048, cell.n_classes, 20)
        row = play_cell(experiment.sources, cell)
        assert row["error"] is None


def test_memory_is_forecast_for_large_cells_alone():
    def bytes_of(attack, n, labels="uniform"):
        experiment = Experiment([attack], problems=[(n, 10, 50)], labels=[labels])
        return running.forecast_bytes(next(iter(experiment)), experiment.sources)

    assert bytes_of("lattice", 10**5) == bytes_of("block-majority", 10**12, "counts") == 0
    assert bytes_of("lattice", 10**8) >= 10**9
    assert 0 < bytes_of("block-majority", 10**9) < 10**8


def test_counts_alone_are_ordinary_points_of_a_grid():
    experiment = Experiment(
        ["block-majority", "lattice"],
        ["exact", "round:2"],
        labels=["counts"],
        n_examples=[10**3, 10**12],
        n_classes=[10],
        n_queries=[101],
        seeds=30,
    )
    rows = list(run(experiment))
    gains = {}
    for row in rows:
        if row["attack"] == "lattice":
            assert row["error"].startswith("its matches do not follow from counts alone") or (
                row["rule"] != "exact"
            )
        elif row["rule"] == "exact":
            assert (row["error"], row["looks"]) == (None, 101)
            gains.setdefault(row["n_examples"], []).append(row["gain"])
        if row["rule"] != "exact":
            assert "exact scores" in row["error"]
    # The gain falls like the square root of n: by 10^4.5 over nine decades.
    ratio = np.mean(gains[10**3]) / np.mean(gains[10**12])
    assert ratio == pytest.approx(10**4.5, rel=0.25)


def test_labels_that_no_machine_holds_are_refused_in_their_row():
    (row,) = run(Experiment(["block-majority"], problems=[(10**12, 10, 11)]))
    assert "labels are not drawn one by one" in row["error"]


@pytest.mark.long
@pytest.mark.parametrize("attack", ["block-majority", "naive-bayes", "column-vote"])
def test_cells_of_a_sweep_and_trials_of_reproduce_are_games_of_one_law(attack):
    """60 games each of a small problem: their means within four standard errors."""
    problem, games = (120, 4, 60), 60
    cells = [
        row["gain_examples"] for row in run(Experiment([attack], problems=[problem], seeds=games))
    ]
    asked = trials.Experiment(attack, Problem(*problem), trials=games, seed=3)
    played = [row["gain_examples"] for row in trials.run([asked])]
    error = np.sqrt((np.var(cells) + np.var(played)) / games)
    assert abs(np.mean(cells) - np.mean(played)) < 4 * error
