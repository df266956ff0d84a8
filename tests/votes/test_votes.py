"""Votes become one prior without the labels; a few accuracies, one look each, make it better."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.votes import Votes
from holdfast.votes.vote_table import VoteTable
from tests.votes.voters import CASES, CLASSES, accuracies, voters

EVERY = pytest.mark.parametrize("case", CASES)


def scored_all(votes, hidden):
    return {i: float((votes.column(i) == hidden).mean()) for i in range(votes.n_models)}


@EVERY
def test_without_a_look_the_vote_is_better_than_the_best_voter(case):
    for seed in (1, 2, 3):
        hidden, cast = voters(case, seed)
        top = Votes(cast, CLASSES).stack().prior().top()
        assert (top == hidden).mean() > accuracies(hidden, cast).max()


@pytest.mark.parametrize("case", ["independent", "broken", "copied", "nearly copied"])
def test_without_a_look_accuracies_are_put_in_order(case):
    hidden, cast = voters(case, 4)
    guessed, true = Votes(cast, CLASSES).accuracies(), accuracies(hidden, cast)
    assert np.corrcoef(guessed, true)[0, 1] > 0.9
    assert true[guessed.argmax()] == true.max()


@pytest.mark.parametrize("case", ["independent", "broken", "copied"])
def test_without_a_look_confidence_is_about_right_if_errors_are_independent(case):
    hidden, cast = voters(case, 5)
    stack = Votes(cast, CLASSES).stack()
    sure = stack.prior().ranked(1)[1].mean()
    assert sure == pytest.approx(stack.expected_accuracy, abs=1e-6)
    assert sure == pytest.approx((stack.top() == hidden).mean(), abs=0.03)


@EVERY
def test_with_looks_the_stack_is_better_than_the_best_voter(case):
    for seed in (6, 7, 8):
        hidden, cast = voters(case, seed)
        votes = Votes(cast, CLASSES)
        stack = votes.stack(scored_all(votes, hidden))
        assert (stack.top() == hidden).mean() > accuracies(hidden, cast).max()


@EVERY
def test_a_look_at_the_stack_calibrates_it(case):
    hidden, cast = voters(case, 9)
    votes = Votes(cast, CLASSES)
    stack = votes.stack(scored_all(votes, hidden))
    accuracy = (stack.top() == hidden).mean()
    prior = stack.prior(accuracy)
    assert prior.ranked(1)[1].mean() == pytest.approx(accuracy, abs=0.01)
    loss = [-np.log(p.softened(1e-3).probability(hidden)).mean()
            for p in (prior, stack.prior(), votes.stack().prior())]  # fmt: skip
    assert loss[0] < loss[1] + 0.02
    if case == "family":  # the votes alone can't know what all get wrong together
        assert loss[0] < 0.7 * loss[2]


def test_copies_share_the_weight_of_one():
    hidden, cast = voters("independent", 10)
    once = Votes(cast, CLASSES)
    copied = Votes(np.concatenate([cast, np.repeat(cast[:, :1], 9, axis=1)], axis=1), CLASSES)
    same = once.stack(scored_all(once, hidden)).top()
    more = copied.stack(scored_all(copied, hidden)).top()
    assert (same != more).mean() < 0.005


def test_a_copy_and_a_stranger_are_predicted_from_what_was_scored():
    hidden, cast = voters("copied", 11)
    votes = Votes(cast, CLASSES)
    true = accuracies(hidden, cast)
    predicted = votes.accuracies({0: true[0]})
    np.testing.assert_allclose(predicted[:10], true[0], atol=2e-3)
    assert (predicted[10:] < true[0]).all()  # it agrees with it less often than it is right
    assert votes.accuracies({0: 0.4})[0] == 0.4


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 9), st.integers(1, 12))
def test_a_tally_adds_up_what_a_loop_adds_up(seed, models, m, depth):
    rng = np.random.default_rng(seed)
    cast, weights = rng.integers(m, size=(7, models)), rng.normal(size=models)
    depth = min(depth, m)
    tally = VoteTable(cast, m)
    labels, scores = tally.ranked(tally.scores(weights), depth)
    for j in range(7):
        total = {int(x): weights[cast[j] == x].sum() for x in set(cast[j].tolist())}
        wanted = sorted(total, key=lambda x: (-round(total[x], 9), x))[:depth]
        listed = np.isfinite(scores[j])
        assert labels[j][listed].tolist() == wanted
        np.testing.assert_allclose(scores[j][listed], [total[x] for x in wanted], atol=1e-9)
        assert len(set(labels[j].tolist())) == depth
        shares = np.array([np.exp(total.get(x, 0.0)) for x in range(m)])
        shares /= shares.sum()
        sure = tally.ranked(tally.shares(tally.scores(weights)), 1)[1][j, 0]
        assert sure == pytest.approx(max(shares[x] for x in total))


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 15), st.integers(1, 30))
def test_any_votes_make_a_prior(seed, models, m, n):
    rng = np.random.default_rng(seed)
    votes = Votes(rng.integers(-1, m + 1, size=(n, models)), m)
    hidden = rng.integers(m, size=n)
    for stack in (votes.stack(), votes.stack(scored_all(votes, hidden)), votes.stack({0: 0.0})):
        for accuracy in (None, 0.0, 0.5, 1.0):
            prior = stack.prior(accuracy)
            dense = prior.dense_rows()
            np.testing.assert_allclose(dense.sum(axis=1), 1.0)
            assert (dense >= 0.0).all()
            if accuracy == 1.0:
                np.testing.assert_array_equal(prior.top(), stack.top())


def test_one_model_keeps_its_accuracy():
    _, cast = voters("independent", 12)
    votes = Votes(cast[:, :1], CLASSES)
    prior = votes.stack({0: 0.8}).prior(0.8)
    np.testing.assert_allclose(prior.probability(votes.column(0)), 0.8, atol=1e-6)


def test_a_missing_vote_is_filled_with_what_most_others_say():
    votes = Votes([[2, 2, 9, 0], [-1, 1, 0, 0], [-1, 7, 5, 4]], 3)
    columns = [votes.column(i).tolist() for i in range(4)]
    assert columns == [[2, 0, 0], [2, 1, 0], [2, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("votes", "m", "message"),
    [
        ([0, 1], 2, r"votes must have shape \(n, models\), got shape \(2,\)\."),
        ([[0.5]], 2, "votes must be integers, got dtype float64."),
        ([[0]], 1, "n_classes must be at least 2, got 1."),
    ],
)
def test_bad_votes_are_named(votes, m, message):
    with pytest.raises(InvalidInput, match=message):
        Votes(votes, m)


def test_bad_scores_are_named():
    votes = Votes([[0, 1], [1, 1]], 2)
    with pytest.raises(InvalidInput, match=r"scored must name models 0 \.\. 1, got 2\."):
        votes.stack({2: 0.5})
    with pytest.raises(InvalidInput, match=r"accuracy must lie in \[0, 1\], got 1.5\."):
        votes.stack({0: 0.5}).prior(1.5)
