"""Several counts from one value: proved by enumeration, and played to the last label."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles
from holdfast.attacks.through_metrics import JointCounts, LevelCounts
from holdfast.attacks.through_metrics.count_sums import CountSum
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.metrics.registry import parse_metric
from holdfast.rules import parse_rule

BY_F1 = ["f1_macro", "f1_weighted", "precision_macro"]


def all_choices(one):
    return itertools.product(
        *(range(low, high + 1) for low, high in zip(one.lows, one.highs, strict=True))
    )


def random_sums(count):
    rng = np.random.default_rng(4)
    for _ in range(count):
        size = int(rng.integers(1, 4))
        lows = rng.integers(0, 4, size=size)
        yield CountSum(
            tuple(
                Fraction(int(a), int(b)) for a, b in rng.integers([1, 2], [4, 40], size=(size, 2))
            ),
            tuple(lows.tolist()),
            tuple((lows + rng.integers(0, 6, size=size)).tolist()),
        )


def test_a_sum_that_is_said_to_tell_its_counts_does():
    told = 0
    for one in random_sums(300):
        values = {}
        for counts in all_choices(one):
            exact = sum(c * w for c, w in zip(counts, one.weights, strict=True))
            values.setdefault(exact, []).append(counts)
        if not one.tells(Fraction(0)):
            continue
        told += 1
        assert all(len(each) == 1 for each in values.values())
        sorted_values = sorted(values)
        gaps = [b - a for a, b in itertools.pairwise(sorted_values)]
        error = min(gaps, default=Fraction(1)) / 2
        assert one.tells(error) <= (2 * error < min(gaps, default=Fraction(2)))
        for value, [counts] in values.items():
            assert one.read(value, Fraction(0)) == counts
            # As far off as the sum allows, to both sides.
            slack = Fraction(1, 1)
            while not one.tells(slack):
                slack /= 2
            for off in (slack, -slack):
                assert one.read(value + off, slack) == counts
    assert told > 60


def test_a_value_of_no_choice_is_not_read():
    for one in random_sums(60):
        if not one.tells(Fraction(1, 10**9)):
            continue
        values = {
            sum(c * w for c, w in zip(counts, one.weights, strict=True))
            for counts in all_choices(one)
        }
        for value in (max(values) + one.weights[0], max(values) + Fraction(1, 10**6)):
            assert one.read(value, Fraction(1, 10**9)) is None


def run(hidden, name, m=3, looks=400, decimals=None, **settings):
    metric = parse_metric(name)
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    board = oracles.MetricOracle(hidden, metric, n_queries=looks, mechanism=rule)
    attack = JointCounts(
        Problem(len(hidden), m, looks),
        rng=np.random.default_rng(0),
        metric=metric,
        decimals=decimals,
        **settings,
    )
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
        sure = attack.certain()
        assert (attack.predict()[sure] == np.asarray(hidden)[sure]).all()
    return attack, board


@pytest.mark.parametrize("name", BY_F1)
def test_every_labelling_of_a_tiny_problem_is_recovered_and_proved(name):
    for labels in itertools.product(range(3), repeat=4):
        attack, _ = run(np.array(labels), name)
        assert attack.predict().tolist() == list(labels)
        assert attack.certain().all()
        assert attack.sizes == tuple(labels.count(label) for label in range(3))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("f1_macro", [100, 100, 100]),
        ("f1_macro", [10, 90, 150, 50]),
        ("f1_macro", [60] * 5),
        ("f1_weighted", [120, 80, 100]),
        ("precision_macro", [20, 180, 100]),
        ("recall_macro", [101, 97, 103]),
        ("balanced_accuracy", [101, 97, 103]),
    ],
)
def test_all_labels_are_proved_in_far_fewer_looks_than_one_count_takes(name, sizes):
    hidden = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))
    known = sizes if name in ("recall_macro", "balanced_accuracy") else None
    looks = []
    for at_once in (None, 1):
        attack, board = run(hidden, name, m=len(sizes), at_once=at_once, sizes=known)
        assert attack.certain().all()
        assert (attack.predict() == hidden).all()
        looks.append(board.looks)
    assert looks[0] < 0.7 * looks[1]


def test_a_class_without_examples_is_found_out():
    hidden = np.random.default_rng(2).integers(3, size=80)
    attack, _ = run(hidden, "f1_macro", m=4)
    assert attack.sizes == (*np.bincount(hidden), 0)
    assert attack.certain().all()


def test_decimals_that_still_tell_counts_are_enough():
    hidden = np.random.default_rng(3).integers(3, size=30)
    attack, _ = run(hidden, "f1_macro", decimals=6)
    assert attack.certain().all()
    with pytest.raises(NotSupported, match="3 decimals of f1_macro do not tell two counts apart"):
        run(np.random.default_rng(3).integers(3, size=300), "f1_macro", decimals=3)


def test_any_attack_that_proves_labels_plays_in_a_lane():
    def detecting(problem, *, rng, share):
        return attacks.Detecting(Problem(problem.n_examples, 2, problem.n_queries), rng=rng)

    hidden = np.random.default_rng(3).integers(3, size=60)
    attack, _ = run(hidden, "f1_macro", make=detecting)
    assert attack.certain().all()

    def climbing(problem, *, rng, share):
        return attacks.HillClimb(problem, rng=rng)

    with pytest.raises(NotSupported, match="HillClimb proves none"):
        run(hidden, "f1_macro", make=climbing)


def test_bad_settings_and_answers_are_refused():
    rng, problem = np.random.default_rng(0), Problem(30, 3, 9)
    with pytest.raises(NotSupported, match="no sum"):
        JointCounts(problem, rng=rng, metric=metrics.CohenKappa())
    with pytest.raises(NotSupported, match="at least 3"):
        JointCounts(Problem(30, 2, 9), rng=rng, metric=metrics.F1Macro())
    with pytest.raises(InvalidInput, match="sizes must be given"):
        JointCounts(problem, rng=rng, metric=metrics.BalancedAccuracy())
    with pytest.raises(InvalidInput, match="add up to 30"):
        JointCounts(problem, rng=rng, metric=metrics.F1Macro(), sizes=[10, 10, 11])
    with pytest.raises(InvalidInput, match="at_once"):
        JointCounts(problem, rng=rng, metric=metrics.F1Macro(), at_once=0)
    attack = JointCounts(problem, rng=rng, metric=metrics.F1Macro(), sizes=[10, 10, 10])
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="for these classes"):
        attack.tell(0.12345)
    equal = JointCounts(problem, rng=rng, metric=metrics.RecallMacro(), sizes=[10, 10, 10])
    with pytest.raises(NotSupported, match="tells two counts apart"):
        equal.ask()


def play_levels(hidden, looks=400, decimals=None, **settings):
    rule = None if decimals is None else parse_rule(f"round:{decimals}")
    board = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=looks, mechanism=rule)
    attack = LevelCounts(
        Problem(len(hidden), 2, looks), rng=np.random.default_rng(0), decimals=decimals, **settings
    )
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
        sure = attack.certain()
        assert (attack.labels()[sure] == np.asarray(hidden)[sure]).all()
    return attack, board


def test_every_labelling_of_a_tiny_ranking_is_recovered_and_proved():
    for labels in itertools.product(range(2), repeat=6):
        if 0 < sum(labels) < 6:
            attack, _ = play_levels(np.array(labels))
            assert attack.labels().tolist() == list(labels)
            assert attack.certain().all()
            assert attack.positives == sum(labels)


@pytest.mark.parametrize("share", [0.15, 0.3, 0.8])
def test_two_levels_take_far_fewer_looks_than_one(share):
    hidden = (np.random.default_rng(5).random(500) < share).astype(int)
    looks = []
    for levels in (2, 1):
        attack, board = play_levels(hidden, levels=levels)
        assert attack.certain().all()
        looks.append(board.looks)
    assert looks[0] < 0.7 * looks[1]


def test_rounded_areas_are_read_while_decimals_tell_the_counts():
    hidden = (np.random.default_rng(5).random(200) < 0.3).astype(int)
    attack, _ = play_levels(hidden, decimals=6, positives=int(hidden.sum()))
    assert attack.certain().all()
    with pytest.raises(NotSupported, match="decimals"):
        play_levels(hidden, decimals=1, positives=int(hidden.sum()))


def test_bad_settings_of_levels_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidInput, match="n_classes"):
        LevelCounts(Problem(9, 3, 9), rng=rng)
    with pytest.raises(InvalidInput, match="levels"):
        LevelCounts(Problem(9, 2, 9), rng=rng, levels=3)
    with pytest.raises(InvalidInput, match="positives"):
        LevelCounts(Problem(9, 2, 9), rng=rng, positives=9)
    attack = LevelCounts(Problem(9, 2, 9), rng=rng, positives=4)
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="no labels"):
        attack.tell(0.123)
