import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from holdfast.bounds.binomial import log_pmf
from holdfast.bounds.feldman2019 import description_length, with_probability
from holdfast.bounds.information import information_adaptive
from holdfast.errors import InvalidInput
from holdfast.problem import Problem


@given(
    n=st.integers(1, 2000),
    m=st.integers(2, 50),
    k=st.integers(1, 500),
    failure=st.floats(1e-12, 1.0),
)
def test_the_union_bound_over_transcripts_holds(n: int, m: int, k: int, failure: float) -> None:
    limit = with_probability(Problem(n, m, k), failure=failure)
    counts = np.arange(math.floor(limit * n) + 1, n + 1)  # strictly more than the limit
    if counts.size == 0:
        return
    tail = float(np.logaddexp.reduce(log_pmf(counts, n, m)))
    assert k * math.log(n + 1) + tail <= math.log(failure)


def uncapped(problem: Problem, u: float) -> float:
    n, m, k = problem
    b = k * math.log(n + 1) + u
    return 2 * max(math.sqrt(b / (m * n)), b / n)


@pytest.mark.parametrize(
    "problem",
    [(10_000, 10, 1), (10_000, 10, 100), (10_000, 10, 108), (10_000, 10, 109), (300, 3, 9)],
)
def test_the_expectation_is_the_integral_over_the_failure_probability(
    problem: tuple[int, int, int],
) -> None:
    sizes = Problem(*problem)
    n, m, k = sizes
    kink = n / m - k * math.log(n + 1)
    cuts = [0.0, *([kink] if 0 < kink < 60 else []), 60.0]
    integral = sum(
        quad(lambda u: math.exp(-u) * uncapped(sizes, u), low, high, epsabs=1e-14)[0]
        for low, high in itertools.pairwise(cuts)
    )
    assert description_length(sizes).accuracy == pytest.approx(
        min(1.0, 1 / m + integral), rel=1e-10
    )


def test_the_reference_value() -> None:
    assert description_length(Problem(50_000, 1000, 1000)).accuracy == pytest.approx(
        0.434, abs=5e-4
    )


@given(n=st.integers(1, 10**9), m=st.integers(2, 10**4), k=st.integers(1, 10**6))
def test_counting_transcripts_is_never_sharper_than_information(n: int, m: int, k: int) -> None:
    loose, sharp = description_length(Problem(n, m, k)), information_adaptive(Problem(n, m, k))
    assert loose.accuracy is not None
    assert sharp.accuracy is not None
    assert sharp.accuracy <= loose.accuracy


@pytest.mark.parametrize("failure", [0.0, -0.1, 1.1, math.nan])
def test_a_failure_probability_outside_its_range_is_refused(failure: float) -> None:
    with pytest.raises(InvalidInput, match=r"failure must be in \(0, 1\], got"):
        with_probability(Problem(10, 2, 1), failure=failure)
