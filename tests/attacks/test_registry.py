"""Attacks by name: who is listed, what reaches their making, and what a wrong name is told."""

import numpy as np
import pytest

from holdfast import Problem, attacks
from holdfast.answers import ExactAnswers, RoundedAnswers
from holdfast.attacks import registry
from holdfast.attacks.description import FAMILIES, Needs, NewBestBoard, Reads
from holdfast.attacks.registry import (
    attack_names,
    attack_type,
    attack_types,
    build,
    make_attack,
    summary_of,
)
from holdfast.errors import InvalidInput
from holdfast.experiments.suite import attack_on
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto, plan_under
from holdfast.priors import Prior
from holdfast.rules import parse_rule

PROBLEM = Problem(20, 2, 5)


def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("without_features", [False, True])
def test_every_attack_has_a_family_and_a_name_of_its_own(without_features):
    found = attack_types(without_features=without_features)
    assert {cls.family for cls in found} <= set(FAMILIES)
    assert len({cls.name for cls in found}) == len(found)


def test_every_attack_says_in_six_words_what_it_does_and_no_two_say_the_same():
    played = [attack_type(name) for name in attack_names()]
    said = {cls.name: vars(cls)["summary"] for cls in [*attack_types(), *played]}
    assert all(1 <= len(summary.split()) <= 6 for summary in said.values())
    assert len(set(said.values())) == len(said)
    assert {name: summary_of(name) for name in said} == said
    assert summary_of("no such attack") == ""


def test_an_attack_derived_from_another_has_its_own_name():
    assert attacks.ChampionChallenger.name == "champion-challenger"
    assert attacks.AnytimeChampionChallenger.name == "anytime-champion-challenger"


def test_what_wraps_an_attack_or_stacks_votes_is_not_played_by_name():
    names = attack_names()
    assert names == sorted(names)
    assert not {"permuted", "rank-reader", "vote-stacking"}.intersection(names)


def test_a_wrong_name_is_answered_with_the_names_there_are_and_the_one_meant():
    with pytest.raises(
        InvalidInput, match=r"must be one of .*, got 'latice'; did you mean lattice"
    ):
        attack_type("latice")
    with pytest.raises(InvalidInput, match=r"attack without features must be .*, got 'lattice'\."):
        make_attack("lattice", PROBLEM, rng(), without_features=True)


def test_a_prior_and_an_answer_model_reach_only_who_takes_them():
    given = {"prior": Prior.uniform(20, 2), "answers": RoundedAnswers(0.1)}
    for name in ("naive-bayes", "prior-climb", "hadamard-blocks"):
        assert build(attack_type(name), PROBLEM, rng(), **given).problem == PROBLEM


def test_an_attack_of_somebody_else_is_played_by_name_once_registered(monkeypatch):
    monkeypatch.setattr(registry, "_registered", [])

    @registry.register
    class SomebodyElses(attacks.Constant):
        pass

    assert isinstance(make_attack("somebody-elses", PROBLEM, rng()), SomebodyElses)
    assert SomebodyElses not in attack_types()


def test_climbers_are_told_what_a_board_wants():
    fixed, by_luck = NewBestBoard(step=0.01), NewBestBoard(standard_errors=1.0)
    rounded = NewBestBoard(rounding=0.1)
    assert attacks.BlockClimb.settings_for(PROBLEM, by_luck) == {"threshold": 1.0, "ties": False}
    on_ranks = NewBestBoard(ties=True)
    assert attacks.HillClimb.settings_for(PROBLEM, on_ranks) == {"threshold": 0.0, "ties": True}
    assert attacks.RandomClimb.settings_for(PROBLEM, fixed) == {"step": 0.01}
    assert attacks.RandomClimb.settings_for(PROBLEM, rounded) == {"step": 1 / 20}
    assert attacks.PriorClimb.settings_for(PROBLEM, rounded) == {"step": 0.1, "threshold": 0.0}


def test_a_public_part_rounded_too_finely_to_hide_counts_is_read_exactly_with_a_prior_too():
    rule = parse_rule("subsample:0.5+round:4")
    for prior in (None, Prior.uniform(20, 2)):
        attack = attack_on(attacks.ChampionChallenger, PROBLEM, rng(), rule, prior=prior)
        assert isinstance(attack, attacks.GridReader)
        assert attack.read(0.3333) == 0.3  # of ten examples


@pytest.mark.parametrize("text", ["exact", "round:2", "ladder", "ladder:0.01", "rank", "batch:8"])
def test_the_planning_attack_plans_for_the_board_that_a_rule_makes(text):
    """A Ladder's board tells new bests, whatever a new value would tell."""
    rule, problem = parse_rule(text), Problem(400, 5, 20)
    attack = attack_on(Auto, problem, rng(), rule)
    planned = plan_under(rule, problem)
    assert attack.plan.chosen == planned.chosen
    assert attack.plan.setting == planned.setting
    hidden = np.random.default_rng(4).integers(5, size=400)
    guess = play(attack, LabelOracle(hidden, problem=problem, mechanism=rule, rng=rng()))
    assert guess.shape == (400,)


def test_the_planning_attack_gains_on_a_board_with_a_step_as_what_it_plans_with_does():
    """200 looks at 1,000 labels of 10, 4 seeds each: 30 above guessing is 3 standard deviations."""
    rule, problem = parse_rule("ladder"), Problem(1000, 10, 200)
    gains = []
    for seed in range(4):
        hidden = np.random.default_rng([seed, 1]).integers(10, size=1000)
        attack = attack_on(Auto, problem, np.random.default_rng(seed), rule)
        guess = play(attack, LabelOracle(hidden, problem=problem, mechanism=rule))
        gains.append(np.count_nonzero(guess == hidden) - 100)
    assert min(gains) > 30


def test_the_planning_attack_takes_a_rule_or_answers():
    with pytest.raises(
        InvalidInput, match="rule must be None where answers are given, got round:2"
    ):
        Auto(PROBLEM, rng=rng(), answers=ExactAnswers(), rule=parse_rule("round:2"))


def test_what_needs_something_special_is_among_the_strongest_only_with_it():
    """Comparisons without a prior, votes or an open end never choose an attack that needs one."""
    special = [
        cls for cls in attack_types() if cls.needs not in (None, Needs.ROUNDING, Needs.PRIOR)
    ]
    assert all(not cls.strongest_on for cls in special)
    assert all(cls.strongest_on <= {Reads.SCORES, Reads.NEW_BEST} for cls in attack_types())
