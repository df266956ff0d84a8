"""Plans for other metrics and for breakdowns, against what games took."""

import json
import time

import numpy as np
import pytest
from benchmarks.tables import DATA

from holdfast import metrics, oracles, play
from holdfast.attacks.through_metrics import Graded, TargetBisection, TargetDigits
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.cli.plan_metric import group_sizes
from holdfast.errors import InvalidInput, NotSupported, OutOfTurn
from holdfast.metrics.registry import parse_metric
from holdfast.planner import by_forecast, metric_plan, planned_on_counts
from holdfast.problem import Problem
from holdfast.rules import parse_rule

EXACT = parse_rule("exact")
SIZES = ("--n-examples", 10_000, "--n-classes", 2, "--looks", 300)


@pytest.mark.parametrize(
    ("row", "metric", "n_classes", "rule"),
    [
        ("| log_loss | 2 | float64 |", "log_loss", 2, "exact"),
        ("| log_loss | 2 | 5 decimals |", "log_loss", 2, "round:5"),
        ("| log_loss | 10 | 5 decimals |", "log_loss", 10, "round:5"),
        ("| brier | 2 | float64 |", "brier", 2, "exact"),
        ("| mse, targets 0 to 100 | 101 | float64 |", "mse", 101, "exact"),
        ("| mae, targets 0 to 100 | 101 | float64 |", "mae", 101, "exact"),
        ("| mae, targets 0 to 100 | 101 | 5 decimals |", "mae", 101, "round:5"),
        ("| roc_auc, 30 % positives | 2 | float64 |", "roc_auc", 2, "exact"),
    ],
)
def test_looks_for_all_labels_are_those_of_measured_games(row, metric, n_classes, rule):
    kept = json.loads((DATA / "metric-looks.json").read_text())["rows"]
    measured = next(text for text, _ in kept if text.startswith(row)).split("|")[4]
    looks = float(measured.split("±")[0].replace(",", ""))
    problem = Problem(10_000, n_classes, 300)
    found = metric_plan(parse_metric(metric), parse_rule(rule), problem)
    assert found.looks_for_all == pytest.approx(looks, rel=0.05)


@pytest.mark.slow
def test_groups_are_planned_each_by_itself():
    metric = metrics.Accuracy()
    whole = metric_plan(metric, EXACT, Problem(900, 4, 60))
    parts = metric_plan(metric, EXACT, Problem(900, 4, 60), [100] * 9)
    one = metric_plan(metric, EXACT, Problem(100, 4, 60))
    assert parts.gain == pytest.approx(9 * one.gain)
    # All groups share what the forecast of one errs by.
    assert parts.error == pytest.approx(9 * one.error)
    assert parts.looks_for_all == one.looks_for_all < whole.looks_for_all
    assert parts.gain > 2.0 * whole.gain
    assert parts.attack == f"{one.attack}, by group"


def test_all_labels_of_small_groups_are_certain():
    found = metric_plan(metrics.LogLoss(), EXACT, Problem(300, 2, 20), [100, 200])
    assert (found.certain, found.gain) == (300, pytest.approx(150.0))
    assert found.looks_for_all <= 20


def test_counts_behind_other_metrics_cost_one_look_more():
    accuracy = metric_plan(metrics.Accuracy(), EXACT, Problem(500, 2, 40))
    f1 = metric_plan(metrics.F1(), EXACT, Problem(500, 2, 41))
    assert f1.gain == accuracy.gain
    assert f1.looks_for_all == accuracy.looks_for_all + 1
    assert metric_plan(metrics.F1(), EXACT, Problem(500, 2, 1)).gain == 0.0


def test_top_k_is_an_accuracy_of_fewer_classes():
    found = metric_plan(metrics.TopKAccuracy(5), EXACT, Problem(500, 50, 40))
    assert found.gain == metric_plan(metrics.Accuracy(), EXACT, Problem(500, 10, 40)).gain


def test_a_schedule_of_areas_is_kept():
    problem = Problem(400, 2, 400)
    hidden = np.random.default_rng(1).permutation(np.arange(400) % 2)
    board = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=400)
    attack = Graded(problem, rng=np.random.default_rng(0))
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    schedule = [labels for labels, times in Graded.schedule(problem) for _ in range(times)]
    assert sum(schedule) == 400
    # Labels that an answer leaves open are asked again.
    assert 0 <= board.looks - len(schedule) <= 2


def test_a_schedule_counts_runs_as_it_would_looks():
    n, decimals = 3000, None
    attack = Graded(Problem(n, 2, 1), rng=np.random.default_rng(0), positives=n // 2)
    waiting, read = attack._waiting_line, [1]
    attack._known, attack._waiting_line = waiting[:1], waiting[1:]
    while attack._waiting_line:
        digits = attack._digits(attack._unit())
        attack._known += attack._waiting_line[:digits]
        attack._waiting_line = attack._waiting_line[digits:]
        read.append(digits)
    runs = Graded.schedule(Problem(n, 2, 1), decimals)
    assert [labels for labels, times in runs for _ in range(times)] == read


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss"])
def test_plans_of_very_many_examples_take_seconds(metric):
    start = time.process_time()
    found = metric_plan(parse_metric(metric), EXACT, Problem(10**8, 2, 3))
    assert found.gain > 0
    assert time.process_time() - start < 10


def test_plans_of_too_many_targets_are_refused():
    with pytest.raises(NotSupported, match="over 10,000,000 examples"):
        metric_plan(parse_metric("mse"), EXACT, Problem(10**8, 2, 3))


def test_targets_per_look_are_told_before_the_first_answer():
    attack = TargetDigits(60, 60, low=0, high=100, rng=np.random.default_rng(0))
    hidden = np.random.default_rng(1).integers(0, 101, size=60)
    board = oracles.MetricOracle(hidden, metrics.MeanSquaredError(), n_queries=60)
    looks = 1 + -(-60 // attack.digits_of_uniform_targets())
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    assert abs(board.looks - looks) <= 1
    with pytest.raises(OutOfTurn):
        attack.digits_of_uniform_targets()


@pytest.mark.slow
@pytest.mark.parametrize("looks", [5, 60, 130, 400])
def test_absolute_errors_are_planned_round_by_round(looks):
    hidden = np.random.default_rng(1).integers(0, 101, size=1000)
    board = oracles.MetricOracle(hidden, metrics.MeanAbsoluteError(), n_queries=looks)
    attack = TargetBisection(1000, looks, low=0, high=100, rng=np.random.default_rng(0))
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    found = metric_plan(metrics.MeanAbsoluteError(), EXACT, Problem(1000, 101, looks))
    right = int(np.count_nonzero(attack.targets() == hidden))
    # A twentieth of the targets: chance alone moves what middles hit by five standard errors less.
    assert found.gain == pytest.approx(right - 1000 / 101, abs=50)
    assert found.certain == pytest.approx(attack.certain().sum(), abs=50)


def test_kappa_of_several_classes_is_planned_as_an_accuracy_and_of_groups_refused():
    problem, rule = Problem(1000, 4, 100), parse_rule("exact")
    found = metric_plan(parse_metric("cohen_kappa"), rule, problem)
    accuracy = metric_plan(parse_metric("accuracy"), rule, problem)
    assert (found.gain, found.looks_for_all) == (accuracy.gain, accuracy.looks_for_all)
    assert found.error == accuracy.error > 0.0
    assert found.attack == f"count-reader, {accuracy.attack}"
    with pytest.raises(NotSupported, match="a group's class sizes are not public"):
        metric_plan(parse_metric("cohen_kappa"), rule, problem, [500, 500])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "looks", "best"),
    [(200, 8, "graded"), (2000, 40, "graded"), (2000, 5, "count-reader, champion-challenger")],
)
def test_areas_are_planned_as_ranks_unless_counts_of_many_examples_gain_more(n, looks, best):
    problem = Problem(n, 2, looks)
    assert metric_plan(metrics.RocAuc(), EXACT, problem).attack == best
    board = MetricBoard(metrics.RocAuc())
    able = attacks_on(board, 2, from_nothing=[planned_on_counts(EXACT)])
    ranked = by_forecast(able, problem, EXACT)
    areas = {}
    for each in (each for each, found in ranked if not isinstance(found, NotSupported)):
        for seed in range(3):
            hidden = np.random.default_rng(seed).integers(2, size=n)
            shown = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=looks)
            guess = play(each.make(problem, rng=np.random.default_rng(9 + seed)), shown)
            areas.setdefault(each.cls.name, []).append(metrics.RocAuc().score(hidden, guess))
    # The planned one is played first, and has the larger area.
    assert next(iter(areas)) == best.partition(",")[0]
    first, second = (float(np.mean(found)) for found in areas.values())
    assert first > second + 0.003


@pytest.mark.parametrize(
    ("metric", "rule", "n_classes", "because"),
    [
        ("f1_macro", "exact", 3, "no forecast for f1_macro of 3 classes"),
        ("mae", "round:2", 5, "2 decimals do not show one of 1000 errors"),
        ("average_precision", "exact", 2, "no forecast for average_precision of 2 classes"),
        ("roc_auc", "exact", 3, "no forecast for roc_auc of 3 classes"),
        ("top_k_accuracy:3", "exact", 5, "blocks of 3 overlap"),
        ("log_loss", "ladder:0.01", 2, "needs values between two limits"),
    ],
)
def test_what_is_not_known_is_refused_with_the_reason(metric, rule, n_classes, because):
    problem = Problem(1000, n_classes, 20)
    with pytest.raises(NotSupported, match=because):
        metric_plan(parse_metric(metric), parse_rule(rule), problem)


def test_group_sizes():
    assert group_sizes("300, 2x50") == [300, 50, 50]
    for text in ("", "a", "3x", "-5", "1.5", "2x3x4"):
        with pytest.raises(InvalidInput, match="breakdown must list sizes"):
            group_sizes(text)
    with pytest.raises(InvalidInput, match="at most a million groups"):
        group_sizes("1000000000x1")
    with pytest.raises(InvalidInput, match="at least one group each, got '0x5,100'"):
        group_sizes("0x5,100")


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "r2"])
def test_one_example_has_no_value_of_metrics_that_compare_several(metric):
    rule, several = parse_rule("exact"), parse_metric(metric)
    with pytest.raises(InvalidInput, match=f"{metric} is not defined of one example.*groups must"):
        metric_plan(several, rule, Problem(10, 2, 5), [1] * 10)
    with pytest.raises(InvalidInput, match="n_examples must be at least 2, got 1"):
        metric_plan(several, rule, Problem(1, 2, 5))


def test_sizes_must_add_up(holdfast):
    outcome = holdfast("plan", *SIZES, "--breakdown", "3x30")
    assert outcome.code == 2
    assert "add up to n_examples = 10,000, got 90 in all" in outcome.err


def test_the_command_says_the_metric_first_and_both_shows(holdfast):
    assert ", 1 group. " in holdfast("plan", *SIZES, "--metric", "f1", "--breakdown", "10000").out
    out = holdfast("plan", *SIZES, "--metric", "log_loss", "--breakdown", "10x1000").out
    assert out.startswith("Metric: log_loss, 10 groups. 300 scored submissions (looks) at 10,000")
    assert "total only" in out
    assert "with groups" in out
    found = holdfast("plan", *SIZES, "--metric", "log_loss", "--json").json
    assert (found["metric"], found["breakdown"]) == ("log_loss", None)
    assert found["shows"][0]["looks_for_all"] == 250
    assert found["shows"][0]["gain"] == pytest.approx(0.5)
    assert found["shows"][0]["gain_stderr"] == pytest.approx(0.02)
    assert "± 2.0" in out


def test_models_are_not_planned_with(holdfast):
    outcome = holdfast("plan", *SIZES, "--metric", "f1", "--prior-accuracy", 0.7)
    assert outcome.code == 2
    assert "prior_accuracy must be left out with metric or breakdown" in outcome.err


def test_a_rule_that_changes_values_is_named_with_what_plays_there():
    metric, rule = parse_metric("f1"), parse_rule("ladder:0.01")
    with pytest.raises(NotSupported, match=r"f1 under ladder:0.01: count-reader.* audit"):
        metric_plan(metric, rule, Problem(100, 2, 9))


@pytest.mark.parametrize(
    ("metric", "rule"),
    [
        ("roc_auc", "round:2"),
        ("roc_auc", "gaussian:0.03"),
        ("f1", "round:2"),
        ("cohen_kappa", "gaussian:0.01"),
        ("brier", "gaussian:0.01"),
        ("log_loss[0,10]", "ladder:0.01"),
    ],
)
def test_blurred_values_are_planned(metric, rule):
    found = metric_plan(parse_metric(metric), parse_rule(rule), Problem(2000, 2, 100))
    assert found.gain > 10
