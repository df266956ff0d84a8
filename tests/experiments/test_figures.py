import sys

import pytest

from holdfast import Problem
from holdfast.bounds.acharya2020 import large_k, small_k
from holdfast.errors import NotSupported
from holdfast.experiments import run, summarise
from holdfast.experiments.demonstration import demo_experiments, with_bounds
from holdfast.experiments.figures import _looks, bias_figure


@pytest.fixture(scope="module")
def points():
    experiments = demo_experiments(
        0, n_examples=2000, n_classes=4, looks=(1, 21, 201), labels_per_point=10**6
    )
    return [with_bounds(summary) for summary in summarise(run(experiments))]


@pytest.mark.slow
def test_the_figure_is_written_as_png_and_svg(points, tmp_path):
    paths = [tmp_path / "new" / "bias.png", tmp_path / "new" / "bias.svg"]
    assert bias_figure(points, 2000, 4, paths=paths) == paths
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in paths[1].read_bytes()


@pytest.mark.slow
def test_same_numbers_same_file(points, tmp_path):
    one, two = (tmp_path / "one.svg", tmp_path / "two.svg")
    bias_figure(points, 2000, 4, paths=[one])
    bias_figure(points, 2000, 4, paths=[two])
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(("n", "m"), [(10_000, 10), (400, 2), (2000, 3)])
def test_guarantees_are_drawn_from_end_to_end(n, m):
    looks = _looks(n, m, 10**6).tolist()
    for bound in (small_k, large_k):
        there = [k for k in looks if bound(Problem(n, m, k)).applies]
        first, last = min(there), max(there)
        assert first == 1 or not bound(Problem(n, m, first - 1)).applies
        assert not bound(Problem(n, m, last + 1)).applies
    assert max(_looks(n, m, 50)) == 50


def test_without_measurements_the_bounds_are_drawn(tmp_path):
    (path,) = bias_figure([], 2000, 4, paths=[tmp_path / "bounds.png"])
    assert path.stat().st_size > 10_000


def test_a_missing_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NotSupported, match=r"pip install 'holdfast\[plot\]'"):
        bias_figure([], 2000, 4, paths=[tmp_path / "bias.png"])


def test_guarantees_belong_to_their_attack_and_nobody_exceeds_the_bound(points):
    guaranteed = [point for point in points if point["guarantee"] is not None]
    assert {point["attack"] for point in guaranteed} <= {"block-majority", "column-vote"}
    for point in guaranteed:
        assert point["guarantee"] < point["accuracy"].mean + 4 * point["accuracy"].stderr
    for point in points:
        assert point["accuracy"].mean - 4 * point["accuracy"].stderr < point["upper_bound"]


def test_an_attack_is_left_out_where_it_refuses(points):
    assert {p["n_queries"] for p in points if p["attack"] == "exhaustive"} == {1, 21}
    assert {p["n_queries"] for p in points if p["attack"] == "block-majority"} == {1, 21, 201}
