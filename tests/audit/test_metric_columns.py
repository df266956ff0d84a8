"""Audits of boards with several columns: each through its own submission, put into the richest."""

import numpy as np
import pytest

from holdfast import Problem, metrics, oracles, play
from holdfast.attacks import Lattice
from holdfast.attacks.through_metrics import ClassPools, Digits, Graded
from holdfast.attacks.through_metrics.beside import Beside
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.audit import audit, quick_audit, read_request
from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard import Policy
from holdfast.metrics.one_submission import taker_for
from holdfast.metrics.registry import parse_metric
from holdfast.planner import board_under
from holdfast.rules import parse_rule


@pytest.fixture(autouse=True)
def few_rules(monkeypatch):
    """Compare with two rules: enough to see that more than the policy's is played."""
    rules = (parse_rule("exact"), parse_rule("ladder:0.01"))
    monkeypatch.setattr("holdfast.audit.scenarios.rules.RULES", rules)


def label_file(folder, labels):
    ids = np.random.default_rng(9).permutation(10 * len(labels))[: len(labels)]
    rows = "\n".join(f"{i},{label}" for i, label in zip(ids, labels, strict=True))
    path = folder / "labels.csv"
    path.write_text(f"id,label\n{rows}\n")
    return path


def two_classes(folder, n=150, share=0.3):
    return label_file(folder, (np.random.default_rng(0).random(n) < share).astype(int))


def several_classes(folder, n=240, m=6):
    return label_file(folder, np.random.default_rng(1).permutation(np.arange(n) % m))


def best(found, show):
    return max(each.mean or 0.0 for each in found.gains if each.show == show)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ranks", "column", "looks"),
    [("f1", "log_loss", 12), ("roc_auc", "log_loss", 12), ("f1", "roc_auc", 30)],
)
def test_a_telling_column_is_read_through_the_richer_submission(tmp_path, ranks, column, looks):
    asked = read_request(two_classes(tmp_path), metric=ranks, also=[column], looks=str(looks))
    found = audit(asked)
    assert found.board.shown == f"{ranks}, also {column}"
    shown = f"with {column}"
    assert found.verdict.word == "UNSAFE"
    assert best(found, shown) > best(found, "total only") + 10.0
    exact = next(row for row in found.rules if row.rule == "exact")
    assert exact.strongest[1].mean > exact.strongest[0].mean


@pytest.mark.parametrize("by_class", ["recall_per_class", "confusion_matrix"])
def test_numbers_of_each_class_are_priced_beside_the_total(tmp_path, by_class):
    asked = read_request(several_classes(tmp_path), also=[by_class], looks="40")
    found = audit(asked)
    assert found.board.shows == ("total only", f"with {by_class}")
    assert found.board.also == (by_class,)
    exact = next(row for row in found.rules if row.rule == "exact")
    assert exact.strongest[1].attack == "class-pools"
    assert exact.strongest[1].mean > exact.strongest[0].mean
    assert any(by_class in finding.what for finding in found.findings)
    ladder = next(row for row in found.rules if row.rule == "ladder:0.01")
    assert ladder.strongest[1].attack != "class-pools"


def test_a_policy_asks_for_the_same_audit_as_options(tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'release = "round:2"\nlooks_per_team = 9\n'
        'metric = "f1_macro"\nalso = ["recall_per_class"]\n'
    )
    asked = read_request(several_classes(tmp_path), policy=policy)
    assert asked.shown == "f1_macro, also recall_per_class"
    assert Policy.read(policy).display == asked.display
    assert quick_audit(asked).gains[0].mean is not None


def test_a_column_that_no_attack_reads_is_refused_with_the_reason(tmp_path):
    with pytest.raises(NotSupported, match="average_precision is not covered"):
        read_request(two_classes(tmp_path), metric="f1", also=["average_precision"], looks="5")
    with pytest.raises(InvalidInput, match="same hidden truth"):
        read_request(two_classes(tmp_path), also=["mse"], looks="5")


def beside(ranks, column, make, hidden, looks, m=2):
    ranks, column = parse_metric(ranks), parse_metric(column)
    show = metrics.Several([ranks, column])
    board = oracles.MetricOracle(hidden, show, n_queries=looks, n_classes=m)
    attack = Beside(
        make,
        board.problem,
        rng=np.random.default_rng(0),
        column=column,
        ranks=ranks,
        taker=taker_for(show.metrics),
        heard=lambda numbers: numbers[1],
    )
    return ranks.score(hidden, play(attack, board)), board.looks


def test_labels_that_are_read_become_sure_probabilities_after_one_more_look():
    hidden = np.random.default_rng(2).integers(2, size=40)
    value, looks = beside("log_loss", "accuracy", Lattice, hidden, 40)
    assert value < 0.02
    assert looks < 40


def test_a_guess_that_is_no_better_than_chance_is_not_sure():
    hidden = np.random.default_rng(3).integers(2, size=400)
    value, looks = beside("log_loss", "accuracy", Lattice, hidden, 2)
    assert looks <= 2
    assert value < np.log(2) + 0.02
    with pytest.raises(NotSupported, match="one look to read, and one"):
        beside("log_loss", "accuracy", Lattice, hidden, 1)


def test_labels_read_from_an_area_or_a_loss_win_f1_with_the_best_constant_elsewhere():
    hidden = (np.random.default_rng(4).random(200) < 0.3).astype(int)
    everything = metrics.F1().score(hidden, np.ones(200, dtype=int))
    for column, make in (("roc_auc", Graded), ("log_loss", Digits)):
        show = metrics.Several([metrics.F1(), parse_metric(column)])
        board = oracles.MetricOracle(hidden, show, n_queries=2)
        attack = Beside(
            make,
            Problem(200, 2, 2),
            rng=np.random.default_rng(0),
            column=parse_metric(column),
            ranks=metrics.F1(),
            taker=taker_for(show.metrics),
            heard=lambda numbers: numbers[1],
            constant=1,
        )
        assert metrics.F1().score(hidden, play(attack, board)) > everything


def test_pools_of_classes_need_the_counts_of_every_look_and_a_size_that_can_be_solved(tmp_path):
    asked = read_request(several_classes(tmp_path), also=["recall_per_class"], looks="9")
    shown = asked.display.by_class[0]
    rng = np.random.default_rng(0)

    def make(problem, rule):
        board = board_under(parse_rule(rule), MetricBoard(asked.metric, sizes=(40,) * 6))
        return ClassPools.on_columns(problem, board, shown, rng=rng)

    assert make(Problem(240, 6, 9), "round:2").problem.n_queries == 9
    with pytest.raises(NotSupported, match="the rule does not tell them"):
        make(Problem(240, 6, 9), "ladder:0.01")
    with pytest.raises(NotSupported, match="take too long"):
        make(Problem(50_000, 1000, 9), "exact")
