"""Every rule x every check of `holdfast.testing`."""

import math

import numpy as np
import pytest

from holdfast import Problem
from holdfast.mechanisms import parse_mechanism, rule_classes
from holdfast.mechanisms.noise import check_sampler
from holdfast.testing import rule_checks
from holdfast.testing.rule_checks import PROBLEM, evaluations
from tests.mechanisms.rules import ALL


def test_every_public_rule_is_under_test():
    assert {type(rule) for rule in ALL} == set(rule_classes())


@pytest.mark.parametrize("check", rule_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("rule", ALL, ids=str)
def test_every_rule_passes_every_check(rule, check):
    check(rule)


def test_the_exact_score_of_the_standing_best_is_nowhere_in_the_state():
    # Rules that compare keep the submission; the number of matches is not in their state.
    for text in ("ladder", "improved", "rank", "batch:5"):
        rule = parse_mechanism(text)
        state, rng = rule.init(PROBLEM), np.random.default_rng(0)
        for evaluation, _ in zip(evaluations(), range(3), strict=False):
            _, state = rule.release(state, evaluation, rng)
            assert set(state) <= {"best", "order", "waiting", "released", "n_classes"}
            numbers = [v for v in state.values() if isinstance(v, int | float)]
            assert numbers == [PROBLEM.n_classes]


@pytest.mark.parametrize(
    "text", ["gaussian:scale=0.01,sampler=opendp", "laplace:0.01", "gaussian:0.01"]
)
def test_noise_has_the_spread_it_says(text):
    if "opendp" in text:
        pytest.importorskip("opendp")
    rule, rng = parse_mechanism(text), np.random.default_rng(1)
    evaluation = next(evaluations())
    exact = evaluation.matches / evaluation.n_examples
    # OpenDP can't be seeded, so that four standard errors would be left once in 15,000 runs; seven
    # never are.
    draws, errors = (1000, 7) if "opendp" in text else (2000, 4)
    found = np.array([rule.release({}, evaluation, rng)[0] - exact for _ in range(draws)])
    spread = rule.resolution(Problem(10**6, 3, 1))
    assert abs(found.mean()) < errors * spread / math.sqrt(draws)
    # The fourth moment of Laplace noise is 6 times the squared variance.
    assert abs(found.std() - spread) < errors * spread * math.sqrt(5 / 4 / draws)


@pytest.mark.parametrize("sampler", ["dice", "numpy"])
def test_unknown_samplers_are_refused(sampler):
    with pytest.raises(ValueError, match=f"sampler must be grid or opendp, got '{sampler}'"):
        check_sampler(sampler)
