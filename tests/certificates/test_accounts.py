"""Several accounts: an analyst who starts afresh with the rule has forgotten nothing."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from holdfast.certificates import certify, certify_histories
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.bounds import optimal_play
from tests.bounds.optimal_play import best_play, uniform_rows

FORGETFUL = ["exact", "round:2", "gaussian:0.005", "laplace:0.01", "subsample:0.3", "fresh:0.1",
             "subsample:0.3+round:2", "exact+gaussian:0.01"]  # fmt: skip
REMEMBER = ["ladder", "ladder:0.01", "shaky:step=0.01,scale=0.002", "split:10", "batch:300",
            "batch:300+round:2", "thresholdout:threshold=0.04,scale=0.01,budget=50"]  # fmt: skip


@pytest.mark.parametrize("text", FORGETFUL)
def test_accounts_change_nothing_under_a_rule_that_remembers_nothing(text: str) -> None:
    problem, rule = Problem(10_000, 10, 300), parse_rule(text)
    gains = {certify(problem, rule, accounts=j).gain for j in (1, 2, 7, 60, 300)}
    assert len(gains) == 1


@pytest.mark.parametrize("text", REMEMBER)
def test_the_bound_never_falls_with_accounts(text: str) -> None:
    problem, rule = Problem(10_000, 10, 300), parse_rule(text)
    gains = [certify(problem, rule, accounts=j).gain for j in (1, 2, 5, 20, 60, 300)]
    assert all(after >= before * (1.0 - 1e-12) for before, after in pairwise(gains))


@pytest.mark.parametrize("text", FORGETFUL + REMEMBER)
def test_histories_of_several_teams_are_what_their_accounts_are(text: str) -> None:
    rule = parse_rule(text)
    teams = {(text, f"team {i}"): 15 for i in range(4)}
    together = certify_histories(5000, 10, teams)
    planned = certify(Problem(5000, 10, 60), rule, accounts=4)
    if text.startswith("split"):  # which part a look belongs to depends on the budget
        assert together.gain >= planned.gain
    else:
        assert together.gain == planned.gain
    one = certify_histories(5000, 10, {(text, "blue"): 60})
    assert together.gain >= one.gain * (1.0 - 1e-12)


def test_looks_under_several_rules_add_up() -> None:
    coarse, exact = {("round:1", "a"): 50}, {("exact", "a"): 5}
    both = certify_histories(5000, 10, {**coarse, **exact}).nats
    assert max(certify_histories(5000, 10, each).nats for each in (coarse, exact)) < both
    assert both <= certify_histories(5000, 10, {("exact", "a"): 55}).nats


def test_parity_is_no_help_where_looks_are_scored_on_different_parts() -> None:
    same = certify_histories(1000, 2, {("exact", "a"): 4, ("round:3", "b"): 4})
    parts = certify_histories(1000, 2, {("exact", "a"): 4, ("subsample:0.5", "b"): 4})
    assert parts.nats > same.nats


def test_no_looks_allow_nothing() -> None:
    found = certify_histories(100, 5, {})
    assert (found.nats, found.gain, found.accuracy) == (0.0, 0.0, 0.2)


def test_one_batch_for_each_of_several_teams_is_not_asked_in_advance() -> None:
    """The second team's batch may depend on the answers to the first one's."""
    one = certify_histories(5000, 10, {("batch:30", "blue"): 30})
    two = certify_histories(5000, 10, {("batch:30", "blue"): 30, ("batch:30", "red"): 30})
    assert one.bound == "fixed-queries"
    assert two.gain == certify(Problem(5000, 10, 60)).gain
    mine = certify_histories(5000, 10, {("batch:30", ""): 30}, everyone=False)
    assert mine.gain == certify(Problem(5000, 10, 30)).gain > one.gain


@pytest.mark.parametrize("accounts", [2, 3])
@pytest.mark.parametrize(("n", "m"), [(1, 4), (2, 3), (3, 2), (4, 2)])
@pytest.mark.parametrize("text", ["exact", "round:0.5", "round:0.3", "ladder:0.5", "ladder:0.34"])
def test_optimal_play_of_one_look_accounts_is_within_the_bound(
    text: str, n: int, m: int, accounts: int
) -> None:
    kind, _, step = text.partition(":")
    rules = {
        "exact": lambda: optimal_play.exact,
        "round": lambda: optimal_play.rounded(n, Fraction(step)),
        "ladder": lambda: optimal_play.ladder(n, Fraction(step)),
    }
    best = best_play(uniform_rows(n, m), accounts, rules[kind](), accounts=accounts)
    found = certify(Problem(n, m, accounts), parse_rule(text), accounts=accounts)
    assert best <= found.accuracy + 1e-12


def one_label_from_many_accounts(n_classes: int, looks: int, trials: int) -> np.ndarray:
    """Ask the likeliest label of one example again and again; return which plays found it."""
    rng = np.random.default_rng(5)
    truth = rng.integers(n_classes, size=trials)
    log_odds = rng.normal(scale=1e-6, size=(trials, n_classes))
    rows = np.arange(trials)
    for _ in range(looks):
        asked = log_odds.argmax(axis=1)
        answer = (asked == truth) + rng.normal(size=trials)
        log_odds[rows, asked] += answer - 0.5
    return log_odds.argmax(axis=1) == truth


def test_two_hundred_accounts_of_one_noisy_look_at_one_label_are_within_the_bound() -> None:
    """Adding up fresh accounts certified .366 here."""
    found = one_label_from_many_accounts(100, 200, 4000)
    error = found.std() / np.sqrt(found.size)
    assert found.mean() > 0.5
    bound = certify(Problem(1, 100, 200), parse_rule("gaussian:1.0"), accounts=200)
    assert found.mean() <= bound.accuracy + 4 * error


def test_sixty_looks_are_not_safer_from_sixty_accounts() -> None:
    rule = parse_rule("exact")
    one, sixty = (certify(Problem(1797, 10, 60), rule, accounts=j).gain for j in (1, 60))
    assert one == sixty


def test_accounts_may_share_a_limited_number_of_looks_as_they_like() -> None:
    """Ranks tell more in one long history than in two short ones."""
    problem, rule = Problem(10_000, 10, 100), parse_rule("rank")
    even = certify(problem, rule, accounts=2)
    free = certify(problem, rule, accounts=2, looks_each=100)
    alone = certify(problem, rule)
    assert even.gain < alone.gain <= free.gain
    with pytest.raises(InvalidInput, match="looks_each must be at least"):
        certify(problem, rule, accounts=2, looks_each=49)


def test_noise_does_not_limit_what_a_shared_memory_tells_of_others_looks() -> None:
    """A standing value may be that of any noisy look that others took, and they take many."""
    problem, rule = Problem(1000, 10, 20), parse_rule("gaussian:1.0+ladder:0.01")
    assert certify(problem, rule, memory="data_set").accuracy == 1.0
    assert certify(problem, rule, memory="data_set", everyone=True).accuracy < 1.0
    after = parse_rule("ladder:0.01+gaussian:1.0")
    assert certify(problem, after, memory="data_set").accuracy < 1.0


@pytest.mark.parametrize("text", ["rank", "shaky:step=0.01,scale=0.002", "improved", "ladder:0.01"])
def test_a_state_that_strangers_share_tells_what_they_ask_as_well(text: str) -> None:
    problem, rule = Problem(10_000, 10, 20), parse_rule(text)
    mine = certify(problem, rule)
    shared = certify(problem, rule, memory="data_set")
    everyone = certify(problem, rule, memory="data_set", everyone=True)
    assert mine.gain <= everyone.gain <= shared.gain
    assert any("look at the same state" in each.because for each in shared.not_covered)
    with pytest.raises(InvalidInput, match="memory must be"):
        certify(problem, rule, memory="mine")
