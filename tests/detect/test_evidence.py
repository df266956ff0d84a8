"""The e-process: what it says of bits, and how often it accuses somebody who is honest."""

import numpy as np
import pytest
from benchmarks.detect.simulated import flagged_share

from holdfast.detect import Evidence, evidence_of
from holdfast.detect.evidence import (
    EARLY_STARTS,
    FLAG,
    GRACE,
    MOST_STARTS,
    SHARE_WEIGHTS,
    SHARES,
    start_weight,
)
from holdfast.errors import InvalidInput


def by_definition(bits, rate):
    """Return E after all bits, as the page has it: a sum over shares and starts."""
    above = [(q, v) for q, v in zip(SHARES, SHARE_WEIGHTS, strict=True) if q > rate]
    total = 0.0
    for q, v in above:
        v /= sum(v for _, v in above)
        for start in range(len(bits)):
            ones, zeros = sum(bits[start:]), len(bits) - start - sum(bits[start:])
            product = (q / rate) ** max(0, ones - GRACE) * ((1 - q) / (1 - rate)) ** zeros
            total += v * start_weight(start + 1)[0] * product
    return total + (start_weight(len(bits))[1] if bits else 1.0)


@pytest.mark.parametrize("rate", [0.1, 0.15, 0.35])
def test_it_is_the_sum_that_the_page_has(rate):
    rng = np.random.default_rng(0)
    bits = [bool(bit) for bit in rng.random(40) < 0.6]
    found = evidence_of(bits, rate)
    for at in (0, 1, 4, 20, 39):
        assert np.exp(found[at]) == pytest.approx(by_definition(bits[: at + 1], rate))


def test_weights_sum_to_one():
    assert sum(SHARE_WEIGHTS) == 1.0
    starts = range(1, 1000)
    assert sum(start_weight(s)[0] for s in starts) + start_weight(999)[1] == pytest.approx(1.0)


@pytest.mark.parametrize("before", [[], [False], [False, False]])
def test_six_ones_in_a_row_flag_from_the_first_three_looks_on(before):
    found = evidence_of([*before, *[True] * 6], 0.1)
    assert found[-1] >= np.log(FLAG) > found[-2]


def test_looks_that_can_not_be_told_change_nothing():
    with_gaps = evidence_of([True, None, True, None, None, False], 0.1)
    without = evidence_of([True, True, False], 0.1)
    assert with_gaps[[0, 2, 5]] == pytest.approx(without)


def test_memory_is_flat_and_what_is_left_out_only_lowers_the_evidence():
    rng = np.random.default_rng(1)
    bits = [bool(bit) for bit in rng.random(MOST_STARTS + 60) < 0.2]
    found = Evidence(0.1)
    for bit in bits:
        found.add(bit)
    assert found._logs.shape == (MOST_STARTS, 3)
    assert found.log <= np.log(by_definition(bits, 0.1)) + 1e-9


def test_a_rate_beyond_all_shares_leaves_no_evidence():
    assert evidence_of([True] * 50, 0.95).tolist() == [0.0] * 50


@pytest.mark.parametrize("rate", [0.0, 1.0, -1.0])
def test_a_rate_is_a_probability(rate):
    with pytest.raises(InvalidInput, match="rate must be between 0 and 1"):
        Evidence(rate)


@pytest.mark.slow
def test_fewer_than_one_in_a_hundred_of_10000_honest_teams_are_ever_flagged_at_the_rate():
    """Assumption A at its edge: three slips first, then ones at p0 for 50 looks."""
    assert flagged_share(0.1, 10_000, 50, GRACE, seed=7) < 0.01


@pytest.mark.slow
def test_at_twice_the_rate_honest_teams_are_flagged_as_the_page_warns():
    """A team with a lasting rate of 0.2 is a false alarm: about one in eight by look 50."""
    assert 0.08 < flagged_share(0.2, 2_000, 50, GRACE, seed=8) < 0.2


def test_the_many_teams_of_these_tests_are_those_of_the_class():
    assert EARLY_STARTS == 3
    rng = np.random.default_rng(7)
    bits = rng.random((50, 20)) < 0.5
    bits[:GRACE] = True
    logs = [evidence_of(column.tolist(), 0.1) for column in bits.T]
    share = np.mean([each.max() >= np.log(FLAG) for each in logs])
    assert flagged_share(0.5, 20, 50, GRACE, seed=7) == pytest.approx(share, abs=0.051)
