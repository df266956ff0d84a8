"""What is planned under a release rule plays under it, whatever the rule, sizes and prior."""

import numpy as np
import pytest

from holdfast import Problem, play
from holdfast.answers import NewBestAnswers, RankAnswers
from holdfast.errors import InvalidInput
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto, plan_under
from holdfast.planner.auto import made
from holdfast.priors import Prior
from holdfast.rules import parse_rule
from holdfast.rules.registry import rule_classes

RULES = [
    *dict.fromkeys(form for cls in rule_classes() for form in cls.text_forms),
    "batch:4",
    "batch:100",
    "subsample:0.5+round:2",
    "subsample:0.5+ladder",
    "gaussian:0.01+ladder:0.01",
    "exact+improved",
]
SIZES = [Problem(30, 5, 12), Problem(12, 20, 7), Problem(12, 2, 1)]


def model(hidden, m, rng):
    wrong = (hidden + rng.integers(1, m, size=hidden.size)) % m
    top = np.where(rng.random(hidden.size) < 0.6, hidden, wrong)
    return Prior.candidates(top[:, None], np.full((hidden.size, 1), 0.6), m)


@pytest.fixture
def in_haste(monkeypatch):
    """Plan with as few simulated games as there can be: who is chosen matters little here."""
    monkeypatch.setattr("holdfast.planner.rehearsal.MOST_GAMES", 6)


@pytest.mark.usefixtures("in_haste")
@pytest.mark.parametrize("text", RULES)
def test_what_is_planned_under_a_rule_plays_under_it(text):
    rule = parse_rule(text)
    for problem in SIZES:
        n, m, _ = problem
        rng = np.random.default_rng(7)
        hidden = rng.integers(m, size=n)
        for prior in (None, model(hidden, m, rng)):
            found = plan_under(rule, problem, prior=prior)
            assert found.chosen.rank is not None
            # What was played under the rule itself is known, whatever foretells its answers.
            known = rule.model_gap is None or found.chosen.rehearsed
            assert (found.chosen.gain is not None) == known
            oracle = LabelOracle(hidden, problem=problem, mechanism=rule, rng=rng)
            guess = play(made(found.chosen, found.setting, rng), oracle, until_refused=True)
            assert guess.shape == hidden.shape


@pytest.mark.parametrize("text", ["ladder", "ladder:0.02", "improved", "rank", "round:2"])
def test_the_attack_that_plans_plays_under_the_rule_it_was_told(text):
    n, m, _ = problem = Problem(80, 4, 40)
    rule, rng = parse_rule(text), np.random.default_rng(3)
    hidden = rng.integers(m, size=n)
    attack = Auto(problem, rng=rng, answers=rule.board_model(problem))
    play(attack, LabelOracle(hidden, problem=problem, mechanism=rule, rng=rng))
    assert attack.answered > 0
    assert attack.plan.chosen.attack == plan_under(rule, problem).chosen.attack


def test_a_ladder_is_not_taken_for_exact_answers():
    problem = Problem(1000, 10, 100)
    exact = plan_under(parse_rule("exact"), problem)
    ladder = plan_under(parse_rule("ladder"), problem)
    assert ladder.setting.answers == NewBestAnswers(standard_errors=1.0)
    assert 0.0 < ladder.chosen.gain < 0.6 * exact.chosen.gain
    steering = next(each for each in ladder.forecasts if each.attack == exact.chosen.attack)
    assert steering.rank is None
    assert "needs ExactAnswers" in steering.reason


def test_ranks_are_as_good_as_new_bests():
    problem = Problem(500, 5, 60)
    ranks = plan_under(parse_rule("rank"), problem)
    assert ranks.setting.answers == RankAnswers()
    bits = plan_under(parse_rule("improved"), problem)
    assert bits.setting.answers == NewBestAnswers(bits=True)
    assert ranks.chosen.gain == pytest.approx(bits.chosen.gain, rel=0.1)


def test_where_no_forecast_is_honest_there_is_none_but_a_choice():
    found = plan_under(parse_rule("split:5"), Problem(200, 4, 30))
    assert all(each.gain is None for each in found.forecasts)
    assert found.chosen.reason.endswith("so its gain is not known")
    assert found.chosen.rank > 0.0


def test_a_batch_that_is_never_full_is_not_asked():
    found = plan_under(parse_rule("batch:50"), Problem(200, 4, 30))
    assert (found.chosen.gain, found.chosen.looks) == (0.0, 0)
    assert "never full" in found.forecasts[-1].reason
    some = plan_under(parse_rule("batch:7"), Problem(200, 4, 30))
    assert some.setting.problem.n_queries == 28
    assert not some.chosen.adaptive


def test_thresholds_of_a_new_best_are_checked():
    with pytest.raises(InvalidInput, match=r"step must lie in \[0, 1\], got 2"):
        NewBestAnswers(step=2)
    with pytest.raises(InvalidInput, match="standard_errors must be a finite number of at least 0"):
        NewBestAnswers(standard_errors=-1.0)
