"""Forecasts agree with measurements, choices are sensible, and what is chosen plays."""

import itertools
import math

import numpy as np
import pytest

from holdfast import Problem, attacks, play
from holdfast.answers import (
    ComparisonAnswers,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.registry import attack_type, attack_types, make_attack
from holdfast.bounds import best_impossible
from holdfast.certificates import certify
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.measured import table
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto, Mixture, Setting, plan, plan_under
from holdfast.planner.forecast import forecast
from holdfast.planner.mixture import part_of
from holdfast.planner.strongest import best_gain
from holdfast.priors import Prior
from holdfast.rules import parse_rule
from tests.attacks.released import model_guess, play_under
from tests.paces import few


def measured(make, problem, trials, *, answers=None, seed=41):
    """Return the mean gain above n/m and its standard error."""
    n, m, _ = problem
    gains = []
    for sequence in np.random.SeedSequence(seed).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        scored = None
        if isinstance(answers, SubsetAnswers):
            scored = rng.permutation(n)[: answers.size(n)]
        guess = play_under(make(problem, rng), hidden, answers, rng, scored)
        gains.append(int((guess == hidden).sum()) - n / m)
    return float(np.mean(gains)), float(np.std(gains, ddof=1) / math.sqrt(trials))


def assert_agree(predicted, mean, error, share=0.1):
    assert abs(predicted - mean) <= max(share * mean, 4 * error), (predicted, mean, error)


CELLS = [
    ("block-majority", Problem(1000, 10, 40), 100),
    ("hill-climb", Problem(100, 5, 250), 40),
    ("hadamard-blocks", Problem(1000, 10, 64), 60),
    ("label-subset", Problem(1000, 10, 60), 60),
    ("message-passing", Problem(600, 4, 150), 20),
    ("naive-bayes", Problem(1000, 5, 100), 40),
    ("naive-bayes", Problem(1000, 2, 100), 40),
    ("boosting", Problem(1000, 2, 200), 40),
    ("column-vote", Problem(500, 3, 800), 10),
    ("uniform-vote", Problem(500, 3, 800), 10),
    ("exhaustive", Problem(200, 2, 20), 20),
    ("champion-challenger", Problem(600, 10, 40), 25),
    ("champion-challenger", Problem(600, 2, 60), 12),
    ("champion-challenger", Problem(2000, 100, 60), 10),
    ("anytime-champion-challenger", Problem(600, 10, 40), 25),
    ("block-climb", Problem(2000, 10, 100), 40),
    ("detecting", Problem(500, 4, 100), 4),
    ("pooled-detecting", Problem(1000, 10, 100), 40),
    ("steered-pools", Problem(1000, 10, 100), 40),
    ("steered-pools", Problem(500, 20, 100), 30),
    ("steered-pools", Problem(300, 2, 60), 30),
    ("lattice", Problem(300, 10, 700), 4),
    ("constant", Problem(500, 5, 10), 20),
]


@pytest.mark.parametrize(
    ("name", "problem", "trials"), CELLS, ids=[f"{name}-{tuple(p)}" for name, p, _ in CELLS]
)
def test_forecast_and_measurement_agree(name, problem, trials):
    mean, error = measured(lambda p, rng: make_attack(name, p, rng), problem, trials)
    assert_agree(forecast(attack_type(name), Setting(problem)).gain, mean, error)


INEXACT = [
    ("block-majority", NoisyAnswers(0.005), 0.1),
    ("block-majority", RoundedAnswers(0.005), 0.1),
    ("block-majority", SubsetAnswers(0.5), 0.1),
    ("champion-challenger", NoisyAnswers(0.004), 0.15),
    ("champion-challenger", RoundedAnswers(0.01), 0.15),
    ("champion-challenger", SubsetAnswers(0.5), 0.1),
    ("label-subset", NoisyAnswers(0.005), 0.1),
    ("hadamard-blocks", RoundedAnswers(0.01), 0.1),
]


@pytest.mark.parametrize(("name", "answers", "share"), INEXACT)
def test_forecasts_know_what_answers_hide(name, answers, share):
    problem = Problem(1000, 10, 40)

    def make(p, rng):
        return make_attack(name, p, rng, answers=answers)

    mean, error = measured(make, problem, 30, answers=answers)
    told = forecast(attack_type(name), Setting(problem, answers=answers)).gain
    assert_agree(told, mean, error, share)
    assert told < forecast(attack_type(name), Setting(problem)).gain


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "k"),
    few(3, [(500, 4, 100), (400, 3, 250), (800, 2, 100), (1000, 10, 700), (300, 100, 60)]),
)
def test_the_chosen_attack_gains_what_the_plan_says(n, m, k):
    problem = Problem(n, m, k)
    told = plan(problem).chosen.gain
    mean, error = measured(lambda p, rng: Auto(p, rng=rng), problem, 8)
    assert_agree(told, mean, error)


@pytest.mark.parametrize(
    "sizes",
    [
        *(pytest.param(sizes, marks=pytest.mark.slow) for sizes in [(8, 2, 4), (20, 2, 3)]),
        *(pytest.param(sizes, marks=pytest.mark.long) for sizes in [(10, 10, 20), (50, 10, 4)]),
    ],
)
def test_the_plan_knows_small_problems(sizes):
    """Limits of many examples promise up to twice as much as there is here."""
    problem = Problem(*sizes)
    mean, error = measured(lambda p, rng: Auto(p, rng=rng), problem, 60)
    assert_agree(plan(problem).chosen.gain, mean, error)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(4, 4, 3), pytest.param((8, 2, 3), marks=pytest.mark.long)])
def test_tiny_problems_are_played_as_well_as_by_the_best_attack(sizes):
    """Over every label vector: a forecast from a few hundred draws is off by more than this."""
    n, m, _ = problem = Problem(*sizes)

    def gained(name):
        matches = 0
        for hidden in itertools.product(range(m), repeat=n):
            attack = make_attack(name, problem, np.random.default_rng(0))
            matches += int((play_under(attack, np.array(hidden)) == hidden).sum())
        return matches / m**n - n / m

    others = ("champion-challenger", "hadamard-blocks", "label-subset", "pooled-detecting")
    assert gained("auto") >= 0.95 * max(gained(name) for name in others)


@pytest.mark.slow
def test_pools_without_a_tail_are_told_the_designs_own_gain():
    for problem in (Problem(8, 2, 3), Problem(4, 4, 3), Problem(3, 10, 3)):
        told = {each.attack: each.gain for each in plan(problem).forecasts}
        assert told["steered-pools"] == pytest.approx(told["pooled-detecting"], abs=1e-9)


def test_one_look_tells_nothing_to_attacks_that_climb():
    setting = Setting(Problem(1000, 10, 1))
    assert forecast(attack_type("hill-climb"), setting).gain == 0.0
    assert forecast(attack_type("block-climb"), setting).gain == 0.0
    assert plan(setting.problem).chosen.gain > 0.0


def test_every_attack_has_a_forecast_or_a_reason():
    found = plan(Problem(1000, 10, 50)).forecasts
    assert sorted(each.attack for each in found) == sorted(
        [*(cls.name for cls in attack_types()), "mixture"]
    )
    assert all(each.reason for each in found)
    assert sum(each.gain is not None for each in found) >= 12


@pytest.mark.parametrize(
    ("sizes", "names"),
    [
        ((10_000, 10, 30), {"champion-challenger"}),
        pytest.param((10_000, 10, 1000), {"steered-pools", "mixture"}, marks=pytest.mark.slow),
        ((1000, 2, 400), {"detecting", "lattice"}),
        ((1000, 10, 2000), {"lattice"}),
        ((50_000, 1000, 100), {"champion-challenger"}),
    ],
)
def test_few_looks_steer_and_many_looks_recover(sizes, names):
    assert plan(Problem(*sizes)).chosen.attack in names


@pytest.mark.slow
def test_answers_that_are_not_exact_rule_attacks_out():
    problem = Problem(10_000, 10, 1000)
    found = plan(problem, answers=RoundedAnswers(0.001))
    assert found.chosen.attack not in {"lattice", "detecting", "pooled-detecting", "mixture"}
    lattice = next(each for each in found.forecasts if each.attack == "lattice")
    assert lattice.gain is None
    assert "needs ExactAnswers" in lattice.reason
    harmless = plan(problem, answers=RoundedAnswers(1e-6))
    assert harmless.chosen == plan(problem).chosen


def test_comparisons_leave_the_attack_that_compares():
    found = plan(Problem(500, 5, 40), answers=ComparisonAnswers())
    assert found.chosen.attack == "block-majority"
    assert [each.attack for each in found.forecasts if each.gain is not None] == [
        "block-majority",
        "constant",
    ]


def test_comparisons_can_be_more_than_examples():
    n, m, _ = problem = Problem(30, 5, 400)
    chosen = plan(problem, answers=ComparisonAnswers()).chosen
    assert (chosen.attack, chosen.looks) == ("block-majority", 31)
    hidden = np.random.default_rng(2).integers(m, size=n)
    attack = Auto(problem, rng=np.random.default_rng(3), answers=ComparisonAnswers())
    looks = 0
    while attack.ask() is not None:
        attack.tell(0.0)
        looks += 1
    assert looks == 31
    assert attack.predict().shape == hidden.shape


def test_a_public_split_smaller_than_the_looks():
    problem = Problem(600, 4, 200)
    answers = SubsetAnswers(0.1)
    told = forecast(attack_type("block-majority"), Setting(problem, answers=answers)).gain
    mean, error = measured(
        lambda p, rng: make_attack("block-majority", p, rng), problem, 100, answers=answers
    )
    assert_agree(told, mean, error, 0.2)
    assert Auto(problem, rng=np.random.default_rng(0), answers=answers).plan.chosen.gain > told


def test_a_model_is_not_given_up_for_bare_comparisons():
    n, m, _ = problem = Problem(200, 5, 40)
    prior = Prior.candidates(np.full((n, 1), 3), np.full((n, 1), 0.7), m)
    attack = Auto(problem, rng=np.random.default_rng(0), prior=prior, answers=ComparisonAnswers())
    assert attack.plan.chosen.gain == 0.0
    assert attack.ask() is None
    assert (attack.predict() == 3).all()


@pytest.mark.slow
def test_a_model_that_is_sure_of_everything_is_still_checked():
    n, m, _ = problem = Problem(200, 5, 40)
    prior = Prior.candidates(np.full((n, 1), 3), np.ones((n, 1)), m)
    hidden = np.random.default_rng(1).integers(m, size=n)
    oracle = LabelOracle(hidden, problem=problem)
    attack = Auto(problem, rng=np.random.default_rng(0), prior=prior)
    guess = play(attack, oracle)
    assert attack.answered > 0
    assert (guess == hidden).sum() >= (hidden == 3).sum()


def test_fixed_queries_can_be_demanded():
    found = plan(Problem(10_000, 10, 100), non_adaptive=True)
    assert not found.chosen.adaptive
    assert found.chosen.gain < plan(Problem(10_000, 10, 100)).chosen.gain


@pytest.mark.parametrize("sizes", [(100, 2, 5), (100, 2, 60), (1000, 10, 300), (200, 50, 900)])
def test_no_forecast_exceeds_what_is_possible(sizes):
    problem = Problem(*sizes)
    n, m, _ = problem
    most = n * best_impossible(problem)
    for each in plan(problem).forecasts:
        if each.gain is not None:
            assert n / m + each.gain <= most + 1e-6, each
            assert 0 <= each.looks <= problem.n_queries


@pytest.mark.slow
def test_a_prior_is_where_gains_start():
    problem = Problem(1000, 10, 60)
    model = Prior.candidates(np.zeros((1000, 1), dtype=int), np.full((1000, 1), 0.5), 10)
    found = {each.attack: each for each in plan(problem, prior=model).forecasts}
    assert found["constant"].gain == 0.0
    assert found["block-majority"].gain < -300.0
    assert found["champion-challenger"].gain > 0.0
    same = plan(problem, prior=Prior.uniform(1000, 10)).chosen
    assert same.gain == pytest.approx(plan(problem).chosen.gain, rel=1e-6)


def test_the_forecast_with_a_prior_agrees_with_measurement():
    n, m, _ = problem = Problem(2000, 10, 60)
    gains = []
    for sequence in np.random.SeedSequence(8).spawn(30):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        sure = rng.uniform(0.3, 0.9, size=n)
        top = model_guess(hidden, m, sure, rng)
        prior = Prior.candidates(top[:, None], sure[:, None], m)
        attack = make_attack("champion-challenger", problem, rng, prior=prior)
        guess = play(attack, LabelOracle(hidden, problem=problem))
        gains.append(int((guess == hidden).sum()) - int((top == hidden).sum()))
    told = forecast(attack_type("champion-challenger"), Setting(problem, prior)).gain
    error = np.std(gains, ddof=1) / math.sqrt(30)
    assert abs(told - np.mean(gains)) <= max(0.2 * np.mean(gains), 4 * error)


def test_auto_on_comparisons_gains_what_block_majority_does():
    n, m, _ = problem = Problem(500, 5, 40)
    rng = np.random.default_rng(3)
    gains = []
    for _ in range(40):
        hidden = rng.integers(m, size=n)
        attack = Auto(problem, rng=rng, answers=ComparisonAnswers())
        before = None
        while (query := attack.ask()) is not None:
            matches = int((query == hidden).sum())
            attack.tell(float(before is not None and matches > before))
            before = matches
        gains.append(int((attack.predict() == hidden).sum()) - n / m)
    error = np.std(gains, ddof=1) / math.sqrt(len(gains))
    assert_agree(attack.plan.chosen.gain, float(np.mean(gains)), error)


@pytest.mark.parametrize("kind", ["uniform", "constant", "sorted"])
@pytest.mark.parametrize(
    "rest", ["champion-challenger", "pooled-detecting", "steered-pools", "hit-pools"]
)
def test_a_mixture_is_certain_of_the_right_labels(kind, rest):
    n, m, k = problem = Problem(300, 5, 120)
    rng = np.random.default_rng(12)
    hidden = {
        "uniform": rng.integers(m, size=n),
        "constant": np.full(n, 2),
        "sorted": np.arange(n) * m // n,
    }[kind]
    attack = Mixture(problem, rng=rng, n_certain=80, rest=rest)
    looks = 0
    while (query := attack.ask()) is not None:
        attack.tell(float((query == hidden).mean()))
        looks += 1
        assert (attack.predict() == hidden)[attack.certain()].all()
    assert looks == k
    assert attack.certain().sum() >= 80


def test_attacks_say_whether_they_may_play_the_rest_of_a_mixture():
    considered = {cls.name for cls in attack_types() if cls.plays_rest and cls.needs is None}
    assert considered == {"champion-challenger", "pooled-detecting", "steered-pools", "hit-pools"}


def test_a_mixture_that_runs_out_of_looks_is_still_right_where_it_is_certain():
    problem = Problem(300, 5, 60)
    hidden = np.random.default_rng(1).integers(5, size=300)
    attack = Mixture(problem, rng=np.random.default_rng(2), n_certain=300)
    guess = play(attack, LabelOracle(hidden, problem=problem))
    assert (guess == hidden)[attack.certain()].all()


def test_a_mixture_with_a_prior_takes_up_the_least_sure():
    n, m, _ = problem = Problem(200, 4, 90)
    rng = np.random.default_rng(4)
    hidden = rng.integers(m, size=n)
    sure = np.where(np.arange(n) < 60, 0.3, 0.9)
    top = model_guess(hidden, m, sure, rng)
    prior = Prior.candidates(top[:, None], sure[:, None], m)
    attack = Mixture(problem, rng=rng, n_certain=60, prior=prior)
    guess = play(attack, LabelOracle(hidden, problem=problem))
    assert attack.certain()[:60].all()
    assert (guess == hidden).sum() > (top == hidden).sum()


def test_a_mixture_refuses_answers_that_can_not_be():
    problem = Problem(100, 3, 80)
    hidden = np.random.default_rng(1).integers(3, size=100)
    attack = Mixture(problem, rng=np.random.default_rng(2), n_certain=30)
    while attack.certain().sum() < 30:
        attack.tell(float((attack.ask() == hidden).mean()))
    query = attack.ask()
    with pytest.raises(InconsistentAnswer, match=r"Query .* known for certain, got 3 matches"):
        attack.tell(0.03)
    attack.tell(float((query == hidden).mean()))
    with pytest.raises(NotSupported, match="Mixture needs ExactAnswers"):
        Mixture(problem, rng=np.random.default_rng(0), n_certain=3, answers=NoisyAnswers(0.1))
    with pytest.raises(InvalidInput, match="n_certain must be at most n_examples = 100, got 101"):
        Mixture(problem, rng=np.random.default_rng(0), n_certain=101)
    with pytest.raises(InvalidInput, match="attack must be one of"):
        make_attack("luck", problem, np.random.default_rng(0))


def test_a_mixture_names_its_own_queries():
    """Its second stage counts queries from 0 and notices a wrong answer in the last one."""
    problem = Problem(60, 3, 200)
    hidden = np.random.default_rng(1).integers(3, size=60)
    attack = Mixture(problem, rng=np.random.default_rng(2), n_certain=20, rest="detecting")
    looks, spoilt, noticed = 0, False, ""
    while (query := attack.ask()) is not None:
        with pytest.raises(InconsistentAnswer, match=rf"^Query {looks}: answer must belong"):
            attack.tell(0.333)
        right = int((query == hidden).sum())
        spoil = attack.certain().sum() == 20 and not spoilt
        try:
            attack.tell((right + spoil) / 60)
        except InconsistentAnswer as error:
            noticed = str(error)
            break
        spoilt |= spoil
        looks += 1
    assert spoilt
    assert noticed.startswith(f"Query {looks}: the answers")


def test_a_mixture_reads_rounding_that_hides_nothing():
    n, m, _ = problem = Problem(999, 20, 900)
    hidden = np.random.default_rng(5).integers(m, size=n)
    answers = RoundedAnswers.to_decimals(3)
    attack = Mixture(problem, rng=np.random.default_rng(6), n_certain=200, answers=answers)
    exact = Mixture(problem, rng=np.random.default_rng(6), n_certain=200)
    while (query := attack.ask()) is not None:
        attack.tell(round(float((query == hidden).mean()), 3))
    assert (attack.predict() == play(exact, LabelOracle(hidden, problem=problem))).all()
    with pytest.raises(InvalidInput, match=r"attack must be one of .* got 'luck'"):
        Mixture(problem, rng=np.random.default_rng(0), n_certain=3, rest="luck")


def test_auto_hands_on_what_it_knows():
    problem = Problem(200, 3, 400)
    hidden = np.random.default_rng(1).integers(3, size=200)
    attack = Auto(problem, rng=np.random.default_rng(2))
    assert not attack.certain().any()
    play(attack, LabelOracle(hidden, problem=problem))
    assert attack.certain().all()
    steering = Auto(Problem(2000, 10, 20), rng=np.random.default_rng(2))
    assert isinstance(steering.chosen, attacks.ChampionChallenger)
    assert not steering.certain().any()
    with pytest.raises(InvalidInput, match="answers must be an answer model, got 7"):
        Auto(problem, rng=np.random.default_rng(2), answers=7)


def test_part_of_a_prior_keeps_its_probabilities():
    rows = np.random.default_rng(0).dirichlet(np.ones(5), size=20)
    part = part_of(Prior.dense(rows), np.array([3, 7, 19]))
    assert part.dense_rows() == pytest.approx(rows[[3, 7, 19]])


def test_the_tables_are_whole():
    champion = table("champion-challenger")
    shape = np.array(champion["ratio"]).shape
    assert shape == tuple(len(champion[axis]) for axis in ("classes", "looks", "loads"))
    for name, axes in (
        ("lattice", ("classes", "positions")),
        ("lattice-budget", ("classes", "looks")),
    ):
        ratio = np.array(table(name)["ratio"])
        assert ratio.shape == tuple(len(table(name)[axis]) for axis in axes)
        assert (ratio > 0.0).all()
    designs = table("designs")
    for name in ("label-subset", "message-passing"):
        share = np.array(designs[name])
        assert share.shape == tuple(len(designs[axis]) for axis in ("classes", "examples", "loads"))
        assert ((share >= 0.0) & (share <= 1.0)).all()
    assert ExactAnswers() == Setting(Problem(2, 2, 1)).answers


def test_the_best_gain_is_of_any_attack_with_a_forecast_and_never_above_what_is_allowed():
    setting = Setting(Problem(100_000, 1000, 5000))
    every = [forecast(cls, setting) for cls in attack_types() if cls.needs is None]
    assert best_gain(setting) == max(each.gain for each in every if each.gain is not None)
    # With one look normal limits promise more than there is.
    one = Problem(200, 10, 1)
    assert best_gain(Setting(one)) <= 200 * certify(one).gain


def test_the_best_gain_under_rounding_is_that_of_the_attack_made_for_it():
    problem = Problem(100_000, 2, 5000)
    setting = Setting(problem, answers=RoundedAnswers(step=0.01))
    expected = forecast(attacks.BoundaryChallenger, setting).gain
    assert best_gain(setting) == pytest.approx(expected)
    assert expected > 2 * forecast(attacks.ChampionChallenger, setting).gain


def test_every_gain_has_a_standard_error_and_ties_go_to_the_surer():
    """Of 200 examples and 40 looks, under a Ladder: climbs are rehearsed, formulas are not."""
    found = plan_under(parse_rule("ladder:0.02"), Problem(200, 4, 40)).forecasts
    assert all((each.gain is None) == (each.error is None) for each in found)
    rehearsed = [each for each in found if each.rehearsed]
    best = max(rehearsed, key=lambda each: each.gain)
    tied = [
        each for each in rehearsed if best.gain - each.gain < math.hypot(best.error, each.error)
    ]
    assert found[0].error == min(each.error for each in tied)
