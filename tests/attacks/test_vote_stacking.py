"""Starting from several models: never below the best one scored, and far above with more looks."""

import copy

import numpy as np
import pytest

from holdfast import Problem
from holdfast.answers import ComparisonAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks import VoteStacking
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.votes import Votes
from tests.votes.voters import CASES, CLASSES, accuracies, voters


def run(hidden, votes, k, seed=0, answers=None, release=lambda x: x):
    n = hidden.size
    problem = Problem(n, votes.n_classes, k)
    attack = VoteStacking(votes, problem, rng=np.random.default_rng(seed), answers=answers)
    scores = []
    while (query := attack.ask()) is not None:
        scores.append(int((query == hidden).sum()))
        attack.tell(release(scores[-1] / n))
    return attack, scores


@pytest.mark.parametrize("k", [1, 2, 3, 6, 16, 17, 19, 20, 25, 60])
@pytest.mark.parametrize("case", CASES)
def test_exact_answers_never_end_below_the_best_model_scored(case, k):
    for seed in range(3):
        hidden, cast = voters(case, 20 + seed, n=500)
        attack, scores = run(hidden, Votes(cast, CLASSES), k, seed)
        assert len(scores) <= k
        assert (attack.predict() == hidden).sum() >= max(scores[: attack.n_scored])


@pytest.mark.parametrize("case", CASES)
def test_more_looks_gain_on_the_best_model(case):
    gains = []
    for seed in range(8):
        hidden, cast = voters(case, 30 + seed, n=2000)
        best = round(2000 * accuracies(hidden, cast).max())
        votes = Votes(cast, CLASSES)
        gains.append(
            [(run(hidden, votes, k, seed)[0].predict() == hidden).sum() - best for k in (20, 100)]
        )
    few, many = np.array(gains, dtype=float).T
    more = many - few
    assert few.min() > 0
    assert more.mean() > 4 * more.std(ddof=1) / np.sqrt(len(more))


def test_the_best_of_many_models_is_found_without_scoring_all():
    rng = np.random.default_rng(40)
    n, m = 3000, 5
    hidden = rng.integers(m, size=n)
    # Models of skill 0.3 .. 0.9 that share their errors.
    hard, wrong = rng.random(n), (hidden + rng.integers(1, m, size=n)) % m
    skills = np.linspace(0.3, 0.9, 60)
    cast = np.array([np.where(hard + rng.normal(0, 0.1, n) < s, hidden, wrong) for s in skills]).T
    attack, scores = run(hidden, Votes(cast, m), 100)
    assert attack.n_scored == 25
    best = np.sort(accuracies(hidden, cast))[::-1] * n
    assert max(scores[:25]) == round(best[0])


def test_a_model_that_hides_its_labels_is_beaten_by_the_others_not_by_luck():
    # All models but one are noise: the result is the one, or better.
    rng = np.random.default_rng(41)
    hidden = rng.integers(4, size=800)
    good = np.where(rng.random(800) < 0.7, hidden, rng.integers(4, size=800))
    cast = np.array([*rng.integers(4, size=(8, 800)), good]).T
    attack, _ = run(hidden, Votes(cast, 4), 40)
    assert (attack.predict() == hidden).sum() > (good == hidden).sum()


def test_answers_that_are_not_exact():
    hidden, cast = voters("independent", 42, n=2000)
    votes, best = Votes(cast, CLASSES), 2000 * accuracies(hidden, cast).max()
    rounded, _ = run(hidden, votes, 60, answers=RoundedAnswers(0.01), release=lambda x: round(x, 2))
    noise = np.random.default_rng(43)
    noisy, _ = run(hidden, votes, 60, answers=NoisyAnswers(0.01),
                   release=lambda x: x + noise.normal(0, 0.01))  # fmt: skip
    for attack in (rounded, noisy):
        assert (attack.predict() == hidden).sum() > best + 100
    with pytest.raises(NotSupported, match="a comparison alone"):
        VoteStacking(votes, Problem(2000, CLASSES, 9), rng=np.random.default_rng(0),
                     answers=ComparisonAnswers())  # fmt: skip


def test_it_plays_the_same_game_again_and_can_be_copied():
    hidden, cast = voters("family", 44, n=400)
    votes = Votes(cast, CLASSES)
    problem = Problem(400, CLASSES, 30)
    attack = VoteStacking(votes, problem, rng=np.random.default_rng(5))
    other = VoteStacking(votes, problem, rng=np.random.default_rng(5))
    while (query := attack.ask()) is not None:
        assert (other.ask() == query).all()
        query_kept = query.copy()
        attack.predict()
        query[:] = 0  # the caller may do what he likes with it
        for each in (attack, other):
            each.tell((query_kept == hidden).mean())
        other = copy.deepcopy(other)
    assert (attack.predict() == other.predict()).all()


def test_bad_input_and_impossible_answers():
    hidden, cast = voters("family", 45, n=100)
    votes = Votes(cast, CLASSES)
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="100 examples and 7 classes, got 100 and 6"):
        VoteStacking(votes, Problem(100, 7, 5), rng=rng)
    with pytest.raises(InvalidInput, match=r"votes must be holdfast\.votes\.Votes, got ndarray"):
        VoteStacking(cast, Problem(100, CLASSES, 5), rng=rng)
    attack = VoteStacking(votes, Problem(100, CLASSES, 40), rng=rng)
    for _ in range(12):
        attack.tell((attack.ask() == hidden).mean())
    attack.ask()
    before = attack.predict()
    with pytest.raises(InconsistentAnswer, match="Query 12: "):
        attack.tell(1.7)
    assert (attack.predict() == before).all()
