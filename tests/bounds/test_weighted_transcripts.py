"""Weighted transcripts of the Ladder: reference values, plain sums, optima, careless code."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from holdfast.bounds.weighted_transcripts import upper_tails, weighted_accuracy
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from tests.bounds import optimal_play
from tests.bounds.optimal_play import best_play, uniform_rows

TINY_STEPS = [Fraction(s) for s in ("1", "0.99999999", "2/3", "1/2", "0.3", "1/7", "0.05")]
PROBLEMS = st.builds(Problem, st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**9))
CROWDED = st.builds(Problem, st.integers(1, 300), st.integers(2, 12), st.integers(1, 400))
STEPS = st.sampled_from([Fraction(s) for s in ("1", "0.3", "0.01", "0.001", "1/7")])


@pytest.mark.parametrize(
    ("n", "m", "k", "step", "points"),
    [
        (899, 10, 100, "0.01", 7.72),
        (899, 10, 1000, "0.01", 13.27),
        (899, 10, 10_000, "0.01", 20.21),
        (1797, 10, 1000, "0.01", 6.28),
        (10_000, 10, 100, "0.01", 0.27),
        (10_000, 10, 1000, "0.01", 0.76),
        (10_000, 10, 1000, "0.005", 2.14),
        (10_000, 2, 1000, "0.01", 2.64),
    ],
)
def test_reference_values(n: int, m: int, k: int, step: str, points: float) -> None:
    # The thresholds here are the best ones, so a little below what good ones gave.
    accuracy = weighted_accuracy(Problem(n, m, k), Fraction(step))
    assert accuracy is not None
    assert 0.95 * points <= 100 * (accuracy - 1 / m) <= points + 0.005


def plain_bound(n: int, m: int, k: int, step: Fraction) -> float:
    """The statement itself, in plain numbers: thresholds by dynamic programming over all counts."""
    pmf, tail = binom.pmf(np.arange(n + 1), n, 1 / m), binom.sf(np.arange(n + 2) - 1, n, 1 / m)
    rungs = [math.floor(Fraction(c, n) / step + Fraction(1, 2)) for c in range(n + 1)]
    thresholds = np.array([0.0, *(c - n / m for c in range(n + 1) if c * m > n)])
    excess = np.maximum(np.arange(n + 1) - n / m - thresholds[:, None], 0.0) @ pmf
    gain = 0.0
    for r in sorted(set(rungs)):
        chances = [float(pmf[np.array(rungs) == r].sum())]
        for v in range(r + 1, rungs[-1] + 1):
            chance = 0.0
            for standing in range(r, v):
                o = standing - r
                prefixes = k - 1 if o == 0 else math.comb(k - 2 + o, o + 1)
                above, near = math.floor(v * step * n) + 1, math.ceil((2 * v - 1) * step * n / 2)
                chance += prefixes * tail[min(n + 1, above if standing == v - 1 else near)]
            chances.append(min(chances[-1], float(chance)))
        least = np.zeros(len(thresholds))
        for d, (chance, after) in enumerate(zip(chances, [*chances[1:], 0.0], strict=True)):
            number = math.comb(k - 2 + d, d) if k > 1 else int(d == 0)
            least = np.minimum.accumulate(least) + thresholds * (chance - after) + number * excess
        gain += least.min()
    return min(1.0, 1 / m + gain / n)


@pytest.mark.parametrize(
    ("n", "m", "k", "step"),
    [
        (3, 2, 1, "1"),
        (4, 2, 2, "0.99999999"),
        (12, 3, 4, "0.2"),
        (7, 2, 3, "0.05"),
        (30, 2, 10, "1/9"),
        (50, 5, 20, "0.05"),
        (120, 10, 50, "0.02"),
    ],
)
def test_logarithms_give_what_plain_numbers_give(n: int, m: int, k: int, step: str) -> None:
    found = weighted_accuracy(Problem(n, m, k), Fraction(step))
    assert found == pytest.approx(plain_bound(n, m, k, Fraction(step)), rel=2e-9)


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 2), (4, 2), (1, 3), (2, 3), (2, 4)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_analyst_beats_the_bound_on_tiny_problems(n: int, m: int, k: int) -> None:
    for step in TINY_STEPS if m**n <= 16 else TINY_STEPS[::3]:
        found = weighted_accuracy(Problem(n, m, k), step)
        assert found is not None
        assert found >= best_play(uniform_rows(n, m), k, optimal_play.ladder(n, step))


@pytest.mark.parametrize(
    ("n", "m", "k", "step", "matches"), [(3, 2, 1, "1", 2.25), (4, 2, 2, "0.99999999", 2.8125)]
)
def test_the_bound_is_attained(n: int, m: int, k: int, step: str, matches: float) -> None:
    best = best_play(uniform_rows(n, m), k, optimal_play.ladder(n, Fraction(step)))
    found = weighted_accuracy(Problem(n, m, k), Fraction(step))
    assert n * best == pytest.approx(matches, abs=1e-12)
    assert found == pytest.approx(best, rel=1e-8)
    assert found is not None
    assert found >= best


def test_a_step_within_1e_8_of_another_has_thresholds_of_its_own() -> None:
    # All four right is above 0.99999999, and not above 1.
    one, below = (weighted_accuracy(Problem(4, 2, 2), Fraction(s)) for s in ("1", "0.99999999"))
    assert one is not None
    assert below is not None
    assert below > one + 0.01


def test_terms_too_small_or_large_for_floating_point_are_kept() -> None:
    # An attack reaches .916 here; with counts clipped at e^700 the sum would say .901.
    assert weighted_accuracy(Problem(2000, 10, 50_000), Fraction("0.0005")) == 1.0


@pytest.mark.parametrize(("n", "m"), [(40, 3), (1000, 10), (5000, 2), (300, 1000)])
def test_tails_are_those_of_the_binomial(n: int, m: int) -> None:
    tails = upper_tails(n, m, 50.0)
    assert tails is not None
    assert tails.block == 1
    counts = tails.start + np.arange(len(tails.tail))
    pmf = binom.pmf(np.arange(n + 1), n, 1 / m)
    exact = binom.sf(counts - 1, n, 1 / m)
    assert (np.exp(tails.tail) >= exact * (1 - 1e-9)).all()
    np.testing.assert_allclose(np.exp(tails.tail), exact, rtol=1e-9, atol=1e-40)
    excess = [float((np.maximum(np.arange(n + 1) - c, 0.0) * pmf).sum()) for c in counts]
    # The table ends where tails are below exp(-110); there both are rounded up.
    assert (np.exp(tails.excess) >= np.array(excess) * (1 - 1e-9)).all()
    np.testing.assert_allclose(np.exp(tails.excess), excess, rtol=1e-9, atol=1e-40)
    mean = (np.maximum(np.arange(n + 1) - n / m, 0.0) * pmf).sum()
    assert math.exp(tails.at_mean) == pytest.approx(mean, rel=1e-9)


def test_tails_in_blocks_are_a_little_too_large_and_never_too_small() -> None:
    n, m = 10**10, 10
    tails = upper_tails(n, m, 50.0)
    assert tails is not None
    assert tails.block > 1
    deviation = math.sqrt(n * 0.09)
    for away in (0.5, 1.0, 2.0, 5.0, 9.0):
        count = n // m + int(away * deviation)
        exact = float(binom.logsf(count - 1, n, 1 / m))
        found = float(tails.log_tail(np.array([count]))[0])
        assert exact <= found <= exact + 0.25
    assert tails.log_tail(np.array([n + 1]))[0] == -np.inf


@given(PROBLEMS | CROWDED, STEPS, st.integers(1, 1000))
def test_finite_within_range_and_rising_with_looks(
    problem: Problem, step: Fraction, more: int
) -> None:
    n, m, k = problem
    value, later = (weighted_accuracy(Problem(n, m, looks), step) for looks in (k, k + more))
    if value is not None:
        assert 1 / m <= value <= 1
        if later is not None:
            assert value <= later + 1e-12


def test_too_many_rungs_are_not_computed_and_bad_steps_refused() -> None:
    assert weighted_accuracy(Problem(10**6, 10, 1000), Fraction(1, 10**6)) is None
    with pytest.raises(InvalidInput, match=r"step must lie in \(0, 1\], got 3/2"):
        weighted_accuracy(Problem(10, 10, 10), Fraction(3, 2))
