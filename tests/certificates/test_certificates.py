"""Certificates as numbers: figures that must be reached, ranges, and what grows with what."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.bounds import best_impossible
from holdfast.certificates import certify
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, State
from holdfast.rules import Rule, parse_rule

RULES = ["exact", "round:2", "round:0.003", "gaussian:0.01", "laplace:0.02",
         "ladder:0.01", "ladder",
         "improved", "rank", "subsample:0.3", "fresh:0.2", "batch:1000000000", "split:2",
         "subsample:0.5+ladder:0.01", "ladder:0.02+gaussian:0.01"]  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "rule", "fixed", "matches"),
    [
        (Problem(899, 10, 1000), "ladder:0.01", False, 0.133 * 899),
        (Problem(10_000, 10, 1000), "ladder:0.01", False, 0.008 * 10_000),
        (Problem(10_000, 2, 100), "exact", False, 1540),
        (Problem(10_000, 10, 100), "exact", True, 670),
        (Problem(10_000, 10, 100), "exact", False, 1225),
        (Problem(10_000, 10, 1000), "round:2", False, 0.24 * 10_000),
    ],
)
def test_the_certificate_is_as_sharp_as_the_theorems(
    problem: Problem, rule: str, fixed: bool, matches: float
) -> None:
    found = certify(problem, parse_rule(rule), fixed_queries=fixed)
    assert problem.n_examples * found.gain <= matches


SIZES = {
    "n": st.one_of(st.integers(2, 50), st.integers(2, 10**12)),
    "m": st.one_of(st.integers(2, 12), st.integers(2, 10**6)),
    "k": st.one_of(st.integers(1, 30), st.integers(1, 10**6)),
    "rule": st.sampled_from(RULES),
    "accounts": st.sampled_from([1, 2, 10**9]),
    "right": st.one_of(st.none(), st.floats(0.0, 1.0)),
}


@settings(max_examples=8, deadline=None)
@given(**SIZES)
def test_it_is_a_probability_and_never_falls_with_looks(
    n: int, m: int, k: int, rule: str, accounts: int, right: float | None
) -> None:
    check_range_and_growth(n, m, k, rule, accounts, right)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(**SIZES)
def test_it_is_a_probability_and_never_falls_with_looks_anywhere(
    n: int, m: int, k: int, rule: str, accounts: int, right: float | None
) -> None:
    check_range_and_growth(n, m, k, rule, accounts, right)


def check_range_and_growth(
    n: int, m: int, k: int, rule: str, accounts: int, right: float | None
) -> None:
    parsed = parse_rule(rule)
    known = None if right is None else max(1.0 / m, right)
    found = [
        certify(Problem(n, m, looks), parsed, accounts=min(accounts, looks), knows=known)
        for looks in (k, k + 1, 2 * k)
    ]
    for each in found:
        assert math.isfinite(each.accuracy)
        assert 1.0 / m <= each.accuracy <= 1.0
    if accounts == 1:
        assert found[0].accuracy <= found[1].accuracy * (1 + 1e-12)
        assert found[1].accuracy <= found[2].accuracy * (1 + 1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_that_sees_counts_alone_is_allowed_more_than_exact_answers(rule: str) -> None:
    problem = Problem(2000, 5, 40)
    if rule not in ("ladder", "split:2"):
        assert certify(problem, parse_rule(rule)).accuracy <= best_impossible(problem)


def test_exact_answers_are_certified_as_the_records_say() -> None:
    for problem in (Problem(50, 2, 4), Problem(1000, 10, 30), Problem(10_000, 1000, 500)):
        assert certify(problem).accuracy == pytest.approx(best_impossible(problem), rel=1e-9)
        fixed = best_impossible(problem, analyst="non-adaptive")
        assert certify(problem, fixed_queries=True).accuracy == pytest.approx(fixed, rel=1e-9)


def test_abstentions_void_the_parity_of_two_classes_and_where_a_first_look_starts() -> None:
    for rule in (
        "exact",
        "gaussian:0.01",
        "round:2",
        "ladder:0.01",
        "ladder",
        "improved",
        "split:2",
    ):
        parsed = parse_rule(rule)
        two, three = Problem(1000, 2, 40), Problem(1000, 3, 40)
        assert certify(two, parsed).accuracy <= certify(two, parsed, abstentions=True).accuracy
        assert certify(three, parsed).accuracy <= certify(three, parsed, abstentions=True).accuracy
        if rule in ("exact", "gaussian:0.01", "split:2"):
            found = certify(three, parsed, abstentions=True)
            assert certify(three, parsed).accuracy == found.accuracy
    exact, free = certify(Problem(1000, 2, 40)), certify(Problem(1000, 2, 40), abstentions=True)
    assert exact.accuracy < free.accuracy


@pytest.mark.parametrize("text", ["ladder:0.75", "ladder:0.6", "round:step=0.75", "improved"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_optimal_play_with_abstentions_is_within_the_bound(text: str, n: int) -> None:
    """Two looks at two classes: ladder:0.75 reaches .875 of two labels, and .75 was certified."""
    rule = parse_rule(text)
    bound = certify(Problem(n, 2, 2), rule, abstentions=True).accuracy
    assert best_of_two_looks_with_abstentions(n, rule) <= bound + 1e-9


def best_of_two_looks_with_abstentions(n: int, rule: Rule) -> float:
    """Try every first and second query with labels 0, 1 and none, by the rule's own code."""
    rng, start = np.random.default_rng(0), rule.init(Problem(n, 3, 2))
    labels = [np.array(each, np.uint8) for each in itertools.product(range(2), repeat=n)]
    queries = [np.array(each, np.uint8) for each in itertools.product(range(3), repeat=n)]

    def ask(state: State, query: Labels, truth: Labels) -> tuple[float, State]:
        return rule.release(state, Evaluation(int((query == truth).sum()), query, truth), rng)

    def told(query: Labels, left: list[tuple[Labels, State]]) -> list[list[tuple[Labels, State]]]:
        groups: dict[float, list[tuple[Labels, State]]] = {}
        for truth, state in left:
            answer, after = ask(state, query, truth)
            groups.setdefault(answer, []).append((truth, after))
        return list(groups.values())

    def matches(left: list[tuple[Labels, State]]) -> int:
        ones = np.sum([truth for truth, _ in left], axis=0, dtype=int)
        return int(np.maximum(ones, len(left) - ones).sum())

    best = 0
    for shown in range(n + 1):  # which label is shown where does not matter to the first query
        first = np.array([0] * shown + [2] * (n - shown), np.uint8)
        best = max(
            best,
            sum(
                max(sum(map(matches, told(query, left))) for query in queries)
                for left in told(first, [(truth, start) for truth in labels])
            ),
        )
    return best / (n * len(labels))


def test_it_says_what_is_not_covered_and_why() -> None:
    found = certify(Problem(1000, 10, 30), parse_rule("ladder:0.01"), accounts=3)
    reasons = {each.bound: each.because for each in found.not_covered}
    assert "second account" in reasons["weighted-transcripts"]
    found = certify(Problem(1000, 10, 30), parse_rule("ladder:0.01"), knows=0.5)
    reasons = {each.bound: each.because for each in found.not_covered}
    assert "not uniform" in reasons["weighted-transcripts"]
    found = certify(Problem(1000, 10, 30), parse_rule("ladder:0.01"), memory="data_set")
    reasons = {each.bound: each.because for each in found.not_covered}
    assert "same state" in reasons["running-best-ladder"]
    assert found.bound == "answers-counted"
