"""Forecasts agree with games on random cells, and nothing chosen is far from its best rival.

Tolerance: 15 % or four standard errors of the mean gain; for choices 10 % or four of the lead.
"""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.forecast_cells import (
    Cell,
    CellResult,
    Played,
    cell_result,
    random_cells,
    shares,
)

from holdfast.attacks.exact.hit_pools.attack import HitPools
from holdfast.attacks.exact.lattice.attack import Lattice
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.forecasts import Setting
from holdfast.loop import play
from holdfast.mechanisms import parse_mechanism
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem

FORECAST, CHOICE = 0.15, 0.10


def wrong(results):
    return [
        (result.cell, each)
        for result in results
        for each in result.played[:1]
        if each.within(FORECAST) is False
    ]


def test_cells_are_drawn_from_the_whole_range():
    cells = list(random_cells(1, 400))
    assert cells[:5] == list(random_cells(1, 5))
    sizes = np.array([cell.problem for cell in cells])
    assert (sizes[:, 2] <= sizes[:, 0]).all()
    assert sizes.min(axis=0).tolist() <= [30, 2, 1]
    assert sizes[:, 0].max() > 2500
    assert sizes[:, 1].max() > 800
    assert {cell.prior for cell in cells} == {"none", "flat", "spread", "pairs", "shares"}
    for text in {cell.rule for cell in cells}:
        parse_mechanism(text)


def test_what_is_right_is_counted():
    cell = next(iter(random_cells(1, 1)))
    good, bad = Played("a", 11.0, 10.0, 0.1, 9), Played("b", 20.0, 10.0, 1.0, 9)
    none = Played("c", None, 10.0, 1.0, 9)
    assert [each.within(FORECAST) for each in (good, bad, none)] == [True, False, None]
    gains = np.array([[10.0, 10.2, 9.9], [14.0, 14.1, 13.9], [2.0, 30.0, 2.0]])
    result = CellResult(cell, [good, bad, none], gains)
    assert not result.chosen_well(CHOICE)  # the second gains 40 % more, whatever the labels
    assert result._replace(gains=gains[[1, 0, 2]]).chosen_well(CHOICE)
    assert shares([result], FORECAST, CHOICE) == [
        "forecasts: 1 of 1 right (100.0%)",
        "all: 1 of 2 right (50.0%), 1 not made",
        "choices: 0 of 1 right (0.0%)",
    ]


@pytest.mark.parametrize(
    "cell",
    [
        Cell(Problem(85, 18, 38), "exact", "flat", 0.5, 5),
        Cell(Problem(200, 20, 90), "exact", "none", 0.0, 5),
        Cell(Problem(200, 2, 250), "gaussian:0.01", "none", 0.0, 5),
        Cell(Problem(300, 10, 60), "ladder", "none", 0.0, 5),
        Cell(Problem(300, 10, 60), "improved", "flat", 0.4, 5),
        Cell(Problem(1006, 3, 1), "rank", "none", 0.0, 5),
        Cell(Problem(61, 62, 17), "fresh:0.3", "spread", 0.47, 5),
        Cell(Problem(900, 100, 150), "fresh:0.3", "none", 0.0, 5),
        Cell(Problem(2668, 443, 37), "round:2", "none", 0.0, 5),
        Cell(Problem(65, 56, 3), "round:4", "spread", 0.10, 5),
        Cell(Problem(700, 4, 600), "subsample:0.5", "flat", 0.88, 5),
    ],
    ids=lambda cell: f"{tuple(cell.problem)}-{cell.rule}-{cell.prior}",
)
def test_cells_that_were_wrong_once(cell):
    result = cell_result(cell, work=8e6, fewest=4)
    assert not wrong([result]), result.played
    assert result.chosen_well(CHOICE), result.played


MANY_CLASSES = [
    Cell(Problem(1310, 66, 241), "exact", "flat", 0.9892, 8111),
    Cell(Problem(2916, 321, 294), "exact", "flat", 0.2459, 8128),
]


@pytest.mark.parametrize("cell", MANY_CLASSES, ids=lambda cell: str(tuple(cell.problem)))
def test_formulas_of_many_classes_are_no_forecast_from_a_model(cell):
    _, prior = cell.labels(np.random.default_rng(0))
    setting = Setting(cell.problem, prior=prior)
    assert not Lattice.forecast(setting).known
    assert not ChampionChallenger.forecast(setting).known
    # In the head: nothing if the looks do not suffice to check the model, much from a bad one.
    played = Lattice.forecast(replace(setting, in_head=True))
    assert played.known
    assert played.gain < 1.0 if cell.level > 0.9 else 20.0 < played.gain < 40.0


def test_two_candidates_are_forecast_as_two_classes():
    gains = []
    for m in (2, 300):
        cell = Cell(Problem(1500, m, 200), "exact", "pairs", 0.5, 1)
        _, prior = cell.labels(np.random.default_rng(0))
        gains.append(ChampionChallenger.forecast(Setting(cell.problem, prior=prior)).gain)
    assert gains[1] == pytest.approx(gains[0], rel=0.01)


@pytest.mark.parametrize("looks", [1, 2, 4])
def test_hit_pools_with_few_looks(looks):
    problem = Problem(800, 16, looks)
    told = HitPools.forecast(Setting(problem, in_head=True)).gain
    gains = []
    for trial in range(60):
        hidden = np.random.default_rng([7, trial]).integers(16, size=800)
        attack = HitPools(problem, rng=np.random.default_rng([8, trial]))
        gains.append(np.count_nonzero(play(attack, LabelOracle(hidden, problem=problem)) == hidden))
    mean, error = np.mean(gains) - 50.0, np.std(gains, ddof=1) / np.sqrt(60)
    assert abs(told - mean) < 4.0 * np.hypot(error, error)  # as many games in the head, at most


@pytest.mark.slow
@pytest.mark.parametrize("cell", MANY_CLASSES, ids=lambda cell: str(tuple(cell.problem)))
def test_models_of_many_classes(cell):
    result = cell_result(cell, work=8e6)
    assert not wrong([result]), result.played
    assert result.chosen_well(CHOICE), result.played


@pytest.mark.slow
def test_random_cells():
    results = [cell_result(cell, work=1e7) for cell in random_cells(8201, 20, most=200)]
    known = [result for result in results if result.played[0].told is not None]
    assert len(known) >= 15
    assert len(wrong(known)) <= 1, wrong(known)  # one in twenty
    assert all(result.chosen_well(CHOICE) for result in results)
