import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery
from holdfast.metrics import Accuracy
from holdfast.oracles import ClassifierOracle, LabelOracle, MetricOracle
from holdfast.rules import ImprovedOnly, Split

HIDDEN = np.random.default_rng(4).integers(4, size=200).astype(np.uint8)
GOOD, BAD = HIDDEN.copy(), (HIDDEN + 1) % 4


class Knows:
    """Labels rows that are their own positions."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, X):
        return self.labels[X]


def by_labels(k, mechanism=None, accounts=1):
    return LabelOracle(HIDDEN, problem=Problem(200, 4, k), mechanism=mechanism, accounts=accounts)


def by_classifiers(k, mechanism=None, accounts=1):
    problem = Problem(200, 4, k)
    made = ClassifierOracle(
        np.arange(200), HIDDEN, problem=problem, mechanism=mechanism, accounts=accounts
    )
    made.query, query = lambda labels: query(Knows(labels)), made.query
    return made


def by_metric(k, mechanism=None, accounts=1):
    return MetricOracle(
        HIDDEN, Accuracy(), n_queries=k, mechanism=mechanism, n_classes=4, accounts=accounts
    )


EITHER = pytest.mark.parametrize("oracle", [by_labels, by_classifiers, by_metric])


class Shares(ImprovedOnly):
    """Notes the looks that each new state is made for."""

    def init(self, problem):
        self.seen.append(problem.n_queries)
        return super().init(problem)


@pytest.mark.parametrize(
    ("looks", "accounts", "shares"),
    [(10, 3, [4, 3, 3]), (5, 2, [3, 2]), (4, 4, [1] * 4), (4, 1, [4]), (2, 5, [1, 1])],
)
@EITHER
def test_accounts_share_the_looks_evenly(oracle, looks, accounts, shares):
    rule = Shares()
    object.__setattr__(rule, "seen", [])
    asked = oracle(looks, rule, accounts)
    for _ in range(looks):
        asked.query(BAD)
    assert rule.seen == shares


@EITHER
def test_every_account_starts_from_a_fresh_state(oracle):
    single, fresh = oracle(24, ImprovedOnly()), oracle(24, ImprovedOnly(), accounts=24)
    assert [single.query(GOOD), single.query(BAD)] == [1.0, 0.0]
    assert [fresh.query(GOOD), fresh.query(BAD)] == [1.0, 1.0]


@EITHER
def test_the_budget_is_that_of_all_accounts_together(oracle):
    small = oracle(2, accounts=2)
    small.query(GOOD)
    assert small.looks_left == 1
    small.query(GOOD)
    with pytest.raises(BudgetExhausted, match="all 2 looks are used up"):
        small.query(GOOD)
    assert small.looks == 2


def test_a_refused_first_query_leaves_an_account_as_new():
    asked = by_labels(2, ImprovedOnly(), accounts=2)
    asked.query(GOOD)
    with pytest.raises(InvalidQuery):
        asked.query(GOOD[:3])
    assert asked.query(BAD) == 1.0


def test_a_number_of_accounts_and_a_rule_that_does_not_fit_are_refused_at_once():
    with pytest.raises(InvalidInput, match="accounts must be at least 1, got 0"):
        by_labels(2, accounts=0)
    with pytest.raises(InvalidInput, match="must be at least 500, got 200"):
        by_labels(2, Split(500))
