"""Match counts read from other metrics: the inner attack hears what an accuracy would tell it."""

import itertools

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles
from holdfast.attacks.through_metrics import CountReader
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.mechanisms import parse_mechanism
from holdfast.metrics.registry import parse_metric

NAMES = [
    "f1",
    "f1_macro",
    "f1_weighted",
    "balanced_accuracy",
    "precision_macro",
    "recall_macro",
    "jaccard_macro",
    "matthews_corrcoef",
    "cohen_kappa",
    "accuracy",
]


def run(hidden, name, looks=500, decimals=None, make=attacks.Lattice, **settings):
    metric = parse_metric(name)
    rule = None if decimals is None else parse_mechanism(f"round:{decimals}")
    board = oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule)
    problem, rng = Problem(len(hidden), 2, looks), np.random.default_rng(0)
    attack = CountReader(problem, make, rng=rng, metric=metric, decimals=decimals, **settings)
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_all_labels_are_recovered_and_positives_are_counted(name, share):
    hidden = (np.random.default_rng(1).random(250) < share).astype(int)
    attack, board = run(hidden, name)
    assert (attack.predict() == hidden).all()
    assert attack.positives == hidden.sum()
    assert attack.inner.certain().all()
    assert board.looks < 110


@pytest.mark.parametrize("name", NAMES)
def test_the_inner_attack_asks_what_it_would_ask_of_accuracies(name):
    hidden = (np.arange(90) % 4 == 0).astype(int)
    attack, _ = run(hidden, name, looks=30, positives=int(hidden.sum()))
    plain, _ = run(hidden, "accuracy", looks=30, positives=int(hidden.sum()))
    assert attack.predict().tolist() == plain.predict().tolist()


@pytest.mark.parametrize("name", NAMES)
def test_every_value_of_a_tiny_problem_is_read_as_the_matches_it_has(name):
    metric = parse_metric(name)
    for labels, query in itertools.product(itertools.product((0, 1), repeat=4), repeat=2):
        truth, given = np.array(labels, np.uint8), np.array(query, np.uint8)
        heard = []

        class Listening(attacks.Constant):
            def _query(self, index, given=given):
                return given

            def tell(self, answer, heard=heard):
                heard.append(answer)

        rng, problem = np.random.default_rng(0), Problem(4, 2, 1)
        attack = CountReader(problem, Listening, rng=rng, metric=metric, positives=sum(labels))
        attack.ask()
        attack.tell(metric.score(truth, given))
        values = {
            float(metric.value(np.array(z), given))
            for z in itertools.product((0, 1), repeat=4)
            if sum(z) == sum(labels)
        }
        counts = {
            int((np.array(z) == given).sum())
            for z in itertools.product((0, 1), repeat=4)
            if sum(z) == sum(labels)
        }
        # A value that is constant tells nothing, and the middle count is passed on.
        if len(values) == len(counts):
            assert heard == [(truth == given).mean()]


def test_four_decimals_are_enough_on_a_small_board():
    hidden = (np.random.default_rng(3).random(200) < 0.3).astype(int)
    attack, _ = run(hidden, "f1", decimals=4)
    assert (attack.predict() == hidden).all()


def test_bad_settings_and_answers_are_refused():
    rng, f1 = np.random.default_rng(0), metrics.F1()
    with pytest.raises(NotSupported, match="3 classes"):
        CountReader(Problem(9, 3, 3), attacks.Lattice, rng=rng, metric=metrics.F1Macro())
    with pytest.raises(InvalidInput, match="positives"):
        CountReader(Problem(9, 2, 3), attacks.Lattice, rng=rng, metric=f1, positives=10)
    attack = CountReader(Problem(9, 2, 9), attacks.Lattice, rng=rng, metric=f1)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(OutOfTurn):
        attack.ask()
    with pytest.raises(InconsistentAnswer):
        attack.tell(0.123)


def test_decimals_that_leave_the_positives_open_say_so():
    hidden = (np.random.default_rng(3).random(5000) < 0.3).astype(int)
    with pytest.raises(NotSupported, match="how many positives"):
        run(hidden, "f1", decimals=2)
