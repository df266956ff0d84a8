from functools import partial

import pytest

from holdfast.experiments.demonstration import ATTACKS, demo_experiments


@pytest.fixture
def quick(monkeypatch):
    smaller = partial(demo_experiments, looks=(1, 101), labels_per_point=2 * 10**6)
    monkeypatch.setattr("holdfast.experiments.demonstration.demo_experiments", smaller)


@pytest.mark.slow
def test_the_json_has_every_point_and_the_figure_is_there(holdfast, quick, tmp_path):
    outcome = holdfast("demo", "--out", tmp_path, "--json")
    assert outcome.code == 0
    assert outcome.err == ""
    result = outcome.json
    assert list(result) == ["n_examples", "n_classes", "seed", "points", "figures", "seconds"]
    assert (result["n_examples"], result["n_classes"]) == (10_000, 10)
    assert {point["attack"] for point in result["points"]} == set(ATTACKS)
    for point in result["points"]:
        assert list(point) == [
            *("attack", "n_queries", "trials", "accuracy", "guarantee", "upper_bound")
        ]
    assert (tmp_path / "bias.png").stat().st_size > 10_000
    assert (tmp_path / "bias.svg").stat().st_size > 10_000


@pytest.mark.slow
def test_the_table_shows_gain_guarantee_and_bound_in_points(holdfast, quick, tmp_path):
    out = holdfast("demo", "--out", tmp_path, "--seed", 1).out
    assert "A hidden test set of 10,000 examples and 10 classes. Guessing scores 10 %;" in out
    assert "gain, points" in out
    row = next(line for line in out.splitlines() if " 101 │ " in line)
    assert row.endswith(" 12.26 │")  # points above guessing that no attack can exceed
    promised = next(
        line for line in out.splitlines() if "block-majority" in line and "0.40" in line
    )
    assert "finds each block's more frequent label" in promised  # theorem 3 at k = 101
    for name in ATTACKS:
        assert name in out
    assert str(tmp_path / "bias.png") in out.replace("\n", "")


def test_without_matplotlib_it_says_so_before_playing(refused, monkeypatch, tmp_path):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refused("demo", "--out", tmp_path)
    assert message == "the figure needs matplotlib; install it with: pip install 'holdfast[plot]'"


def test_the_output_must_be_a_folder(refused, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert refused("demo", "--out", file).startswith(f"out must be a folder, got {file} (")
    assert refused("reproduce", "--out", file / "in").startswith("out must be a folder, got ")
