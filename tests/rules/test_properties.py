"""What a rule says of itself, from which everything else in the package follows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from holdfast.answers import ExactAnswers, NoisyAnswers, RoundedAnswers, SubsetAnswers
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem
from holdfast.rules import Chain, Exact, Rule, parse_rule
from tests.rules.rules import ALL

PROBLEM = Problem(1000, 10, 50)
PLAIN = [rule for rule in ALL if rule.stages == (rule,)]


def those(question):
    """Return the names of the plain rules for which the answer is yes."""
    return {rule.name for rule in PLAIN if question(rule)}


@pytest.mark.parametrize("rule", ALL, ids=str)
def test_a_rule_is_hashable_and_the_same_after_a_journey(rule):
    again = pickle.loads(pickle.dumps(rule))
    assert again == rule
    assert hash(again) == hash(rule)
    assert (again.shows, again.speaks, str(again)) == (rule.shows, rule.speaks, str(rule))


@pytest.mark.parametrize("rule", ALL, ids=str)
def test_a_state_is_kept_just_where_there_is_one(rule):
    """A second account meets a new state where `init` returns one, for itself or in a chain."""
    assert rule.keeps_state == any(bool(stage.init(PROBLEM)) for stage in rule.stages)


def test_who_remembers_waits_and_passes_on_exact_values():
    speaking = {"ladder", "shaky", "thresholdout", "rank", "improved"}
    assert those(lambda rule: rule.remembers) == speaking | {"split"}
    assert those(lambda rule: rule.speaks) == speaking
    assert those(lambda rule: rule.tells_best) == speaking - {"thresholdout"}
    assert those(lambda rule: rule.waits) == {"batch"}
    assert those(lambda rule: rule.keeps_exact) == {"exact", "batch", "subsample"}
    assert those(lambda rule: rule.shows != "scores") == {"rank", "improved"}


def test_only_rules_that_repeat_nobodys_noise_limit_what_one_of_several_learns():
    """What others were told stays unknown where one's own answers are counted or only climb."""
    telling = those(lambda rule: rule.remembers and rule.tells_of_others)
    assert telling == {"rank", "shaky", "thresholdout"}


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("exact", ExactAnswers()),
        ("batch:7", ExactAnswers()),
        ("ladder", ExactAnswers()),
        ("ladder:0.02", RoundedAnswers(step=0.02)),
        ("round:0.005", RoundedAnswers(step=0.005)),
        ("subsample:0.3", SubsetAnswers(fraction=0.3)),
        ("thresholdout:threshold=0.1,scale=0.01,budget=5", NoisyAnswers(scale=0.01 * 2**0.5)),
        ("rank", None),
        ("improved", None),
        # Two stages that hide nothing: as if there were none.
        ("exact+round:3", ExactAnswers()),
        ("subsample:0.3+rank", None),
    ],
)
def test_the_answer_model_is_the_rules_own(text, model):
    assert parse_rule(text).answer_model(PROBLEM) == model


@pytest.mark.parametrize("text", ["fresh:0.25", "split:4", "fresh:0.25+round:4"])
def test_parts_of_a_test_set_hide_more_from_who_is_half_right(text):
    n, m, _ = PROBLEM
    rule = parse_rule(text)
    rng = np.random.default_rng(3)
    hidden = rng.integers(m, size=n)
    query = np.where(np.arange(n) % 2 == 0, hidden, (hidden + 1) % m)
    seen = []
    for _ in range(400):
        problem = Problem(n, m, 1)
        state = replace(rule, seed=int(rng.integers(1, 2**40))) if text == "split:4" else rule
        oracle = LabelOracle(hidden, problem=problem, mechanism=state, rng=rng)
        seen.append(float(oracle.query(query)) * n)
    told = rule.informed_model(PROBLEM, 0.5).variance(PROBLEM)
    # The variance of 400 nearly normal numbers is known to sqrt(2/400) of itself.
    assert abs(np.var(seen) / told - 1.0) < 4.0 * np.sqrt(2.0 / 400)
    assert rule.informed_model(PROBLEM, 1.0 / m) == rule.answer_model(PROBLEM)


def test_a_chain_answers_for_its_stages():
    chain = parse_rule("batch:20+subsample:0.3+ladder")
    assert [str(stage) for stage in chain.stages] == ["batch:20", "subsample:0.3", "ladder"]
    assert chain.last == parse_rule("ladder")
    assert (chain.batch_size, chain.climb_errors, chain.speaks) == (20, 1.0, True)
    assert chain.all_at_once(20)
    assert not chain.all_at_once(21)
    noisy = Chain([parse_rule("gaussian:0.1"), parse_rule("round:2")])
    assert noisy.adds_noise
    assert not noisy.keeps_exact
    assert noisy.rounds_to == parse_rule("round:2").rounds_to
    assert parse_rule("rank+exact").shows == "ranks"


def test_a_rule_that_shows_scores_has_to_say_what_they_are_worth():
    with pytest.raises(NotImplementedError):
        Rule().answer_model(PROBLEM)
    assert Exact().stages == (Exact(),)


@pytest.mark.parametrize(
    ("fine", "coarse", "refines"),
    [
        ("exact", "round:3", True),
        ("exact", "ladder:0.01", True),
        ("exact", "gaussian:0.01", True),
        ("exact", "improved", True),
        ("exact", "batch:5", True),
        ("exact", "ladder", False),  # it compares submissions example by example
        ("exact", "subsample:0.5", False),  # counts on all examples say little of some
        ("round:3", "round:2", True),
        ("round:2", "round:3", False),
        ("round:3", "ladder:0.01", False),
        ("round:4", "ladder:0.01", True),  # of 1,000 examples four decimals hide nothing
        ("ladder:0.01", "ladder:0.01", True),
        ("ladder:0.005", "ladder:0.01", False),
        ("improved", "exact", False),
    ],
)
def test_a_rule_refines_those_whose_answers_follow_from_its_own(fine, coarse, refines):
    problem = Problem(1000 if fine == "round:4" else 5000, 10, 20)
    assert parse_rule(fine).refines(parse_rule(coarse), problem) is refines
