"""The number of transcripts that a Ladder can show, counted one by one."""

import itertools
import math

import numpy as np
import pytest

from holdfast import Problem
from holdfast.evaluate import evaluate
from holdfast.rules import Ladder


def transcripts(step, n, k):
    """Return every sequence of k answers that a Ladder gives to some sequence of match counts."""
    rule, labels = Ladder(step), np.zeros(n, dtype=np.uint8)
    evaluations = [
        evaluate((np.arange(n) >= matches).astype(np.uint8), labels, 2) for matches in range(n + 1)
    ]
    found = {(): rule.init(Problem(n, 2, k))}
    for _ in range(k):
        longer = {}
        for (shown, state), evaluation in itertools.product(found.items(), evaluations):
            answer, after = rule.release(state, evaluation, np.random.default_rng(0))
            longer[*shown, answer] = after
        found = longer
    return set(found)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("step", [0.75, 0.7, 0.3, 0.23])
def test_the_bound_is_the_number_of_transcripts_where_the_top_rung_lies_below_one(step, k):
    # On a grid that is fine against the step every non-decreasing sequence of rungs is reached.
    n = 60
    counted = len(transcripts(step, n, k))
    assert math.isclose(Ladder(step).own_nats(Problem(n, 2, k)), math.log(counted), abs_tol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("step", [1.0, 0.5, 0.4, 0.35, 0.25, 0.2])
def test_the_bound_is_a_little_above_where_the_top_rung_is_not(step, k):
    # A score would have to exceed one to climb to the top from the rung below it, so some sequences
    # are never shown; with a single look there are none of these.
    n = 60
    counted = len(transcripts(step, n, k))
    bound = Ladder(step).own_nats(Problem(n, 2, k))
    assert bound >= math.log(counted) - 1e-9
    assert bound <= math.log(counted * (k + 1) / 2) + 1e-9
