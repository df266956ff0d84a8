"""What a policy lets a look show, a metric of one's own, and one that is clipped."""

import numpy as np
import pytest

from holdfast import metrics
from holdfast.errors import InvalidInput, NotSupported, ReleaseFailed
from holdfast.guard import Policy
from holdfast.metrics.display import Display
from holdfast.metrics.registry import parse_metric


def test_a_display_reads_back_from_its_text():
    for display in (
        Display(),
        Display.of("f1_macro"),
        Display.of("log_loss[0,10]", breakdown='a "b" by c'),
        Display.of("top_k_accuracy:5", breakdown="subject"),
        Display.of("accuracy", also=["f1_macro", "matthews_corrcoef"]),
    ):
        assert Display.from_text(display.as_text()) == display
    assert Display().as_text() == ""
    with pytest.raises(InvalidInput, match="JSON object"):
        Display.from_text("f1")


def test_a_display_shows_groups_then_the_whole_then_other_metrics():
    show = Display.of("accuracy", breakdown="subject", also=["f1"]).show(["b", "a", "b"])
    assert show.names == ("subject=a", "subject=b", "accuracy", "f1")
    assert show.names[show.ranking] == "accuracy"
    truth = show.truth([0, 1, 1])
    assert [rows if rows is None else rows.tolist() for rows in show.members(truth)] == [
        [1],
        [0, 2],
        None,
        None,
    ]
    assert [float(v) for v in show.values(truth, np.array([0, 1, 0]))] == [1, 0.5, 2 / 3, 2 / 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "f1_makro"}, "did you mean f1_macro"),
        ({"metric": "f1", "also": ["f1"]}, "f1 twice"),
        ({"metric": "f1", "also": ["log_loss", "mse"]}, "must be about the same hidden truth"),
        ({"metric": "accuracy", "breakdown": " "}, "name of a column"),
        ({"metric": "log_loss[0,ten]"}, "must be two numbers"),
        ({"metric": "log_loss[10,0]"}, "the lower first"),
        ({"metric": "log_loss[-1,1]"}, "must lie within the metric's"),
        ({"metric": "log_loss[0,inf]"}, "two finite numbers"),
    ],
)
def test_a_display_that_is_none_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Display.of(**arguments)


def test_a_breakdown_needs_the_groups():
    with pytest.raises(InvalidInput, match="its column subject"):
        Display.of("accuracy", breakdown="subject").show()


def test_a_policy_has_a_display_and_an_older_one_keeps_its_digest():
    assert Policy("exact").display == Display()
    text = 'release = "round:3"\nmetric = "f1_macro"\nbreakdown = "subject"\nalso = ["accuracy"]\n'
    policy = Policy.parse(text)
    assert policy.display == Display.of("f1_macro", "subject", ["accuracy"])
    digests = {
        Policy("round:3").digest,
        Policy("round:3", metric="f1").digest,
        Policy("round:3", breakdown="subject").digest,
        Policy("round:3", also=("f1",)).digest,
        policy.digest,
    }
    assert len(digests) == 5
    # As computed before policies had a metric.
    assert Policy("round:3").digest == Policy("round:3", metric="accuracy", also=()).digest
    assert Policy("ladder:0.01", looks_per_team=5).digest == "30442254d5555137"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('metric = "f1_makro"', "line 2: metric must be one of"),
        ("metric = 3", "line 2: metric must be a string"),
        ('also = "f1"', "line 2: also must be a list"),
        ('also = ["f1", 2]', "line 2: also must be a string, got 2"),
        ('breakdown = ""', "line 2: breakdown must be the name of a column"),
    ],
)
def test_a_policy_names_the_line_of_a_mistake(line, message):
    with pytest.raises(InvalidInput, match=message):
        Policy.parse(f'release = "exact"\n{line}')


def test_a_policy_refuses_a_metric_that_its_rule_can_not_release():
    with pytest.raises(NotSupported, match='state a range to clip it to, such as "log_loss\\[0,10'):
        Policy("ladder:0.01", metric="log_loss")
    with pytest.raises(NotSupported, match='"r2\\[-1,1\\]"'):
        Policy("gaussian:0.01", metric="r2")
    with pytest.raises(NotSupported, match="call each example right or wrong"):
        Policy("ladder", metric="f1")
    Policy("ladder:0.01", metric="log_loss[0,10]")
    Policy("ladder", breakdown="subject")


def test_a_clipped_metric_tells_its_limit_beyond_it():
    metric = parse_metric("r2[-1,1]")
    assert (metric.low, metric.high, metric.bounded, metric.higher_is_better) == (-1, 1, True, True)
    assert metric.score([0.0, 1.0], [9.0, -9.0]) == -1.0
    assert metric.score([0.0, 1.0], [0.0, 1.0]) == 1.0
    loss = parse_metric("mse[0,2.5]")
    assert (str(loss), loss.higher_is_better) == ("mse[0,2.5]", False)
    assert loss.score([0.0, 1.0], [9.0, -9.0]) == 2.5


def own(function, **settings):
    return metrics.OwnMetric("mine", function, **settings)


def test_a_metric_of_ones_own_is_what_the_function_returns():
    metric = own(lambda truth, given: (truth == given).sum() / 4, high=2.0)
    assert metric.score([0, 1, 1], [0, 1, 0]) == 0.5
    assert (str(metric), metric.bounded, metric.higher_is_better) == ("mine", True, True)
    assert Policy("round:2", metric=metric).display.metric is metric
    assert "mine" not in [each.name for each in metrics.registry.metric_classes()]


@pytest.mark.parametrize("returned", [float("nan"), [0.5, 0.5], "good", None])
def test_a_function_that_returns_no_value_is_told_so_without_the_value(returned):
    with pytest.raises(ReleaseFailed, match="mine must return one finite number") as caught:
        own(lambda truth, given: returned).score([0, 1], [0, 1])
    assert "0.5" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"low": 1.0, "high": 1.0}, "low must be below high"),
        ({"low": float("nan")}, "low must be below high"),
        ({"takes": metrics.Submission.PROBABILITIES}, "takes must be one of"),
    ],
)
def test_a_metric_of_ones_own_is_checked(settings, message):
    with pytest.raises(InvalidInput, match=message):
        own(lambda truth, given: 0.5, **settings)


def test_a_function_gets_copies():
    def spoil(truth, given):
        truth[:] = 0
        given[:] = 0
        return 1.0

    hidden, guess = np.array([0, 1], dtype=np.uint8), np.array([1, 1], dtype=np.uint8)
    assert own(spoil).score(hidden, guess) == 1.0
    assert hidden.tolist() == [0, 1]
    assert guess.tolist() == [1, 1]


@pytest.mark.parametrize("name", ["", "Mine", "my metric", "x" * 41, 3])
def test_the_name_of_ones_own_metric_is_plain(name):
    with pytest.raises(InvalidInput, match="name must be a letter"):
        metrics.OwnMetric(name, lambda truth, given: 0.5)
