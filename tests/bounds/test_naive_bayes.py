"""Expected bias of naive Bayes against closed forms and recorded games."""

import math

import pytest

from holdfast.bounds.multinomial import one_query_gain
from holdfast.bounds.naive_bayes import expected_bias
from holdfast.problem import Problem


def test_it_tends_to_the_form_of_equal_counts():
    # With n >> k >> m counts are equal, and the largest of three normals is 1.5/sqrt(pi).
    limit = math.sqrt(20_000 / (3 * 10**10 * 2)) * 1.5 / math.sqrt(math.pi)
    assert expected_bias(Problem(10**10, 3, 20_000)) == pytest.approx(limit, rel=1e-3)


def test_one_query_gains_about_what_the_best_attack_does():
    """Counts that add up to one are least independent: an eighth is lost."""
    exact = one_query_gain(10_000, 10) / 10_000
    assert 0.85 * exact < expected_bias(Problem(10_000, 10, 1)) < exact


@pytest.mark.parametrize(
    ("problem", "mean", "stderr"),
    [
        ((10_000, 10, 1), 0.001256, 0.00015),
        ((10_000, 10, 5), 0.003878, 0.00013),
        ((10_000, 10, 101), 0.017449, 0.00032),
        ((10_000, 10, 5001), 0.16335, 0.0018),
        ((20_000, 25, 101), 0.006293, 0.000021),
        ((20_000, 25, 401), 0.012833, 0.000046),
    ],
)
def test_it_is_what_many_games_gained(problem, mean, stderr):
    """Means of 4 to 4,235 games of `NaiveBayes` on uniform labels, with their standard errors."""
    assert abs(expected_bias(Problem(*problem)) - mean) <= 4 * stderr


def test_it_grows_with_looks_up_to_all_labels():
    values = [expected_bias(Problem(500, 4, k)) for k in (1, 2, 5, 10, 30, 100, 1000, 10_000)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(0.75, abs=1e-3)
