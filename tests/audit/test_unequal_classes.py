"""Unequal classes: gains count from what a constant submission has for free."""

import numpy as np
import pytest

from holdfast.attacks import ChampionChallenger
from holdfast.audit import as_json, audit, page, parse_looks
from holdfast.audit.baseline import Baseline
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.audit.result import in_digits
from holdfast.audit.scenarios.plays import Job, play_job
from holdfast.audit.scenarios.scenarios import compared_scenarios, suite_scenarios
from holdfast.audit.unequal_classes import UnequalClasses, baseline_of
from holdfast.certificates import certify
from holdfast.experiments.summary import Mean
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Exact, parse_rule
from tests.audit.conftest import gaining, judged, make_request, played_on

# Each plays a whole audit.
pytestmark = pytest.mark.slow


def drawn(n, counts, seed=1):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))[:n]


NINETY = drawn(2000, [1800, 200]).astype(np.uint8)
HALF = drawn(2000, [110, 112, 1000, 111, 111, 111, 111, 111, 111, 112]).astype(np.uint8)


@pytest.mark.parametrize(
    ("labels", "m", "skewed"),
    [
        (NINETY, 2, True),
        (HALF, 10, True),
        (drawn(2000, [1040, 960]), 2, False),
        (drawn(2000, [1100, 900]), 2, True),
        (drawn(2000, [200] * 10), 10, False),
        (np.zeros(50, dtype=int), 2, True),
        (np.zeros(5, dtype=int), 2, False),  # five alike are no proof
        (drawn(600, [300, 300]), 40, True),  # most classes are never seen
        (drawn(100, [1] * 100), 1000, False),
    ],
)
def test_classes_are_unequal_if_chance_does_not_explain_it(labels, m, skewed):
    assert baseline_of(labels, m).unequal == skewed


@pytest.mark.parametrize(("n", "m"), [(300, 3), (1000, 2), (2000, 100), (60, 2)])
def test_uniform_labels_are_hardly_ever_called_unequal(n, m):
    rng = np.random.default_rng(3)
    found = [baseline_of(rng.integers(m, size=n), m) for _ in range(500)]
    assert sum(each.unequal for each in found) <= 4  # one in a thousand is allowed


@pytest.mark.parametrize("labels", [NINETY, HALF, np.zeros(500, dtype=int)])
def test_what_is_known_of_shares_is_a_multiple_of_the_rounding_unit_and_rules_nothing_out(labels):
    m = max(2, int(labels.max()) + 1)
    baseline = baseline_of(labels, m)
    assert sum(baseline.shares) == pytest.approx(1.0)
    top = 100.0 * baseline.free / baseline.rounding_unit.points
    assert abs(top - round(top)) < 1e-6
    majority = np.bincount(labels).argmax()
    assert (baseline.prior.top() == majority).all()
    assert baseline.prior.dense_rows(0, 1).min() > 0.0
    assert baseline.rounding_unit.points >= rounding_unit_for(labels.size, m).points


def test_with_many_classes_the_prior_is_short():
    counts = [2000, *range(300, 0, -1)]
    labels = drawn(sum(counts), counts)
    prior = baseline_of(labels, len(counts)).prior
    assert prior.dense_rows(0, 1).sum() == pytest.approx(1.0)
    assert prior.ranked(1)[1][0, 0] == pytest.approx(2000 / sum(counts), abs=0.002)


def plain_simulation(labels, m, looks, trials):
    """Return gains above the majority, in points: an attack, exact scores, and nothing else."""
    n = labels.size
    shares = np.bincount(labels, minlength=m) / n
    gains = []
    for trial in range(trials):
        attack = ChampionChallenger(
            Problem(n, m, looks),
            rng=np.random.default_rng([77, trial]),
            prior=Prior.dense(np.tile(shares, (n, 1))),
        )
        while (query := attack.ask()) is not None:
            attack.tell(np.count_nonzero(query == labels) / n)
        gains.append(100.0 * (np.mean(attack.predict() == labels) - shares.max()))
    return np.array(gains)


@pytest.mark.parametrize(("labels", "m"), [(NINETY, 2), (HALF, 10)])
def test_gains_above_the_majority_are_those_of_a_plain_simulation(labels, m):
    """Other seeds, exact class shares, no board: the same mean within four standard errors."""
    mine = plain_simulation(labels, m, 100, 8)
    context = played_on(labels, baseline_of(labels, m), 0)
    jobs = [Job("class shares", Exact(), "champion-challenger", 100, trial) for trial in range(8)]
    played = 100.0 * np.array([play_job(context, job).bias for job in jobs])
    error = np.hypot(mine.std(ddof=1), played.std(ddof=1)) / np.sqrt(8)
    assert abs(mine.mean() - played.mean()) < 4 * error
    assert played.mean() > 0.5


def test_an_attack_without_a_prior_is_measured_from_the_majority_too():
    job = Job("features", Exact(), "block-majority", 40, 0)
    plain = play_job(played_on(NINETY, Baseline(2000, 2), 0), job)
    above = play_job(played_on(NINETY, baseline_of(NINETY, 2), 0), job)
    assert above.bias == pytest.approx(plain.bias + 0.5 - 0.9)
    assert above.looks == plain.looks


def test_a_model_below_the_majority_gains_only_what_passes_it():
    model = np.where(np.random.default_rng(0).random(2000) < 0.2, 1 - NINETY, NINETY)
    baseline = baseline_of(NINETY, 2)
    prior = Prior.candidates(model[:, None], np.full((2000, 1), 0.8), 2)
    played = play_job(
        played_on(NINETY, baseline, 0, prior), Job("model", Exact(), "hadamard-blocks", 2, 0)
    )
    assert played.bias < -0.05  # 80 % and a little, not 90 %


@pytest.mark.parametrize("rule", ["exact", "round:2", "ladder:0.01", "improved", "gaussian:0.01"])
def test_with_equal_classes_no_scenario_is_added(rule):
    rule, problem = parse_rule(rule), Problem(2000, 2, 50)
    assert suite_scenarios(rule, problem, 1, models=False) == [
        scenario
        for scenario in suite_scenarios(rule, problem, 1, models=False, shares=True)
        if scenario.setting != "class shares"
    ]
    plain = compared_scenarios(rule, problem, 1)
    more = compared_scenarios(rule, problem, 1, shares=True)
    informed = [scenario for scenario in more if scenario.setting == "class shares"]
    assert informed == more[: len(informed)] != []
    # The others follow as they were, less those that play the same with less knowledge.
    same = {scenario.attack for scenario in informed} | {"champion-challenger"}
    assert more[len(informed) :] == [scenario for scenario in plain if scenario.attack not in same]


RULES = [
    "exact", "round:2", "round:3", "ladder", "ladder:0.01", "improved", "rank", "gaussian:0.01",
    "laplace:0.01", "subsample:0.3", "subsample:0.3+round:3", "fresh:0.2", "split:4", "batch:10",
    "batch:10+round:2", "thresholdout:threshold=0.01,scale=0.002,budget=50",
]  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_the_bound_holds_for_every_rule_and_never_falls_with_looks(name):
    rule = parse_rule(name)
    baseline = baseline_of(NINETY, 2)
    looks = (10, 30, 100, 300)
    found = [certify(Problem(2000, 2, k), rule, knows=baseline.shares) for k in looks]
    bounds = [100.0 * each.gain for each in found]
    assert bounds == sorted(bounds)
    assert 0.0 < bounds[0] <= 10.0
    # Never below what uniform labels allow a rule to tell: it holds for them as for all others.
    assert found[1].nats >= certify(Problem(2000, 2, 30), rule).nats - 1e-9
    four = certify(Problem(2000, 2, 40), rule, accounts=4, knows=baseline.shares)
    assert 100.0 * four.gain >= bounds[0]
    context = played_on(NINETY, baseline, 0)
    for attack in ("champion-challenger", "hadamard-blocks", "prior-climb"):
        played = [play_job(context, Job("class shares", rule, attack, 30, t)) for t in range(2)]
        assert all(100.0 * play.bias <= bounds[1] for play in played)


def test_the_bound_for_equal_classes_is_no_bound_here():
    """It counts from 1/m: far too high here, and about another quantity."""
    request = make_request(NINETY, m=2)
    assert isinstance(request.baseline, UnequalClasses)
    assert request.baseline.formulas.guarantee(request.problem) is None
    assert make_request().baseline.formulas.guarantee(Problem(300, 3, 5)) is not None


def test_where_every_attack_ends_below_the_majority_nothing_is_gained(request_for):
    lost = gaining(-0.2)
    found = audit(request_for(NINETY, m=2), play=lost).verdict.points
    assert (found.mean, found.low, found.high) == (0.0, 0.0, 0.0)
    equal = audit(request_for(n=2000, m=2), play=lost)
    assert equal.verdict.points.mean == -20.0  # nothing is free there that a guess does not have


@pytest.fixture(scope="module")
def result():
    request = make_request(NINETY[:400], m=2, looks=parse_looks("40"), gap=4.0, seed=2)
    return request, audit(request)


def test_one_number_in_sentence_chart_json_and_page(result, tmp_path):
    request, found = result
    document = as_json(found)
    gain, free = found.verdict.points.mean, found.board.free
    assert found.board.skewed
    assert abs(free - 100.0 * request.baseline.matches / 400) <= found.rounding_unit / 2
    assert f"{gain:g} point" in found.verdict.sentence
    assert f"above the {free:g} % that the majority class scores" in found.verdict.sentence
    assert found.verdict.setting == "class shares"
    assert document["verdict"]["gain"]["mean"] == pytest.approx(gain / 100)
    assert document["board"]["free"] == pytest.approx(free / 100)
    assert found.rules[0].is_policy
    assert found.rules[0].possible == found.verdict.points
    assert all(series.setting == "class shares" for series in found.curve.measured)
    assert set(found.curve.guarantee) == {None}
    text = page.render(found)
    assert f"+{in_digits(gain, found.rounding_unit)}<" in text
    assert "points above the majority class" in text
    assert "for equally frequent classes" in text
    # An attack that knows nothing ends far below, and is not called a gain.
    plain = [each for each in found.gains if each.setting == "features" and each.points]
    assert plain
    assert all(each.points.mean < 0.0 for each in plain)


def test_no_gain_and_no_bound_exceeds_what_is_left(result):
    _, found = result
    left = 100.0 - found.board.free
    assert all(gain.allowed <= left for gain in found.gains)
    assert max(value for value in found.curve.allowed) <= left + 1e-9
    assert found.limits.forecast <= left
    assert found.verdict.points.mean <= found.limits.allowed


def test_of_one_class_nothing_can_be_gained():
    found = audit(make_request(np.zeros(300), m=2, looks=parse_looks("12")))
    assert found.verdict.word == "SAFE"
    assert found.verdict.proven
    assert found.verdict.points.mean == 0.0
    assert found.board.free == 100.0
    assert "no attack gained anything above what it had without a look" in found.verdict.sentence
    assert page.render(found)


def test_classes_that_are_never_seen_do_not_lower_the_baseline():
    labels = drawn(400, [280, 120])
    found = audit(make_request(labels, m=6, looks=parse_looks("20"), release="ladder:0.05"))
    assert found.board.free == 70.0
    assert found.verdict.points.mean <= 1.0
    assert {"imbalance", "absent-classes"} <= {finding.code for finding in found.findings}


def test_near_balanced_classes_are_judged_as_before(request_for):
    labels = drawn(400, [204, 196])
    request = request_for(labels, m=2, looks=parse_looks("10"))
    assert not request.baseline.unequal
    found = audit(request)
    assert not found.board.skewed
    assert found.board.free == 50.0
    assert {gain.setting for gain in found.gains} == {"features", "no features"}
    assert "majority" not in found.verdict.sentence


def test_a_private_part_counts_for_nothing_here_too():
    split = ["Public", "Private"] * 300
    request = make_request(NINETY[:600], m=2, split=split, looks=parse_looks("10"))
    found = audit(request)
    assert found.verdict.points.mean == 0.0
    assert "no look is scored on" in found.verdict.sentence


def test_the_judge_uses_the_bound_above_the_majority(result):
    request, found = result
    who = ("class shares", "champion-challenger")
    verdict = judged(request, Mean(0.001, 0.001), found.limits, 50.0, who=who)
    assert verdict.proven == (found.limits.allowed < 50.0)
