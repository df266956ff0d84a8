import itertools
import math

import numpy as np
import pytest

from holdfast.bounds.information import accuracy_from_information
from holdfast.bounds.label_model import (
    accuracy_from_shares,
    entropy_of,
    nats_any_labels,
    queries_to_recover_shares,
)
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from tests.bounds.blahut_arimoto import blahut_arimoto

SHARES = [(0.9, 0.1), (0.5, *[0.5 / 9] * 9), (0.4, 0.3, 0.2, 0.1), (0.34, 0.33, 0.33), (1.0, 0.0)]


@pytest.mark.parametrize("m", [2, 3, 10, 1000])
@pytest.mark.parametrize("nats", [0.001, 1.0, 30.0, 100.0, 1e6])
def test_equal_shares_give_the_bound_for_uniform_labels(m, nats):
    found = accuracy_from_shares(nats, 400, [1.0 / m] * m)
    assert math.isclose(found, accuracy_from_information(nats, 400, m), rel_tol=1e-9)


@pytest.mark.parametrize("top", [0.55, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("rate", [0.001, 0.02, 0.05])
def test_two_classes_have_the_textbook_rate(top, rate):
    """R(a) = h(p) - h(a), from p on."""
    a = accuracy_from_shares(100 * rate, 100, (top, 1.0 - top))
    spent = entropy_of((top, 1.0 - top)) - (entropy_of((a, 1.0 - a)) if a < 1.0 else 0.0)
    assert spent <= rate + 1e-9
    assert math.isclose(spent, rate, rel_tol=1e-6) or a == 1.0


@pytest.mark.parametrize("shares", SHARES[:4])
@pytest.mark.parametrize("slope", [2.5, 4.0, 6.0])
def test_any_shares_have_the_rate_that_iteration_finds(shares, slope):
    rate, accuracy = blahut_arimoto(shares, slope)
    assert math.isclose(accuracy_from_shares(rate * 50, 50, shares), accuracy, abs_tol=2e-5)


@pytest.mark.parametrize("shares", SHARES)
def test_it_starts_at_the_majority_and_never_falls(shares):
    values = [accuracy_from_shares(nats, 100, shares) for nats in np.linspace(0.0, 300.0, 61)]
    assert values[0] == max(shares)
    assert values == sorted(values)
    assert values[-1] == 1.0


@pytest.mark.parametrize(("shares", "n"), [((0.8, 0.2), 6), ((0.6, 0.3, 0.1), 4)])
def test_no_query_of_tiny_problems_beats_it(shares, n):
    """Every first query, the best guess for every answer, against the answers' entropy."""
    m = len(shares)
    labels = np.array(list(itertools.product(range(m), repeat=n)))
    weight = np.array(shares)[labels].prod(axis=1)
    best = 0.0
    for query in itertools.combinations_with_replacement(range(m), n):
        answers = (labels == np.array(query)).sum(axis=1)
        matches, entropy = 0.0, 0.0
        for answer in np.unique(answers):
            here = weight * (answers == answer)
            votes = [np.bincount(labels[:, j], weights=here, minlength=m).max() for j in range(n)]
            matches += sum(votes)
            entropy -= here.sum() * math.log(here.sum())
        assert matches / n <= accuracy_from_shares(entropy, n, shares) + 1e-12
        assert entropy <= nats_any_labels(Problem(n, m, 1))
        best = max(best, matches / n)
    assert best > max(shares)


def test_looks_that_all_labels_take():
    assert queries_to_recover_shares(2000, 2, (1.0, 0.0)) == 0
    assert queries_to_recover_shares(1, 2, (0.5, 0.5)) == 1
    few, many = (queries_to_recover_shares(2000, 10, shares) for shares in (SHARES[1], [0.1] * 10))
    assert few < many


@pytest.mark.parametrize("shares", [(0.5, 0.4), (1.0,), (1.5, -0.5), (float("nan"), 0.5)])
def test_shares_that_are_none_are_refused(shares):
    with pytest.raises(InvalidInput, match="shares must be"):
        accuracy_from_shares(1.0, 10, shares)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
@pytest.mark.parametrize("nats", [0.1, 1.0, 30.0])
def test_equal_shares_are_never_worth_less_than_uniform_labels(n, nats):
    """Next to no nats an example are a difference of entropies that lose their digits."""
    assert accuracy_from_shares(nats, n, [0.1] * 10) >= accuracy_from_information(nats, n, 10)
