"""Grids: every combination once, and a bad one is refused in one line before anything runs."""

import importlib
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from holdfast import attacks
from holdfast.errors import InvalidInput
from holdfast.experiments.reproduce import FILE, TABLE_1
from holdfast.rules import Exact, Ladder
from holdfast.sweeps import Experiment, read_experiment, run
from holdfast.sweeps.cells import address
from holdfast.sweeps.references import find_rule
from tests.sweeps.own_attack import COARSE, Blunt, Pairwise, Weighted

SIZES = {"n_examples": [60, 90], "n_classes": [3], "n_queries": [5, 8]}


def test_every_combination_is_one_cell():
    experiment = Experiment(
        ["block-majority", "lattice"],
        rules=["exact", "round:2", "ladder:0.01"],
        labels=["uniform", "sorted"],
        priors=["none", "model:0.6"],
        seeds=5,
        **SIZES,
    )
    cells = list(experiment)
    assert len(cells) == len(experiment) == len(set(cells)) == 2 * 3 * 4 * 2 * 2 * 5
    assert {cell.problem for cell in cells} == {(60, 3, 5), (60, 3, 8), (90, 3, 5), (90, 3, 8)}


def test_classes_and_rules_are_the_same_as_their_names():
    by_name = Experiment(["lattice"], rules=["ladder:0.01"], **SIZES)
    by_object = Experiment([attacks.Lattice], rules=[Ladder(0.01)], **SIZES)
    assert list(by_name) == list(by_object)


def test_an_attack_that_is_named_twice_is_played_once():
    assert len(Experiment(["lattice", attacks.Lattice], **SIZES)) == 4


def test_sizes_and_more_problems_are_both_played():
    experiment = Experiment(["constant"], problems=[(10, 2, 3)], **SIZES)
    assert len(experiment) == 5


def test_a_label_file_has_its_own_sizes(tmp_path):
    np.save(tmp_path / "labels.npy", np.arange(40) % 4)
    experiment = Experiment(["constant"], labels=[str(tmp_path / "labels.npy"), "uniform"], **SIZES)
    found = [cell.problem for cell in experiment if cell.labels.endswith(".npy")]
    assert found == [(40, 4, 5), (40, 4, 8)]
    assert len(experiment) == 2 + 4


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"attacks": ["latice"]}, "did you mean lattice"),
        ({"attacks": []}, "attacks must not be empty"),
        ({"attacks": "lattice"}, "attacks must be a list"),
        ({"attacks": [3]}, "a name, a class of attacks or"),
        ({"attacks": ["no_such_package.attacks:Mine"]}, "can't be loaded"),
        ({"attacks": ["nowhere.py:Mine"]}, "there is no such file"),
        ({"attacks": ["tests/sweeps/own_attack.py:Missing"]}, "can't be loaded"),
        (
            {"attacks": ["tests/sweeps/own_attack.py:NoRule"]},
            r"must be a class of attacks \(holdfast.attacks.description.Described\)",
        ),
        ({"attacks": ["column-vote(queries=2)"]}, "column-vote does not take these settings"),
        ({"attacks": ["column-vote(rng=2)"]}, "gets its rng from the cell"),
        ({"attacks": ["column-vote(queries_per_nat=two)"]}, "settings must be as in"),
        ({"attacks": [partial(attacks.ColumnVote, (9, 9, 9))]}, "or a partial of one"),
        ({"attacks": [partial(attacks.ColumnVote, later=1)]}, "does not take these settings"),
        ({"attacks": [partial(attacks.ColumnVote, answers=[1])]}, "gets its answers from the cell"),
        ({"rules": ["rung:3"]}, "did you mean round"),
        ({"rules": ["tests/sweeps/own_attack.py:NoRule"]}, "must be a release rule"),
        ({"rules": [7]}, "a rule must be"),
        ({"rules": [Ladder]}, "a rule of this class can't be made: .*step"),
        ({"rules": ["tests/sweeps/own_attack.py:Blunt(edge=1)"]}, "can't be made: .*edge"),
        ({"problems": [[100, 2]]}, r"problems must be three sizes each .*, got \[100, 2\]"),
        ({"problems": [100]}, "problems must be three sizes each .*, got 100"),
        ({"metrics": ["f2"]}, "metric must be one of"),
        ({"n_examples": [-5]}, "n_examples"),
        ({"n_examples": []}, "nothing to play"),
        ({"labels": ["unifrom"]}, "did you mean uniform"),
        ({"labels": ["missing.csv"]}, "missing.csv"),
        ({"labels": [np.array([0, -1])]}, "labels must"),
        ({"labels": [np.array([0.5, 1])]}, "labels must"),
        ({"priors": [np.array([0.5, 1])]}, "arrays of predicted labels"),
        ({"priors": [np.array([0, -1])]}, "labels from 0 on, got -1"),
        (
            {"labels": [np.arange(9) % 3], "priors": [np.arange(8) % 3]},
            "priors must have 9 predictions, one per label, got 8",
        ),
        (
            {"labels": [np.arange(9) % 3], "priors": [np.arange(9) % 4]},
            "priors must hold labels below 3, got 3",
        ),
        ({"priors": ["model:1.5"]}, "a share in"),
        ({"priors": ["model"]}, "a share in"),
        ({"seeds": 0}, "seeds must be"),
        ({"seeds": [-1]}, "seeds must be"),
        ({"seeds": 10**11}, "cells, and at most"),
    ],
)
def test_a_bad_grid_is_refused_in_one_line(settings, words):
    with pytest.raises(InvalidInput, match=words) as refusal:
        Experiment(**({"attacks": ["constant"], **SIZES} | settings))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit('no\\nmore')", "SystemExit: no more"),
        ("import no_such_module", "No module named"),
    ],
)
def test_a_file_that_can_not_be_imported_is_one_line(tmp_path, line, words):
    (tmp_path / "broken.py").write_text(f"{line}\n")
    with pytest.raises(InvalidInput, match=f"broken.py:Mine can't be loaded: {words}") as refusal:
        Experiment([f"{tmp_path}/broken.py:Mine"], **SIZES)
    assert "\n" not in str(refusal.value)


def test_a_seed_that_is_given_twice_is_one_play():
    assert [
        cell.seed for cell in Experiment(["constant"], problems=[(9, 3, 2)], seeds=[4, 7, 4])
    ] == [4, 7]


def test_settings_of_attacks_are_part_of_their_name_and_of_their_address():
    asked = [
        partial(attacks.ColumnVote, queries_per_nat=2),
        partial(attacks.ColumnVote, queries_per_nat=np.int64(2)),
        "column-vote( queries_per_nat = 2 )",
        "column-vote(queries_per_nat=2.5)",
        attacks.ColumnVote,
        partial(attacks.ColumnVote),
    ]
    experiment = Experiment(asked, problems=[(300, 3, 100)])
    names = ["column-vote(queries_per_nat=2)", "column-vote(queries_per_nat=2.5)", "column-vote"]
    assert [cell.attack for cell in experiment] == names
    rows = list(run(experiment))
    assert [row["error"] for row in rows] == [None] * 3
    assert len({row["address"] for row in rows}) == len({row["matches"] for row in rows}) == 3


def test_settings_of_attacks_from_files_are_told_apart_and_their_law_is_not_drawn(tmp_path):
    (tmp_path / "own.py").write_text("from holdfast.attacks import ColumnVote as Mine\n")
    (tmp_path / "grid.toml").write_text(
        'attacks = ["own.py:Mine", "own.py:Mine(queries_per_nat=2)", '
        '"own.py:Mine(queries_per_nat=3)"]\nproblems = [[300, 3, 40]]\nlabels = ["counts"]\n'
    )
    rows = list(run(read_experiment(tmp_path / "grid.toml")))
    assert len({row["address"] for row in rows}) == 3
    assert [row["error"] is None for row in rows] == [True, False, False]
    assert "do not follow from counts alone" in rows[1]["error"]


def test_rules_of_ones_own_may_be_objects_and_classes():
    rules = [
        Exact,
        Blunt(width=0.25),
        Blunt,
        Pairwise(steps=(Fraction(1, 3), Fraction(1, 2))),
        COARSE,
    ]
    experiment = Experiment(["constant"], rules, problems=[(30, 3, 4)])
    place = "tests.sweeps.own_attack"
    kept = f"{place}:Pairwise#"
    assert [cell.rule.partition("#")[0] for cell in experiment] == [
        "exact", f"{place}:Blunt(width=0.25)", f"{place}:Blunt", kept[:-1], "round:1",
    ]  # fmt: skip
    assert [str(each) for each in experiment.sources.objects] == [
        cell.rule for cell in experiment if cell.rule.startswith(kept)
    ]
    assert [find_rule(cell.rule) for cell in experiment] == [
        Exact(), Blunt(width=0.25), Blunt(), rules[3], COARSE,
    ]  # fmt: skip
    rows = list(run(experiment))
    assert [row["error"] for row in rows] == [None] * 5
    assert len({row["address"] for row in rows}) == 5


@pytest.mark.slow
def test_objects_that_no_text_can_tell_travel_to_the_workers():
    attack = partial(Weighted, weights=np.arange(3.0))
    grid = Experiment([attack], [Pairwise(steps=(Fraction(1, 3),))], problems=[(30, 3, 4)], seeds=3)
    again = Experiment(
        [partial(Weighted, weights=np.arange(3.0))], [Pairwise(steps=(Fraction(1, 3),))],
        problems=[(30, 3, 4)], seeds=3,
    )  # fmt: skip
    assert list(grid) == list(again)
    long = [np.zeros(5000), np.zeros(5000)]
    long[1][2500] = 1.0
    others = Experiment([partial(Weighted, weights=each) for each in long], problems=[(30, 3, 4)])
    assert len({cell.attack for cell in others}) == 2
    one, two = (list(run(grid, processes=processes)) for processes in (1, 2))
    assert [row["error"] for row in one] == [None] * 3
    assert [(row["address"], row["matches"]) for row in one] == [
        (row["address"], row["matches"]) for row in two
    ]


def test_an_object_that_can_not_travel_is_refused():
    with pytest.raises(InvalidInput, match="can't travel to other processes"):
        Experiment([partial(Weighted, weights=lambda: None)], problems=[(30, 3, 4)])
    with pytest.raises(InvalidInput, match="only the experiment that was given it has"):
        Experiment(["tests.sweeps.own_attack:Weighted#0123456789abcdef"], problems=[(30, 3, 4)])


def test_arrays_of_labels_and_predictions_count_by_what_they_hold(tmp_path):
    labels = np.random.default_rng(3).integers(3, size=200)
    model = np.where(np.random.default_rng(4).random(200) < 0.6, labels, 0)

    def grid(labels, model):
        return Experiment(
            ["constant"], labels=[labels], priors=["none", "model:0.6", model], n_queries=[3]
        )

    rows = list(run(grid(labels, model)))
    assert [row["error"] for row in rows] == [None] * 3
    assert {row["n_examples"] for row in rows} == {200}
    # Without a look of worth, constant hands in the model's labels.
    assert rows[2]["matches"] == np.count_nonzero(model == labels)
    assert list(grid(labels, model)) == list(grid(labels.astype(np.uint8), model[:, None]))
    assert not set(grid(labels, model)) & set(grid(labels[::-1].copy(), model))
    (tmp_path / "model.csv").write_text("label\n" + "\n".join(map(str, model)) + "\n")
    from_file = list(run(grid(labels, str(tmp_path / "model.csv"))))
    assert from_file[2]["matches"] == rows[2]["matches"]


def test_a_file_has_the_same_fields_and_its_paths_are_beside_it(tmp_path):
    np.save(tmp_path / "labels.npy", np.arange(40) % 4)
    (tmp_path / "own.py").write_text("from tests.sweeps.own_attack import COARSE, Halves\n")
    (tmp_path / "grid.toml").write_text(
        'attacks = ["constant", "own.py:Halves"]\nrules = ["own.py:COARSE"]\n'
        'labels = ["labels.npy"]\nn_queries = [3]\nseeds = [4, 7]\n'
    )
    cells = list(read_experiment(tmp_path / "grid.toml"))
    assert [cell.seed for cell in cells] == [4, 7, 4, 7]
    assert cells[2].attack == f"{tmp_path / 'own.py'}:Halves"
    assert cells[0].problem == (40, 4, 3)


def test_several_grids_in_one_file_share_what_stands_before_them(tmp_path):
    (tmp_path / "grid.toml").write_text(
        'rules = ["round:2"]\nn_classes = [3]\nn_queries = [5]\n'
        '[[parts]]\nattacks = ["constant"]\nn_examples = [60, 90]\n'
        '[[parts]]\nattacks = ["constant", "lattice"]\nn_examples = [60]\nseeds = 2\n'
    )
    cells = list(experiment := read_experiment(tmp_path / "grid.toml"))
    assert len(cells) == len(experiment) == len(set(cells)) == 2 + 4 - 1
    assert {cell.rule for cell in cells} == {"round:2"}


def test_table_1_is_an_experiment_file():
    """The cells of the sweep are the trials of `holdfast paper reproduce`, place for place."""
    cells = read_experiment(FILE)
    places = Counter((cell.attack, cell.problem) for cell in cells)
    assert places == {
        (row.attack, problem): row.trials for row in TABLE_1 for problem in row.problems
    }
    assert {(cell.rule, cell.metric, cell.labels, cell.prior) for cell in cells} == {
        ("exact", "accuracy", "uniform", "none")
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parts = 3", "parts must be tables"),
        ('[[parts]]\nattack = ["constant"]', "a key must be .*did you mean attacks"),
        ('attack = ["constant"]', "a key must be .*did you mean attacks"),
        ("attacks = [", "can't be read"),
        ("seeds = 3", "attacks must be given"),
        ('attacks = ["constant"]\nn_examples = 5', "n_examples must be a list"),
        ('attacks = ["constant"]\nproblems = [[5, 2]]', "three sizes each"),
    ],
)
def test_a_bad_file_is_named(tmp_path, text, words):
    (tmp_path / "grid.toml").write_text(text)
    with pytest.raises(InvalidInput, match=words) as refusal:
        read_experiment(tmp_path / "grid.toml")
    assert "grid.toml" in str(refusal.value)


def test_addresses_differ_and_follow_what_a_file_holds_not_where_it_lies(tmp_path):
    experiment = Experiment(["constant", "lattice"], seeds=3, **SIZES)
    addresses = [address(cell, {}) for cell in experiment]
    assert len(set(addresses)) == len(addresses) == 24
    found = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "labels.npy", np.arange(40) % 4)
        grid = Experiment(
            ["constant"], labels=[str(tmp_path / folder / "labels.npy")], n_queries=[5]
        )
        found.append(address(next(iter(grid)), grid.sources.digests))
    assert found[0] == found[1]
    np.save(tmp_path / "two" / "labels.npy", np.arange(40) % 5)
    grid = Experiment(["constant"], labels=[str(tmp_path / "two" / "labels.npy")], n_queries=[5])
    assert address(next(iter(grid)), grid.sources.digests) not in found


def test_an_attack_whose_plays_changed_has_new_addresses_and_no_other_has(monkeypatch):
    experiment = Experiment(["constant", "block-majority"], problems=[(40, 4, 5)])
    before = [address(cell, {}) for cell in experiment]
    monkeypatch.setattr(attacks.Constant, "results", 2)
    after = [address(cell, {}) for cell in experiment]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True]


def test_a_module_that_was_edited_gives_its_attacks_new_addresses(tmp_path, monkeypatch):
    """By name, by class and by file they are one and the same; the module next to it is not."""
    monkeypatch.syspath_prepend(tmp_path)
    source = Path("tests/sweeps/own_attack.py").read_text()
    for name in ("mine_for_addresses", "other_for_addresses"):
        (tmp_path / f"{name}.py").write_text(source)
    mine, other = map(importlib.import_module, ("mine_for_addresses", "other_for_addresses"))

    def addresses():
        found = []
        for attack in (
            mine.Halves,
            "mine_for_addresses:Halves",
            f"{tmp_path}/mine_for_addresses.py:Halves",
            other.Halves,
        ):
            grid = Experiment([attack], problems=[(40, 4, 5)])
            found.append(address(next(iter(grid)), grid.sources.digests))
        return found

    before = addresses()
    assert len(set(before)) == 1
    (tmp_path / "mine_for_addresses.py").write_text(source + "\n# edited\n")
    after = addresses()
    assert len(set(after)) == 2
    assert after[3] == before[3]


SCRIPT = """
from holdfast.sweeps import Experiment, run, running
from tests.sweeps.own_attack import Halves

class Mine(Halves):
    pass

if __name__ == "__main__":
    running.SECONDS_TO_START = 0.0
    grid = Experiment([Mine], problems=[(40, 4, 5)], seeds=2)
    print([str(each) for each in grid.attacks], len(grid.sources.digests))
    print([row["error"] for row in run(grid, processes=2)])
"""


@pytest.mark.slow
def test_an_attack_of_a_script_is_found_by_the_scripts_path(tmp_path):
    """No other process has the script as its `__main__`: a worker of a cluster loads the file."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{Path.cwd()}"}
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.splitlines() == [f"['{path}:Mine'] 1", "[None, None]"]
