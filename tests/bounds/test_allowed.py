"""What the sharper bounds allow at sizes that matter, and how long they take."""

import time
from collections.abc import Callable
from fractions import Fraction

import pytest

from holdfast.bounds.fixed_queries import fixed_accuracy
from holdfast.bounds.running_best import (
    exact_best_accuracy,
    improved_accuracy,
    ladder_accuracy,
)
from holdfast.bounds.spread_of_answers import exact_accuracy, rounded_accuracy
from holdfast.bounds.two_classes import pairs_accuracy, two_classes_accuracy
from holdfast.bounds.weighted_transcripts import weighted_accuracy
from holdfast.problem import Problem

HUNDREDTH = Fraction(1, 100)
# Processor seconds, once everything is loaded.
LONGEST = 0.2


@pytest.mark.parametrize(
    ("bound", "sizes", "matches"),
    [
        (lambda p: weighted_accuracy(p, HUNDREDTH), (899, 10, 1000), 0.133 * 899),
        (lambda p: weighted_accuracy(p, HUNDREDTH), (10_000, 10, 1000), 0.008 * 10_000),
        (two_classes_accuracy, (10_000, 2, 100), 1540),
        (fixed_accuracy, (10_000, 10, 100), 670),
        (exact_accuracy, (10_000, 10, 100), 1225),
        (lambda p: rounded_accuracy(p, HUNDREDTH), (10_000, 10, 1000), 0.24 * 10_000),
    ],
)
def test_what_is_allowed(
    bound: Callable[[Problem], float], sizes: tuple[int, int, int], matches: float
) -> None:
    n, m, _ = sizes
    gain = n * (bound(Problem(*sizes)) - 1 / m)
    assert 0.8 * matches < gain <= matches


@pytest.mark.parametrize("n", [1000, 30_000, 1_000_000])
@pytest.mark.parametrize("m", [2, 10, 1000])
def test_every_bound_is_quick(n: int, m: int) -> None:
    bounds: list[Callable[[Problem], float | None]] = [
        exact_accuracy,
        fixed_accuracy,
        pairs_accuracy,
        exact_best_accuracy,
        improved_accuracy,
        lambda p: ladder_accuracy(p, HUNDREDTH, accounts=5),
        lambda p: rounded_accuracy(p, HUNDREDTH),
        lambda p: weighted_accuracy(p, HUNDREDTH),
        lambda p: weighted_accuracy(p, Fraction(1, 1000)),
    ]
    for bound in bounds:
        bound(Problem(n - 1, m, 7))
        for k in (50, 2000):
            before = time.process_time()
            bound(Problem(n, m, k))
            assert time.process_time() - before <= LONGEST
