"""Answer models: inversion to counts against brute force, variances against enumeration."""

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.answers import (
    AnswerModel,
    ComparisonAnswers,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
    check_tolerated,
)
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.problem import Problem

MODELS: list[AnswerModel] = [
    ExactAnswers(),
    RoundedAnswers(0.01),
    NoisyAnswers(0.02),
    SubsetAnswers(0.3),
    ComparisonAnswers(),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_model_obeys_the_protocol(model: AnswerModel) -> None:
    assert isinstance(model, AnswerModel)
    low, high = model.counts(0.5, 1000)
    assert 0 <= low <= high <= 1000
    assert model.variance(Problem(1000, 10, 3)) >= 0.0
    with pytest.raises(InconsistentAnswer, match="finite"):
        model.counts(math.nan, 1000)


@given(st.integers(1, 10**7), st.data())
def test_exact_answers_give_back_the_count(n: int, data: st.DataObject) -> None:
    matches = data.draw(st.integers(0, n))
    assert ExactAnswers().counts(matches / n, n) == (matches, matches)
    assert ExactAnswers().estimate(matches / n, n) == matches


@pytest.mark.parametrize("answer", [0.05, -0.1, 1.1, 0.1002])
def test_exact_answers_refuse_what_is_no_count(answer: float) -> None:
    with pytest.raises(InconsistentAnswer, match=r"0 \.\. 10, got"):
        ExactAnswers().counts(answer, 10)


ROUNDINGS: dict[str, Callable[[float], float]] = {
    "half to even": round,
    "half up": lambda x: math.floor(x + 0.5),
    "half down": lambda x: math.ceil(x - 0.5),
}


@pytest.mark.parametrize("rule", ROUNDINGS)
@given(n=st.integers(1, 4000), step=st.sampled_from([0.5, 0.03, 0.01, 0.001, 1e-4]), data=st.data())
def test_rounded_answers_keep_the_true_count(
    rule: str, n: int, step: float, data: st.DataObject
) -> None:
    matches = data.draw(st.integers(0, n))
    answer = ROUNDINGS[rule](matches / n / step) * step
    low, high = RoundedAnswers(step).counts(answer, n)
    assert low <= matches <= high
    # Nothing in the interval is further than half a step away, and everything outside it is.
    inside = np.arange(low, high + 1)
    outside = np.setdiff1d(np.arange(n + 1), inside)
    slack = 1e-12
    assert (np.abs(inside / n - answer) <= step / 2 + slack).all()
    assert (np.abs(outside / n - answer) >= step / 2 - slack).all()


def test_rounded_answers_refuse_what_is_no_multiple() -> None:
    with pytest.raises(InconsistentAnswer, match=r"multiple of the step 0.01, got 0.123"):
        RoundedAnswers(0.01).counts(0.123, 1000)
    with pytest.raises(InconsistentAnswer, match="match count"):
        RoundedAnswers(0.4).counts(0.4, 1)  # neither 0/1 nor 1/1 rounds to 0.4
    with pytest.raises(InvalidInput, match=r"step must lie in \(0, 1\], got 0"):
        RoundedAnswers(0.0)
    with pytest.raises(InvalidInput, match="decimals must be at least 0, got -1"):
        RoundedAnswers.to_decimals(-1)
    assert RoundedAnswers.to_decimals(0).counts(1.0, 3) == (2, 3)


@pytest.mark.parametrize(("n", "step"), [(3000, 0.01), (3000, 0.001), (3500, 0.001), (300, 0.011)])
def test_rounding_variance_by_enumeration(n: int, step: float) -> None:
    counts = np.arange(n + 1)
    bins = np.floor(counts / n / step + 0.5 + 1e-9)
    inner = [counts[bins == b] for b in np.unique(bins)[1:-1]]
    expected = sum(b.size * b.var() for b in inner) / sum(b.size for b in inner)
    assert RoundedAnswers(step).variance(Problem(n, 10, 1)) == pytest.approx(expected, rel=0.02)


def test_rounding_that_hides_nothing() -> None:
    assert RoundedAnswers.to_decimals(6).variance(Problem(10**6, 2, 1)) == 0.0
    assert RoundedAnswers.to_decimals(3).counts(0.517, 1000) == (517, 517)


@pytest.mark.parametrize(("n", "decimals"), [(9999, 4), (9995, 4), (997, 3), (99_999, 5)])
def test_rounding_that_hides_nothing_tells_every_count(n: int, decimals: int) -> None:
    """Near n/2 two neighbouring counts lie on either side of a boundary, a hair apart from it."""
    model = RoundedAnswers.to_decimals(decimals)
    for matches in range(n // 2 - 60, n // 2 + 60):
        answer = round(matches / n, decimals)
        assert model.counts(answer, n) == (matches, matches)


def test_subset_variance_is_hypergeometric() -> None:
    n, m, trials = 60, 3, 40_000
    model = SubsetAnswers(0.4)
    size = model.size(n)
    draws = np.random.default_rng(1).hypergeometric(n // m, n - n // m, size, size=trials)
    estimates = np.array([model.estimate(d / size, n) for d in draws])
    assert abs(estimates.mean() - n / m) < 4 * estimates.std() / math.sqrt(trials)
    spread = estimates.var()
    # Standard error of a variance: at most sqrt(3/trials) for these light tails.
    assert abs(spread / model.variance(Problem(n, m, 1)) - 1) < 4 * math.sqrt(3 / trials)
    assert SubsetAnswers(1.0).variance(Problem(n, m, 1)) == 0.0


def test_subset_bounds_contain_the_truth() -> None:
    rng = np.random.default_rng(2)
    hits = rng.random(200) < 0.2
    scored = rng.permutation(200)[:50]
    low, high = SubsetAnswers(0.25).counts(hits[scored].mean(), 200)
    assert low <= hits.sum() <= high
    with pytest.raises(InconsistentAnswer):
        SubsetAnswers(0.25).counts(0.5005, 200)
    with pytest.raises(InvalidInput, match="fraction"):
        SubsetAnswers(0.0)


def test_noise_is_unbounded_and_unbiased() -> None:
    assert NoisyAnswers(0.1).estimate(-0.05, 100) == pytest.approx(-5.0)
    assert NoisyAnswers(0.1).variance(Problem(100, 2, 1)) == pytest.approx(100.0)
    with pytest.raises(InvalidInput, match="scale"):
        NoisyAnswers(-1.0)


def test_comparisons_have_no_estimate() -> None:
    with pytest.raises(NotSupported, match="only an order"):
        ComparisonAnswers().estimate(1.0, 10)
    assert ComparisonAnswers().variance(Problem(10, 2, 1)) == math.inf


def test_tolerance_is_declared_and_enforced() -> None:
    class Robust:
        tolerates = frozenset({ExactAnswers, NoisyAnswers})

    problem = Problem(1000, 10, 5)
    check_tolerated(Robust, NoisyAnswers(0.1), problem)
    check_tolerated(Robust, RoundedAnswers(0.001), problem)  # hides nothing here
    with pytest.raises(NotSupported, match=r"Robust needs ExactAnswers or NoisyAnswers, got Round"):
        check_tolerated(Robust, RoundedAnswers(0.01), problem)


def test_a_refusal_has_its_reason_in_plain_words() -> None:
    class Fragile:
        intolerance = "one wrong digit spoils every later one"

    problem = Problem(100, 10, 5)
    with pytest.raises(NotSupported) as refused:
        check_tolerated(Fragile, RoundedAnswers(step=0.1), problem)
    assert refused.value.reason == "it needs exact scores: one wrong digit spoils every later one."
    # Nothing else is known: the message.
    assert NotSupported("it waits.").reason == "it waits."
    assert pickle.loads(pickle.dumps(refused.value)).reason == refused.value.reason
