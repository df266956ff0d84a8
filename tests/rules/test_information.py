"""Numbers of patterns and sequences as logarithms, against whole numbers of any size."""

import math

import pytest

from holdfast.bounds.binomial import log_patterns, log_sequences
from holdfast.problem import Problem
from holdfast.rules import parse_rule


@pytest.mark.parametrize(
    ("looks", "values"),
    [(1, 1), (1, 2), (3, 1), (10, 101), (1, 10**12 + 1), (10, 10**12), (10**12, 11), (2000, 2000)],
)
def test_sequences_are_counted_to_the_last_digits_and_never_too_few(looks, values):
    exact = math.log(math.comb(values - 1 + looks, min(looks, values - 1)))
    assert exact <= log_sequences(looks, values) <= exact * (1.0 + 1e-9)


@pytest.mark.slow
def test_many_sequences_of_many_values_are_never_too_few():
    looks, values = 200_000, 300_000
    exact = math.log(math.comb(values - 1 + looks, looks))
    assert exact <= log_sequences(looks, values) <= exact * (1.0 + 1e-9)


@pytest.mark.parametrize(("looks", "most"), [(1, 1), (4, 1), (30, 7), (10**9, 3), (50, 90)])
def test_patterns_are_counted_to_the_last_digits_and_never_too_few(looks, most):
    exact = math.log(sum(math.comb(looks, i) for i in range(min(looks, most) + 1)))
    assert exact * (1.0 - 1e-15) <= log_patterns(looks, most) <= exact * (1.0 + 1e-9)


def test_more_patterns_than_can_be_summed_are_all_of_them():
    assert log_patterns(10**9, 10**8) == 10**9 * math.log(2.0)


@pytest.mark.parametrize("looks", [1, 5, 10, 30])
def test_a_running_best_of_a_huge_test_set_keeps_its_digits(looks):
    """A difference of logarithms of factorials of 10^12 is off by some thousandths of a nat."""
    exact = math.log(math.comb(10**12 + looks, looks))
    found = parse_rule("ladder").own_nats(Problem(10**12, 10, looks))
    assert exact <= found <= exact * (1.0 + 1e-9)
