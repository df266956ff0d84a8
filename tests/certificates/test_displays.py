"""What is certified where looks show other metrics or groups, against all who might exceed it."""

import itertools
import math
from contextlib import suppress

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles
from holdfast.attacks import Lattice, RandomClimb
from holdfast.attacks.through_metrics import ByGroup, CountReader, Digits, Graded
from holdfast.bounds.metric_values import nats_of_values
from holdfast.certificates import (
    certify,
    certify_display,
    certify_gain,
    certify_ladder,
    certify_recorded,
)
from holdfast.certificates.displays import ShownLooks, shown_nats
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.display import Display
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.rules import Exact, Ladder, parse_rule, recorded_look
from holdfast.rules.on_metrics import first_states, release_show

PROBABILITIES = (0.0625, 0.25, 0.5, 0.875)


def submissions(metric, n, m):
    """All that somebody may hand in; of real numbers, some that tell all examples apart."""
    match metric.takes:
        case metrics.Submission.LABELS:
            return [np.array(each) for each in itertools.product(range(m), repeat=n)]
        case metrics.Submission.RANKED_LABELS:
            pairs = list(itertools.combinations(range(m), metric.k))
            return [np.array(each) for each in itertools.product(pairs, repeat=n)]
        case metrics.Submission.SCORES:
            return [np.array(each) for each in itertools.product(range(n), repeat=n)]
    return [np.array(each) for each in itertools.product(PROBABILITIES, repeat=n)]


def best_accuracy(rule, show, n, m, looks, hidden):
    """Return the expected accuracy of the best of all adaptive analysts, by enumeration."""
    truths = [show.truth(np.array(labels)) for labels in hidden]
    asked = [show.submitted(each, truths[0]) for each in submissions(show.metrics[0], n, m)]
    rng = np.random.default_rng(0)

    def guess(here):
        table = np.array([truths[each] for each in here])
        return sum(np.bincount(column).max() for column in table.T)

    def value(here, states, left):
        if not left or len(here) == 1:
            return guess(here)
        best = 0
        for query in asked:
            parts = {}
            for each in here:
                told, after = release_show(rule, show, states, truths[each], query, rng)
                answer = tuple(float(reading.value) for reading in told[-1])
                parts.setdefault(answer, (after, []))[1].append(each)
            best = max(best, sum(value(some, after, left - 1) for after, some in parts.values()))
        return best

    start = first_states(rule, show, truths[0], Problem(n, m, looks))
    return value(list(range(len(truths))), start, looks) / (n * len(truths))


@pytest.mark.parametrize(
    ("metric", "n", "m", "looks"),
    [
        ("f1_macro", 3, 2, 2),
        ("f1_macro", 3, 3, 1),
        ("f1_weighted", 3, 2, 2),
        ("jaccard_macro", 3, 2, 2),
        ("precision_macro", 4, 2, 1),
        ("balanced_accuracy", 4, 2, 1),
        ("recall_macro", 3, 3, 1),
        ("matthews_corrcoef", 4, 2, 1),
        ("cohen_kappa", 3, 2, 2),
        ("top_k_accuracy:2", 3, 3, 1),
        ("log_loss", 3, 2, 1),
        ("brier", 2, 2, 1),
    ],
)
@pytest.mark.parametrize("rule", ["exact", "round:0.25", "round:1", "ladder:0.25"])
def test_no_analyst_of_a_tiny_problem_exceeds_what_is_certified(metric, n, m, looks, rule):
    rule, display = parse_rule(rule), Display.of(metric)
    if isinstance(rule, Ladder) and not display.metric.bounded:
        display = Display.of(f"{metric}[0,4]")
    labels = list(itertools.product(range(m), repeat=n))
    possible = best_accuracy(rule, display.show(), n, m, looks, labels)
    certificate = certify_display(Problem(n, m, looks), rule, display)
    assert possible <= certificate.accuracy + 1e-12
    assert possible >= 1 / m


@pytest.mark.parametrize("groups", ["aab", "abc", "aaab"])
@pytest.mark.parametrize(
    ("rule", "also"),
    [
        (rule, also)
        for rule in ("exact", "round:0.5", "ladder:0.5", "ladder", "improved")
        for also in ((), ("f1_macro",))
        # A rule that looks at examples releases accuracies alone.
        if not (also and parse_rule(rule).wants_exact)
    ],
)
def test_no_analyst_of_a_tiny_breakdown_exceeds_what_is_certified(groups, rule, also):
    rule = parse_rule(rule)
    n, looks = len(groups), 1 if len(groups) > 3 else 2
    display = Display.of("accuracy", breakdown="g", also=also)
    sizes = [groups.count(name) for name in sorted(set(groups))]
    labels = list(itertools.product(range(2), repeat=n))
    possible = best_accuracy(rule, display.show(list(groups)), n, 2, looks, labels)
    certificate = certify_display(Problem(n, 2, looks), rule, display, sizes)
    assert possible <= certificate.accuracy + 1e-12


@pytest.mark.parametrize("name", [cls.name for cls in metric_classes()])
def test_values_are_as_few_as_they_are_counted(name):
    metric = parse_metric(f"{name}:2" if name == "top_k_accuracy" else name)
    n, m = (4, 3) if name == "top_k_accuracy" else (5, 2)
    if metric.takes in (metrics.Submission.NUMBERS, metrics.Submission.LABEL_SETS):
        assert certify_display(Problem(9, 2, 1), Exact(), Display(metric)).bound == "none"
        return
    hidden = []
    for labels in itertools.product(range(m), repeat=n):
        try:
            hidden.append(metric.truth(np.array(labels)))
        except InvalidInput:  # a class that the metric needs is absent
            continue
    most = 0
    for given in submissions(metric, n, m)[:200]:
        query = metric.submitted(given, hidden[0] | (m - 1))
        most = max(most, len({float(metric.value(truth, query)) for truth in hidden}))
    assert math.log(most) <= nats_of_values(metric.function_of, n, m, 1) + 1e-9


def test_sequences_of_values_are_as_few_as_they_are_counted():
    n, m, metric = 5, 3, metrics.F1Macro()
    rng = np.random.default_rng(4)
    asked = rng.integers(m, size=(3, n))
    seen = {
        tuple(float(metric.value(np.array(labels), query)) for query in asked)
        for labels in itertools.product(range(m), repeat=n)
    }
    assert math.log(len(seen)) <= nats_of_values(FunctionOf.CLASS_HITS, n, m, 3)


def played(attack, board):
    while board.looks_left and (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack


@pytest.mark.parametrize("looks", [20, 60])
@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa"])
def test_no_attack_through_counts_exceeds_what_is_certified(metric, looks):
    n = 300
    gains = []
    for seed in range(4):
        hidden = np.random.default_rng([seed, looks]).integers(2, size=n)
        board = oracles.MetricOracle(hidden, parse_metric(metric), n_queries=looks)
        attack = CountReader(
            Problem(n, 2, looks),
            Lattice,
            metric=parse_metric(metric),
            sizes=np.bincount(hidden, minlength=2),
            rng=np.random.default_rng(seed),
        )
        gains.append(np.mean(played(attack, board).predict() == hidden))
    allowed = certify_display(Problem(n, 2, looks), Exact(), Display.of(metric)).accuracy
    # The mean of four games is within 4 standard errors, 4 sqrt(1/4/300/4), of what is expected.
    assert np.mean(gains) <= allowed + 0.06
    assert np.mean(gains) > 0.5


@pytest.mark.parametrize(("rule", "looks"), [("exact", 3), ("round:3", 8), ("round:5", 8)])
def test_digits_of_a_loss_stay_below_what_is_certified(rule, looks):
    n, rule = 400, parse_rule(rule)
    hidden = np.random.default_rng(looks).integers(2, size=n)
    board = oracles.MetricOracle(hidden, metrics.LogLoss(), n_queries=looks, mechanism=rule)
    decimals = None if isinstance(rule, Exact) else rule.decimals
    attack = Digits(Problem(n, 2, looks), decimals=decimals, rng=np.random.default_rng(1))
    played(attack, board)
    known = int(attack.certain().sum())
    certificate = certify_display(Problem(n, 2, looks), rule, Display.of("log_loss"))
    assert known > 0
    # Labels that are proved hold a bit each, and all answers hold at most so many.
    assert known * math.log(2) <= certificate.nats
    assert (n + known) / (2 * n) <= certificate.accuracy + 1e-12


def test_rank_sums_stay_below_what_is_certified():
    n, looks = 600, 10
    hidden = np.random.default_rng(2).integers(2, size=n)
    board = oracles.MetricOracle(hidden, metrics.RocAuc(), n_queries=looks)
    positives = int(hidden.sum())
    attack = Graded(Problem(n, 2, looks), positives=positives, rng=np.random.default_rng(3))
    known = int(played(attack, board).certain().sum())
    certificate = certify_display(Problem(n, 2, looks), Exact(), Display.of("roc_auc"))
    assert 0 < known * math.log(2) <= certificate.nats


@pytest.mark.parametrize("looks", [5, 15, 40])
def test_groups_side_by_side_stay_below_what_is_certified(looks):
    sizes = [20, 60, 120, 200]
    groups = np.repeat(np.arange(4), sizes)
    show = metrics.Breakdown(groups, total=True)
    accuracy = []
    for seed in range(4):
        hidden = np.random.default_rng([seed, 9]).integers(4, size=400)
        board = oracles.MetricOracle(hidden, show, n_queries=looks)
        attack = ByGroup(
            Problem(400, 4, looks), groups, Lattice, rng=np.random.default_rng([seed, 1])
        )
        accuracy.append(np.mean(played(attack, board).predict() == hidden))
    display = Display.of("accuracy", breakdown="g")
    certificate = certify_display(Problem(400, 4, looks), Exact(), display, sizes)
    plain = certify(Problem(400, 4, looks))
    assert plain.accuracy < certificate.accuracy
    assert np.mean(accuracy) <= certificate.accuracy + 4 * math.sqrt(3 / 16 / 1600)


def test_a_breakdown_of_one_group_is_certified_like_counted_accuracies():
    display = Display.of("accuracy", breakdown="g")
    nats = certify_display(Problem(500, 4, 7), Exact(), display, [500]).nats
    assert nats == pytest.approx(7 * math.log(501))


def test_more_of_anything_certifies_no_less():
    problem, groups = Problem(1000, 4, 30), [100, 300, 600]
    by_group = Display.of("accuracy", breakdown="g")
    base = certify_display(problem, parse_rule("round:2"), by_group, groups).nats
    more = Display.of("accuracy", breakdown="g", also=["f1_macro"])
    finer = [[50, 50, 300, 600], [10] * 100]
    assert base <= certify_display(problem, parse_rule("round:2"), more, groups).nats
    assert base <= certify_display(problem, parse_rule("round:3"), by_group, groups).nats
    assert base <= certify_display(problem, parse_rule("exact"), by_group, groups).nats
    for sizes in finer:
        assert base <= certify_display(problem, parse_rule("round:2"), by_group, sizes).nats


@pytest.mark.parametrize("also", [(), ("recall_macro", "confusion_matrix")])
@pytest.mark.parametrize("metric", ["f1", "matthews_corrcoef", "cohen_kappa", "jaccard_macro"])
def test_two_classes_tell_no_more_than_their_accuracies_and_one_constant(metric, also):
    display, rule = Display.of(metric, also=also), parse_rule("round:2")
    found = certify_display(Problem(10_000, 2, 100), rule, display)
    assert found.accuracy <= certify(Problem(10_000, 2, 101)).accuracy < 0.655
    assert found.looks == 100
    # An area is a function of more than the match count.
    shown = Display.of(metric, also=["roc_auc"])
    assert certify_display(Problem(10_000, 2, 100), rule, shown).bound == "numbers-counted"


def test_many_classes_need_a_constant_for_each_class_but_one():
    problem, more = Problem(10_000, 10, 100), Problem(10_000, 10, 109)
    kappa = certify_display(problem, Exact(), Display.of("cohen_kappa"))
    assert kappa.accuracy == certify(more).accuracy
    assert certify_display(problem, Exact(), Display.of("f1_macro")).accuracy > kappa.accuracy


def test_an_area_of_all_examples_tells_a_group_apart_as_far_as_its_values_are_counted():
    size, n = 16, 1_000_000
    ranks = np.random.default_rng(3).choice(n, size, replace=False)
    chosen = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1
    # Accuracy by group beside it tells how many of the group are positive, up to a constant.
    values = len(np.unique(chosen @ ranks * (size + 1) + chosen.sum(axis=1)))
    counted = nats_of_values(FunctionOf.RANK_SUM, size, 2, 1, among=n)
    alone = nats_of_values(FunctionOf.RANK_SUM, size, 2, 1)
    assert alone + math.log(size + 1) < math.log(values) <= counted
    display = Display.of("accuracy", breakdown="g", also=["roc_auc"])
    looks = ShownLooks(Exact(), display, (size, n - size, n, n), {1: 1})
    assert shown_nats(looks, 2)[0] == pytest.approx(size * math.log(2))


def test_sizes_that_do_not_fit_are_refused():
    display = Display.of("accuracy", breakdown="g")
    for sizes in (None, [], [3, 4]):
        with pytest.raises(InvalidInput, match="must add up"):
            certify_display(Problem(10, 2, 3), Exact(), display, sizes)


def test_what_is_not_covered_says_why():
    numbers = certify_display(Problem(10, 2, 3), Exact(), Display.of("mse"))
    assert (numbers.accuracy, numbers.covered) == (1.0, False)
    assert "one label per example" in numbers.not_covered[0].because
    # A rule with noise that all teams share, and that remembers.
    text = '{"metric": "f1", "sizes": [100]} shaky:step=0.01,scale=0.01'
    shared = certify_recorded(100, 2, {(text, ""): 3}, everyone=False)
    assert shared.accuracy == 1.0
    assert "same state" in shared.not_covered[0].because
    own = certify_recorded(100, 2, {(text, "red"): 3}, everyone=False)
    assert own.covered
    assert str(recorded_look(text).rule) == "shaky:step=0.01,scale=0.01"


def test_looks_at_several_displays_add_up():
    area = '{"metric": "roc_auc", "sizes": [400]} round:2'
    both = certify_recorded(400, 2, {("exact", "a"): 5, (area, "a"): 5})
    one = certify_recorded(400, 2, {(area, "a"): 5})
    assert both.nats == pytest.approx(one.nats + 5 * math.log(401))
    assert certify_recorded(400, 2, {("exact", "a"): 5}) == certify_recorded(
        400, 2, {("exact", "b"): 5}
    )


@pytest.mark.parametrize("metric", ["brier", "accuracy", "top_k_accuracy:2"])
def test_a_ladders_standing_value_is_as_true_as_is_certified(metric):
    """Random forecasts, of which a Ladder shows the best: its value against the expected one."""
    metric, n, looks, risk = parse_metric(metric), 60, 40, 0.2
    rule = Ladder(0.05)
    bound = certify_ladder(rule, metric, n, looks, risk=risk).error
    # The same submission for every class: its expected value is known for uniform labels.
    worst = []
    for seed in range(60):
        rng = np.random.default_rng([seed, 5])
        hidden = rng.integers(3, size=n)
        board = oracles.MetricOracle(
            np.append(hidden[:-1], 2), metric, n_queries=looks, mechanism=rule
        )
        best, off = None, 0.0
        for _ in range(looks):
            match metric.takes:
                case metrics.Submission.LABELS:
                    given, expected = rng.integers(3, size=n), 1 / 3
                case metrics.Submission.RANKED_LABELS:
                    given = np.array([rng.permutation(3)[:2] for _ in range(n)])
                    expected = 2 / 3
                case _:
                    given = rng.dirichlet(np.ones(3), size=n)
                    # E sum (p - e_z)^2 = sum p^2 - 2/3 + 1 for a uniform class z.
                    expected = float(np.mean((given**2).sum(axis=1))) + 1 / 3
            sign = 1 if metric.higher_is_better else -1
            best = expected if best is None else sign * max(sign * best, sign * expected)
            off = max(off, abs(board.query(given) - best))
        worst.append(off)
    assert np.mean(np.array(worst) > bound) <= risk
    assert max(worst) > 0.0


@pytest.mark.parametrize(
    ("rule", "metric", "because"),
    [
        ("round:2", "brier", "no Ladder"),
        ("ladder", "accuracy", "no Ladder with a fixed step"),
        ("ladder:0.01", "f1_macro", "no mean of one loss per example"),
        ("ladder:0.01", "log_loss[0,10]", "no mean of one loss per example"),
        ("ladder:0.01", "log_loss", "has no limit"),
        ("ladder:0.01", "mse", "has no limit"),
    ],
)
def test_a_ladders_theorem_is_not_stretched(rule, metric, because):
    found = certify_ladder(parse_rule(rule), parse_metric(metric), 1000, 10)
    assert found.error is None
    assert because in found.because


@pytest.mark.parametrize("step", [0.005, 0.01])
def test_no_climber_lifts_a_ladder_further_from_the_truth_than_is_certified(step):
    """Labels are coins, so every submission, however chosen, is right on half of new examples."""
    n, looks, risk, rule = 2000, 300, 0.05, Ladder(step)
    bound = certify_ladder(rule, parse_metric("accuracy"), n, looks, risk=risk).error
    off = []
    for seed in range(10):
        hidden = np.random.default_rng([seed, 8]).integers(2, size=n)
        problem, rng = Problem(n, 2, looks), np.random.default_rng(seed)
        board = oracles.MetricOracle(hidden, metrics.Accuracy(), n_queries=looks, mechanism=rule)
        climber, stands = RandomClimb(problem, rng=rng), 0.0
        while board.looks_left and (query := climber.ask()) is not None:
            stands = board.query(query)
            climber.tell(stands)
        off.append(abs(stands - 0.5))
    # One in twenty may be further away; of ten, four would be a chance of one in a thousand.
    assert np.sum(np.array(off) > bound) < 4
    assert bound < 0.5
    assert np.mean(off) > 2 * step


@pytest.mark.parametrize(
    "release", ["exact", "round:2", "ladder:0.01", "gaussian:0.01", "laplace:0.1", "rank"]
)
def test_every_metric_is_certified_under_every_rule_or_says_why_not(release):
    """Ranges that floats can hold and squares of them can't, too; nothing ends in an overflow."""
    rule = parse_rule(release)
    names = [each.name for each in metric_classes() if each.name != "top_k_accuracy"]
    ranges = ["[0,10]", "[0,1e300]"]
    limited = [f"{name}{each}" for name in ("mse", "mae", "log_loss") for each in ranges]
    for name in (*names, "top_k_accuracy:2", *limited):
        for problem in (Problem(10, 2, 1), Problem(100_000, 3, 1000)):
            for bound in (certify_display, certify_gain):
                with suppress(HoldfastError):
                    bound(problem, rule, Display.of(name))
