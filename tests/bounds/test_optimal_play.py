"""Optimal play agrees with other searches, with the rules as they are, and with closed forms."""

from fractions import Fraction

import numpy as np
import pytest

from holdfast.evaluate import evaluate
from holdfast.optimal import optimal
from holdfast.problem import Problem
from holdfast.rules.improved_only import ImprovedOnly
from holdfast.rules.ladder import Ladder
from holdfast.rules.rounding import Rounding
from tests.bounds import optimal_play
from tests.bounds.optimal_play import best_play, uniform_rows

STEPS = [0.1, 0.25, 0.3, 0.5, 0.7, 0.99999999, 1.0]


@pytest.mark.parametrize(("n", "m", "k"), [(2, 2, 1), (4, 2, 2), (3, 3, 2), (5, 2, 3), (2, 4, 3)])
def test_exact_answers_reach_the_optimum_of_the_other_search(n: int, m: int, k: int) -> None:
    found = best_play(uniform_rows(n, m), k, optimal_play.exact)
    assert found == pytest.approx(float(optimal(n, m, k)), abs=1e-12)


def test_a_step_finer_than_one_match_hides_nothing() -> None:
    rows = uniform_rows(3, 3)
    exact = best_play(rows, 2, optimal_play.exact)
    assert best_play(rows, 2, optimal_play.rounded(3, Fraction(1, 4))) == exact
    assert best_play(rows, 2, optimal_play.rounded(3, Fraction(1))) < exact


def test_known_values() -> None:
    # One improvement bit and a first look that tells nothing: (n, m, k) = (2, 2, 1).
    assert best_play(uniform_rows(2, 2), 1, optimal_play.improved) == 0.5
    shares = [[0.95, 0.05]] * 6
    found = best_play(shares, 2, optimal_play.ladder(6, Fraction(1, 2)))
    assert 6 * found == pytest.approx(5.783, abs=5e-4)
    found = best_play(uniform_rows(2, 10), 1, optimal_play.ladder(2, Fraction(1)))
    assert 2 * found == pytest.approx(0.38, abs=1e-12)


def test_more_accounts_never_hurt_and_add_nothing_to_a_rule_without_memory() -> None:
    rows = [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [1 / 3] * 3]
    for rule, same in [
        (optimal_play.exact, True),
        (optimal_play.rounded(3, Fraction(1, 2)), True),
        (optimal_play.ladder(3, Fraction(1, 2)), False),
        (optimal_play.improved, False),
    ]:
        one, two = (best_play(rows, 2, rule, accounts=a) for a in (1, 2))
        assert two >= one - 1e-15
        if same:
            assert two == one


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("n", [1, 3, 6])
def test_the_rules_of_the_search_are_the_rules_of_the_guard(n: int, step: float) -> None:
    rng, labels = np.random.default_rng(1), np.zeros(n, dtype=np.uint8)
    exact_step = Fraction(repr(step))
    for rule, mine in [
        (Ladder(step), optimal_play.ladder(n, exact_step)),
        (Rounding(step=step), optimal_play.rounded(n, exact_step)),
        (ImprovedOnly(), optimal_play.improved),
    ]:
        seen: set[tuple[object, object]] = set()
        state, memory = rule.init(Problem(n, 2, 50)), None
        for count in rng.integers(0, n + 1, size=50).tolist():
            query = np.array([0] * count + [1] * (n - count), dtype=np.uint8)
            answer, state = rule.release(state, evaluate(query, labels, 2), rng)
            release, memory = mine(count, memory)
            seen.add((answer, release))
        # One release of the guard is one release of the search.
        assert len(seen) == len({a for a, _ in seen}) == len({r for _, r in seen})
