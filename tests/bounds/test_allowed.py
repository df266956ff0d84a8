"""What the sharper bounds allow at sizes that matter."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from holdfast.bounds.fixed_queries import fixed_accuracy
from holdfast.bounds.spread_of_answers import exact_accuracy, rounded_accuracy
from holdfast.bounds.two_classes import two_classes_accuracy
from holdfast.bounds.weighted_transcripts import weighted_accuracy
from holdfast.problem import Problem

HUNDREDTH = Fraction(1, 100)


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
