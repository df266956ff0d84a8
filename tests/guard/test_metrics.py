"""Other metrics and breakdowns behind the ledger: what is released, recorded and refused."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from holdfast import metrics, play
from holdfast.attacks import Lattice
from holdfast.attacks.through_metrics import ByGroup
from holdfast.errors import InvalidInput, InvalidQuery, NotSupported
from holdfast.guard import Guard, GuardOracle, Ledger, Policy, exposure, gate
from holdfast.guard.parts import Part
from holdfast.metrics.registry import metric_classes, parse_metric
from holdfast.rules import WorksOn, parse_rule, rule_classes
from tests.guard import accuracy_alone

RNG = np.random.default_rng(5)
LABELS = RNG.integers(2, size=40)
SETS = RNG.integers(2, size=(40, 3))
NUMBERS = RNG.integers(0, 20, size=40) / 4
GROUPS = np.array(["law", "art", "law", "bio"] * 10)
HIDDEN = {
    metrics.Submission.LABEL_SETS: SETS,
    metrics.Submission.NUMBERS: NUMBERS,
}


def hidden_for(metric):
    return HIDDEN.get(metric.takes, LABELS)


def submission_for(metric, seed=0):
    rng = np.random.default_rng([7, seed])
    match metric.takes:
        case metrics.Submission.LABELS:
            return rng.integers(2, size=40)
        case metrics.Submission.RANKED_LABELS:
            return np.array([rng.permutation(2)[: metric.k] for _ in range(40)])
        case metrics.Submission.LABEL_SETS:
            return rng.integers(2, size=(40, 3))
        case metrics.Submission.NUMBERS:
            return rng.integers(0, 20, size=40) / 4
        case _:
            return rng.integers(0, 17, size=40) / 16


def of_name(name):
    return parse_metric("top_k_accuracy:1" if name == "top_k_accuracy" else name)


def guard_of(tmp_path, policy, hidden=LABELS, **arguments):
    return Guard(hidden, policy, tmp_path / "ledger.db", create=True, **arguments)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One ledger for many tests: the slow hash of a label set is made once for each."""
    with Ledger(tmp_path_factory.mktemp("shared") / "ledger.db", create=True) as ledger:
        yield ledger


def test_accuracies_alone_are_told_and_recorded_as_before(tmp_path, full_fingerprint):
    """All but this, and hashes follow it: the state of a rule that keeps none is stored once, and
    where predictions are kept the opening has a check of where the scored rows stand."""
    before = json.loads(accuracy_alone.RECORD.read_text())
    now = json.loads(json.dumps(accuracy_alone.written(tmp_path)))

    def without_hashes(texts):
        plain = [re.sub(r', "rows": "[0-9a-f]{16}"', "", str(text)) for text in texts]
        return [re.sub(r"-[0-9a-f]{32}", "", text) for text in plain]

    def told(receipts):
        return list(map(without_hashes, receipts))

    assert told(now["receipts"]) == told(before["receipts"])
    changed = set()
    for found, old in zip(now["entries"], before["entries"], strict=True):
        (kind, rule, released, state, detail, _), (*same, old_state, old_detail, _) = found, old
        assert without_hashes([kind, rule, released, detail]) == without_hashes([*same, old_detail])
        changed |= {rule} if state != old_state else set()
    assert changed == {"exact", "round:2", "gaussian:0.01", "subsample:0.5+round:2"}
    assert not any(parse_rule(rule).keeps_state for rule in changed)


@pytest.mark.parametrize("name", [cls.name for cls in metric_classes()])
def test_each_metric_is_released_exactly_and_found_again(shared, name):
    metric = of_name(name)
    hidden, submission = hidden_for(metric), submission_for(metric)
    guard = Guard(hidden, Policy("exact", looks_per_team=2, metric=str(metric)), shared)
    receipt = guard.score(submission, team=name)
    assert receipt.released == metric.score(hidden, submission)
    assert (receipt.metric, receipt.looks_left) == (str(metric), 1)
    again = Guard(hidden, guard.policy, guard.ledger).score(submission, team=name)
    assert (again.released, again.repeated) == (receipt.released, True)
    assert guard.score(submission_for(metric, 1), team=name).looks_left == 0
    assert guard.ledger.verify().ok


@pytest.mark.parametrize("rule", [text for cls in rule_classes() for text in cls.text_forms])
@pytest.mark.parametrize("name", [cls.name for cls in metric_classes()])
def test_each_metric_under_each_rule_is_released_or_refused_before_anything_is_spent(
    shared, rule, name
):
    metric = of_name(name)
    mechanism = parse_rule(rule)
    if not metric.bounded and mechanism.works_on is WorksOn.BOUNDED_METRICS:
        with pytest.raises(NotSupported, match="state a range to clip it to"):
            Policy(rule, metric=str(metric))
        low, high = max(metric.low, -10), min(metric.high, 10)
        metric = parse_metric(f"{metric}[{low:g},{high:g}]")
    if name != "accuracy" and mechanism.works_on is WorksOn.ACCURACIES:
        with pytest.raises(NotSupported, match="works on accuracies alone"):
            Policy(rule, metric=str(metric))
        return
    if mechanism.works_on is WorksOn.HITS and not metric.counts_hits:
        with pytest.raises(NotSupported, match="call each example right or wrong"):
            Policy(rule, metric=str(metric))
        return
    hidden = hidden_for(metric)
    guard = Guard(hidden, Policy(rule, looks_per_team=3, metric=str(metric)), shared)
    inner = getattr(metric, "inner", metric)
    for seed in range(2):
        submission = submission_for(inner, seed)
        receipt = guard.score(submission, team=f"{metric} {rule}"[:60])
        exact = metric.score(hidden, submission)
        if mechanism.waits:
            assert receipt.released is None
        elif mechanism.rounds_to is not None and not mechanism.selects:
            assert abs(receipt.released - exact) <= mechanism.rounds_to / 2 + 1e-12
        elif mechanism.works_on is WorksOn.BOUNDED_METRICS and receipt.own and seed == 0:
            # A Ladder's step, or six times the widest noise.
            assert abs(receipt.released - exact) <= 0.15
        else:
            assert np.isfinite(receipt.released)


def test_a_ladder_on_a_loss_climbs_when_the_loss_falls(tmp_path):
    policy = Policy("ladder:0.1", metric="mse[0,10]", looks_per_team=9)
    guard = guard_of(tmp_path, policy, [1.0, 2.0, 3.0, 4.0])
    far, near, nearer = [3.0, 4.0, 5.0, 6.0], [2.0, 3.0, 4.0, 5.0], [2.0, 3.0, 4.0, 4.95]
    told = [guard.score(each, team="red") for each in (far, near, nearer, [9.0] * 4)]
    assert [receipt.released for receipt in told] == [4.0, 1.0, 1.0, 1.0]
    assert [receipt.new_best for receipt in told] == [True, True, False, False]
    assert told[1].meaning.startswith("mse[0,10]: best so far of team red")


def test_a_breakdown_is_released_group_by_group_under_the_rule(tmp_path):
    policy = Policy("round:1", breakdown="subject", also=("f1",), looks_per_team=3)
    guard = guard_of(tmp_path, policy, groups=GROUPS)
    guess = submission_for(metrics.Accuracy())
    receipt = guard.score(guess, team="red")
    right = guess == LABELS
    exact = {f"subject={name}": right[name == GROUPS].mean() for name in ("art", "bio", "law")}
    exact |= {"accuracy": right.mean(), "f1": metrics.F1().score(LABELS, guess)}
    assert list(receipt.numbers) == list(exact)
    for name, value in exact.items():
        assert abs(receipt.numbers[name] - value) <= 0.05 + 1e-12
    assert receipt.released == receipt.numbers["accuracy"]
    entry = guard.ledger.entries()[-1]
    assert json.loads(entry.released) == dict(receipt.numbers)
    assert entry.rule == (
        '{"metric": "accuracy", "breakdown": "subject", "also": ["f1"], '
        '"sizes": [10, 10, 20, 40, 40]} round:1'
    )
    again = guard.score(guess, team="red")
    assert (again.numbers, again.repeated) == (receipt.numbers, True)
    assert guard.ledger.verify().ok


def test_each_group_has_a_state_and_an_n_of_its_own(tmp_path):
    guard = guard_of(tmp_path, Policy("ladder", breakdown="subject"), groups=GROUPS)
    first = LABELS.copy()
    first[GROUPS != "law"] ^= 1
    guard.score(first, team="red")
    second = LABELS.copy()
    second[GROUPS == "law"] ^= 1
    numbers = guard.score(second, team="red").numbers
    # Each group stands at its own best; the whole went from a half to a half, which is no climb.
    assert numbers == {"subject=art": 1, "subject=bio": 1, "subject=law": 1, "accuracy": 0.5}


def test_a_breakdown_does_not_depend_on_the_order_of_the_rows(tmp_path):
    ids = np.arange(40)
    policy = Policy("ladder", breakdown="subject", looks_per_team=9)
    one = guard_of(tmp_path, policy, groups=GROUPS, ids=ids)
    order = np.random.default_rng(3).permutation(40)
    other = Guard(LABELS[order], policy, one.ledger, groups=GROUPS[order], ids=ids[order])
    guess = submission_for(metrics.Accuracy())
    first = one.score(guess, team="red")
    again = other.score(guess[order], team="red")
    assert again.repeated
    assert again.numbers == first.numbers
    better = np.where(np.arange(40) < 30, LABELS, guess)
    told = other.score(better[order], team="red").numbers
    right = better == LABELS
    assert told["accuracy"] == right.mean()


def test_batches_answer_all_numbers_together(tmp_path):
    guard = guard_of(tmp_path, Policy("batch:2", breakdown="subject"), groups=GROUPS)
    guesses = [submission_for(metrics.Accuracy(), seed) for seed in range(2)]
    assert guard.score(guesses[0], team="red").answer is None
    second = guard.score(guesses[1], team="red")
    first = guard.score(guesses[0], team="red")
    for receipt, guess in ((first, guesses[0]), (second, guesses[1])):
        assert receipt.released == np.mean(guess == LABELS)
        assert len(receipt.numbers) == 4
    assert guard.ledger.verify().ok


def test_another_metric_is_another_look_at_the_same_data_set(tmp_path):
    guard = guard_of(tmp_path, Policy("exact", looks_per_team=3))
    guess = submission_for(metrics.Accuracy())
    guard.score(guess, team="red")
    other = Guard(LABELS, replace(guard.policy, metric="f1"), guard.ledger)
    assert other.data_set == guard.data_set
    receipt = other.score(guess, team="red")
    assert (receipt.repeated, receipt.looks_left) == (False, 1)


def test_arguments_of_the_guard_override_the_policy(tmp_path):
    guard = guard_of(
        tmp_path, Policy("exact"), metric="f1_macro", breakdown="subject", groups=GROUPS
    )
    assert str(guard.policy.display) == "f1_macro by subject"
    assert len(guard.score(submission_for(metrics.F1Macro()), team="red").numbers) == 4


def test_an_attack_plays_a_guarded_breakdown(tmp_path):
    policy = Policy("exact", breakdown="subject", looks_per_team=40)
    guard = guard_of(tmp_path, policy, groups=GROUPS)
    oracle = GuardOracle(guard, "red")
    attack = ByGroup(oracle.problem, GROUPS, Lattice, rng=np.random.default_rng(0))
    assert np.array_equal(play(attack, oracle), LABELS)


def spoiled(name):
    good = submission_for(of_name(name))
    if name == "accuracy":
        return [np.full(40, 2), good[:-1], np.full(40, np.nan), np.full(40, -1)]
    if name == "log_loss":
        return [good[:-1], np.full(40, np.nan), good + 1.0, good - 0.5, np.full((40, 3), 1 / 3)]
    if name == "roc_auc":
        return [good[:-1], np.full(40, np.inf), good.astype(str).reshape(40, 1), ["x"] * 40]
    return [good[:-1], np.full(40, np.nan), np.full((40, 2), 0.5), "none"]


@pytest.mark.parametrize("name", ["accuracy", "log_loss", "roc_auc", "mse"])
def test_what_can_not_be_scored_is_refused_and_costs_nothing(tmp_path, name):
    metric = of_name(name)
    guard = guard_of(tmp_path, Policy("exact", looks_per_team=2, metric=name), hidden_for(metric))
    for given in spoiled(name):
        with pytest.raises(InvalidQuery):
            guard.score(given, team="red")
    assert guard.allowance(team="red")[0] == 2
    assert guard.score(submission_for(metric), team="red").looks_left == 1


@pytest.mark.parametrize(
    ("name", "hidden", "arguments", "message"),
    [
        ("roc_auc", [1, 1, 1], {}, "both classes"),
        ("f1", [0, 1, 2], {}, "must be 0 or 1"),
        ("r2", [2.0, 2.0], {}, "must not all be equal"),
        ("r2", [1e-200, 2e-200], {}, "must differ for r2"),
        ("mse", [1.0, np.nan], {}, "finite"),
        ("mse", [1.0, 1e200], {}, "at most 1e"),
        ("hamming_loss", [0, 1], {}, "rows of 0 and 1"),
        ("roc_auc", [0, 1, 1], {"breakdown": "g", "groups": ["a", "a", "b"]}, "group g=b: labels"),
        ("accuracy", [0, 1, 1], {"breakdown": "g"}, "groups must name the group"),
        ("accuracy", [0, 1, 1], {"breakdown": "g", "groups": ["a"]}, "one per example"),
        ("accuracy", [0, 1], {"breakdown": "g", "groups": [1.0, np.nan]}, "got a blank"),
    ],
)
def test_a_truth_that_a_metric_can_not_score_is_refused_before_there_is_a_ledger(
    tmp_path, name, hidden, arguments, message
):
    with pytest.raises(InvalidInput, match=message):
        guard_of(tmp_path, Policy("exact", metric=name), hidden, **arguments)
    assert not (tmp_path / "ledger.db").exists()


@pytest.mark.parametrize("name", ["mse", "rmse", "mae", "r2"])
def test_numbers_whose_squares_overflow_are_refused_and_cost_nothing(tmp_path, name):
    guard = guard_of(tmp_path, Policy("exact", metric=name, looks_per_team=1), NUMBERS)
    with pytest.raises(InvalidQuery, match="submission must be numbers of at most"):
        guard.score(np.full(len(NUMBERS), 1e200), team="red")
    assert guard.score(np.zeros(len(NUMBERS)), team="red").looks_left == 0


@pytest.mark.parametrize("name", ["f1", "f1_macro", "cohen_kappa", "matthews_corrcoef",
                                  "balanced_accuracy", "average_precision", "roc_auc"])  # fmt: skip
def test_constant_predictions_and_groups_of_one_have_values(tmp_path, name):
    metric = of_name(name)
    guard = guard_of(tmp_path, Policy("exact", metric=name))
    constant = np.zeros(40, dtype=np.int64)
    receipt = guard.score(constant, team="red")
    assert receipt.released == metric.score(LABELS, constant)
    if metric.takes is metrics.Submission.LABELS:
        alone = np.array(["one"] + ["rest"] * 39)
        by_group = Guard(LABELS, guard.policy, guard.ledger, breakdown="g", groups=alone)
        numbers = by_group.score(constant, team="red").numbers
        assert numbers["g=one"] == metric.score(LABELS[:1], constant[:1])


def test_refusals_say_the_same_whatever_the_labels_are(tmp_path):
    said = []
    for number, hidden in enumerate(([0, 0, 1], [1, 2, 0], [0, 0, 0])):
        policy = Policy("exact", metric="log_loss")
        path = tmp_path / f"{number}.db"
        guard = Guard(hidden, policy, path, create=True, n_classes=3)
        for given in (np.full(3, 0.5), np.full((3, 2), 0.5), np.full((3, 4), 0.25)):
            with pytest.raises(InvalidQuery) as caught:
                guard.score(given, team="red")
            said.append(str(caught.value))
    assert said[:3] == said[3:6] == said[6:]


def test_a_metric_of_ones_own_is_guarded_and_found_again(tmp_path):
    own = metrics.OwnMetric(
        "worst_class", lambda t, g: min((t == g)[t == c].mean() for c in (0, 1))
    )
    guard = guard_of(tmp_path, Policy("round:2", looks_per_team=2), metric=own)
    guess = submission_for(own)
    exact = min(np.mean(guess[c == LABELS] == c) for c in (0, 1))
    receipt = guard.score(guess, team="red")
    assert abs(receipt.released - exact) <= 0.005 + 1e-12
    again = Guard(LABELS, guard.policy, guard.ledger).score(guess, team="red")
    assert again.repeated
    assert again.released == receipt.released
    assert exposure(guard.ledger)[0].looks == 1


def test_a_gate_decides_on_accuracies_alone(tmp_path):
    by_group = Policy("exact", breakdown="subject", looks_per_team=9)
    guard = guard_of(tmp_path, by_group, groups=GROUPS)
    worst = 1 - LABELS
    assert gate(guard, worst, LABELS, team="red").improvement == 1.0
    other = Guard(LABELS, Policy("exact", metric="f1"), guard.ledger)
    with pytest.raises(NotSupported, match="proved for accuracies"):
        gate(other, worst, LABELS, team="red")


def test_exposure_counts_the_numbers_of_every_look(tmp_path):
    guard = guard_of(tmp_path, Policy("round:2", looks_per_team=9), hidden=np.tile(LABELS, 25))
    guess = np.zeros(1000, dtype=np.int64)
    guard.score(guess, team="red")
    plain = exposure(guard.ledger)[0]
    groups = np.tile(GROUPS, 25)
    Guard(
        np.tile(LABELS, 25), guard.policy, guard.ledger, breakdown="subject", groups=groups
    ).score(guess, team="red")
    more = exposure(guard.ledger)[0]
    assert more.looks == 2
    assert plain.nats < more.nats
    assert plain.gain < more.gain


def test_numbers_that_are_hidden_are_a_data_set_of_their_own_and_not_covered(tmp_path):
    guard = guard_of(tmp_path, Policy("exact", metric="mse"), NUMBERS)
    guard.score(submission_for(of_name("mse")), team="red")
    found = exposure(guard.ledger)[0]
    assert found.gain is None
    assert found.teams[0].gain is None
    assert found.not_covered.startswith("numbers or label sets are hidden")
    assert np.isfinite(found.nats)
    twice = Guard(NUMBERS * 2, Policy("exact", metric="mse"), guard.ledger)
    assert twice.data_set != guard.data_set


@pytest.mark.parametrize("name", ["log_loss", "top_k_accuracy", "mse", "hamming_loss"])
def test_predictions_of_any_kind_are_kept_for_the_private_part(tmp_path, name):
    metric = of_name(name)
    part = Part("public", np.arange(25), keeps=True)
    hidden = hidden_for(metric)
    guard = guard_of(tmp_path, Policy("exact", metric=str(metric)), hidden, part=part)
    submission = submission_for(metric)
    receipt = guard.score(submission, team="red")
    assert receipt.released == metric.score(hidden[:25], submission[:25])
    assert guard.ledger.verify(owner=guard._in_ledger.found.owner).ok


def test_a_ledger_with_displays_reads_again(tmp_path):
    policy = Policy("round:1", breakdown="subject")
    guard = guard_of(tmp_path, policy, groups=GROUPS)
    guess = submission_for(metrics.Accuracy())
    receipt = guard.score(guess, team="red")
    guard.ledger.close()
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert ledger.verify(receipts=[receipt.receipt_id]).ok
        again = Guard(LABELS, policy, ledger, groups=GROUPS).score(guess, team="red")
        assert again.repeated
        assert again.numbers == receipt.numbers
