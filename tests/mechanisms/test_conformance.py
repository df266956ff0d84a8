"""The same checks for every rule."""

import dataclasses
import json
import math

import numpy as np
import pytest

from holdfast import Problem, mechanisms
from holdfast.certificates import certify
from holdfast.evaluate import evaluate
from holdfast.mechanisms import Chain, Exact, Rule, is_pending, parse_mechanism
from holdfast.mechanisms.noise import check_sampler
from holdfast.protocols import Mechanism
from tests.mechanisms.rules import ALL

PROBLEM = Problem(n_examples=60, n_classes=3, n_queries=24)


def evaluations(seed=5):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=60).astype(np.uint8)
    for _ in range(PROBLEM.n_queries):
        query = np.where(rng.random(60) < rng.random(), labels, rng.integers(3, size=60))
        yield evaluate(query.astype(np.uint8), labels, 3)


def transcript(rule, seed=3, through_json=False):
    rng, state, answers = np.random.default_rng(seed), rule.init(PROBLEM), []
    for evaluation in evaluations():
        if through_json:
            state = json.loads(json.dumps(state))
        answer, state = rule.release(state, evaluation, rng)
        answers.append(answer)
    return answers, state


def everything_of(state):
    return json.dumps(state, sort_keys=True)


def test_every_public_rule_is_under_test():
    tested = {type(rule) for rule in ALL}
    public = {getattr(mechanisms, name) for name in mechanisms.__all__}
    rules = {c for c in public if isinstance(c, type) and issubclass(c, Rule)} - {Rule}
    assert rules == tested


@pytest.mark.parametrize("rule", ALL, ids=str)
class TestEveryRule:
    def test_is_a_frozen_mechanism(self, rule):
        assert isinstance(rule, Mechanism)
        with pytest.raises(dataclasses.FrozenInstanceError):
            rule.anything = 1

    def test_releases_floats_and_is_deterministic_given_the_generator(self, rule):
        first, _ = transcript(rule)
        again, _ = transcript(rule)
        assert all(type(answer) is float for answer in first)
        np.testing.assert_array_equal(first, again)

    def test_state_survives_json_at_every_look(self, rule):
        plain, state = transcript(rule)
        through, state_through = transcript(rule, through_json=True)
        np.testing.assert_array_equal(plain, through)
        assert everything_of(state) == everything_of(state_through)

    def test_changes_neither_state_nor_evaluation(self, rule):
        rng, state = np.random.default_rng(0), rule.init(PROBLEM)
        for evaluation in evaluations():
            before = everything_of(state)
            query, labels = evaluation.query.copy(), evaluation.labels.copy()
            _, after = rule.release(state, evaluation, rng)
            assert everything_of(state) == before
            np.testing.assert_array_equal(evaluation.query, query)
            np.testing.assert_array_equal(evaluation.labels, labels)
            state = after

    def test_text_form_round_trips(self, rule):
        again = parse_mechanism(str(rule))
        assert str(again) == str(rule)
        np.testing.assert_array_equal(transcript(again)[0], transcript(rule)[0])
        if not isinstance(rule, Chain):
            assert again == rule

    def test_chain_of_it_alone_or_after_exact_answers_the_same(self, rule):
        expected = transcript(rule)[0]
        np.testing.assert_array_equal(transcript(Chain([rule]))[0], expected)
        if not str(rule).startswith("batch"):
            np.testing.assert_array_equal(transcript(Chain([Exact(), rule]))[0], expected)

    def test_a_rule_that_waits_says_so_and_every_other_answers_a_number(self, rule):
        answers, _ = transcript(rule)
        waits = str(rule).startswith("batch")
        assert any(map(is_pending, answers)) == waits
        assert all(math.isfinite(a) for a in answers if not is_pending(a))

    def test_carries_a_source_a_guarantee_a_price_and_bits(self, rule):
        assert rule.source
        found = certify(PROBLEM, rule)
        assert PROBLEM.baseline < found.accuracy <= certify(PROBLEM, Exact()).accuracy
        assert 1 / PROBLEM.n_examples <= rule.resolution(PROBLEM) <= 1.0
        assert 0.0 < found.bits_per_look <= math.log2(PROBLEM.n_examples + 1)

    def test_bounds_tell_no_more_for_fewer_looks(self, rule):
        n, m, _ = PROBLEM
        nats = [certify(Problem(n, m, k), rule).nats for k in (2, 6, 12, 24)]
        assert nats == sorted(nats)


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
