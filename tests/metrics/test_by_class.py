"""Recalls of each class and confusion matrices beside a metric: displays, policies, guards."""

import numpy as np
import pytest
from sklearn import metrics as reference

from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard import Guard, Policy
from holdfast.metrics.display import Display
from holdfast.rules import recorded_look

TRUTH = np.array([0, 1, 2, 1, 0, 2, 2])
GIVEN = np.array([0, 1, 1, 2, 0, 2, 0])


def guarded(folder, release="exact", also=("recall_per_class",), truth=TRUTH, **settings):
    policy = Policy(release, also=also, **settings)
    return Guard(truth, policy, folder / "ledger.db", create=True, n_classes=3)


def test_a_display_finds_numbers_of_classes_among_the_further_metrics():
    display = Display.of("f1_macro", also=["confusion_matrix", "accuracy", "recall_per_class"])
    assert [str(each) for each in display.also] == ["accuracy"]
    assert display.beside == ("accuracy", "confusion_matrix", "recall_per_class")
    assert str(display) == "f1_macro, also accuracy, confusion_matrix, recall_per_class"
    assert Display.from_text(display.as_text()) == display
    assert not Display.of("accuracy", also=["recall_per_class"]).plain
    assert len(display.show(n_classes=3).names) == 2 + 9 + 3
    with pytest.raises(InvalidInput, match="needs the number of classes"):
        display.show()


def test_what_has_no_classes_has_no_numbers_of_them():
    with pytest.raises(InvalidInput, match="recall_per_class must stand beside a metric of labels"):
        Display.of("mse", also=["recall_per_class"])
    with pytest.raises(InvalidInput, match="recall_per_class twice"):
        Display.of("f1", also=["recall_per_class", "recall_per_class"])
    with pytest.raises(InvalidInput, match="metric must be one of"):
        Display.of("recall_per_class")
    with pytest.raises(InvalidInput, match="of 101 classes must be left out"):
        Display.of("accuracy", also=["confusion_matrix"]).show(n_classes=101)


def test_a_guard_releases_recalls_and_shares_of_all_examples(tmp_path):
    receipt = guarded(tmp_path, also=("recall_per_class", "confusion_matrix")).score(
        GIVEN, team="blue"
    )
    recalls = reference.recall_score(TRUTH, GIVEN, average=None)
    cells = reference.confusion_matrix(TRUTH, GIVEN, normalize="all")
    for label in range(3):
        assert receipt.numbers[f"recall_per_class={label}"] == pytest.approx(recalls[label])
        for given in range(3):
            name = f"confusion_matrix={label} as {given}"
            assert receipt.numbers[name] == pytest.approx(cells[label, given])
    assert receipt.released == receipt.numbers["accuracy"] == pytest.approx(4 / 7)


def test_recalls_are_those_of_the_likeliest_labels_beside_a_loss(tmp_path):
    guard = guarded(tmp_path, metric="log_loss")
    rows = np.full((7, 3), 0.2)
    rows[np.arange(7), GIVEN] = 0.6
    receipt = guard.score(rows, team="blue")
    assert [receipt.numbers[f"recall_per_class={label}"] for label in range(3)] == pytest.approx(
        reference.recall_score(TRUTH, GIVEN, average=None)
    )


@pytest.mark.parametrize("release", ["round:1", "ladder:0.1", "ladder", "gaussian:0.05"])
def test_every_number_goes_through_the_rule(tmp_path, release):
    guard = guarded(tmp_path, release)
    told = [guard.score(np.full(7, label), team="blue").numbers for label in range(3)]
    assert all(len(each) == 4 for each in told)
    exact = [(0.0, 1.0), (1.0, 0.0)]
    if release == "ladder":  # the first class's recall stays where it was highest
        assert [each["recall_per_class=0"] for each in told] == [1.0, 1.0, 1.0]
    elif release == "gaussian:0.05":
        assert (told[0]["recall_per_class=0"], told[0]["recall_per_class=1"]) not in exact


def test_a_rule_that_looks_at_examples_does_not_release_shares_nor_an_empty_class(tmp_path):
    with pytest.raises(NotSupported, match="ladder works on"):
        Policy("ladder", also=("confusion_matrix",))
    with pytest.raises(InvalidInput, match="recall_per_class=2 has none"):
        guarded(tmp_path, "ladder", truth=TRUTH % 2)
    assert guarded(tmp_path, truth=TRUTH % 2).names[-1] == "recall_per_class=2"


def test_the_ledger_does_not_say_how_many_examples_a_class_has(tmp_path):
    guard = guarded(tmp_path)
    assert recorded_look(guard.rule).sizes == (7,)
    assert recorded_look(guard.rule).display == guard.policy.display


def test_a_policy_names_them_among_the_further_metrics():
    text = 'release = "round:2"\nalso = ["recall_per_class", "f1_macro"]\n'
    policy = Policy.parse(text)
    assert policy.also == ("f1_macro", "recall_per_class")
    assert Policy("round:2", also=policy.also).digest == policy.digest
    with pytest.raises(InvalidInput, match="line 2: metric must be one of"):
        Policy.parse('release = "exact"\nalso = ["recall_by_class"]')
