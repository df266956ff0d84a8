import json
from pathlib import Path

import pytest

from holdfast.cli.sweep import now_and_then
from holdfast.sweeps.frames import NEEDED

GRID = """
attacks = ["block-majority", "lattice"]
rules = ["exact", "round:1"]
n_examples = [300]
n_classes = [3]
n_queries = [10, 20]
seeds = 3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    return path


def test_rows_are_kept_beside_the_file_and_resumed(holdfast, refused, file, tmp_path):
    outcome = holdfast("sweep", file, "--processes", 1, "--json")
    assert outcome.code == 0
    found = outcome.json
    assert (found["cells"], found["played"], found["failed"]) == (24, 18, 6)
    assert found["rows"] == str(tmp_path / "grid.rows.jsonl")
    lines = [json.loads(line) for line in Path(found["rows"]).read_text().splitlines()]
    assert len(lines) == 1 + 24
    assert "--resume" in refused("sweep", file)
    again = holdfast("sweep", file, "--resume", "--processes", 1, "--json").json
    assert again["played"] == 0
    assert again["places"] == found["places"]


def test_the_table_has_gains_in_points_and_reasons(holdfast, file, tmp_path):
    outcome = holdfast("sweep", file, "--processes", 1, "--table", tmp_path / "rows.csv")
    assert outcome.code == 0
    assert "gain, points" in outcome.out
    assert "Not played: Lattice needs ExactAnswers" in outcome.out
    assert "24 cells, 18 played now, 6 not playable" in outcome.out
    assert (tmp_path / "rows.csv").read_text().count("\n") == 25


def test_a_cluster_that_is_not_there_is_named_before_anything_is_written(refused, file, tmp_path):
    pytest.importorskip("distributed")
    said = refused("sweep", file, "--cluster", "tcp://127.0.0.1:9")
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in said
    assert "cluster must be local or the address" in refused("sweep", file, "--cluster", "nonsense")
    assert "must be one of tcp" in refused("sweep", file, "--cluster", "http://127.0.0.1:8786")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grid.toml"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("lattice", "latice", "did you mean lattice"),
        ("n_examples = [300]", "n_examples = [-300]", "n_examples must be at least 1, got -300"),
        ("seeds = 3", "seeds = 1_000_000_000_000", "cells, and at most"),
        ("seeds = 3", "seeds = 100_000_000_000_000_000_000", "cells, and at most"),
        ("seeds = 3", "labels = [[1]]", "labels must be texts or arrays, got [1]"),
        ("[10, 20]", "[[10]]", "n_queries must be an integer, got [10]"),
    ],
)
def test_a_bad_grid_is_one_line(refused, file, tmp_path, old, new, words):
    file.write_text(GRID.replace(old, new))
    assert words in refused("sweep", file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grid.toml"]


def test_bad_files_and_names_are_refused_before_anything_is_written(refused, file, tmp_path):
    assert "did you mean" in refused("sweep", file, "--table", tmp_path / "rows.cvs")
    missing = tmp_path / "missing" / "rows.csv"
    assert f"there is no folder {missing.parent}" in refused("sweep", file, "--table", missing)
    assert "--out must end in .jsonl" in refused("sweep", file, "--out", tmp_path / "rows")
    assert "processes must be at least 1, got 0" in refused("sweep", file, "--processes", 0)
    file.write_text(GRID.replace("lattice", "latice"))
    assert "did you mean lattice" in refused("sweep", file)
    assert "there is none at" in refused("sweep", tmp_path / "missing.toml")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grid.toml"]


def test_what_figures_cannot_be_drawn_of_is_one_line(refused, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"address": "a"}\n')
    assert "a row has no attack, rule, metric" in refused("figures", rows, "--out", tmp_path)
    whole = dict.fromkeys(NEEDED, 1) | {"address": "a"}
    rows.write_text(json.dumps(whole) + "\n")
    assert f"out must be a folder, got {rows}" in refused("figures", rows, "--out", rows)


def test_without_a_terminal_a_line_says_now_and_then_how_far_it_is(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 31.0, 45.0, 62.0])
    monkeypatch.setattr("holdfast.cli.sweep.time.monotonic", lambda: next(clock))
    count = now_and_then(2000)
    for more in (5, 700, 1, 294):
        count(more)
    assert capsys.readouterr().err.splitlines() == [
        "sweep: 705 of 2,000 cells after 31 s",
        "sweep: 1,000 of 2,000 cells after 62 s",
    ]


@pytest.mark.slow
def test_the_dashboard_of_a_local_cluster_is_named(holdfast, file):
    pytest.importorskip("distributed")
    outcome = holdfast("sweep", file, "--cluster", "local", "--processes", 1)
    assert outcome.code == 0
    assert "Dashboard: http" in outcome.err
