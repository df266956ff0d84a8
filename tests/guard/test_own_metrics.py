"""Metrics of one's own, misbehaving too: every outcome is an answer that was paid for."""

import itertools
import sys
from collections import Counter

import numpy as np
import pytest

from holdfast.certificates import certify_display, certify_gain
from holdfast.errors import (
    BudgetExhausted,
    HoldfastError,
    InvalidInput,
    InvalidQuery,
    ReleaseFailed,
)
from holdfast.guard import Guard, Policy, exposure
from holdfast.metrics import OwnMetric
from holdfast.metrics.clipped import Clipped
from holdfast.metrics.display import Display
from holdfast.metrics.labels import F1Macro
from holdfast.problem import Problem
from holdfast.rules import parse_rule

N, M, LOOKS, BLOCK, RULE = 60, 3, 20, 5, "gaussian:6"
MISTAKES = 29  # inside of the range: at most so many; of random submissions, two in a thousand


def cost(truth, given):
    return float(np.mean(np.where(truth == given, 0.0, 25.0)))


def break_in(labels, inside, rng):
    """Read labels off whether a submission is inside of the range; return the best guess."""
    known = np.full(N, -1)
    base = rng.integers(0, M, N)
    try:
        while not inside(base):  # the first one inside is most likely at the edge
            base = rng.integers(0, M, N)
        rows = list(rng.permutation(N)) * 2
        while len(right := np.flatnonzero(known >= 0)) < BLOCK:
            at = rows.pop(0)
            trial = base.copy()
            trial[at] = (trial[at] + 1) % M
            if inside(trial):
                base = trial  # not at the edge, or no worse
            else:
                known[at] = base[at]  # outside after this row was moved: it was right
        rest = [int(i) for i in np.flatnonzero(known < 0)]
        while rest:  # inside only with the whole block right, with as many right rows spoiled
            block, rest = rest[:BLOCK], rest[BLOCK:]
            for spoiled in range(len(block), 0, -1):
                for guess in itertools.product(range(M), repeat=len(block)):
                    trial = base.copy()
                    trial[right[:spoiled]] = (known[right[:spoiled]] + 1) % M
                    trial[block] = guess
                    if inside(trial):
                        base[block] = guess
                        break
            known[block] = base[block]
    except BudgetExhausted:
        pass
    return np.where(known >= 0, known, base)


def test_the_edge_of_a_range_is_no_free_oracle(new_sqlite_url):
    """Eight games of an attack that knew .88 of the labels where .57 were certified, when values
    outside of the range were errors that nobody recorded or counted."""
    limit = 25.0 * MISTAKES / N + 1e-6
    metric = OwnMetric("cost", cost, low=0.0, high=limit, higher_is_better=False)
    display = Display(metric)
    bound = certify_display(Problem(N, M, LOOKS), parse_rule(RULE), display).accuracy
    reached = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        labels, told = rng.integers(0, M, N), Counter()
        policy = Policy(RULE, looks_per_team=LOOKS, refusals_per_team=1)
        guard = Guard(labels, policy, new_sqlite_url(), create=True, n_classes=M, metric=metric)

        def inside(guess, guard=guard, told=told):
            try:
                guard.score(guess, team="red")
            except BudgetExhausted:
                raise
            except HoldfastError:
                told["error"] += 1
                return False
            told["answered"] += 1
            return True

        reached.append(np.mean(break_in(labels, inside, rng) == labels))
        kinds = Counter(entry.kind for entry in guard.ledger.entries())
        assert told == {"answered": LOOKS}
        assert (kinds["look"], kinds["failed"], kinds["refused"]) == (LOOKS, 0, 0)
    error = np.std(reached, ddof=1) / np.sqrt(len(reached))
    assert np.mean(reached) - 3.0 * error < bound < 1.0


def interrupted(truth, given):
    sys.exit("no value here")


def refusing(truth, given):
    raise InvalidQuery("prediction must be better.")


def exhausting(truth, given):
    raise BudgetExhausted("nothing is left.")


def picky(truth, given):
    if truth[0] == given[0]:
        raise ZeroDivisionError
    return float(np.mean(truth == given))


def sometimes(truth, given):
    return float("nan") if truth[0] == given[0] else float(np.mean(truth == given))


NEVER = {
    "nan": lambda t, g: float("nan"),
    "none": lambda t, g: None,
    "text": lambda t, g: "much",
    "array": lambda t, g: [0.5, 0.5],
    "raises": lambda t, g: 1 / 0,
    "exits": interrupted,
    "refuses": refusing,
    "exhausts": exhausting,
}


@pytest.mark.parametrize("release", ["exact", "round:2", "ladder:0.01", "gaussian:0.1"])
@pytest.mark.parametrize("function", NEVER.values(), ids=NEVER.keys())
def test_no_value_is_one_answer_at_the_price_of_a_look(function, release, tmp_path):
    """Whatever it was that ended the metric, and whatever refusals cost, the answer is the same."""
    metric = OwnMetric("broken", function)
    policy = Policy(release, looks_per_team=2, failed="free", refusals_per_team=1)
    guard = Guard(np.arange(40) % 2, policy, tmp_path / "l.db", create=True, metric=metric)
    guess = np.zeros(40, dtype=int)
    told = []
    for _ in range(2):  # the second time from the record
        with pytest.raises(ReleaseFailed) as caught:
            guard.score(guess, team="red")
        told.append(str(caught.value))
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
    last = guard.ledger.entries()[-1]
    assert (
        told
        == [
            f"broken has no value for this prediction; that is recorded as look {last.receipt_id}, "
            "and 1 are left."
        ]
        * 2
    )
    assert (last.kind, last.released, last.detail) == ("failed", None, "no value")
    assert guard.allowance(team="red")[0] == 1
    with pytest.raises(ReleaseFailed):
        guard.score(1 - guess, team="red")
    with pytest.raises(BudgetExhausted):
        guard.score(np.arange(40) % 2, team="red")
    (found,) = exposure(guard.ledger)
    assert (found.looks, found.failed) == (2, 0)
    assert guard.ledger.verify().ok
    with pytest.raises(InvalidInput, match="receipt_id must be a look of red"):
        guard.choose_final(last.receipt_id, team="red")


@pytest.mark.parametrize("function", [picky, sometimes], ids=["raises", "nan"])
def test_a_metric_that_fails_on_some_labels_alone_leaves_the_rule_as_it_was(function, tmp_path):
    labels = np.arange(40) % 2
    metric = OwnMetric("picky", function)
    policy = Policy("ladder:0.01", looks_per_team=5)
    guard = Guard(labels, policy, tmp_path / "l.db", create=True, metric=metric)
    first = guard.score(1 - labels, team="red")
    with pytest.raises(ReleaseFailed):
        guard.score(labels, team="red")
    half = np.where(np.arange(40) < 20, 1 - labels, labels)
    third = guard.score(half, team="red")
    assert (first.released, third.released, third.new_best, third.looks_left) == (0.0, 0.5, True, 2)


@pytest.mark.parametrize(
    ("value", "told"), [(2.0, 1.0), (-3.0, 0.0), (float("inf"), 1.0), (0.25, 0.25)]
)
def test_a_value_outside_of_the_range_is_the_nearer_end_of_it(value, told, tmp_path):
    metric = OwnMetric("wide", lambda t, g: value)
    guard = Guard([0, 1, 1], Policy("exact"), tmp_path / "l.db", create=True, metric=metric)
    assert guard.score([0, 0, 0], team="red").released == told
    endless = OwnMetric("endless", lambda t, g: value, low=-np.inf, high=np.inf)
    if np.isfinite(value):
        assert endless.score([0, 1], [0, 1]) == value
    else:
        with pytest.raises(ReleaseFailed, match="must return one finite number"):
            endless.score([0, 1], [0, 1])


def test_no_value_is_counted_as_one_answer_more_per_look():
    """Of k rounded looks (101 + 1)^k sequences, of k looks at a Ladder 2^k times as many as ever,
    and nothing more where no metric of one's own is shown."""
    own, known = OwnMetric("own", cost), F1Macro()
    problem = Problem(10_000, 2, 30)
    for release in ("round:2", "ladder:0.01", "gaussian:0.1"):
        rule = parse_rule(release)
        low = certify_display(problem, rule, Display(known)).nats
        most = rule.nats_between(problem, 0.0, 1.0)
        high = certify_display(problem, rule, Display(own)).nats
        beside = certify_gain(problem, rule, Display.of("brier", also=[own])).nats
        alone = certify_gain(problem, rule, Display.of("brier")).nats
        assert low <= most * (1.0 + 1e-9) < high <= most + 30 * np.log(2.0) + 1e-9
        assert beside >= alone + most
        if release == "round:2":
            assert high == pytest.approx(30 * np.log(102.0))
        if release == "ladder:0.01":
            assert high == pytest.approx(most + 30 * np.log(2.0))


def test_the_count_is_never_below_the_number_of_sequences_that_there_are():
    """Enumerated: two values or none, at every look."""
    own = OwnMetric("own", cost)
    for looks in range(1, 6):
        sequences = len(set(itertools.product((0.0, 1.0, None), repeat=looks)))
        found = certify_display(Problem(10_000, 2, looks), parse_rule("round:0"), Display(own))
        assert np.exp(found.nats) == pytest.approx(sequences)


def test_a_metric_that_a_ledger_could_not_name_is_refused_by_the_policy():
    """A subclass under a known name, or a clipped metric of one's own, which has a range."""

    class Sly(F1Macro):
        pass

    for metric in (Sly(), Clipped(OwnMetric("own", cost), low=0.0, high=0.5)):
        with pytest.raises(InvalidInput, match="metric must be"):
            Policy("round:2", metric=metric)
