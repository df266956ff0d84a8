"""LinearReader: values are affine in the labels, and read through noise and rounding."""

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles
from holdfast.attacks.through_metrics import ByGroup, LinearReader
from holdfast.attacks.through_metrics.affine_forms import affine_value, has_affine_form
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import AttackOnBoard, attacks_on
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.loop import play
from holdfast.metrics.registry import parse_metric
from holdfast.planner import board_under, metric_plan
from holdfast.planner.metric_formulas import metric_estimate
from holdfast.rules import Exact, parse_rule

AFFINE = [
    ("f1", 2),
    ("f1_macro", 4),
    ("f1_weighted", 4),
    ("precision_macro", 4),
    ("recall_macro", 4),
    ("balanced_accuracy", 3),
    ("cohen_kappa", 4),
    ("matthews_corrcoef", 3),
    ("roc_auc", 2),
    ("top_k_accuracy:3", 7),
]


def submission_for(metric, n, m, rng):
    if metric.takes is metrics.Submission.SCORES:
        return rng.integers(9, size=n).astype(float)
    if metric.takes is metrics.Submission.RANKED_LABELS:
        return np.array([rng.permutation(m)[: metric.k] for _ in range(n)])
    return rng.integers(m, size=n)


@pytest.mark.parametrize(("name", "m"), AFFINE)
def test_the_affine_form_is_the_metric_wherever_class_sizes_are_known(name, m):
    metric, rng, n = parse_metric(name), np.random.default_rng(3), 60
    submission = submission_for(metric, n, m, rng)
    sizes = np.bincount(np.arange(n) % (m + 1) % m, minlength=m).astype(float)
    form = affine_value(metric, submission, sizes, sizes_known=True)
    weights = form.weights(slice(0, n))
    for _ in range(5):
        truth = rng.permutation(np.repeat(np.arange(m), sizes.astype(int)))
        by_form = form.constant + weights[np.arange(n), truth].sum()
        assert by_form == pytest.approx(metric.score(truth, submission), abs=1e-6)


def game(name, rule, labels, looks, *, seed=0):
    """Return what the final submission scores, and what the best one without a look does."""
    metric, rule, m = parse_metric(name), parse_rule(rule), int(labels.max()) + 1
    board = board_under(rule, MetricBoard(metric, sizes=tuple(np.bincount(labels).tolist())))
    each = next(each for each in attacks_on(board, m) if each.cls is LinearReader)
    rng, rule_rng = np.random.default_rng(seed).spawn(2)
    shown = oracles.MetricOracle(
        labels, metric, n_queries=looks, mechanism=rule, rng=rule_rng, n_classes=m
    )
    attack = each.make(Problem(labels.size, m, looks), rng=rng)
    nothing = metric.score(labels, attack.predict())
    return metric.score(labels, play(attack, shown)), nothing


SKEWED = np.random.default_rng(8).permutation(np.repeat(np.arange(4), [300, 150, 100, 50]))
EVEN = np.random.default_rng(9).permutation(np.arange(600) % 2)
SEVEN = np.random.default_rng(9).permutation(np.arange(700) % 7)
RARE = (np.arange(1500) % 20 == 0).astype(int)


@pytest.mark.parametrize(
    ("name", "rule", "labels", "gain"),
    [
        ("f1", "gaussian:0.01", RARE, 0.05),  # nothing was read here
        ("f1", "round:1", RARE, 0.04),
        ("cohen_kappa", "round:2", EVEN, 0.15),
        ("roc_auc", "laplace:0.01", EVEN, 0.08),
        ("roc_auc", "gaussian:0.01+round:2", EVEN, 0.08),
        ("f1_weighted", "round:2", SKEWED, 0.05),
        ("balanced_accuracy", "round:0.02", SKEWED, 0.08),
        ("matthews_corrcoef", "gaussian:0.02", SKEWED, 0.05),
        ("jaccard_macro", "round:2", SKEWED, 0.03),
        ("top_k_accuracy:3", "round:2", SEVEN, 0.07),  # 3 does not divide 7
        ("brier", "gaussian:0.01", EVEN, 0.01),
        ("log_loss[0,10]", "round:1", EVEN, 0.01),
    ],
)
def test_values_are_read_through_noise_and_rounding(name, rule, labels, gain):
    found = [game(name, rule, labels, 60, seed=seed) for seed in (1, 2)]
    sign = 1 if parse_metric(name).higher_is_better else -1
    assert np.mean([sign * (value - nothing) for value, nothing in found]) > gain


def test_beliefs_add_up_to_the_class_sizes_and_are_right_as_often_as_they_say():
    sizes = (300, 150, 100, 50)
    attack = LinearReader(
        Problem(600, 4, 150),
        rng=np.random.default_rng(2),
        metrics=[metrics.CohenKappa()],
        step=0.01,
        sizes=sizes,
    )
    rule = parse_rule("round:2")
    shown = oracles.MetricOracle(SKEWED, metrics.CohenKappa(), n_queries=150, mechanism=rule)
    play(attack, shown)
    chances = attack.chances()
    assert chances.sum(axis=0) == pytest.approx(sizes, abs=0.01)
    said = chances.max(axis=1).mean()
    assert said > 0.53
    assert np.mean(chances.argmax(axis=1) == SKEWED) == pytest.approx(said, abs=0.06)


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy"])
def test_groups_are_read_without_their_class_sizes(name):
    metric, rule, groups = parse_metric(name), parse_rule("round:2"), np.arange(600) // 100
    board = board_under(rule, MetricBoard(metric, sizes=(300, 300)))
    show = metrics.Breakdown(groups, metric)
    shown = oracles.MetricOracle(EVEN, show, n_queries=60, mechanism=rule)
    made = AttackOnBoard(LinearReader, board).make
    attack = ByGroup(Problem(600, 2, 60), groups, made, rng=np.random.default_rng(1))
    assert metric.score(EVEN, play(attack, shown)) > 0.85


def test_several_columns_tell_more_than_one():
    columns = [metrics.F1(), metrics.Accuracy(), metrics.RocAuc()]
    rule, ends = parse_rule("gaussian:0.03"), []
    board = board_under(rule, MetricBoard(columns[0], sizes=(300, 300)))
    for shown in (columns[:1], columns):
        values = []
        for seed in range(8):
            show = metrics.Several(shown) if len(shown) > 1 else shown[0]
            oracle = oracles.MetricOracle(
                EVEN, show, n_queries=60, mechanism=rule, rng=np.random.default_rng(seed)
            )
            attack = LinearReader.on_columns(
                Problem(600, 2, 60), board, shown, rng=np.random.default_rng(seed)
            )
            play(attack, oracle)
            chances = attack.chances()[:, 1]
            values.append(metrics.RocAuc().score(EVEN, chances))
        ends.append(np.mean(values))
    assert ends[1] > ends[0] + 0.005


def test_plans_have_its_forecast_where_a_rule_blurs_values():
    round_2, problem = parse_rule("round:2"), Problem(600, 2, 60)
    plan = metric_plan(metrics.RocAuc(), round_2, problem)
    assert plan.attack == "linear-reader"
    right = []
    for seed in range(3):
        labels = np.random.default_rng(seed).permutation(EVEN)
        attack = LinearReader(
            problem, rng=np.random.default_rng(seed), metrics=[metrics.RocAuc()], step=0.01
        )
        play(
            attack, oracles.MetricOracle(labels, metrics.RocAuc(), n_queries=60, mechanism=round_2)
        )
        right.append(np.sum(attack.chances().argmax(axis=1) == labels) - 300)
    assert plan.gain == pytest.approx(np.mean(right), rel=0.25)
    with pytest.raises(NotSupported, match="tell counts"):
        metric_estimate(AttackOnBoard(LinearReader, MetricBoard(metrics.F1())), problem, Exact())


def test_what_is_not_affine_or_not_told_is_refused_with_the_reason():
    make = {"rng": np.random.default_rng(0)}
    assert not has_affine_form(metrics.AveragePrecision(), 2)
    with pytest.raises(NotSupported, match="no affine function"):
        LinearReader(Problem(9, 2, 1), metrics=[metrics.AveragePrecision()], **make)
    with pytest.raises(InvalidInput, match="sizes must be 2 numbers that add up to 9"):
        LinearReader(Problem(9, 2, 1), metrics=[metrics.F1()], sizes=(4, 4), **make)
    ladder = board_under(parse_rule("ladder:0.01"), MetricBoard(metrics.F1()))
    with pytest.raises(NotSupported, match="the rule does not tell it"):
        LinearReader.on_board(Problem(9, 2, 1), ladder, **make)
    with pytest.raises(NotSupported, match="takes too long"):
        LinearReader(Problem(10**8, 1000, 1), metrics=[metrics.CohenKappa()], **make)


def test_turns_and_answers_are_checked():
    attack = LinearReader(Problem(9, 2, 1), metrics=[metrics.F1()], rng=np.random.default_rng(0))
    with pytest.raises(OutOfTurn, match="open query"):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(OutOfTurn, match="answer to the last query"):
        attack.ask()
    with pytest.raises(InvalidInput, match="answer must be a finite number"):
        attack.tell(float("nan"))
    with pytest.raises(InconsistentAnswer, match="answer must have 1 numbers"):
        attack.tell((0.5, 0.5))
    attack.tell(0.5)
    assert attack.ask() is None
    assert attack.predict().shape == (9,)
