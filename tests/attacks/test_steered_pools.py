"""Pools and a steered tail: posteriors by enumeration, proofs, gains, and bad input."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from holdfast.answers import NoisyAnswers
from holdfast.attacks import ChampionChallenger, PooledDetecting, SteeredPools
from holdfast.attacks.exact.lindstrom import plan_pooled
from holdfast.attacks.exact.pool_odds import label_odds
from holdfast.attacks.steering.stages import best_stages, best_tail, steered
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.optimal import optimal
from holdfast.planner.forecast import forecast
from holdfast.problem import Problem
from holdfast.setting import Setting
from tests.attacks.released import play_under
from tests.attacks.test_detecting import adversarial


@pytest.mark.parametrize(("g", "m"), [(1, 2), (4, 2), (3, 3), (5, 3), (4, 5)])
def test_odds_in_a_pool_are_those_of_all_labels_with_its_surplus(g: int, m: int) -> None:
    vectors = np.array(list(itertools.product(range(m), repeat=g)))
    surplus = (vectors == 1).sum(axis=1) - (vectors == 0).sum(axis=1)
    for s in np.unique(surplus).tolist():
        first = vectors[surplus == s, 0]
        expected = [np.mean(first == 0), np.mean(first == 1)]
        expected.append(np.mean(first == 2) if m > 2 else 0.0)
        assert label_odds(g, s, m) == pytest.approx(expected, abs=1e-12)


def test_odds_of_a_surplus_that_never_happens_are_still_a_law() -> None:
    zero, one, third = label_odds(5000, 4000, 10)
    assert 0.0 <= zero < third < one
    assert zero + one + 8 * third == pytest.approx(1.0)
    assert label_odds(5000, -4000, 10) == (one, zero, third)


@pytest.mark.parametrize("m", [3, 4, 10, 1000])
@pytest.mark.parametrize("s", [0, 7, 3000, 29_990])
def test_odds_in_a_large_pool_are_the_whole_sum(m: int, s: int) -> None:
    g = 30_000
    j = np.arange((g - s) // 2 + 1)
    counts = np.array([j, j + s, g - s - 2 * j])
    logs = counts[2] * np.log(m - 2) - gammaln(counts + 1).sum(axis=0)
    weights = np.exp(logs - logs.max())
    zero, one, others = counts @ (weights / weights.sum()) / g
    assert label_odds(g, s, m) == pytest.approx((zero, one, others / (m - 2)), rel=1e-9)


@pytest.mark.parametrize(("n", "m", "k"), [(7, 3, 3), (5, 4, 6), (6, 2, 3), (8, 3, 2), (9, 2, 4)])
def test_the_posterior_is_that_of_all_labels_with_the_same_digits_and_surpluses(
    n: int, m: int, k: int
) -> None:
    # Differences to the empty query tell digits and surpluses, and nothing else; without pools
    # the empty query tells how many of the others have its label.
    vectors = np.array(list(itertools.product(range(m), repeat=n)))
    problem = Problem(n, m, k)
    pools = any(node.pool for node in plan_pooled(problem).nodes.values())
    queries = []
    asked = PooledDetecting(problem, rng=np.random.default_rng(0), permuted=False)
    while (query := asked.ask()) is not None:
        queries.append(query)
        asked.tell(float((query == vectors[0]).mean()))
    counts = np.stack([(vectors == query).sum(axis=1) for query in queries], axis=1)
    told = counts[:, 1:] - counts[:, :1] if pools else counts
    compared = 0
    for hidden in vectors[:: len(vectors) // 7]:
        attack = PooledDetecting(problem, rng=np.random.default_rng(0), permuted=False)
        play_under(attack, hidden)
        open_ = np.flatnonzero(~attack.certain())
        if not open_.size:
            continue
        compared += 1
        here = told[(vectors == hidden).all(axis=1).argmax()]
        same = vectors[(told == here).all(axis=1)]
        rows = attack.posterior(open_).dense_rows()
        expected = (same[:, open_, None] == np.arange(m)).mean(axis=0)
        np.testing.assert_allclose(rows, expected, atol=1e-9)
    assert compared >= 3


@settings(max_examples=40, deadline=None)
@given(data=st.data(), m=st.integers(2, 7), k=st.integers(1, 50), seed=st.integers(0, 2**20))
def test_certain_is_never_wrong(data: st.DataObject, m: int, k: int, seed: int) -> None:
    hidden = np.array(data.draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=60)))
    tail = data.draw(st.none() | st.integers(0, k - 1))
    second = data.draw(st.integers(0, k - 1 - tail)) if tail is not None else None
    problem = Problem(hidden.size, m, k)
    attack = SteeredPools(problem, rng=np.random.default_rng(seed), tail=tail, second=second)
    guess = play_under(attack, hidden)
    sure = attack.certain()
    assert (guess[sure] == hidden[sure]).all()


@pytest.mark.parametrize("name", ["constant", "sorted", "periodic", "two labels"])
def test_labels_of_any_kind_are_as_good_as_random_ones(name: str) -> None:
    problem = Problem(1000, 10, 150)
    hidden = adversarial(1000, 10)[name]
    gains = []
    for seed in range(8):
        attack = SteeredPools(problem, rng=np.random.default_rng(seed))
        gains.append((play_under(attack, hidden) == hidden).sum() - 100)
    told = forecast(SteeredPools, Setting(problem)).gain
    assert abs(np.mean(gains) - told) < max(0.1 * told, 4 * np.std(gains, ddof=1) / 8**0.5)


@pytest.mark.parametrize(
    "problem",
    [Problem(1000, 10, 100), Problem(1000, 2, 60), Problem(1400, 4, 100), Problem(900, 3, 200)],
    ids=str,
)
def test_gains_are_as_forecast_and_above_those_of_the_design_alone(problem: Problem) -> None:
    n, m, _ = problem
    trials = 40
    gains, more = np.empty(trials), np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((21, trial))
        hidden = rng.integers(m, size=n)
        gains[trial] = (play_under(SteeredPools(problem, rng=rng), hidden) == hidden).sum() - n / m
        alone = play_under(PooledDetecting(problem, rng=rng), hidden)
        more[trial] = gains[trial] - (alone == hidden).sum() + n / m
    told = forecast(SteeredPools, Setting(problem)).gain
    error = gains.std(ddof=1) / math.sqrt(trials)
    assert abs(gains.mean() - told) < max(0.1 * told, 4 * error)
    # With two classes the tail adds so little that 40 games do not show it.
    assert m == 2 or more.mean() > 2 * more.std(ddof=1) / math.sqrt(trials)


def test_without_a_tail_it_is_the_design() -> None:
    problem = Problem(300, 10, 40)
    assert steered(problem, 0) == pytest.approx(
        300 * (PooledDetecting.expected_accuracy(problem) - 0.1)
    )
    hidden = np.random.default_rng(3).integers(10, size=300)
    attack = SteeredPools(problem, rng=np.random.default_rng(4), tail=0)
    play_under(attack, hidden)
    assert attack.answered == 40
    # Looks for all labels: nothing is left to steer.
    assert best_tail(Problem(13, 2, 40)) == 0
    assert best_tail(Problem(13, 2, 1)) == 0


def test_the_tail_is_where_the_forecast_is_within_2_percent_of_the_highest() -> None:
    for problem in (Problem(10_000, 10, 1000), Problem(1000, 10, 100), Problem(2000, 4, 90)):
        tail = best_tail(problem)
        tried = range(2, problem.n_queries, max(1, problem.n_queries // 25))
        best = max(steered(problem, looks) for looks in tried)
        assert steered(problem, tail) > 0.98 * best


@pytest.mark.slow
def test_a_second_round_gains_what_is_forecast_and_more_than_a_tail_alone() -> None:
    problem = Problem(2000, 10, 900)
    second, tail, forecast = best_stages(problem)
    assert second >= 16
    assert forecast > steered(problem, best_tail(problem))
    gains, more = [], []
    for trial in range(16):
        rng = np.random.default_rng((22, trial))
        hidden = rng.integers(10, size=2000)
        guesses = [
            play_under(SteeredPools(problem, rng=rng, tail=tail, second=rows), hidden)
            for rows in (second, 0)
        ]
        two, one = ((guess == hidden).sum() - 200 for guess in guesses)
        gains.append(two)
        more.append(two - one)
    error = np.std(gains, ddof=1) / 4
    assert abs(np.mean(gains) - forecast) < max(0.02 * forecast, 4 * error)
    assert np.mean(more) > 2 * np.std(more, ddof=1) / 4


def test_no_second_round_where_nothing_suits_it() -> None:
    for problem in (Problem(2000, 2, 300), Problem(2000, 3, 300), Problem(2000, 100, 300)):
        assert best_stages(problem).second == 0
    assert best_stages(Problem(10_000, 10, 100)).second == 0


@pytest.mark.parametrize(("n", "m", "k"), [(5, 2, 3), (4, 3, 2), (4, 3, 3)])
def test_tiny_problems_stay_below_the_optimum(n: int, m: int, k: int) -> None:
    vectors = np.array(list(itertools.product(range(m), repeat=n)))
    matches = 0
    for hidden in vectors:
        attack = SteeredPools(Problem(n, m, k), rng=np.random.default_rng(0))
        matches += int((play_under(attack, hidden) == hidden).sum())
    accuracy = matches / vectors.size
    best = float(optimal(n, m, k))
    assert 1 / m < accuracy <= best + 1e-12
    assert accuracy > 1 / m + 0.5 * (best - 1 / m)


def test_a_wrong_count_is_named_or_harmless() -> None:
    n, m, k = 60, 4, 32
    hidden = np.random.default_rng(5).integers(m, size=n)
    noticed = 0
    for wrong, second in itertools.product(range(k), (0, 8)):
        attack = SteeredPools(Problem(n, m, k), rng=np.random.default_rng(0), tail=6, second=second)
        message = f"Query {wrong}: "
        try:
            for i in range(k):
                query = attack.ask()
                assert query is not None
                attack.tell(((query == hidden).sum() + 7 * (i == wrong)) / n)
        except InconsistentAnswer as error:
            noticed += 1
            message = str(error)
        named = int(message.removeprefix("Query ").partition(":")[0])
        assert wrong <= named < k
    assert noticed >= k


def test_a_count_below_the_proved_labels_is_refused() -> None:
    hidden = np.random.default_rng(1).integers(3, size=80)
    attack = SteeredPools(Problem(80, 3, 40), rng=np.random.default_rng(0), tail=5)
    for _ in range(35):
        attack.tell(float((attack.ask() == hidden).mean()))
    attack.ask()
    sure = int(attack.certain().sum())
    assert sure > 0
    with pytest.raises(InconsistentAnswer, match=f"Query 35: it shows {sure} labels .* got 0"):
        attack.tell(0.0)


def test_bad_settings_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="tail must be less than n_queries = 10, got 10"):
        SteeredPools(Problem(100, 10, 10), rng=rng, tail=10)
    with pytest.raises(InvalidInput, match="tail must be at least 0, got -1"):
        SteeredPools(Problem(100, 10, 10), rng=rng, tail=-1)
    with pytest.raises(InvalidInput, match=r"second must be less than 7, .* got 7"):
        SteeredPools(Problem(100, 10, 10), rng=rng, tail=3, second=7)
    with pytest.raises(NotSupported, match="needs ExactAnswers"):
        SteeredPools(Problem(100, 10, 10), rng=rng, answers=NoisyAnswers(0.1))
    with pytest.raises(InvalidInput, match="answers must be an answer model"):
        SteeredPools(Problem(100, 10, 10), rng=rng, answers="exact")  # type: ignore[arg-type]


def test_a_challenger_told_not_to_check_its_guess_asks_as_often_but_never_its_guess() -> None:
    n, m, k = 400, 4, 20
    rng = np.random.default_rng(8)
    hidden = rng.integers(m, size=n)
    prior = np.full((n, m), 0.2)
    prior[np.arange(n), rng.integers(m, size=n)] = 0.4
    last = {}
    for check in (True, False):
        attack = ChampionChallenger(
            Problem(n, m, k), rng=np.random.default_rng(0), prior=prior, check_guess=check
        )
        guess = attack.predict()
        while (query := attack.ask()) is not None:
            guess = attack.predict()
            last[check] = bool((query == guess).all())
            attack.tell(float((query == hidden).mean()))
        assert attack.answered == k
    assert last == {True: True, False: False}
