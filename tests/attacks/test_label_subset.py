"""LabelSubset: the design, a decoder written out by hand, the closed form, the regime hole."""

import math

import numpy as np
import pytest

from holdfast.answers import (
    AnswerModel,
    ComparisonAnswers,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
)
from holdfast.attacks.designs.label_subset import LabelSubset
from holdfast.attacks.designs.subset_design import best_of, label_counts, one_step_accuracy
from holdfast.errors import InvalidInput, NotSupported
from holdfast.problem import Problem
from tests.attacks.released import play_under


def test_columns_are_near_balanced_over_r_labels() -> None:
    n, m, k, r = 40, 7, 22, 3
    attack = LabelSubset(Problem(n, m, k), rng=np.random.default_rng(0), n_labels=r)
    queries = []
    for _ in range(k):
        queries.append(attack.ask())
        attack.tell(0.0)
    matrix = np.array(queries)
    for column in matrix.T:
        counts = np.unique(column, return_counts=True)[1]
        assert counts.size == r
        assert set(counts) <= {k // r, k // r + 1}
    assert attack.ask() is None


def test_the_guess_is_the_best_centred_mean() -> None:
    n, m, k, r = 60, 5, 30, 3
    rng = np.random.default_rng(2)
    hidden = rng.integers(m, size=n)
    attack = LabelSubset(Problem(n, m, k), rng=rng, n_labels=r)
    queries, counts = [], []
    while (query := attack.ask()) is not None:
        queries.append(query)
        counts.append((query == hidden).sum())
        attack.tell(counts[-1] / n)
    matrix, centred = np.array(queries), np.array(counts) - np.mean(counts)
    guess = attack.predict()
    shown = 0
    for j in range(n):
        means = {label: centred[matrix[:, j] == label].mean() for label in set(matrix[:, j])}
        if guess[j] in means:
            shown += 1
            assert means[guess[j]] == pytest.approx(max(means.values()))
        else:  # an untested label is likelier: no mean rose by much more than half a match
            assert max(means.values()) < 0.75
    assert shown > n / 2


def test_best_of_is_a_probability_by_simulation() -> None:
    draws = np.random.default_rng(0).normal(size=(100_000, 5))
    wins = (draws[:, 0] + 1.2 >= draws[:, 1:].max(axis=1)).mean()
    assert abs(wins - best_of(5, 1.44)) < 4 * 0.5 / math.sqrt(100_000)


@pytest.mark.parametrize(
    ("problem", "r"),
    [(Problem(1500, 10, 40), 3), (Problem(1000, 20, 90), 6), (Problem(1500, 2, 60), 2)],
    ids=str,
)
@pytest.mark.parametrize("model", [ExactAnswers(), NoisyAnswers(0.01), RoundedAnswers(0.01)])
def test_the_accuracy_is_the_closed_form(problem: Problem, r: int, model: AnswerModel) -> None:
    n, m, _ = problem
    trials = 40
    got = np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((1, trial))
        hidden = rng.integers(m, size=n)
        attack = LabelSubset(problem, rng=rng, answers=model, n_labels=r)
        got[trial] = (play_under(attack, hidden, model, rng) == hidden).mean()
    error = got.std() / math.sqrt(trials)
    expected = one_step_accuracy(problem, r, model)
    assert abs(got.mean() - expected) < 4 * error + 0.03 * (expected - 1 / m)


def test_the_closed_form_has_the_constants_of_the_limit() -> None:
    # e_r / sqrt(r - 1): the expected maximum of r normals, over the root of r - 1.
    problem = Problem(10**8, 10, 1000)
    for r, constant in ((2, 0.5642), (3, 0.5984), (4, 0.5943), (10, 0.513)):
        bias = one_step_accuracy(problem, r, ExactAnswers()) - 0.1
        assert bias / math.sqrt(1000 / (10 * 10**8)) == pytest.approx(constant, abs=0.002)
    assert LabelSubset.best_label_count(problem, ExactAnswers()) == 3


def test_the_regime_hole_is_filled_in_theory() -> None:
    assert LabelSubset.expected_accuracy(Problem(10_000, 100, 1000)) > 0.034
    assert LabelSubset.expected_accuracy(Problem(50_000, 1000, 1000)) > 0.0049


@pytest.mark.slow
def test_the_regime_hole_is_filled() -> None:
    # Neither of the paper's attacks is proved to do anything at 51 < k <= 4144 here.
    problem, trials = Problem(10_000, 100, 1000), 12
    got = np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((77, trial))
        hidden = rng.integers(100, size=10_000)
        got[trial] = (play_under(LabelSubset(problem, rng=rng), hidden) == hidden).mean()
    assert got.mean() - 4 * got.std() / math.sqrt(trials) > 0.0325
    assert got.mean() > 0.034


def test_a_wrong_prior_of_zero_is_survived() -> None:
    n = 300
    prior = np.tile([0.5, 0.5, 0.0], (n, 1))
    hidden = np.full(n, 2)
    guess = play_under(
        LabelSubset(Problem(n, 3, 20), rng=np.random.default_rng(0), prior=prior), hidden
    )
    assert guess.shape == (n,)


def test_label_counts_reach_the_number_of_classes() -> None:
    for m in (2, 3, 17, 1000):
        counts = label_counts(m)
        assert counts[0] == 2
        assert counts[-1] == m
        assert counts == sorted(set(counts))


def test_bad_input_is_named() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="n_labels must be at most n_classes = 4, got 5"):
        LabelSubset(Problem(10, 4, 3), rng=rng, n_labels=5)
    with pytest.raises(InvalidInput, match="n_labels must be at least 2, got 1"):
        LabelSubset(Problem(10, 4, 3), rng=rng, n_labels=1)
    with pytest.raises(NotSupported, match="averages counts"):
        LabelSubset(Problem(10, 4, 3), rng=rng, answers=ComparisonAnswers())
