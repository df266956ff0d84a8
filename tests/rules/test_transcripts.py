"""Each rule against its paper's pseudo-code: transcripts computed by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import BudgetExhausted
from holdfast.evaluate import evaluate
from holdfast.rules import (
    Batch,
    Chain,
    Exact,
    FreshSubsample,
    Gaussian,
    ImprovedOnly,
    Ladder,
    Laplace,
    ParameterFreeLadder,
    RankOnly,
    Rounding,
    ShakyLadder,
    Split,
    Subsample,
    Thresholdout,
    additive,
    released,
    shaky_ladder,
    thresholdout,
)
from holdfast.rules.parameter_free_ladder import climbs


def with_matches(matches, n):
    """Return an evaluation whose first `matches` of n examples are right."""
    labels = np.zeros(n, dtype=np.uint8)
    query = (np.arange(n) >= matches).astype(np.uint8)
    return evaluate(query, labels, 2)


def answers_to(rule, evaluations, *, rng=None, n_queries=100):
    evaluations = list(evaluations)
    state = rule.init(Problem(evaluations[0].n_examples, 2, n_queries))
    answers = []
    for evaluation in evaluations:
        answer, state = rule.release(state, evaluation, rng or np.random.default_rng(0))
        answers.append(answer)
    return answers, state


def answers_to_counts(rule, counts, n, **more):
    return answers_to(rule, [with_matches(c, n) for c in counts], **more)[0]


class Scripted:
    """Takes a generator's place: hands out the noise it was given and records the scales."""

    def __init__(self, *values):
        self.values, self.scales = list(values), []

    def draw(self, scale):
        self.scales.append(scale)
        return Fraction(self.values.pop(0))


@pytest.fixture(autouse=True)
def scripted_noise(monkeypatch):
    def draw(shape, scale, rng):
        return rng.draw(scale)

    def with_noise(value, shape, scale, rng):
        return value + rng.draw(scale)

    for module in (additive, shaky_ladder, thresholdout):
        monkeypatch.setattr(module, "with_noise", with_noise)
    for module in (shaky_ladder, thresholdout):
        monkeypatch.setattr(module, "draw", draw)


def test_exact_is_matches_over_n():
    assert answers_to_counts(Exact(), [0, 3, 7], 7) == [0.0, 3 / 7, 1.0]


def test_rounding_goes_to_the_nearest_multiple_and_up_at_half():
    assert answers_to_counts(Rounding(decimals=1), [3, 5, 14, 20], 20) == [0.2, 0.3, 0.7, 1.0]
    # To the step, not to decimals: 0.35 and 0.5 are nearest to 0.3 and 0.6.
    assert answers_to_counts(Rounding(step=0.3), [7, 10, 20], 20) == [0.3, 0.6, 0.9]
    # Nothing is hidden while the step is at most 1/n.
    assert answers_to_counts(Rounding(decimals=1), [3, 4], 10) == [0.3, 0.4]


def test_rounding_decides_ties_exactly_where_floats_do_not():
    # 0.285 as a float is below 0.285, so round(0.285, 2) is 0.28.
    assert round(57 / 200, 2) == 0.28
    assert answers_to_counts(Rounding(decimals=2), [57], 200) == [0.29]


def test_ladder_rounds_to_the_step_and_climbs_by_more_than_a_step():
    # .47 -> .5; .60 = .5 + .1 is a tie; .61 climbs and becomes .6; .70 is a tie; .71 -> .7.
    answers = answers_to_counts(Ladder(step=0.1), [47, 60, 61, 70, 71, 20], 100)
    assert answers == [0.5, 0.5, 0.6, 0.6, 0.7, 0.7]


def test_ladder_compares_with_the_rounded_value_not_with_the_raw_one():
    # .54 is released as .5; .63 > .5 + .1 although .63 < .54 + .1.
    assert answers_to_counts(Ladder(step=0.1), [54, 63], 100) == [0.5, 0.6]


def test_ladder_ties_are_decided_exactly_where_floats_do_not():
    # In floats the tie .8 = .7 + .1 would climb.
    assert 0.8 > 0.7 + 0.1
    assert answers_to_counts(Ladder(step=0.1), [7, 8, 9], 10) == [0.7, 0.7, 0.9]


def two_answers(n, gained, lost):
    """Two submissions: the second wins `gained` examples and loses `lost`."""
    labels = np.zeros(n, dtype=np.uint8)
    first, second = np.ones(n, dtype=np.uint8), np.ones(n, dtype=np.uint8)
    first[:lost] = 0
    second[lost : lost + gained] = 0
    return [evaluate(first, labels, 2), evaluate(second, labels, 2)]


def test_parameter_free_ladder_three_examples_with_an_exact_tie():
    # Losses 2/3, then 1/3: the difference (1, 0, 0) has s = sqrt(1/3) with ddof = 1, so
    # s/sqrt(3) = 1/3 and 1/3 < 2/3 - 1/3 is false: a tie, not an improvement. Then loss 0: the
    # difference (1, 1, 0) to the first has s/sqrt(3) = 1/3 < 2/3.
    labels = np.zeros(3, dtype=np.uint8)
    evaluations = [evaluate(q, labels, 2) for q in ([1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 1, 1])]
    assert answers_to(ParameterFreeLadder(), evaluations)[0] == [1 / 3, 1 / 3, 1.0, 1.0]


@pytest.mark.parametrize("n", [2, 3, 9, 40])
def test_parameter_free_ladder_agrees_with_the_sample_standard_deviation(n):
    for gained in range(n + 1):
        for lost in range(n + 1 - gained):
            d = np.array([1] * gained + [-1] * lost + [0] * (n - gained - lost), dtype=float)
            margin = d.mean() - d.std(ddof=1) / math.sqrt(n)
            tie = (gained - lost) ** 2 == gained + lost
            if tie and gained >= lost:
                assert abs(margin) < 1e-12
                assert not climbs(gained, lost)
            else:
                assert climbs(gained, lost) == (margin > 0)


def test_ddof_matters():
    # With ddof = 0 the standard error of (1, 0, 0) is .272 < 1/3 and the tie would climb.
    d = np.array([1.0, 0.0, 0.0])
    assert d.mean() > d.std(ddof=0) / math.sqrt(3)
    assert not climbs(1, 0)


@pytest.mark.parametrize(("gained", "lost", "up"), [(4, 0, True), (6, 3, False), (7, 3, True)])
def test_parameter_free_ladder_releases_the_new_accuracy_or_the_standing_one(gained, lost, up):
    answers, _ = answers_to(ParameterFreeLadder(), two_answers(20, gained, lost))
    assert answers == [lost / 20, (gained if up else lost) / 20]


def test_shaky_ladder_has_noise_on_both_sides_and_on_the_release():
    rule = ShakyLadder(step=0.1, scale=0.02)
    rng = Scripted(0, 0, 0.03125, 0.25, 0, 0, 0, 0, -0.0625, 0, 0.5, 9.0)
    answers = answers_to_counts(rule, [40, 32, 60, 64], 80, rng=rng)
    # .5 + .03125; .4 + .25 > .53125 + .1 -> .4 + 0; .75 > .4 + .1 -> .75 - .0625;
    # .8 > .6875 + .1 + .5 is false.
    assert answers == [0.53125, 0.4, 0.6875, 0.6875]
    assert rng.scales == [0.02] * 12


def test_thresholdout_draws_in_the_papers_order_and_redraws_only_after_an_exceedance():
    rule = Thresholdout(threshold=0.125, scale=0.0625, budget=2, reference=0.5)
    rng = Scripted(
        0.0,  # threshold: T^ = .125
        0.0,  # look 1: |.5625 - .5| = .0625 stays below
        0.0, 0.03125, 0.125,  # look 2: |.75 - .5| > .125; answer + .03125; T^ = .25
        0.0,  # look 3: |.75 - .5| = .25 is not above .25
        -0.125, -0.25, 0.0,  # look 4: .25 > .25 - .125; answer - .25; T^ = .125
    )  # fmt: skip
    answers = answers_to_counts(rule, [9, 12, 12, 12], 16, rng=rng)
    assert answers == [0.5, 0.78125, 0.5, 0.5]
    s = 0.0625
    assert rng.scales == [2 * s, 4 * s, 4 * s, s, 2 * s, 4 * s, 4 * s, s, 2 * s]
    assert rng.values == []


def test_thresholdout_refuses_when_its_budget_is_spent_and_stays_as_it_was():
    rule = Thresholdout(threshold=0.125, scale=0.0625, budget=1, reference=0.0)
    rng = Scripted(0.0, 0.0, 0.0, 0.0)
    _, state = answers_to(rule, [with_matches(16, 16)], rng=rng)
    assert state["budget"] == 0
    with pytest.raises(BudgetExhausted, match="has spent its budget of 1"):
        rule.release(state, with_matches(0, 16), rng)
    # Even a look that would not exceed is refused, and nothing was drawn for it.
    assert rng.values == []


def test_thresholdout_without_a_reference_compares_with_the_last_release():
    rule = Thresholdout(threshold=0.125, scale=0.0625, budget=9)
    rng = Scripted(0.0, 0.0, 0.0, 0.03125, 0.0, 0.0)
    # 1/2 at first (two classes): .5; then .75 exceeds -> .78125; then .875 is near .78125.
    assert answers_to_counts(rule, [8, 12, 14], 16, rng=rng)[0] == 0.5
    rng = Scripted(0.0, 0.0, 0.0, 0.03125, 0.0, 0.0)
    assert answers_to_counts(rule, [8, 12, 14], 16, rng=rng) == [0.5, 0.78125, 0.78125]


def test_gaussian_and_laplace_add_one_fresh_draw_each_look():
    rng = Scripted(0.125, -0.5)
    assert answers_to_counts(Gaussian(0.3), [8, 4], 16, rng=rng) == [0.625, -0.25]
    assert rng.scales == [0.3, 0.3]
    assert answers_to_counts(Laplace(0.3), [8], 16, rng=Scripted(0.25)) == [0.75]


def test_subsample_scores_the_same_examples_at_every_look():
    n, labels = 50, np.zeros(50, dtype=np.uint8)
    singles = [evaluate(1 - np.eye(n, dtype=np.uint8)[j], labels, 2) for j in range(n)]
    once = answers_to(Subsample(0.3), singles)[0]
    assert sorted(set(once)) == [0.0, 1 / 15]
    assert once.count(1 / 15) == 15
    assert answers_to(Subsample(0.3), singles)[0] == once
    assert answers_to(Subsample(0.3, seed=1), singles)[0] != once


def test_fresh_subsample_is_hypergeometric():
    rng = np.random.default_rng(2)
    rule = FreshSubsample(0.25)
    draws = [rule.release({}, with_matches(12, 40), rng)[0] * 10 for _ in range(2000)]
    # 10 of 40 without replacement, 12 of them right: mean 3, variance 10 .3 .7 30/39.
    variance = 10 * 0.3 * 0.7 * 30 / 39
    assert abs(np.mean(draws) - 3) < 4 * math.sqrt(variance / 2000)
    assert abs(np.var(draws) - variance) < 4 * variance * math.sqrt(2 / 2000)


def test_split_uses_each_part_for_its_share_of_the_looks_and_then_refuses():
    n, labels = 30, np.zeros(30, dtype=np.uint8)
    rule, state, parts = Split(3), Split(3).init(Problem(30, 2, 6)), []
    for j in range(n):
        single = evaluate(1 - np.eye(n, dtype=np.uint8)[j], labels, 2)
        seen, state = [], rule.init(Problem(30, 2, 6))
        for _ in range(6):
            answer, state = rule.release(state, single, np.random.default_rng(0))
            seen.append(round(answer * 10))
        parts.append(tuple(seen))
    assert {part: parts.count(part) for part in set(parts)} == {
        (1, 1, 0, 0, 0, 0): 10,
        (0, 0, 1, 1, 0, 0): 10,
        (0, 0, 0, 0, 1, 1): 10,
    }
    with pytest.raises(BudgetExhausted, match="used up all 3 parts in 6 looks"):
        rule.release(state, single, np.random.default_rng(0))


def test_improved_only_is_strict():
    answers = answers_to_counts(ImprovedOnly(), [3, 3, 4, 2, 4, 5], 9)
    assert answers == [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]


def test_rank_only_shares_the_better_rank_among_equals():
    assert answers_to_counts(RankOnly(), [5, 3, 5, 4, 9, 3], 9) == [1.0, 2.0, 1.0, 3.0, 1.0, 5.0]


def test_batch_answers_all_at_once():
    answers, state = answers_to(Batch(3), [with_matches(c, 8) for c in (1, 2, 4, 8, 8)])
    assert [math.isnan(answer) for answer in answers] == [True, True, False, True, True]
    assert answers[2] == 0.5
    assert released(state) == [0.125, 0.25, 0.5]
    assert len(state["waiting"]) == 2


def test_batch_feeds_the_rest_of_a_chain_in_the_order_of_submission():
    rule = Chain([Batch(4), Ladder(step=0.25)])
    answers, state = answers_to(rule, [with_matches(c, 8) for c in (4, 5, 7, 1)])
    assert answers[3] == 1.0
    assert released(state) == [0.5, 0.5, 1.0, 1.0]


def test_chain_rounds_what_the_public_part_scored():
    evaluation = with_matches(11, 30)
    part = Subsample(0.5).release({}, evaluation, np.random.default_rng(0))[0]
    rule = Chain([Subsample(0.5), Rounding(decimals=1)])
    answer, _ = rule.release(rule.init(Problem(30, 2, 1)), evaluation, np.random.default_rng(0))
    assert answer == math.floor(Fraction(round(part * 15), 15) * 10 + Fraction(1, 2)) / 10
