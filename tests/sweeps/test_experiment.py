"""Grids: every combination once, and a bad one is refused in one line before anything runs."""

import importlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from holdfast import attacks
from holdfast.errors import InvalidInput
from holdfast.experiments.reproduce import FILE, TABLE_1
from holdfast.mechanisms import Ladder
from holdfast.sweeps import Experiment, read_experiment
from holdfast.sweeps.cells import address

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
        ({"attacks": [3]}, "a name or a class of attacks"),
        ({"attacks": ["no_such_package.attacks:Mine"]}, "can't be loaded"),
        ({"attacks": ["nowhere.py:Mine"]}, "there is no such file"),
        ({"attacks": ["tests/sweeps/own_attack.py:Missing"]}, "can't be loaded"),
        ({"attacks": ["tests/sweeps/own_attack.py:NoRule"]}, "must be a class of attacks"),
        ({"rules": ["rung:3"]}, "did you mean round"),
        ({"rules": ["tests/sweeps/own_attack.py:NoRule"]}, "must be a release rule"),
        ({"rules": [7]}, "a rule must be"),
        ({"metrics": ["f2"]}, "metric must be one of"),
        ({"n_examples": [-5]}, "n_examples"),
        ({"n_examples": []}, "nothing to play"),
        ({"labels": ["unifrom"]}, "did you mean uniform"),
        ({"labels": ["missing.csv"]}, "missing.csv"),
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
    """The cells of the sweep are the trials of `holdfast reproduce`, place for place."""
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
        ('attacks = ["constant"]\nproblems = [[5, 2]]', "grid.toml"),
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
