"""The limits on what blurred answers tell, against exact information on problems small enough."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast import Problem
from holdfast.bounds.tilted import lowest_lines
from holdfast.certificates import certify
from holdfast.rules import parse_rule
from holdfast.rules.noise import Channel
from holdfast.rules.tilting import noisy_nats, rounded_nats


def information_of_one_look(n, m, rule):
    """Exact information of the first look: the entropy of a rounded Bin(n, 1/m)."""
    law = {}
    for count in range(n + 1):
        level = math.floor(Fraction(count, n) / rule + Fraction(1, 2))
        p = math.comb(n, count) * (m - 1) ** (n - count) / m**n
        law[level] = law.get(level, 0.0) + p
    return -sum(p * math.log(p) for p in law.values())


@pytest.mark.parametrize("step", [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
def test_one_rounded_answer_tells_its_entropy(step):
    limit = rounded_nats(Problem(12, 3, 1), step)
    assert limit == pytest.approx(information_of_one_look(12, 3, step), abs=1e-6)


def best_adaptive_entropy(n, m, step):
    """The largest entropy of two rounded answers over all adaptive analysts, by enumeration."""
    labels = np.array(list(itertools.product(range(m), repeat=n)))
    queries = labels

    def level(query):
        matches = (labels == query).sum(axis=1)
        return np.array([math.floor(Fraction(int(c), n) / step + Fraction(1, 2)) for c in matches])

    levels = np.array([level(query) for query in queries])

    def entropy(values):
        _, counts = np.unique(values, return_counts=True)
        shares = counts / counts.sum()
        return -(shares * np.log(shares)).sum()

    first = levels[0]  # by symmetry every first query is the same
    total = entropy(first)
    for seen in np.unique(first):
        here = first == seen
        total += here.mean() * max(entropy(second[here]) for second in levels)
    return total


@pytest.mark.parametrize(("n", "m"), [(4, 2), (4, 3), (6, 2), (5, 3)])
@pytest.mark.parametrize("step", [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5)])
def test_no_adaptive_analyst_learns_more_from_two_rounded_answers(n, m, step):
    assert best_adaptive_entropy(n, m, step) <= rounded_nats(Problem(n, m, 2), step)


def test_one_noisy_answer_tells_no_more_than_the_limit_and_nearly_as_much():
    # The entropy of Bin(n, 1/m)/n plus Gaussian noise, by numerical integration.
    n, m, scale = 200, 4, 0.02
    counts = np.arange(n + 1)
    weights = np.array([math.comb(n, c) * 3.0 ** (n - c) / 4.0**n for c in counts])
    grid = np.linspace(-0.3, 1.0, 20_001)
    density = np.zeros_like(grid)
    for c, w in zip(counts, weights, strict=True):
        density += w * np.exp(-((grid - c / n) ** 2) / (2 * scale**2))
    density /= scale * math.sqrt(2 * math.pi)
    inside = density > 0
    entropy = -np.sum(density[inside] * np.log(density[inside])) * (grid[1] - grid[0])
    noise = 0.5 * math.log(2 * math.pi * math.e * scale**2)
    limit = noisy_nats(Problem(n, m, 1), Channel.of("gaussian", scale).tells)
    assert entropy - noise <= limit
    assert limit < entropy - noise + 0.01


@pytest.mark.parametrize("text", ["round:2", "gaussian:0.01", "laplace:0.01", "fresh:0.2"])
def test_more_looks_tell_more_and_the_limits_meet_where_nothing_is_hidden(text):
    rule = parse_rule(text)
    found = [certify(Problem(1000, 5, k), rule).nats for k in (1, 3, 10, 30, 100)]
    assert found == sorted(found)
    exact = parse_rule("exact")
    fine = parse_rule("round:6")
    problem = Problem(1000, 5, 40)
    assert certify(problem, fine).nats == pytest.approx(certify(problem, exact).nats, rel=0.02)
    assert certify(problem, rule).nats < certify(problem, exact).nats


def test_very_large_problems_fall_back_to_counting():
    problem = Problem(10**6, 10, 5)
    assert rounded_nats(problem, Fraction(1, 100)) == math.inf
    assert certify(problem, parse_rule("round:2")).nats == pytest.approx(5 * math.log(101))


def test_a_rounding_that_never_moves_tells_nothing():
    # 300 looks at 10,000 examples of ten classes, rounded to whole numbers: always 0.
    assert certify(Problem(10_000, 10, 3), parse_rule("round:0")).accuracy < 0.1001


@pytest.mark.parametrize("seed", range(20))
def test_the_lowest_line_is_the_least_of_all_at_every_point(seed):
    rng = np.random.default_rng(seed)
    slopes, intercepts = rng.exponential(size=(2, 40))
    slopes[:5] = slopes[5:10]  # parallel lines
    lines = lowest_lines(list(zip(intercepts.tolist(), slopes.tolist(), strict=True)))
    for x in [0.0, *np.cumsum(rng.exponential(size=300) * 0.05)]:
        lowest = next(intercept + slope * x for intercept, slope, end in lines if x < end)
        assert lowest == pytest.approx((slopes * x + intercepts).min(), rel=1e-12)
