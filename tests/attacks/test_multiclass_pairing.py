"""Whom to play where any label may win: fresh labels, bars, and the memory of the last look."""

import numpy as np
import pytest

from holdfast.attacks import ChampionChallenger
from holdfast.attacks.steering.multiclass_pairing import (
    DEFAULT_WEIGHTS,
    LabelHistory,
    ShowWeights,
    multiclass_level,
    multiclass_pairing,
)
from holdfast.problem import Problem

N = 10_000
SLOPE = 1.0
HALF = np.tanh(SLOPE / 2.0)
# Coins that fall evenly: the share of champions is the chance, to one in N.
EVEN = (np.arange(N) + 0.5) / N


def shown_after(*queries):
    shown = LabelHistory(N)
    for code in queries:
        shown.add(np.full(N, code, dtype=np.uint8))
    return shown


def chance(
    column, shown, champion, *, weights: ShowWeights = DEFAULT_WEIGHTS, left=15.0, looks=30.0
):
    """Return the share of positions with these estimates that show their champion."""
    estimates = np.repeat(np.array(column)[:, None], N, axis=1)
    codes, playing = multiclass_pairing(
        estimates, shown, SLOPE, EVEN, left=left, looks=looks, weights=weights
    )
    assert playing == N
    return np.mean(codes == champion)


def lead(high, low):
    return (high - low) / ((high + low) * HALF)


def test_the_chance_adds_up_for_a_known_challenger():
    high, low, fresh = 0.14, 0.13, 0.1
    ahead, above = lead(high, low), lead(low, fresh)
    still = (
        DEFAULT_WEIGHTS.no_lead
        + DEFAULT_WEIGHTS.lead * ahead
        + DEFAULT_WEIGHTS.lead_to_the_4th * ahead**4
        + DEFAULT_WEIGHTS.second * above
        + DEFAULT_WEIGHTS.second_squared * above**2
    )
    column = [high, low, 0.02, fresh]
    got = chance(column, shown_after(1, 2), 0)
    assert got == pytest.approx(still, abs=1.5 / N)
    got = chance(column, shown_after(2, 0), 0)
    assert got == pytest.approx(still + DEFAULT_WEIGHTS.champion_was_last, abs=1.5 / N)
    got = chance(column, shown_after(2, 1), 0)
    assert got == pytest.approx(still + DEFAULT_WEIGHTS.challenger_was_last, abs=1.5 / N)


def test_a_challenger_below_the_bar_gives_way_to_a_fresh_label():
    """Among equals a fresh label is tried early on; a strong champion keeps whom it knows."""
    equal = [0.101, 0.1001, 0.1]
    estimates = np.repeat(np.array(equal)[:, None], N, axis=1)
    shown = shown_after(1)
    early, _ = multiclass_pairing(estimates, shown, SLOPE, np.ones(N), left=29.0, looks=30.0)
    assert (early == 2).all()
    estimates[0], estimates[1] = 0.24, 0.0999
    late, _ = multiclass_pairing(estimates, shown, SLOPE, np.ones(N), left=1.0, looks=30.0)
    assert (late == 1).all()


def test_a_position_whose_labels_all_lost_shows_a_fresh_one():
    estimates = np.repeat(np.array([[0.08], [0.09], [0.1]]), N, axis=1)
    codes, playing = multiclass_pairing(
        estimates, shown_after(1), SLOPE, EVEN, left=15.0, looks=30.0
    )
    assert (codes == 2).all()
    assert playing == N


def test_without_a_fresh_label_the_best_two_play():
    """All three classes have been shown: there is no fourth row to look at."""
    column = [0.3, 0.31, 0.39]
    shown = shown_after(1, 2, 0)
    estimates = np.repeat(np.array(column)[:, None], N, axis=1)
    codes, playing = multiclass_pairing(estimates, shown, SLOPE, EVEN, left=15.0, looks=30.0)
    assert playing == N
    assert set(codes.tolist()) == {1, 2}


def test_a_position_at_the_level_is_parked():
    estimates = np.repeat(np.array([[0.3], [0.05], [0.1]]), N, axis=1)
    codes, playing = multiclass_pairing(
        estimates, shown_after(1), SLOPE, EVEN, left=15.0, looks=30.0
    )
    assert (codes == 0).all()
    assert playing == 0


def test_more_looks_lose_less_on_beaten_labels():
    levels = [multiclass_level(k) for k in (1, 2, 10, 100, 10_000)]
    assert levels == sorted(levels)
    assert 0.0 < levels[0] < levels[-1] < 1.0


@pytest.mark.parametrize("n_classes", [3, 10, 100])
def test_labels_are_shown_in_turn(n_classes):
    """What `LabelHistory` counts on: no position skips a label, so the next one is always fresh."""
    n, m, k = problem = Problem(300, n_classes, 25)
    hidden = np.random.default_rng(1).integers(m, size=n)
    attack = ChampionChallenger(problem, rng=np.random.default_rng(2), permuted=False)
    seen = np.zeros(n, dtype=int)
    for _ in range(k):
        query = attack.ask()
        assert (query <= seen).all()
        seen = np.maximum(seen, query.astype(int) + 1)
        attack.tell(np.count_nonzero(query == hidden) / n)
    assert seen.max() > 2
