import numpy as np
import pandas as pd
import pytest

from holdfast import Problem
from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery
from holdfast.oracles import ClassifierOracle, IndexedOracle, LabelOracle
from holdfast.rules import Gaussian, Subsample

LABELS = np.array([0, 1, 2, 0, 1, 2])
PROBLEM = Problem(6, 3, 4)


class Lookup:
    """Knows the label of each row by its content."""

    def __init__(self, table):
        self.table, self.orders = table, []

    def predict(self, X):
        rows = X["name"].tolist() if hasattr(X, "iloc") else [str(np.squeeze(row)) for row in X]
        self.orders.append(tuple(rows))
        return np.array([self.table[row] for row in rows])


@pytest.mark.parametrize(
    "X",
    [
        list("abcdef"),
        np.array(list("abcdef")),
        np.array(list("abcdef")).reshape(6, 1),
        pd.DataFrame({"name": list("abcdef")}),
    ],
    ids=["list", "array", "column", "frame"],
)
def test_rows_arrive_in_a_fresh_order_and_are_scored_in_it(X):
    perfect = Lookup(dict(zip("abcdef", LABELS.tolist(), strict=True)))
    oracle = ClassifierOracle(X, LABELS, problem=PROBLEM, rng=np.random.default_rng(0))
    assert [oracle.query(perfect) for _ in range(4)] == [1.0] * 4
    assert len(set(perfect.orders)) > 1
    with pytest.raises(BudgetExhausted):
        oracle.query(perfect)


class Positional:
    def predict(self, X, index=None):
        return LABELS if index is None else LABELS[index]


def test_positions_are_worth_nothing():
    rng = np.random.default_rng(0)
    problem = Problem(6, 3, 400)
    oracle = ClassifierOracle(list("abcdef"), LABELS, problem=problem, rng=rng)
    answers = [oracle.query(Positional()) for _ in range(400)]
    # Random order of balanced labels: one third on average, standard error below 0.011.
    assert abs(np.mean(answers) - 1 / 3) < 0.044


def test_an_indexed_board_gives_positions_away():
    oracle = IndexedOracle(list("abcdef"), LABELS, problem=PROBLEM)
    assert oracle.query(Positional()) == 1.0


class Returns:
    def __init__(self, labels):
        self.labels = labels

    def predict(self, X, index=None):
        return self.labels


@pytest.mark.parametrize("kind", [ClassifierOracle, IndexedOracle])
@pytest.mark.parametrize(
    ("query", "message"),
    [
        (object(), "query must have a predict method"),
        (Returns([0, 1]), "must have length 6, got 2"),
        (Returns([0, 1, 2, 3, 0, 0]), "got 3 at position 3"),
        (Returns([0.5] * 6), "must be integers"),
    ],
)
def test_a_bad_classifier_costs_nothing(kind, query, message):
    oracle = kind(list("abcdef"), LABELS, problem=PROBLEM)
    with pytest.raises(InvalidQuery, match=message):
        oracle.query(query)
    assert oracle.looks == 0


def test_features_and_labels_must_fit_the_problem():
    with pytest.raises(InvalidInput, match=r"X must have n_examples = 6 rows, got 2\."):
        ClassifierOracle(["a", "b"], LABELS, problem=PROBLEM)


def test_a_refused_classifier_does_not_change_later_answers():
    answers = []
    for bad_ones in (0, 3):
        oracle = ClassifierOracle(
            list("abcdef"),
            LABELS,
            problem=PROBLEM,
            mechanism=Gaussian(0.1),
            rng=np.random.default_rng(5),
        )
        for _ in range(bad_ones):
            with pytest.raises(InvalidQuery):
                oracle.query(Returns([0.5] * 6))
        answers.append([oracle.query(Returns([0] * 6)) for _ in range(2)])
    assert answers[0] == answers[1]
    assert answers[0][0] != answers[0][1]


def test_a_rule_that_scores_a_fixed_part_scores_the_same_rows_every_time():
    n, k = 200, 20
    hidden = np.random.default_rng(6).integers(2, size=n)

    class RightOnTheFirstHalf:
        def predict(self, X):
            return np.where(X.astype(int) * 2 < n, hidden[X], 1 - hidden[X])

    problem = Problem(n, 2, k)
    oracle = ClassifierOracle(np.arange(n), hidden, problem=problem, mechanism=Subsample(0.3))
    answers = {oracle.query(RightOnTheFirstHalf()) for _ in range(k)}
    assert len(answers) == 1
    in_order = LabelOracle(hidden, problem=problem, mechanism=Subsample(0.3))
    assert answers == {in_order.query(RightOnTheFirstHalf().predict(np.arange(n)))}
