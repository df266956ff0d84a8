import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

from holdfast.bounds.binomial import log_pmf
from holdfast.bounds.defended import gaussian_noise, ladder, ladder_nats
from holdfast.bounds.information import accuracy_from_information
from holdfast.errors import InvalidInput
from holdfast.problem import Problem


@pytest.mark.parametrize(("n", "m"), [(20, 2), (50, 10), (300, 3)])
@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0, 30.0])
def test_noise_hides_what_the_bound_says(n: int, m: int, scale: float) -> None:
    # I(A; A + noise) of one look, by integrating the entropy of the mixture.
    x = np.linspace(-12 * scale, n + 12 * scale, 40_001)
    p = np.exp(log_pmf(np.arange(n + 1), n, m))
    density = np.zeros_like(x)
    for count in range(n + 1):
        density += p[count] * np.exp(-0.5 * ((x - count) / scale) ** 2)
    density /= scale * math.sqrt(2 * math.pi)
    log_density = np.log(np.maximum(density, 1e-300))
    mixture = -float(trapezoid(density * log_density, x))
    information = mixture - 0.5 * math.log(2 * math.pi * math.e * scale**2)
    for analyst in ("any", "non-adaptive"):
        accuracy = gaussian_noise(Problem(n, m, 1), scale=scale, analyst=analyst).accuracy
        assert accuracy is not None
        assert accuracy_from_information(information, n, m) <= accuracy + 1e-12


def test_the_closed_form_for_fixed_queries() -> None:
    n, m, k, s = 10_000, 10, 100, 50.0
    nats = k / 2 * math.log(1 + n * (m - 1) / (m**2 * s**2))
    bound = gaussian_noise(Problem(n, m, k), scale=s, analyst="non-adaptive")
    assert bound.accuracy == pytest.approx(accuracy_from_information(nats, n, m), rel=1e-14)
    assert bound.mechanism == "Gaussian noise of standard deviation 50 matches"


@given(
    n=st.integers(1, 10**6),
    m=st.integers(2, 1000),
    k=st.integers(1, 10**4),
    scale=st.floats(1e-3, 1e6),
)
def test_more_noise_hides_more_and_an_adaptive_analyst_sees_more(
    n: int, m: int, k: int, scale: float
) -> None:
    problem = Problem(n, m, k)
    quiet = gaussian_noise(problem, scale=scale).accuracy
    loud = gaussian_noise(problem, scale=2 * scale).accuracy
    fixed = gaussian_noise(problem, scale=scale, analyst="non-adaptive").accuracy
    assert quiet is not None
    assert loud is not None
    assert fixed is not None
    assert loud <= quiet
    assert fixed <= quiet + 1e-15


def released(scores: tuple[int, ...], n: int, step: float) -> tuple[int, ...]:
    """The Ladder's transcript for these match counts, in multiples of the step."""
    best, transcript = math.inf, []
    for score in scores:
        loss = 1 - score / n
        if loss < best - step:
            best = math.floor(loss / step + 0.5) * step
        transcript.append(round(best / step))
    return tuple(transcript)


@pytest.mark.parametrize(("n", "k", "step"), [(4, 4, 0.25), (6, 3, 0.3), (5, 5, 0.5), (12, 3, 0.1)])
def test_the_ladder_has_no_more_transcripts_than_counted(n: int, k: int, step: float) -> None:
    transcripts = {
        released(scores, n, step) for scores in itertools.product(range(n + 1), repeat=k)
    }
    levels = math.floor(1 / step + 0.5) + 1
    assert len(transcripts) <= math.comb(levels + k, k)
    assert len({value for transcript in transcripts for value in transcript}) <= levels


@given(
    n=st.integers(1, 10**9),
    k=st.integers(1, 10**6),
    step=st.floats(1e-4, 1.0),
)
def test_the_count_is_never_above_the_published_description_length(
    n: int, k: int, step: float
) -> None:
    published = math.log(2) * (1 / step + 2) * math.log2(4 * k / step)
    assert ladder_nats(Problem(n, 10, k), step=step) <= published


def test_a_coarse_ladder_bounds_a_million_looks() -> None:
    accuracy = ladder(Problem(50_000, 1000, 10**6), step=0.01).accuracy
    assert accuracy is not None
    assert accuracy < 0.02


@pytest.mark.parametrize("step", [0.0, -1.0, 1.5, math.nan])
def test_a_step_outside_its_range_is_refused(step: float) -> None:
    with pytest.raises(InvalidInput, match=r"step must be in \(0, 1\], got"):
        ladder(Problem(10, 2, 1), step=step)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_outside_its_range_is_refused(scale: float) -> None:
    with pytest.raises(InvalidInput, match="scale must be positive and finite, got"):
        gaussian_noise(Problem(10, 2, 1), scale=scale)
