"""Match counts read from other metrics: the inner attack hears what an accuracy would tell it."""

import itertools

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles, play
from holdfast.attacks.through_metrics import CountReader
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.metrics.registry import parse_metric
from holdfast.planner import board_under, planned_on_counts
from holdfast.rules import parse_rule

SKEWED = np.random.default_rng(2).permutation(np.repeat([0, 1, 2, 3], [10, 50, 20, 40]))
EQUAL = np.random.default_rng(2).permutation(np.repeat([0, 1, 2, 3], 30))
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


def run(hidden, name, looks=500, decimals=None, make=attacks.Lattice, sizes=None):
    metric = parse_metric(name)
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    board = oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule)
    classes = 2 if sizes is None else len(sizes)
    problem, rng = Problem(len(hidden), classes, looks), np.random.default_rng(0)
    step = 0.0 if decimals is None else 10.0**-decimals
    attack = CountReader(problem, make, rng=rng, metric=metric, step=step, sizes=sizes)
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack, board


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_all_labels_are_recovered_and_positives_are_counted(name, share):
    hidden = (np.random.default_rng(1).random(250) < share).astype(int)
    attack, board = run(hidden, name)
    assert (attack.predict() == hidden).all()
    assert attack.class_sizes == tuple(np.bincount(hidden))
    assert attack.inner.certain().all()
    assert board.looks < 110


@pytest.mark.parametrize("name", NAMES)
def test_the_inner_attack_asks_what_it_would_ask_of_accuracies(name):
    hidden = (np.arange(90) % 4 == 0).astype(int)
    attack, _ = run(hidden, name, looks=30, sizes=np.bincount(hidden))
    plain, _ = run(hidden, "accuracy", looks=30, sizes=np.bincount(hidden))
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
        attack = CountReader(
            problem, Listening, rng=rng, metric=metric, sizes=(4 - sum(labels), sum(labels))
        )
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
    with pytest.raises(NotSupported, match="several numbers of matches"):
        CountReader(Problem(9, 3, 3), attacks.Lattice, rng=rng, metric=metrics.F1Macro())
    with pytest.raises(InvalidInput, match="must be given of more than two classes"):
        CountReader(Problem(9, 3, 3), attacks.Lattice, rng=rng, metric=metrics.CohenKappa())
    with pytest.raises(InvalidInput, match="2 numbers that add up to 9"):
        CountReader(Problem(9, 2, 3), attacks.Lattice, rng=rng, metric=f1, sizes=(5, 5))
    with pytest.raises(InvalidInput, match="step and noise must be at least 0"):
        CountReader(Problem(9, 2, 3), attacks.Lattice, rng=rng, metric=f1, step=-0.1)
    attack = CountReader(Problem(9, 2, 9), attacks.Lattice, rng=rng, metric=f1)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(OutOfTurn):
        attack.ask()
    with pytest.raises(InconsistentAnswer):
        attack.tell(0.123)


def blurred(metric, sizes, rule, looks, seed, *, public=True):
    """Play the planned attack through blurred values; return its labels and the truth."""
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    metric, rule = parse_metric(metric), parse_rule(rule)
    board = board_under(rule, MetricBoard(metric, sizes=tuple(sizes) if public else None))
    problem = Problem(hidden.size, len(sizes), looks)
    attack = CountReader.on_board(problem, board, rng=rng, inner=planned_on_counts(rule))
    oracle = oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule, rng=rng)
    guess = play(attack, oracle)
    assert oracle.looks == looks
    assert not attack.certain().any()
    return np.mean(guess == hidden)


@pytest.mark.parametrize(
    ("metric", "sizes", "rule", "least"),
    [
        ("balanced_accuracy", (500, 500), "gaussian:0.01", 0.55),
        ("balanced_accuracy", (500, 500), "round:0.02", 0.55),
        ("cohen_kappa", (500, 500), "round:2", 0.56),
        ("matthews_corrcoef", (700, 300), "gaussian:0.01", 0.60),
        ("cohen_kappa", (200,) * 5, "round:2", 0.22),
        ("recall_macro", (200,) * 5, "gaussian:0.01", 0.22),
    ],
)
def test_rounded_and_noisy_values_are_counts_with_a_variance(metric, sizes, rule, least):
    right = [blurred(metric, sizes, rule, 60, seed) for seed in range(3)]
    assert np.mean(right) > least


def test_positives_that_decimals_leave_open_end_nothing():
    """Two decimals of F1 leave some ten numbers of positives open among 1,000 examples."""
    right = [blurred("f1", (400, 600), "round:2", 60, seed, public=False) for seed in range(3)]
    assert np.mean(right) > 0.52


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
def test_of_more_classes_all_labels_take_the_looks_that_accuracies_take(hidden, name, decimals):
    attack, board = run(hidden, name, 150, decimals, sizes=np.bincount(hidden))
    assert np.array_equal(attack.predict(), hidden)
    plain = attacks.Lattice(Problem(hidden.size, 4, 150), rng=np.random.default_rng(0))
    while (query := plain.ask()) is not None:
        plain.tell(np.mean(query == hidden))
    assert board.looks == plain.answered


@pytest.mark.parametrize("name", ["cohen_kappa", "matthews_corrcoef"])
def test_of_more_classes_a_value_belongs_to_the_matches(name):
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


def test_of_more_classes_bad_settings_and_answers_are_refused():
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
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="for classes of"):
        attack.tell(0.12345)
