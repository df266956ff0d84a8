"""Every metric under every rule that releases it, and adversarial inputs: nothing is spent."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest

from holdfast import Problem, metrics
from holdfast.errors import InvalidInput, InvalidQuery, NotSupported, ReleaseFailed
from holdfast.metrics.numbers import LARGEST
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.oracles import MetricOracle
from holdfast.rules import Exact, Ladder, parse_rule, rule_classes
from holdfast.rules.on_metrics import check_metric, first_states, release_show, resumed
from tests.metrics.test_values import REFERENCES

NAMES = [f"{cls.name}:2" if cls.name == "top_k_accuracy" else cls.name for cls in metric_classes()]
RULES = [text for cls in rule_classes() for text in cls.text_forms]
KINDS = metrics.Submission
# Of all submissions to a tiny problem one in so many is compared, else one in five.
STEPS = {KINDS.LABEL_SETS: 23}
# Undefined where all that is hidden is the same.
NEED_DIFFERENT = ("roc_auc", "average_precision", "r2")
# Hidden truth, three submissions, and what is none for each kind of submission.
CASES = {
    KINDS.LABELS: (
        [0, 1, 1, 0, 1, 0] * 3,
        [[0, 1, 0, 0, 1, 0] * 3, [1] * 18, [0, 1, 1, 0, 1, 0] * 3],
        [[0, 1] * 8, [*[0, 1] * 8, 0, math.nan], [*[0, 1] * 8, 0, -1], [[0] * 18]],
    ),
    KINDS.RANKED_LABELS: (
        [0, 1, 2, 0],
        [[[0, 1]] * 4, [[1, 2]] * 4, [[0, 2], [1, 2], [2, 0], [0, 1]]],
        [[[0, 1]] * 3, [[0, 0]] * 4, [[0, math.nan]] * 4, [0, 1, 2, 0]],
    ),
    KINDS.LABEL_SETS: (
        [[0, 1], [1, 1], [0, 0]],
        [[[0, 1], [0, 0], [0, 1]], [[1, 1]] * 3, [[0, 1], [1, 1], [0, 0]]],
        [[[0, 1]] * 2, [[0, 2]] * 3, [[0, math.nan]] * 3, [0, 1, 0]],
    ),
    KINDS.SCORES: (
        [0, 1, 1, 0],
        [[0.1, 0.4, 0.2, 0.3], [5.0, 5.0, 5.0, 5.0], [-1.0, 9.0, 7.0, -3.0]],
        [[0.1, 0.4, 0.2], [0.1, 0.4, 0.2, math.nan], [0.1, math.inf, 0.2, 0.3], ["a"] * 4],
    ),
    KINDS.PROBABILITIES: (
        [0, 1, 1, 0],
        [[0.1, 0.4, 0.2, 0.3], [0.5] * 4, [0.0, 1.0, 1.0, 0.0]],
        [[0.1, 0.4, 0.2], [0.1, 0.4, 0.2, math.nan], [0.1, 1.5, 0.2, 0.3], [0.1, -0.5, 0.2, 0.3]],
    ),
    KINDS.NUMBERS: (
        [0.0, 3.0, 1.0],
        [[1.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 3.0, 1.0]],
        [
            [1.0, 2.0],
            [1.0, 2.0, math.nan],
            [1.0, -math.inf, 2.0],
            ["x"] * 3,
            [1e200, 2.0, 1.0],
            [1.0, 2.0, -1.7e308],
        ],
    ),
}


def clipped(name):
    """Return the metric, with limits if it has none, so that every rule of values takes it."""
    metric = parse_metric(name)
    if metric.bounded:
        return metric
    return parse_metric(f"{name}[-4,1]" if metric.high == 1.0 else f"{name}[0,4]")


def pairs():
    for name, text in itertools.product(NAMES, RULES):
        rule, metric = parse_rule(text), clipped(name)
        try:
            check_metric(rule, metric)
        except NotSupported:
            continue
        if not rule.waits:
            yield pytest.param(metric, text, id=f"{name}-{text}")


@pytest.mark.parametrize(("metric", "text"), list(pairs()))
def test_answers_follow_from_the_seed_and_states_are_data(metric, text):
    rule = parse_rule(text)
    hidden, given, _ = CASES[metric.takes]
    truth = metric.truth(hidden)
    problem = Problem(len(hidden), 2, 3)

    def play(*, stored):
        states = first_states(rule, metric, truth, problem)
        rng, answers = np.random.default_rng(5), []
        for submission in given:
            if stored:  # as a ledger keeps them
                states = [json.loads(json.dumps(state)) for state in states]
                states = resumed(rule, states, metric, truth, problem)
            checked = metric.submitted(submission, truth)
            told, states = release_show(rule, metric, states, truth, checked, rng)
            answers.append([float(reading.value) for reading in told[-1]])
        return answers

    answers = play(stored=False)
    assert answers == play(stored=False) == play(stored=True)
    if isinstance(rule, Exact):
        assert [each for [each] in answers] == [metric.score(hidden, each) for each in given]
    if isinstance(rule, Ladder):
        sign = 1 if metric.higher_is_better else -1
        climbed = [sign * each for [each] in answers]
        assert climbed == sorted(climbed)


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("rank", "it keeps submitted labels and counts their matches again"),
        ("improved", "it keeps submitted labels and counts their matches again"),
        ("ladder", "it keeps submitted labels and compares their hits"),
        ("subsample:0.3", "it scores some of the examples"),
        ("batch:20", "it holds answers back"),
        ("subsample:0.3+round:4", "it scores some of the examples"),
    ],
)
def test_a_rule_that_looks_at_examples_says_why(text, because):
    on = "accuracies alone|metrics that call each example right or wrong, as accuracies do"
    with pytest.raises(NotSupported, match=f"works on ({on}), since {because}"):
        check_metric(parse_rule(text), parse_metric("f1"))


@pytest.mark.parametrize(("metric", "text"), list(pairs()))
def test_a_submission_that_is_none_changes_nothing(metric, text):
    hidden, given, broken = CASES[metric.takes]

    def answers(*, disturbed):
        oracle = MetricOracle(
            hidden,
            metric,
            n_queries=len(given),
            mechanism=parse_rule(text),
            rng=np.random.default_rng(7),
        )
        told = []
        for at, submission in enumerate(given):
            for bad in broken if disturbed else ():
                with pytest.raises(InvalidQuery, match="submission"):
                    oracle.query(bad)
                assert oracle.looks == at
            told.append(oracle.query(submission))
        return told

    assert answers(disturbed=True) == answers(disturbed=False)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_of_a_tiny_problem_have_scikit_learns_values(name):
    """Classes absent from either side, constants and ties are among them."""
    metric, (_, reference) = parse_metric(name), REFERENCES[name]
    options = {
        KINDS.LABELS: (range(2 if name == "f1" else 3), range(2 if name == "f1" else 3)),
        KINDS.RANKED_LABELS: (range(3), [(0, 1), (1, 2), (2, 0)]),
        KINDS.LABEL_SETS: (list(itertools.product((0, 1), repeat=2)),) * 2,
        KINDS.SCORES: (range(2), (-1.0, 0.5, 7.0)),
        KINDS.PROBABILITIES: (range(2), (0.0, 0.25, 1.0)),
        KINDS.NUMBERS: ((0.0, 1.0, 3.0),) * 2,
    }[metric.takes]
    compared, step = 0, STEPS.get(metric.takes, 5) if name != "f1" else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for hidden in itertools.product(options[0], repeat=3):
            truth = np.array(hidden)
            constant = len(set(hidden)) == 1
            if constant and name in NEED_DIFFERENT:
                with pytest.raises(InvalidInput, match=r"both classes|equal"):
                    metric.truth(truth)
                continue
            every = itertools.product(options[1], repeat=3)
            # Which of them are left out changes from one truth to the next.
            for given in itertools.islice(every, compared % step, None, step):
                submission = np.array(given)
                shaped = submission
                if metric.takes is KINDS.PROBABILITIES:
                    shaped = np.stack([1 - submission, submission], axis=1)
                value = metric.score(truth, submission)
                assert value == pytest.approx(reference(truth, shaped), abs=1e-12)
                compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", NAMES)
def test_a_group_of_one_example_has_a_value_or_is_named(name):
    metric = parse_metric(name)
    hidden, (given, *_), _ = CASES[metric.takes]
    groups = ["many"] * (len(hidden) - 1) + ["one"]
    show = metrics.Breakdown(groups, metric)
    if name in NEED_DIFFERENT:
        with pytest.raises(InvalidInput, match="group one: "):
            MetricOracle(hidden, show, n_queries=1)
        return
    oracle = MetricOracle(hidden, show, n_queries=1)
    alone = metric.score(np.asarray(hidden)[-1:], np.asarray(given)[-1:])
    assert oracle.query(given)[1] == pytest.approx(alone, abs=1e-15)


@pytest.mark.parametrize("name", ["mse", "rmse", "mae", "r2"])
def test_the_largest_numbers_have_finite_values_and_larger_ones_are_named(name):
    metric = parse_metric(name)
    hidden = [0.0, 1e-50, LARGEST]
    assert math.isfinite(metric.score(hidden, [-LARGEST] * 3))
    with pytest.raises(InvalidQuery, match=r"submission must be .* at most 1e\+75 .* position 1"):
        metric.score(hidden, [0.0, 1e76, 0.0])
    with pytest.raises(InvalidInput, match=r"targets must be .* at most 1e\+75 in size"):
        metric.truth([0.0, -1e76])


@pytest.mark.parametrize("targets", [[1e-200, 2e-200], [1e-51, 0.0]])
def test_targets_that_hardly_differ_have_no_r2(targets):
    with pytest.raises(InvalidInput, match="targets must differ for r2"):
        metrics.R2().truth(targets)


def test_a_value_that_is_not_finite_is_no_answer():
    class Broken(metrics.MeanAbsoluteError):
        def value(self, truth, submission):
            return math.nan if submission[0] else 0.0

    oracle = MetricOracle([0.0, 1.0], Broken(), n_queries=1)
    with pytest.raises(ReleaseFailed, match="mae must be finite"):
        oracle.query([1.0, 1.0])
    assert oracle.query([0.0, 1.0]) == 0.0
