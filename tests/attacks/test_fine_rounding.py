"""Answers rounded to less than one match are exact answers: same games, same plans."""

import numpy as np
import pytest

from holdfast.answers import RoundedAnswers
from holdfast.attacks import Detecting, HitPools, Lattice, PooledDetecting, SteeredPools
from holdfast.attacks.registry import build
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto, Mixture, plan
from holdfast.problem import Problem
from holdfast.rules import parse_rule

# Sizes, and decimals of which one step is a match, or less.
CELLS = [(Problem(1000, 10, 90), 3), (Problem(700, 40, 150), 4), (Problem(300, 4, 60), 3)]


@pytest.mark.parametrize(("problem", "decimals"), CELLS, ids=str)
@pytest.mark.parametrize(
    "cls", [Detecting, PooledDetecting, HitPools, SteeredPools, Lattice, Auto], ids=str
)
def test_a_game_is_the_same(cls: type, problem: Problem, decimals: int) -> None:
    hidden = np.random.default_rng(5).integers(problem.n_classes, size=problem.n_examples)
    guesses = []
    for rule in ("exact", f"round:{decimals}"):
        mechanism = parse_rule(rule)
        model = mechanism.answer_model(problem)
        attack = build(cls, problem, np.random.default_rng(6), answers=model)
        oracle = LabelOracle(
            hidden, problem=problem, mechanism=mechanism, rng=np.random.default_rng(7)
        )
        guesses.append(play(attack, oracle))
    np.testing.assert_array_equal(*guesses)


def test_a_mixture_is_the_same() -> None:
    problem = Problem(1000, 4, 200)
    hidden = np.random.default_rng(5).integers(4, size=1000)
    guesses = []
    for decimals in (None, 4):
        rule = parse_rule("exact" if decimals is None else f"round:{decimals}")
        attack = Mixture(
            problem,
            rng=np.random.default_rng(6),
            n_certain=200,
            rest=SteeredPools,
            answers=rule.answer_model(problem),
        )
        oracle = LabelOracle(hidden, problem=problem, mechanism=rule, rng=np.random.default_rng(7))
        guesses.append(play(attack, oracle))
    np.testing.assert_array_equal(*guesses)


@pytest.mark.parametrize(("problem", "decimals"), CELLS, ids=str)
def test_a_plan_is_the_same(problem: Problem, decimals: int) -> None:
    fine = plan(problem, answers=RoundedAnswers.to_decimals(decimals))
    exact = plan(problem)
    assert fine.setting.exact
    assert fine.chosen == exact.chosen
    gains = ({each.attack: each.gain for each in found.forecasts} for found in (fine, exact))
    assert len({tuple(sorted(each.items(), key=str)) for each in gains}) == 1
