"""What is certified where looks show recalls of each class, or a confusion matrix."""

import itertools
import math

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles
from holdfast.attacks.through_metrics import ClassPools
from holdfast.bounds.metric_values import FLOAT_NATS, nats_of_values
from holdfast.certificates import certify_display, certify_recorded
from holdfast.certificates.metric_gains import certify_gain
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.by_class import BY_CLASS
from holdfast.metrics.display import Display
from holdfast.rules import Exact, look_text, parse_rule, recorded_look
from tests.certificates.test_displays import best_accuracy


@pytest.mark.parametrize("name", list(BY_CLASS))
@pytest.mark.parametrize(("n", "m", "looks"), [(3, 2, 2), (3, 3, 1), (4, 2, 1)])
@pytest.mark.parametrize("rule", ["exact", "round:0.5", "ladder:0.25"])
def test_no_analyst_of_a_tiny_problem_exceeds_what_is_certified(name, n, m, looks, rule):
    rule, display = parse_rule(rule), Display.of("accuracy", also=[name])
    labels = list(itertools.product(range(m), repeat=n))
    possible = best_accuracy(rule, display.show(n_classes=m), n, m, looks, labels)
    found = certify_display(Problem(n, m, looks), rule, display)
    assert possible <= found.accuracy + 1e-12
    assert found.accuracy >= certify_display(Problem(n, m, looks), rule, Display()).accuracy


@pytest.mark.parametrize(("n", "m"), [(5, 2), (4, 3), (6, 2)])
def test_matrices_and_recalls_are_as_few_as_they_are_counted(n, m):
    truths = [np.array(each) for each in itertools.product(range(m), repeat=n)]
    rng = np.random.default_rng(0)
    for each in BY_CLASS.values():
        show = each.show(m)
        for _ in range(20):
            given = rng.integers(m, size=(2, n))
            seen = {
                tuple(value for query in given for value in show.values(truth, query))
                for truth in truths
            }
            counted = nats_of_values(each.function_of, n, m, 2, numbers=each.numbers(m))
            assert math.log(len(seen)) <= counted + 1e-9


def test_a_matrix_holds_the_square_of_one_less_counts_than_classes():
    n, m = 10_000, 10
    each = nats_of_values(FunctionOf.CONFUSIONS, n, m, 1000, sizes_public=True, numbers=m * m)
    # Every count of at most a few hundred holds some nats, and none more than that of all examples.
    assert 3.0 < each / 1000 / (m - 1) ** 2 < math.log(n + 1)
    assert nats_of_values(FunctionOf.CONFUSIONS, n, m, 1, numbers=1) <= FLOAT_NATS


def test_two_values_of_one_look_may_tell_more_than_one_float_does():
    display = Display.of("f1_macro", also=["precision_macro"])
    one = certify_display(Problem(10_000, 100, 5), Exact(), Display.of("f1_macro"))
    both = certify_display(Problem(10_000, 100, 5), Exact(), display)
    assert both.nats == pytest.approx(2.0 * one.nats, rel=1e-6)


@pytest.mark.parametrize("name", list(BY_CLASS))
def test_what_class_pools_read_is_below_what_is_certified(name):
    n, m, looks = 300, 4, 12
    hidden = np.random.default_rng(1).integers(m, size=n)
    show = (metrics.PerClassRecall if "recall" in name else metrics.ConfusionMatrix)(m)
    board = oracles.MetricOracle(hidden, show, n_queries=looks)
    sizes = np.bincount(hidden, minlength=m).tolist()
    attack = ClassPools(Problem(n, m, looks), rng=np.random.default_rng(0), class_sizes=sizes)
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    reached = float(np.mean(attack.predict() == hidden))
    display = Display.of("accuracy", also=[name])
    certificate = certify_display(Problem(n, m, looks), Exact(), display)
    assert 1 / m + 0.05 < reached <= certificate.accuracy
    gain = certify_gain(Problem(n, m, looks), Exact(), display).gain
    assert gain > certify_gain(Problem(n, m, looks), Exact(), Display()).gain


def test_a_rule_that_looks_at_examples_is_counted_number_by_number():
    display = Display.of("accuracy", also=["recall_per_class"])
    rule, problem = parse_rule("ladder"), Problem(2000, 4, 20)
    found = certify_display(problem, rule, display)
    assert found.nats == pytest.approx(5 * certify_display_of_one(rule, problem), rel=1e-6)


def certify_display_of_one(rule, problem):
    return min(rule.own_nats(problem), problem.n_queries * math.log(problem.n_examples + 1))


def test_recorded_looks_at_matrices_are_counted():
    display = Display.of("accuracy", also=["confusion_matrix"])
    text = look_text("exact", display, [1000])
    assert recorded_look(text).display == display
    found = certify_recorded(1000, 5, {(text, "red"): 3})
    direct = certify_display(Problem(1000, 5, 3), Exact(), display)
    assert (found.bound, found.nats) == ("numbers-counted", direct.nats)
