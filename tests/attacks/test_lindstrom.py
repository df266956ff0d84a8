"""The detecting design's bookkeeping, against enumeration and known values."""

import itertools
import math

import numpy as np
import pytest

from holdfast.attacks.exact.lindstrom import (
    NodePlan,
    capacity,
    most_digits,
    most_gain,
    plan_exact,
    plan_pooled,
    pool_gains,
    weight,
)
from holdfast.attacks.exact.subset_lattice import node_sizes
from holdfast.bounds.multinomial import one_query_gain
from holdfast.problem import Problem


@pytest.mark.parametrize(
    ("m", "k", "labels"),
    [(2, 1024, 5121), (3, 1024, 3082), (10, 1024, 649), (10, 2048, 1553), (10, 4096, 3602)],
)
def test_known_capacities(m: int, k: int, labels: int) -> None:
    assert capacity(m, k) == labels


def test_two_classes_match_the_true_minimum_for_small_n() -> None:
    # OEIS A303735: the fewest fixed queries that identify a binary string of length 1 .. 13.
    fewest = [1, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 8]
    for n, k in enumerate(fewest, start=1):
        assert capacity(2, k) >= n
        assert k == 1 or capacity(2, k - 1) < n


@pytest.mark.parametrize("m", [2, 3, 4, 6, 10, 101])
@pytest.mark.parametrize("bits", range(1, 14))
def test_plans_fit_their_node(m: int, bits: int) -> None:
    room = 2 ** (bits - 1)
    plans: list[NodePlan] = [most_digits(m, bits)]
    plans += [most_gain(m, bits, worth, 0.01) for worth in (0.0, 0.3, 1.0, 5.0)]
    for plan in plans:
        # The digits' sums and the pool must not collide: units grow by the number of values.
        reach = 0
        for digit in plan.digits:
            assert weight(digit.labels, plan.odd) * digit.unit <= room
            step = 2 if plan.odd else 1
            assert step * digit.unit > 2 * reach
            largest = digit.labels - 1 if plan.odd else digit.labels // 2
            reach += largest * digit.unit
        if plan.pool:
            assert plan.pool <= room
            step = 2 if plan.odd and m == 2 else 1
            assert step * plan.pool > 2 * reach


def test_no_more_queries_than_needed() -> None:
    plan = plan_exact(Problem(13, 2, 1000))
    assert plan.n_queries == 8
    assert plan.gain == pytest.approx(6.5)


@pytest.mark.parametrize(
    "problem", [Problem(10_000, 10, 1000), Problem(10_000, 2, 300), Problem(300, 5, 40)]
)
def test_the_pooled_plan_uses_no_more_examples_than_there_are(problem: Problem) -> None:
    plan = plan_pooled(problem)
    sizes = node_sizes(plan.n_queries)
    assert sum(sizes[bits] * len(plan.nodes[bits].digits) for bits in sizes) <= problem.n_examples
    assert plan.gain >= plan_exact(problem).gain


@pytest.mark.parametrize(("n", "m", "k"), [(4, 4, 3), (8, 4, 3), (3, 4, 2), (5, 5, 2), (9, 5, 2)])
def test_few_nodes_hold_digits_and_leave_the_rest_to_the_empty_set(n: int, m: int, k: int) -> None:
    # k - 1 digits about two labels each; one answer counts what is left.
    without_pools = (k - 1) * 2 / m + one_query_gain(n - k + 1, m)
    plan = plan_pooled(Problem(n, m, k))
    assert plan.gain >= without_pools - 1e-12
    assert without_pools > (k - 1) * pool_gains(n, m)[-(-n // (k - 1))]


@pytest.mark.parametrize("m", [2, 3, 4, 10, 1000])
def test_a_pool_gains_what_the_best_single_label_for_it_does(m: int) -> None:
    # Enumerated: each example has label 1, label 0 or another one, and S = N1 - N0 is told.
    for size in range(1, 6):
        found: dict[int, np.ndarray] = {}
        others = m - 2
        for ones, zeros in itertools.product(range(size + 1), repeat=2):
            rest = size - ones - zeros
            if rest < 0 or (rest and not others):
                continue
            ways = math.comb(size, ones) * math.comb(size - ones, zeros)
            chance = ways * others**rest / m**size
            third = rest / others if others else 0.0
            matches = chance * np.array([ones, zeros, third])
            found[ones - zeros] = found.get(ones - zeros, np.zeros(3)) + matches
        best = sum(float(each.max()) for each in found.values())
        assert pool_gains(size, m)[size] == pytest.approx(best - size / m, rel=1e-12)
