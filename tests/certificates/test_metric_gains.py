"""Certified gains in a metric's own unit, against all who might exceed them."""

import itertools
import math

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles
from holdfast.attacks import Lattice
from holdfast.attacks.through_metrics import CountReader, Graded, TargetDigits
from holdfast.bounds.metric_gains import subgaussian_gain, value_after
from holdfast.certificates import certify, certify_gain
from holdfast.certificates.metric_gains import EVENLY, _values_of
from holdfast.errors import InvalidInput
from holdfast.metrics.display import Display
from holdfast.metrics.registry import parse_metric
from holdfast.rules import Exact, parse_rule
from holdfast.rules.on_metrics import first_states, release_show

GRID = (0.0, 0.25, 0.5, 1.0)


def arrangements(sizes):
    """All orders of labels with these class sizes, each once."""
    labels = [label for label, size in enumerate(sizes) for _ in range(size)]
    return [np.array(each) for each in sorted(set(itertools.permutations(labels)))]


def submissions(metric, n, m):
    values = {
        metrics.Submission.LABELS: range(m),
        metrics.Submission.SCORES: range(3),
        metrics.Submission.NUMBERS: (0.0, 0.5, 1.0),
    }.get(metric.takes, GRID)
    return [np.array(each) for each in itertools.product(values, repeat=n)]


def table_of(metric, hidden, m):
    """Values of all submissions (rows) on all hidden labels, signed so that more is better."""
    truths = [metric.truth(each) for each in hidden]
    n, sign = len(hidden[0]), 1 if metric.higher_is_better else -1
    asked = [metric.submitted(each, truths[0]) for each in submissions(metric, n, m)]
    values = [[sign * float(metric.value(truth, each)) for truth in truths] for each in asked]
    return truths, asked, np.array(values)


def best_value(rule, metric, hidden, m, looks):
    """Return the expected value of the best of all adaptive analysts, less that without a look."""
    truths, asked, table = table_of(metric, hidden, m)
    rng = np.random.default_rng(0)

    def value(here, states, left):
        if not left or len(here) == 1:
            return table[:, here].sum(axis=1).max()
        best = -math.inf
        for query in asked:
            parts = {}
            for each in here:
                told, after = release_show(rule, metric, states, truths[each], query, rng)
                answer = tuple(float(reading.value) for reading in told[-1])
                parts.setdefault(answer, (after, []))[1].append(each)
            total = sum(value(some, after, left - 1) for after, some in parts.values())
            best = max(best, total)
        return best

    start = first_states(rule, metric, truths[0], Problem(len(hidden[0]), m, looks))
    everything = value(list(range(len(truths))), start, looks) / len(truths)
    return everything - table.mean(axis=1).max()


@pytest.mark.parametrize(
    ("metric", "sizes", "looks"),
    [
        ("balanced_accuracy", (3, 3), 1),
        ("balanced_accuracy", (2, 2), 2),
        ("recall_macro", (2, 2, 1), 1),
        ("roc_auc", (2, 2), 1),
        ("roc_auc", (3, 2), 1),
        ("f1", (4, 2), 1),
        ("f1", (3, 1), 2),
        ("f1", (2, 3), 1),
        ("f1_macro", (4, 2), 1),
        ("f1_weighted", (3, 2), 1),
        ("precision_macro", (3, 2), 1),
        ("matthews_corrcoef", (4, 2), 1),
        ("cohen_kappa", (3, 3), 1),
    ],
)
@pytest.mark.parametrize("rule", ["exact", "round:1", "ladder:0.5"])
def test_no_analyst_of_labels_in_random_order_gains_more(metric, sizes, looks, rule):
    rule, m = parse_rule(rule), len(sizes)
    problem, display = Problem(sum(sizes), m, looks), Display.of(metric)
    allowed = certify_gain(problem, rule, display, class_sizes=sizes)
    possible = best_value(rule, display.metric, arrangements(sizes), m, looks)
    assert possible <= allowed.gain + 1e-12
    assert possible >= 0.0


@pytest.mark.parametrize(
    ("metric", "n", "m", "looks"),
    [
        ("accuracy", 3, 2, 2),
        ("accuracy", 3, 3, 1),
        ("brier", 3, 2, 1),
        ("log_loss", 3, 2, 1),
        ("mse", 3, 2, 1),
        ("mae", 3, 2, 1),
    ],
)
@pytest.mark.parametrize("rule", ["exact", "round:1"])
def test_no_analyst_of_independent_labels_gains_more(metric, n, m, looks, rule):
    rule, display = parse_rule(rule), Display.of(metric)
    hidden = [np.array(each) for each in itertools.product(range(m), repeat=n)]
    if metric in ("mse", "mae"):
        hidden = [each.astype(float) for each in hidden]
    allowed = certify_gain(Problem(n, m, looks), rule, display, targets=(0.0, 1.0))
    assert best_value(rule, display.metric, hidden, m, looks) <= allowed.gain + 1e-12


@pytest.mark.parametrize(
    "rule", ["exact", "round:2", "ladder:0.01", "gaussian:0.01", "subsample:0.5"]
)
@pytest.mark.parametrize("knows", [None, (0.55, *[0.05] * 9)])
def test_the_gain_of_an_accuracy_is_no_larger_than_its_certificate_of_labels(rule, knows):
    problem, rule = Problem(10_000, 10, 1000), parse_rule(rule)
    labels = certify(problem, rule, knows=knows)
    found = certify_gain(problem, rule, Display(), knows=knows)
    assert 0.0 < found.gain <= labels.gain
    assert found.gain < labels.gain or found.binds == labels.binds


@pytest.mark.parametrize(
    ("metric", "most"),
    [("accuracy", 2 / 3), ("brier", 2 / 3), ("top_k_accuracy:2", 1 / 3), ("log_loss", math.log(3))],
)
def test_no_gain_is_above_what_a_perfect_submission_has_beyond_a_blind_one(metric, most):
    found = certify_gain(Problem(60, 3, 10_000), Exact(), Display.of(metric))
    assert found.gain == pytest.approx(most, abs=1e-12)


@pytest.mark.parametrize("metric", [cls.name for cls in EVENLY])
@pytest.mark.parametrize("sizes", [(5, 2), (3, 3), (6, 1)])
def test_the_chance_of_a_value_is_no_less_than_that_of_every_fixed_submission(sizes, metric):
    metric = parse_metric(metric)
    _, _, table = table_of(metric, arrangements(sizes), 2)
    values = _values_of(metric, sum(sizes), sizes[1])
    assert values.without_a_look() == pytest.approx(table.mean(axis=1).max(), abs=1e-12)
    for value in np.unique(table)[1:]:
        chance = (table >= value - 1e-12).mean(axis=1).max()
        assert math.log(chance) <= values.log_chance(float(value)) + 1e-12


@pytest.mark.parametrize("metric", ["f1", "matthews_corrcoef", "balanced_accuracy", "roc_auc"])
@pytest.mark.parametrize("sizes", [(3, 2), (4, 2), (3, 3)])
def test_the_best_of_some_fixed_submissions_stays_below_the_bound(metric, sizes):
    """Whatever the answers are: after one of T sequences, one of T submissions is handed in."""
    _, _, table = table_of(parse_metric(metric), arrangements(sizes), 2)
    n, positives = sum(sizes), sizes[1]
    rows = np.unique(table, axis=0)
    free = rows.mean(axis=1).max()
    chosen = rows[rows.mean(axis=1).argmax()]
    for count in range(2, 9):
        # Exactly the best pair, then one more at a time.
        if count == 2:
            pairs = [np.maximum(rows, row).mean(axis=1) for row in rows]
            first, second = np.unravel_index(int(np.argmax(pairs)), (len(rows), len(rows)))
            chosen = np.maximum(rows[first], rows[second])
        else:
            chosen = np.maximum(rows, chosen)[np.maximum(rows, chosen).mean(axis=1).argmax()]
        nats = math.log(count)
        if metric != "roc_auc":
            shown = parse_metric(metric)
            values = _values_of(shown, n, positives)
            for counted in (True, False):
                most = value_after(values, shown.low, shown.high, nats, counted=counted)
                assert chosen.mean() <= most + 1e-12
        if metric in ("roc_auc", "balanced_accuracy"):
            assert chosen.mean() - free <= subgaussian_gain(nats, 1.0 / min(sizes)) + 1e-12


def test_the_bound_for_means_is_nearly_reached_by_the_best_of_many():
    """The best of T random submissions is near the bound, so no factor is lost or forgotten."""
    n, count, rng = 400, 2000, np.random.default_rng(3)
    best = [rng.binomial(n, 0.5, size=count).max() / n - 0.5 for _ in range(200)]
    bound = subgaussian_gain(math.log(count), 1.0 / n)
    # 200 trials: standard error of the mean about 0.0005, a hundredth of the bound.
    assert 0.8 * bound < np.mean(best) < bound


def test_the_bound_for_areas_is_nearly_reached_by_the_best_of_many():
    n, count, rng = 200, 1000, np.random.default_rng(3)
    ranks = np.arange(1, n + 1)
    best = []
    for _ in range(20):
        sums = np.array([rng.permutation(ranks)[: n // 2].sum() for _ in range(count)])
        best.append((sums.max() - n / 2 * (n / 2 + 1) / 2) / (n / 2) ** 2 - 0.5)
    bound = subgaussian_gain(math.log(count), 2.0 / n)
    assert 0.65 * bound < np.mean(best) < bound


def test_no_attack_gains_more_than_is_certified():
    n, looks, positives = 4000, 10, 2000
    hidden = np.random.default_rng(1).permutation(np.repeat([0, 1], positives))
    for metric, attack in (
        ("roc_auc", Graded),
        ("balanced_accuracy", CountReader),
        ("f1", CountReader),
    ):
        problem, shown = Problem(n, 2, looks), parse_metric(metric)
        rng = np.random.default_rng(0)
        if attack is CountReader:
            sizes = (n - positives, positives)
            player = CountReader(problem, Lattice, metric=shown, sizes=sizes, rng=rng)
        else:
            player = attack(problem, positives=positives, rng=rng)
        board = oracles.MetricOracle(hidden, shown, n_queries=looks)
        while (query := player.ask()) is not None:
            player.tell(board.query(query))
        free = 2 / 3 if metric == "f1" else 0.5
        allowed = certify_gain(problem, Exact(), Display.of(metric), class_sizes=(n // 2, n // 2))
        gained = shown.score(hidden, player.predict()) - free
        assert gained <= allowed.gain
        assert allowed.gain < 1.0 - free
    targets = np.random.default_rng(2).integers(101, size=n).astype(float)
    board = oracles.MetricOracle(targets, metrics.MeanSquaredError(), n_queries=looks)
    reader = TargetDigits(n, looks, low=0, high=100, rng=np.random.default_rng(0))
    while (query := reader.ask()) is not None:
        reader.tell(board.query(query))
    allowed = certify_gain(Problem(n, 2, looks), Exact(), Display.of("mse"), targets=(0, 100))
    # Without a look the middle is the best: the variance of 0 .. 100 is 850.
    gained = 850.0 - metrics.MeanSquaredError().score(targets, reader.predict())
    # Four standard errors of a mean of squares up to 2,500.
    assert gained <= allowed.gain + 4 * 800 / math.sqrt(n)
    assert allowed.gain < 10_000


def test_more_looks_and_groups_allow_more_and_coarse_rules_less():
    def gain(rule, looks, **settings):
        problem = Problem(10_000, 2, looks)
        display = Display.of("roc_auc", breakdown=settings.pop("breakdown", None))
        rule = parse_rule(rule)
        return certify_gain(problem, rule, display, class_sizes=(7000, 3000), **settings).gain

    assert gain("ladder:0.01", 30) < gain("round:2", 30) < gain("exact", 30)
    assert gain("round:2", 10) < gain("round:2", 30)
    by_group = gain("round:2", 30, breakdown="g", sizes=[5000, 5000])
    assert by_group > gain("round:2", 30)
    rare = certify_gain(
        Problem(10_000, 2, 30),
        parse_rule("round:2"),
        Display.of("roc_auc"),
        class_sizes=(9900, 100),
    )
    assert rare.gain > gain("round:2", 30)


@pytest.mark.parametrize(
    ("metric", "because"),
    [
        ("jaccard_macro", "no exponential inequality"),
        ("rmse", "no exponential inequality"),
        ("r2", "no exponential inequality"),
        ("average_precision", "no exponential inequality"),
        ("log_loss[0,10]", "no exponential inequality"),
        ("mse", "has no limit"),
        ("roc_auc", "must be public"),
        ("f1", "must be public"),
    ],
)
def test_what_is_not_proved_is_said(metric, because):
    found = certify_gain(Problem(100, 2, 3), Exact(), Display.of(metric))
    assert found.gain is None
    assert because in found.because


def test_more_classes_are_covered_by_recalls_alone():
    problem, sizes = Problem(90, 3, 3), (30, 40, 20)
    for metric in ("f1_macro", "matthews_corrcoef", "cohen_kappa", "precision_macro"):
        found = certify_gain(problem, Exact(), Display.of(metric), class_sizes=sizes)
        assert "of 3 classes" in found.because
    assert certify_gain(problem, Exact(), Display.of("recall_macro"), class_sizes=sizes).gain > 0
    alone = certify_gain(Problem(90, 2, 3), Exact(), Display.of("f1"), class_sizes=(90, 0))
    assert "both classes" in alone.because


def test_bad_sizes_are_refused():
    problem, display = Problem(100, 2, 3), Display.of("roc_auc")
    with pytest.raises(InvalidInput, match="class_sizes must add up to 100"):
        certify_gain(problem, Exact(), display, class_sizes=(50, 51))
    with pytest.raises(InvalidInput, match="groups must add up"):
        certify_gain(problem, Exact(), Display.of("roc_auc", breakdown="g"), [50, 51])
    with pytest.raises(InvalidInput, match="targets"):
        certify_gain(problem, Exact(), Display.of("mse"), targets=(1, 0))
