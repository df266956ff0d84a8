"""Every rule x every check of `holdfast.testing`."""

import math

import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import InvalidInput
from holdfast.rules import parse_rule, rule_classes
from holdfast.testing import rule_checks
from holdfast.testing.rule_checks import PROBLEM, evaluations
from tests.rules.rules import ALL


def test_every_public_rule_is_under_test():
    assert {type(rule) for rule in ALL} == set(rule_classes())


@pytest.mark.parametrize("check", rule_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("rule", ALL, ids=str)
def test_every_rule_passes_every_check(rule, check):
    check(rule)


def test_the_exact_score_of_the_standing_best_is_nowhere_in_the_state():
    # Rules that compare keep the submission; the number of matches is not in their state.
    for text in ("ladder", "improved", "rank", "batch:5"):
        rule = parse_rule(text)
        state, rng = rule.init(PROBLEM), np.random.default_rng(0)
        for evaluation, _ in zip(evaluations(), range(3), strict=False):
            _, state = rule.release(state, evaluation, rng)
            assert set(state) <= {"best", "order", "waiting", "released", "n_classes"}
            numbers = [v for v in state.values() if isinstance(v, int | float)]
            assert numbers == [PROBLEM.n_classes]


@pytest.mark.parametrize("text", ["laplace:0.01", "gaussian:0.01"])
def test_noise_has_the_spread_it_says(text):
    rule, rng = parse_rule(text), np.random.default_rng(1)
    evaluation = next(evaluations())
    exact = evaluation.matches / evaluation.n_examples
    draws, errors = 2000, 4
    found = np.array([rule.release({}, evaluation, rng)[0] - exact for _ in range(draws)])
    spread = rule.resolution(Problem(10**6, 3, 1))
    assert abs(found.mean()) < errors * spread / math.sqrt(draws)
    # The fourth moment of Laplace noise is 6 times the squared variance.
    assert abs(found.std() - spread) < errors * spread * math.sqrt(5 / 4 / draws)


@pytest.mark.parametrize("former", ["grid", "opendp"])
def test_a_setting_that_changed_no_law_is_read_and_not_written(former):
    assert str(parse_rule(f"laplace:scale=0.01,sampler={former}")) == "laplace:0.01"
    with pytest.raises(
        InvalidInput, match="gaussian must have settings among scale, got 'sampler'"
    ):
        parse_rule("gaussian:scale=0.01,sampler=numpy")
