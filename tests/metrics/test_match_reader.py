"""Kappa, correlation and mean recalls of several classes, played like accuracies."""

import numpy as np
import pytest

from holdfast import Problem, attacks, oracles
from holdfast.attacks.through_metrics import CountReader
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.mechanisms import parse_mechanism
from holdfast.metrics.registry import parse_metric

SKEWED = np.repeat([0, 1, 2, 3], [10, 50, 20, 40])
EQUAL = np.repeat([0, 1, 2, 3], 30)


def run(hidden, name, *, looks=150, decimals=None):
    metric = parse_metric(name)
    rule = None if decimals is None else parse_mechanism(f"round:{decimals}")
    hidden = np.random.default_rng(2).permutation(hidden)
    board = oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule)
    attack = CountReader(
        Problem(hidden.size, 4, looks),
        attacks.Lattice,
        rng=np.random.default_rng(0),
        metric=metric,
        sizes=np.bincount(hidden),
        step=0.0 if decimals is None else 10.0**-decimals,
    )
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board, hidden


@pytest.mark.parametrize(
    ("hidden", "name"),
    [
        (SKEWED, "cohen_kappa"),
        (SKEWED, "matthews_corrcoef"),
        (EQUAL, "balanced_accuracy"),
        (EQUAL, "recall_macro"),
    ],
)
@pytest.mark.parametrize("decimals", [None, 4])
def test_all_labels_are_read_in_the_looks_that_accuracies_take(hidden, name, decimals):
    attack, board, shuffled = run(hidden, name, decimals=decimals)
    assert np.array_equal(attack.predict(), shuffled)
    plain = attacks.Lattice(Problem(hidden.size, 4, 150), rng=np.random.default_rng(0))
    while (query := plain.ask()) is not None:
        plain.tell(np.mean(query == shuffled))
    assert board.looks == plain.answered


@pytest.mark.parametrize("name", ["cohen_kappa", "matthews_corrcoef"])
def test_a_value_belongs_to_the_matches(name):
    rng, metric = np.random.default_rng(1), parse_metric(name)
    heard = []

    class Ear:
        def __init__(self, problem, *, rng):
            self.queries = iter(queries)

        def ask(self):
            return next(self.queries)

        def tell(self, answer):
            heard.append(answer)

    queries = rng.integers(4, size=(50, SKEWED.size))
    reader = CountReader(
        Problem(SKEWED.size, 4, 50), Ear, rng=rng, metric=metric, sizes=np.bincount(SKEWED)
    )
    for _ in queries:
        reader.tell(metric.score(SKEWED, reader.ask()))
    assert heard == [np.mean(query == SKEWED) for query in queries]


def test_bad_settings_and_answers_are_refused():
    def reader(name, sizes):
        return CountReader(
            Problem(120, 4, 9),
            attacks.Lattice,
            rng=np.random.default_rng(0),
            metric=parse_metric(name),
            sizes=sizes,
        )

    for name in ("f1_macro", "f1_weighted", "precision_macro", "jaccard_macro"):
        with pytest.raises(NotSupported, match="several numbers of matches"):
            reader(name, [30] * 4)
    with pytest.raises(NotSupported, match="denominator of its own"):
        reader("balanced_accuracy", [10, 50, 20, 40])
    for sizes in ([30] * 3, [30, 30, 30, 31], [-1, 61, 30, 30]):
        with pytest.raises(InvalidInput, match="add up to 120"):
            reader("cohen_kappa", sizes)
    attack = reader("cohen_kappa", [30] * 4)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="for classes of"):
        attack.tell(0.12345)
