"""Losses and errors under noise, Ladders and coarse rounding: accuracies through two values."""

import numpy as np
import pytest

from holdfast import play
from holdfast.attacks.through_metrics import TwoLevels, TwoTargets
from holdfast.attacks.through_metrics.description import LATTICE, MetricBoard, OnCounts, Told
from holdfast.attacks.through_metrics.high_or_low import errors_of
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.errors import HoldfastError, NotSupported
from holdfast.metrics import Clipped, Submission
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle
from holdfast.planner import board_under, metric_plan, planned_on_counts, rule_told
from holdfast.problem import Problem
from holdfast.rules import parse_rule


def labels_of(n, m=2, share=0.5):
    rng = np.random.default_rng([n, m])
    if m == 2:
        return rng.permutation(np.arange(n) < n * share).astype(np.uint8)
    return rng.integers(m, size=n).astype(np.uint8)


class Guessing:
    """An attack that asks for one guess and hears the accuracies."""

    def __init__(self, guess, looks):
        self.guess, self.left, self.heard = guess, looks, []

    def ask(self):
        self.left -= 1
        return self.guess if self.left >= 0 else None

    def tell(self, answer):
        self.heard.append(answer)

    def predict(self):
        return self.guess


def two_points(metric, hidden, rule, looks, m=2, shares=None):
    """Return the attacks that play through two values, by the seams that audits and sweeps use."""
    metric, rule = parse_metric(metric), parse_rule(rule)
    numbers = metric.takes is Submission.NUMBERS
    board = MetricBoard(
        metric,
        sizes=tuple(np.bincount(hidden, minlength=m).tolist()),
        shares=shares,
        targets=hidden if numbers else None,
    )
    able = attacks_on(board_under(rule, board), m, from_nothing=[planned_on_counts(rule), LATTICE])
    found = [each for each in able if each.cls in (TwoLevels, TwoTargets)]
    assert found
    return found, lambda seed: MetricOracle(
        hidden,
        metric,
        n_queries=looks,
        mechanism=rule,
        n_classes=m,
        rng=np.random.default_rng(seed),
    )


def gain_of(hidden, metric, rule, looks, m=2):
    """Return the best gain of them, above the best constant."""
    metric_, middle = parse_metric(metric), np.median if metric.startswith("mae") else np.mean
    constant = metric_.score(hidden, np.full(hidden.size, middle(hidden)))
    found, oracle = two_points(metric, hidden, rule, looks, m)
    gains = [0.0]
    for each in found:
        board = oracle(1)
        try:
            attack = each.make(board.problem, rng=np.random.default_rng(2))
            value = metric_.score(hidden, play(attack, board))
        except HoldfastError:
            continue  # an audit says why
        gains.append((value - constant) * (1 if metric_.higher_is_better else -1))
    return max(gains)


def told_by(metric, rule, hidden, guess, m=2):
    """Return how counts reach an attack, the accuracies that it hears, and the last submission."""
    inner, reached = Guessing(guess, 1), []

    def make(problem, *, rng, told):
        reached.append(told)
        return inner

    metric, rule = parse_metric(metric), parse_rule(rule)
    sizes = tuple(np.bincount(hidden, minlength=m).tolist()) if metric.name != "mse" else None
    board = board_under(rule, MetricBoard(metric, sizes=sizes, targets=hidden))
    cls = TwoTargets if metric.takes is Submission.NUMBERS else TwoLevels
    (each,) = [
        one
        for one in attacks_on(board, m, from_nothing=[OnCounts("guess", "guesses", make)])
        if one.cls is cls
    ]
    problem = Problem(hidden.size, m, 2)
    final = play(
        each.make(problem, rng=np.random.default_rng(0)),
        MetricOracle(hidden, metric, n_queries=2, mechanism=rule, n_classes=m),
    )
    return reached[0], inner.heard, final


@pytest.mark.parametrize(
    ("metric", "m"), [("brier", 2), ("brier", 4), ("log_loss[0,10]", 2), ("log_loss[0,10]", 3)]
)
def test_a_loss_is_told_as_the_accuracy_that_it_stands_for(metric, m):
    labels = labels_of(80, m)
    guess = np.roll(labels, 1)
    _, heard, final = told_by(metric, "ladder:1e-9", labels, guess, m)
    assert heard == pytest.approx([float(np.mean(guess == labels))], abs=1e-6)
    # In the end each class has the share that it is right with: no constant forecast is better.
    shares = np.bincount(labels) / 80 if m == 2 else np.full(m, 1.0 / m)
    constant = np.tile(shares, (80, 1))
    metric = parse_metric(metric)
    assert metric.score(labels, final) <= metric.score(labels, constant) + 1e-12


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("gaussian:0.01", "gaussian:0.001"),
        ("ladder:0.01", "ladder:0.001"),
        ("gaussian:0.01+ladder:0.02", "gaussian:0.001+ladder:0.002"),
    ],
)
def test_noise_and_steps_count_in_what_a_match_is_worth(rule, expected):
    labels = labels_of(50)
    told, _, _ = told_by("log_loss[0,10]", rule, labels, labels)
    # All matches together are worth ten nats, but for what a hit itself costs.
    assert told.unit == pytest.approx(10.0, rel=1e-3)
    assert rule_told(parse_rule(rule), Told(10.0)) == parse_rule(expected)


@pytest.mark.parametrize(
    ("metric", "rule", "share"),
    [
        ("brier", "ladder:0.005", 0.5),
        pytest.param("brier", "gaussian:0.01", 0.35, marks=pytest.mark.slow),
        ("log_loss[0,10]", "gaussian:0.01", 0.5),
        ("log_loss[0,10]", "ladder:0.01", 0.35),
    ],
)
def test_losses_under_noise_and_ladders_are_gained_from(metric, rule, share):
    assert gain_of(labels_of(200, share=share), metric, rule, 60) > 0.02


def test_where_values_are_read_as_they_are_it_does_not_play():
    found, oracle = two_points("brier", labels_of(60), "round:3", 20)
    for each in found:
        with pytest.raises(NotSupported, match="what digits can't be read from"):
            each.make(oracle(0).problem, rng=np.random.default_rng(0))


def test_losses_under_noise_are_planned_by_what_accuracies_tell():
    rule, problem = parse_rule("gaussian:0.01"), Problem(2000, 2, 100)
    found = metric_plan(parse_metric("brier"), rule, problem)
    assert found.attack.startswith("two-levels")
    plain = metric_plan(parse_metric("accuracy"), rule, Problem(2000, 2, 99))
    assert found.gain == pytest.approx(plain.gain)


@pytest.mark.parametrize(
    ("metric", "rule", "least"),
    [
        ("mse[0,100]", "gaussian:0.1", 1.5),
        ("mse[0,20]", "ladder:0.05", 0.5),
        ("r2[-3,1]", "gaussian:0.01", 0.15),
    ],
)
def test_squared_errors_under_noise_and_ladders_are_gained_from(metric, rule, least):
    targets = np.random.default_rng(3).integers(0, 11, size=200)
    assert gain_of(targets, metric, rule, 60, m=11) >= least


def test_guesses_of_targets_are_told_as_accuracies_and_trusted_as_far_as_they_go():
    hidden, guess = np.array([0, 2, 4, 10]), np.array([0, 0, 1, 1])
    mean, variance = hidden.mean(), hidden.var()
    _, heard, final = told_by("mse[0,1000]", "ladder:1e-9", hidden, guess, 11)
    along = np.mean((hidden - mean) * np.where(guess == 1, 1, -1))
    assert heard == pytest.approx([(1 + along / np.sqrt(variance)) / 2], abs=1e-6)
    assert final == pytest.approx(mean + along * np.where(guess == 1, 1, -1), abs=1e-6)
    value = parse_metric("mse").score(hidden.astype(float), final)
    assert value == pytest.approx(variance - along**2)


def board_of_errors(metric, targets):
    metric = parse_metric(metric)
    low, high = (metric.low, metric.high) if isinstance(metric, Clipped) else (-np.inf, np.inf)
    inner = metric.inner if isinstance(metric, Clipped) else metric
    return MetricBoard(inner, lowest=low, highest=high, targets=np.asarray(targets))


@pytest.mark.parametrize("metric", ["mse", "rmse", "r2", "mae"])
def test_errors_stand_for_how_well_signs_follow_the_targets(metric):
    rng = np.random.default_rng(3)
    hidden = rng.integers(0, 40, size=31).astype(float)
    errors, metric = errors_of(board_of_errors(metric, hidden)), parse_metric(metric)
    beside = hidden - errors.centre
    weights = beside if metric.name != "mae" else np.clip(beside, -errors.away, errors.away)
    most = np.std(hidden) if metric.name != "mae" else np.mean(np.abs(weights))
    for _ in range(5):
        signs = rng.choice([-1.0, 1.0], size=31)
        value = metric.score(hidden, errors.centre + errors.away * signs)
        assert errors.along(value) == pytest.approx(np.mean(weights * signs) / most)
    # All right by the distance that is best then: no worse than the best constant.
    ended = errors.centre + errors.best_away(1.0) * np.where(beside > 0, 1.0, -1.0)
    gained = metric.score(hidden, ended) - metric.score(hidden, np.full(31, errors.centre))
    assert (gained if metric.higher_is_better else -gained) > 0.0


@pytest.mark.parametrize(
    ("metric", "targets", "looks", "reason"),
    [
        ("mse[0,4]", [1, 5], 9, "the range to which errors are clipped"),
        ("mae[0,2]", [1, 5], 9, "the range to which errors are clipped"),
        ("mse[0,40]", [3, 3], 9, "all targets are equal"),
        ("mae[0,9]", [3, 3], 9, "all targets are equal"),
        ("mse[0,40]", [1, 5], 1, "needs a look besides"),
    ],
)
def test_errors_that_tell_nothing_are_refused(metric, targets, looks, reason):
    (each, *_), oracle = two_points(metric, np.array(targets), "gaussian:0.1", looks, m=6)
    with pytest.raises(NotSupported, match=reason):
        each.make(oracle(0).problem, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("metric", "rule", "n", "least"),
    [
        ("brier", "round:3", 1000, 0.05),
        ("brier", "round:2", 200, 0.02),
        ("log_loss", "round:0.15", 200, 0.02),
        ("mae", "round:1", 200, 1.0),
        ("rmse", "round:0", 200, 1.0),
    ],
)
def test_values_rounded_until_no_digits_are_left_are_gained_from(metric, rule, n, least):
    numbers = parse_metric(metric).takes is Submission.NUMBERS
    hidden = np.random.default_rng(n).integers(0, 101, size=n) if numbers else labels_of(n)
    assert gain_of(hidden, metric, rule, 80, m=101 if numbers else 2) >= least


@pytest.mark.parametrize(
    ("metric", "m", "step"), [("log_loss[0,2.55]", 3, 0.15), ("brier", 4, 0.4)]
)
def test_rounded_losses_stand_for_rounded_accuracies(metric, m, step):
    labels = labels_of(60, m)
    guess = np.roll(labels, 1)
    told, heard, _ = told_by(metric, f"round:{step}", labels, guess, m)
    # The count that is told holds the true one.
    model = rule_told(parse_rule(f"round:{step}"), told).answer_model(Problem(60, m, 2))
    low, high = model.counts(heard[0], 60)
    assert low <= np.sum(guess == labels) <= high
    assert high - low < 60
