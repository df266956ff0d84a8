"""Detecting: no error on any labels, certain never wrong, contradictions named, gains."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.answers import NoisyAnswers, RoundedAnswers
from holdfast.attacks.exact.detecting import Detecting, PooledDetecting
from holdfast.errors import InconsistentAnswer, NotSupported
from holdfast.problem import Problem
from tests.attacks.released import model_guess, play_under

BOTH = pytest.mark.parametrize("kind", [Detecting, PooledDetecting])


def adversarial(n: int, m: int) -> dict[str, np.ndarray]:
    index = np.arange(n)
    return {
        "constant": np.full(n, m - 1),
        "sorted": index * m // n,
        "periodic": index % m,
        "two labels": index % 2,
        "random": np.random.default_rng(n * m).integers(m, size=n),
    }


@BOTH
@settings(max_examples=80, deadline=None)
@given(data=st.data(), m=st.integers(2, 9), k=st.integers(1, 70), seed=st.integers(0, 2**20))
def test_certain_is_never_wrong(
    kind: type[Detecting], data: st.DataObject, m: int, k: int, seed: int
) -> None:
    hidden = np.array(data.draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=60)))
    problem = Problem(hidden.size, m, k)
    permuted = data.draw(st.booleans())
    attack = kind(problem, rng=np.random.default_rng(seed), permuted=permuted)
    assert not attack.certain().any()
    guess = play_under(attack, hidden)
    sure = attack.certain()
    assert (guess[sure] == hidden[sure]).all()
    if kind is Detecting:
        assert sure.sum() >= min(hidden.size, Detecting.capacity(m, k) - (m == 2))
        if hidden.size <= Detecting.capacity(m, k):
            assert sure.all()


@BOTH
@pytest.mark.parametrize(("m", "k"), [(2, 512), (4, 300), (10, 1024)])
@pytest.mark.parametrize("name", ["constant", "sorted", "periodic", "two labels", "random"])
def test_two_thousand_labels_of_any_kind(kind: type[Detecting], m: int, k: int, name: str) -> None:
    n = 2000
    hidden = adversarial(n, m)[name]
    attack = kind(Problem(n, m, k), rng=np.random.default_rng(0))
    guess = play_under(attack, hidden)
    sure = attack.certain()
    assert (guess[sure] == hidden[sure]).all()
    if kind is Detecting:
        assert sure.sum() >= min(n, Detecting.capacity(m, k) - 1)


@pytest.mark.parametrize(
    ("n", "m", "k"), [(5120, 2, 1024), (5121, 2, 1024), (3082, 3, 1024), (649, 10, 1024)]
)
def test_the_known_sizes_are_found_whole(n: int, m: int, k: int) -> None:
    hidden = np.random.default_rng(n).integers(m, size=n)
    attack = Detecting(Problem(n, m, k), rng=np.random.default_rng(1))
    np.testing.assert_array_equal(play_under(attack, hidden), hidden)
    assert attack.certain().all()


def test_it_is_the_same_for_every_seed_but_for_the_permutation() -> None:
    problem = Problem(30, 3, 20)
    queries = []
    for seed in (0, 1):
        attack = Detecting(problem, rng=np.random.default_rng(seed), permuted=False)
        rows = []
        while (query := attack.ask()) is not None:
            rows.append(query)
            # Answers of one hidden vector; the queries do not depend on them.
            attack.tell(float((query == 1).mean()))
        queries.append(np.array(rows))
    np.testing.assert_array_equal(*queries)


def test_queries_not_needed_are_not_asked() -> None:
    hidden = np.random.default_rng(0).integers(2, size=13)
    attack = Detecting(Problem(13, 2, 500), rng=np.random.default_rng(0))
    play_under(attack, hidden)
    assert attack.answered == 8
    assert attack.certain().all()


@BOTH
def test_a_wrong_count_is_noticed_or_harmless(kind: type[Detecting]) -> None:
    # One count off by one, once for each query: most are contradictions, and are named.
    n, m, k = 60, 3, 32
    hidden = np.random.default_rng(5).integers(m, size=n)
    noticed = 0
    for wrong in range(k):
        attack = kind(Problem(n, m, k), rng=np.random.default_rng(0))
        message = ""
        try:
            for i in range(k):
                query = attack.ask()
                attack.tell(((query == hidden).sum() + (i == wrong)) / n)
        except InconsistentAnswer as error:
            message = str(error)
        if message:
            noticed += 1
            assert message.startswith(f"Query {k - 1}: ")
            assert not attack.certain().any()
    assert noticed >= k // 2


def test_rounding_that_was_not_declared_is_noticed() -> None:
    n, m = 2000, 10
    hidden = np.random.default_rng(6).integers(m, size=n)
    attack = Detecting(Problem(n, m, 512), rng=np.random.default_rng(0))
    with pytest.raises(InconsistentAnswer, match="Query"):
        play_under(attack, hidden, RoundedAnswers(0.005))


def test_answers_that_are_not_exact_are_refused_with_the_reason() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(NotSupported, match=r"needs ExactAnswers.*off by one spoils"):
        Detecting(Problem(100, 2, 10), rng=rng, answers=NoisyAnswers(0.01))
    with pytest.raises(NotSupported):
        PooledDetecting(Problem(1000, 2, 10), rng=rng, answers=RoundedAnswers(0.01))
    hidden = rng.integers(2, size=100)
    model = RoundedAnswers(0.01)  # hides nothing at n = 100
    attack = Detecting(Problem(100, 2, 60), rng=rng, answers=model)
    np.testing.assert_array_equal(play_under(attack, hidden, model), hidden)


@pytest.mark.parametrize(
    "problem",
    [Problem(1000, 10, 60), Problem(1000, 2, 100), Problem(800, 4, 90), Problem(500, 7, 128)],
    ids=str,
)
def test_pooled_gains_are_as_planned(problem: Problem) -> None:
    n, m, _ = problem
    trials = 20
    got = np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((4, trial))
        hidden = rng.integers(m, size=n)
        got[trial] = (play_under(PooledDetecting(problem, rng=rng), hidden) == hidden).mean()
    expected = PooledDetecting.expected_accuracy(problem)
    assert abs(got.mean() - expected) < 4 * got.std() / math.sqrt(trials)
    assert expected > Detecting.expected_accuracy(problem)


@BOTH
@pytest.mark.parametrize(
    ("n", "m", "k"),
    [(5, 2, 1), (7, 2, 3), (8, 2, 3), (4, 3, 2), (5, 3, 3), (4, 4, 3), (6, 3, 2), (3, 5, 2)],
)
def test_the_expectation_is_exact(kind: type[Detecting], n: int, m: int, k: int) -> None:
    """Averaged over every label vector, with digits, pools and examples that are only held."""
    problem, matches = Problem(n, m, k), 0
    for hidden in itertools.product(range(m), repeat=n):
        z = np.array(hidden)
        attack = kind(problem, rng=np.random.default_rng(0))
        matches += int((play_under(attack, z) == z).sum())
    assert kind.expected_accuracy(problem) == pytest.approx(matches / (n * m**n), rel=1e-12)


def test_a_pool_with_as_many_of_both_labels_is_guessed_as_a_third() -> None:
    # One pool of all examples, which show label 1 against 0 in the second of two queries.
    problem = Problem(8, 10, 2)
    for hidden, label in [
        ([1, 1, 0, 3, 3, 2, 7, 9], 1),
        ([1, 0, 0, 3, 2, 2, 9, 7], 0),
        ([1, 0, 1, 0, 3, 3, 8, 5], 2),
    ]:
        attack = PooledDetecting(problem, rng=np.random.default_rng(0), permuted=False)
        np.testing.assert_array_equal(play_under(attack, np.array(hidden)), np.full(8, label))
        assert not attack.certain().any()


def test_a_prior_decides_whom_to_ask_about() -> None:
    n, m, k = 800, 5, 64
    rng = np.random.default_rng(3)
    hidden = rng.integers(m, size=n)
    confidence = rng.uniform(0.3, 1.0, size=n)
    top = model_guess(hidden, m, confidence, rng)
    prior = np.repeat(((1 - confidence) / (m - 1))[:, None], m, axis=1)
    prior[np.arange(n), top] = confidence
    attack = Detecting(Problem(n, m, k), rng=rng, prior=prior)
    np.testing.assert_array_equal(attack.predict(), top)
    guess = play_under(attack, hidden)
    sure = attack.certain()
    assert sure.sum() == Detecting.capacity(m, k)
    assert (guess[sure] == hidden[sure]).all()
    assert confidence[sure].max() <= confidence[~sure].min()
    np.testing.assert_array_equal(guess[~sure], top[~sure])


def test_a_prior_of_zero_on_the_truth_breaks_nothing() -> None:
    n, m = 40, 4
    hidden = np.random.default_rng(0).integers(m, size=n)
    prior = np.full((n, m), 1 / (m - 1))
    prior[np.arange(n), hidden] = 0.0
    attack = Detecting(Problem(n, m, 64), rng=np.random.default_rng(1), prior=prior)
    np.testing.assert_array_equal(play_under(attack, hidden), hidden)
    assert attack.certain().all()
