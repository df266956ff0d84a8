"""Losses under noise, Ladders and coarse rounding: accuracies through two probabilities."""

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast import play
from holdfast.attacks import HillClimb
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.audit.metrics.high_or_low import errors_of
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.two_levels import NAME, TwoLevels
from holdfast.audit.metrics.two_targets import TwoTargets
from holdfast.errors import HoldfastError, NotSupported
from holdfast.mechanisms import Gaussian, Ladder, parse_mechanism
from holdfast.metrics import Submission
from holdfast.metrics.display import Display
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle
from holdfast.problem import Problem


def labels_of(n, m=2, share=0.5):
    rng = np.random.default_rng([n, m])
    if m == 2:
        return rng.permutation(np.arange(n) < n * share).astype(np.uint8)
    return rng.integers(m, size=n).astype(np.uint8)


def asked_for(request_for, labels, metric, rule, looks=60, m=2):
    looks = auditing.parse_looks(str(looks))
    request = request_for(labels, m=m, looks=looks, release=rule)
    return MetricRequest(request, Display.of(metric))


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


@pytest.mark.parametrize(
    ("metric", "m"), [("brier", 2), ("brier", 4), ("log_loss[0,10]", 2), ("log_loss[0,10]", 3)]
)
def test_a_loss_is_told_as_the_accuracy_that_it_stands_for(metric, m):
    labels, metric = labels_of(80, m), parse_metric(metric)
    guess = np.roll(labels, 1)
    inner, rule = Guessing(guess, 2), parse_mechanism("exact")
    problem = Problem(80, m, 3)
    sizes = tuple(np.bincount(labels, minlength=m).tolist())
    attack = TwoLevels(problem, lambda _, rule: inner, metric=metric, rule=rule, sizes=sizes)
    final = play(attack, MetricOracle(labels, metric, n_queries=3, mechanism=rule, n_classes=m))
    right = float(np.mean(guess == labels))
    assert inner.heard == pytest.approx([right, right])
    # In the end each class has the share that it is right with: no constant forecast is better.
    shares = np.array(sizes) / 80 if m == 2 else np.full(m, 1.0 / m)
    constant = np.tile(shares, (80, 1))
    assert metric.score(labels, final) <= metric.score(labels, constant) + 1e-12


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("gaussian:0.01", Gaussian(0.001)),
        ("ladder:0.01", Ladder(0.001)),
        ("ladder:0.01+round:2", parse_mechanism("ladder:0.01+round:2")),
    ],
)
def test_noise_and_steps_count_in_what_a_match_is_worth(rule, expected):
    found = []

    def make(problem, rule):
        found.append(rule)
        return HillClimb(problem, rng=np.random.default_rng(0))

    problem, metric = Problem(50, 2, 5), parse_metric("log_loss[0,10]")
    TwoLevels(problem, make, metric=metric, rule=parse_mechanism(rule), sizes=(25, 25))
    (rule,) = found
    if len(rule.stages) > 1:
        assert rule == expected
        return
    name = "scale" if isinstance(rule, Gaussian) else "step"
    assert type(rule) is type(expected)
    # A match is worth ten nats, but for what a hit itself costs.
    assert getattr(rule, name) == pytest.approx(getattr(expected, name), rel=1e-3)


@pytest.mark.parametrize(
    ("metric", "rule", "share"),
    [
        ("brier", "ladder:0.005", 0.5),
        pytest.param("brier", "gaussian:0.01", 0.35, marks=pytest.mark.slow),
        ("log_loss[0,10]", "gaussian:0.01", 0.5),
        ("log_loss[0,10]", "ladder:0.01", 0.35),
    ],
)
def test_losses_under_noise_and_ladders_are_gained_from(request_for, metric, rule, share):
    labels = labels_of(200, share=share)
    asked = asked_for(request_for, labels, metric, rule)
    constant = asked.metric.score(labels, np.full(200, labels.mean()))
    gains = []
    for each in metric_scenarios(asked, TOTAL):
        rule = asked.request.rule
        board = MetricOracle(
            labels, asked.metric, n_queries=60, mechanism=rule, rng=np.random.default_rng(1)
        )
        try:
            attack = each.make(asked.request.problem, rng=np.random.default_rng(2), rule=rule)
            final = play(attack, board)
        except HoldfastError:
            continue  # an audit says why
        if not each.name.startswith(f"{NAME}, "):
            continue  # the linear reader has tests of its own
        gains.append(constant - asked.metric.score(labels, final))
    assert max(gains) > 0.02


def test_where_values_are_read_as_they_are_it_does_not_play(request_for):
    asked = asked_for(request_for, labels_of(60), "brier", "round:3")
    for each in metric_scenarios(asked, TOTAL):
        if each.name.startswith(NAME):
            with pytest.raises(NotSupported, match="what digits can't be read from"):
                each.make(
                    asked.request.problem, rng=np.random.default_rng(0), rule=asked.request.rule
                )


def test_few_numbers_have_no_classes_and_no_points(request_for):
    hidden = np.random.default_rng(0).integers(0, 50, size=60)
    found = auditing.quick_metric_audit(asked_for(request_for, hidden, "mse", "exact", 3, m=50))
    assert "60 rows, numbers to predict, 1 team" in found.header
    (tiny,) = [each for each in found.findings if each.code == "tiny"]
    assert "points" not in tiny.why
    assert "Chance moves mse" in tiny.why


def test_a_quick_audit_says_why_nothing_plays(request_for):
    asked = asked_for(request_for, labels_of(60), "mae[0,0.9]", "gaussian:0.01", looks=5)
    found = auditing.quick_metric_audit(asked)
    assert not found.gains
    assert found.sentence.startswith("No attack plays under this rule, so nothing was measured: ")


@pytest.mark.parametrize(
    ("metric", "rule", "least"),
    [
        ("mse[0,100]", "gaussian:0.1", 1.5),
        ("mse[0,20]", "ladder:0.05", 0.5),
        ("r2[-3,1]", "gaussian:0.01", 0.15),
    ],
)
def test_squared_errors_under_noise_and_ladders_are_gained_from(request_for, metric, rule, least):
    targets = np.random.default_rng(3).integers(0, 11, size=200).astype(np.uint8)
    asked = asked_for(request_for, targets, metric, rule, m=11)
    hidden, shown = targets.astype(float), asked.metric
    (each,) = [one for one in metric_scenarios(asked, TOTAL) if one.name.startswith(NAME)]
    board = MetricOracle(
        hidden, shown, n_queries=60, mechanism=asked.request.rule, rng=np.random.default_rng(1)
    )
    made = each.make(asked.request.problem, rng=np.random.default_rng(2), rule=asked.request.rule)
    value = shown.score(hidden, play(made, board))
    constant = shown.score(hidden, np.full(200, hidden.mean()))
    assert (value - constant) * (1 if shown.higher_is_better else -1) >= least


def test_guesses_of_targets_are_told_as_accuracies_and_trusted_as_far_as_they_go():
    hidden = np.array([0.0, 2.0, 4.0, 10.0])
    guess = np.array([0, 0, 1, 1])
    mean, variance = hidden.mean(), hidden.var()
    inner, metric, rule = Guessing(guess, 1), parse_metric("mse[0,1000]"), parse_mechanism("exact")
    errors = errors_of(metric, hidden)
    attack = TwoTargets(Problem(4, 2, 2), lambda *_: inner, errors=errors, rule=rule)
    final = play(attack, MetricOracle(hidden, metric, n_queries=2))
    along = np.mean((hidden - mean) * np.where(guess == 1, 1, -1))
    assert inner.heard == pytest.approx([(1 + along / np.sqrt(variance)) / 2])
    assert final == pytest.approx(mean + along * np.where(guess == 1, 1, -1))
    assert metric.score(hidden, final) == pytest.approx(variance - along**2)


@pytest.mark.parametrize("metric", ["mse", "rmse", "r2", "mae"])
def test_errors_stand_for_how_well_signs_follow_the_targets(metric):
    rng = np.random.default_rng(3)
    hidden, metric = rng.integers(0, 40, size=31).astype(float), parse_metric(metric)
    errors = errors_of(metric, hidden)
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
        ("mse[0,4]", [1.0, 5.0], 9, "the range to which errors are clipped"),
        ("mae[0,2]", [1.0, 5.0], 9, "the range to which errors are clipped"),
        ("mse[0,40]", [3.0, 3.0], 9, "all targets are equal"),
        ("mae", [3.0, 3.0], 9, "all targets are equal"),
        ("mse[0,40]", [1.0, 5.0], 1, "needs a look besides"),
    ],
)
def test_errors_that_tell_nothing_are_refused(metric, targets, looks, reason):
    with pytest.raises(NotSupported, match=reason):
        TwoTargets(
            Problem(2, 2, looks),
            lambda *_: None,
            errors=errors_of(parse_metric(metric), np.array(targets)),
            rule=Ladder(0.1),
        )


@pytest.mark.parametrize(
    ("metric", "rule", "n", "least"),
    [
        ("brier", "round:3", 1000, 0.05),
        ("brier", "round:2", 200, 0.02),
        ("log_loss", "round:1", 200, 0.04),
        ("mae", "round:1", 200, 1.0),
        ("rmse", "round:0", 200, 1.0),
    ],
)
def test_values_rounded_until_no_digits_are_left_are_gained_from(
    request_for, metric, rule, n, least
):
    rng = np.random.default_rng(n)
    targets = parse_metric(metric).takes is Submission.NUMBERS
    hidden = rng.integers(0, 101, size=n) if targets else labels_of(n)
    asked = asked_for(request_for, hidden, metric, rule, 80, m=101 if targets else 2)
    middle = np.median(hidden) if metric == "mae" else hidden.mean()
    constant = asked.metric.score(hidden, np.full(n, middle))
    gains = []
    for scenario in metric_scenarios(asked, TOTAL):
        board = MetricOracle(hidden, asked.metric, n_queries=80, mechanism=asked.request.rule)
        try:
            made = scenario.make(
                board.problem, rng=np.random.default_rng(2), rule=asked.request.rule
            )
            final = play(made, board)
        except NotSupported:
            continue
        gains.append(constant - asked.metric.score(hidden, final))
    assert max(gains, default=0.0) >= least


@pytest.mark.parametrize(("metric", "m", "step"), [("log_loss[0,2.55]", 3, 0.1), ("brier", 4, 0.4)])
def test_rounded_losses_stand_for_rounded_accuracies(metric, m, step):
    labels, metric = labels_of(60, m), parse_metric(metric)
    rule = parse_mechanism(f"round:{step}")
    rules = []
    inner = Guessing(np.roll(labels, 1), 1)

    def make(problem, rule):
        rules.append(rule)
        return inner

    sizes = tuple(np.bincount(labels, minlength=m).tolist())
    attack = TwoLevels(Problem(60, m, 2), make, metric=metric, rule=rule, sizes=sizes)
    play(attack, MetricOracle(labels, metric, n_queries=2, mechanism=rule, n_classes=m))
    # The count that is told holds the true one.
    low, high = rules[0].answer_model(Problem(60, m, 2)).counts(inner.heard[0], 60)
    assert low <= np.sum(inner.guess == labels) <= high
    assert high - low < 60
