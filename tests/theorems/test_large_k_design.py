"""Figures 2 and 4 as they are drawn: which examples are asked about, how, and how votes decide.

The guarantee of Theorem 6 leaves a factor of four or more, so a wrong t, sums in place of averages
or ties that favour one label would still reach it. Here the design itself is compared with the
figures' text, and the decoder with its definition.
"""

import math

import numpy as np
import pytest

from holdfast import Problem, attacks
from holdfast.attacks import without_features


def live_examples(n, m, k):
    """Return t = 1 + k/(9 log m), floored and at most n."""
    return min(n, 1 + math.floor(k / (9 * math.log(m))))


def all_queries(attack, answer=lambda index: 0.0):
    """Return the queries of an attack whose queries are fixed in advance, and tell the answers."""
    queries = []
    while (query := attack.ask()) is not None:
        attack.tell(answer(len(queries)))
        queries.append(query)
    return queries


# k a multiple of m, and k that is none.
DESIGNS = [(200, 2, 200), (150, 3, 300), (120, 3, 301), (200, 10, 2079), (50, 7, 1001)]


@pytest.mark.statement("acharya2020 fig:largek")
@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.statement("acharya2020 remark:multiple")
@pytest.mark.parametrize(("n", "m", "k"), DESIGNS)
def test_the_first_t_columns_are_balanced_and_the_others_hold_one_label(n, m, k):
    attack = attacks.ColumnVote(Problem(n, m, k), rng=np.random.default_rng(n), permuted=False)
    queries = np.stack(all_queries(attack))
    t = live_examples(n, m, k)
    assert queries.shape == (k, n)
    assert (queries[:, t:] == 0).all()
    counts = np.stack([(queries[:, :t] == label).sum(axis=0) for label in range(m)])
    assert set(counts.ravel()) <= {k // m, -(-k // m)}
    # Columns are drawn apart from each other: no two of the t are the same.
    assert len({column.tobytes() for column in queries[:, :t].T}) == t


@pytest.mark.statement("acharya2020 fig:largek-unk")
@pytest.mark.statement("acharya2020 thm:large")
@pytest.mark.parametrize(("n", "m", "k"), [(1000, 3, 100), (400, 2, 300), (2000, 10, 500)])
def test_without_features_a_share_t_over_n_of_the_space_is_asked_about(n, m, k):
    points = 20_000
    attack = without_features.ColumnVote(
        Problem(n, m, k), rng=np.random.default_rng(k), permuted=False
    )
    X = np.random.default_rng(1).integers(2**62, size=(points, 1))
    queries = np.stack([query.predict(X) for query in all_queries(attack)[: 4 * m]])
    share = live_examples(n, m, k) / n
    # Of those that are asked about, some show label 0 in every one of these queries.
    zeros = [(-(-k // m) - i) / (k - i) for i in range(4 * m)]
    constant_anyway = math.prod(max(chance, 0.0) for chance in zeros)
    live = share * (1.0 - constant_anyway)
    measured = np.mean((queries != 0).any(axis=0))
    assert abs(measured - live) <= 4 * math.sqrt(live * (1 - live) / points)


def decided_by_averages(queries, answers, t, m):
    """Return the label of the largest average answer, for each of the first t examples."""
    averages = np.full((m, t), -np.inf)
    for j in range(t):
        for label in range(m):
            shown = queries[:, j] == label
            if shown.any():
                averages[label, j] = answers[shown].mean()
    return averages.argmax(axis=0)


@pytest.mark.statement("acharya2020 fig:largek")
@pytest.mark.statement("acharya2020 remark:multiple")
@pytest.mark.statement("acharya2020 remark:uniform")
@pytest.mark.parametrize("cls", [attacks.ColumnVote, attacks.UniformVote])
@pytest.mark.parametrize(("n", "m", "k"), [(300, 3, 301), (200, 10, 1003), (100, 2, 199)])
def test_the_vote_is_for_the_largest_average_whatever_the_answers(cls, n, m, k):
    # Random answers, never two averages alike: nothing but the definition decides. All of them are
    # positive, so a label that was shown once more would win by its sum.
    answers = np.random.default_rng(7).integers(n // 2, n + 1, size=k)
    attack = cls(Problem(n, m, k), rng=np.random.default_rng(n), permuted=False)
    queries = np.stack(all_queries(attack, lambda index: answers[index] / n))
    t = live_examples(n, m, k)
    expected = decided_by_averages(queries, answers, t, m)
    agree = attack.predict()[:t] == expected
    # Two averages of integers may tie; here that is one example in a hundred at most.
    assert agree.mean() >= 0.97
    assert (attack.predict()[t:] == 0).all()


@pytest.mark.statement("acharya2020 fig:largek-unk")
@pytest.mark.statement("acharya2020 remark:multiple")
@pytest.mark.statement("acharya2020 remark:uniform")
@pytest.mark.parametrize("cls", [without_features.ColumnVote, without_features.UniformVote])
def test_without_features_the_vote_is_for_the_largest_average_too(cls):
    n, m, k = 60, 3, 301
    answers = np.random.default_rng(7).integers(n // 2, n + 1, size=k)
    attack = cls(Problem(n, m, k), rng=np.random.default_rng(5), permuted=False)
    X = np.random.default_rng(1).integers(2**62, size=(400, 1))
    queries = np.stack(
        [query.predict(X) for query in all_queries(attack, lambda index: answers[index] / n)]
    )
    live = np.flatnonzero((queries != 0).any(axis=0))
    expected = decided_by_averages(queries[:, live], answers, live.size, m)
    assert live.size > 100
    assert np.mean(attack.predict().predict(X)[live] == expected) >= 0.97


@pytest.mark.statement("acharya2020 fig:largek")
@pytest.mark.statement("acharya2020 fig:largek-unk")
@pytest.mark.parametrize("blind", [False, True])
@pytest.mark.parametrize("name", ["ColumnVote", "UniformVote"])
def test_ties_are_broken_at_random(name, blind):
    # Equal answers tie all labels of every example: each must win one time in m.
    n, m = 4000, 4
    cls = getattr(without_features if blind else attacks, name)
    problem = Problem(n, m, 400)
    attack = cls(problem, rng=np.random.default_rng(3), permuted=False, queries_per_nat=1e-9)
    all_queries(attack, lambda index: 0.25)
    guess = attack.predict().predict(np.arange(n)[:, None]) if blind else attack.predict()
    wins = np.bincount(guess, minlength=m)
    assert np.abs(wins - n / m).max() <= 4 * math.sqrt(n / m * (1 - 1 / m))
