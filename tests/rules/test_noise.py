"""Noise on a grid: its exact law, what its digits tell, and what one answer can tell at most."""

import math
from fractions import Fraction

import numpy as np
import pytest

from holdfast import Problem
from holdfast.certificates import certify
from holdfast.guard import Guard, Policy
from holdfast.rules import parse_rule
from holdfast.rules.noise import Channel, ExactSampler, draw, grid_of, with_noise
from tests.paces import few
from tests.rules.float_attack import accuracy_of_attack, possible_with_floats

# A rule with noise, and the scale of the noise that it releases.
NOISY = [
    ("laplace:1", 1.0),
    ("gaussian:1", 1.0),
    ("shaky:step=1e-9,scale=1", 1.0),
    ("thresholdout:threshold=1e-9,scale=1,budget=101", 1.0),
]
RANGE = np.arange(-400, 401)


def law(shape, scale):
    """The discrete law's probabilities on RANGE, in units of a cell."""
    exponent = np.abs(RANGE) / scale if shape == "laplace" else RANGE**2 / (2 * scale**2)
    weights = np.exp(-exponent)
    return weights / weights.sum()


@pytest.mark.parametrize(
    ("shape", "scale"),
    [("laplace", Fraction(7, 10)), ("laplace", Fraction(9, 2)), ("gaussian", Fraction(5, 4)),
     ("gaussian", Fraction(3))],
)  # fmt: skip
def test_draws_follow_the_discrete_law(shape, scale):
    rng, draws = np.random.default_rng(5), 4000
    sampler = ExactSampler(rng)
    found = [
        sampler.laplace(scale) if shape == "laplace" else sampler.gaussian(scale**2)
        for _ in range(draws)
    ]
    chances = law(shape, float(scale))
    for value, chance in zip(RANGE, chances, strict=True):
        if chance * draws >= 20:
            error = 4 * math.sqrt(chance * (1 - chance) / draws)
            assert abs(found.count(value) / draws - chance) < error


@pytest.mark.parametrize("shape", ["gaussian", "laplace"])
def test_the_grid_is_fine_and_every_count_can_give_every_answer(shape):
    rng, scale, n = np.random.default_rng(6), 0.37, 100
    grid = grid_of(scale)
    assert scale / 2**41 <= grid <= scale / 2**40
    for count in range(0, n + 1, 10):
        answer = with_noise(Fraction(count, n), shape, scale, rng)
        # A whole number of cells: the noise that each other count would need is one as well.
        assert (answer / grid).denominator == 1
        assert Fraction(float(answer)) == answer
    assert (draw(shape, scale, rng) / grid).denominator == 1


@pytest.mark.parametrize(("text", "scale"), NOISY)
def test_what_the_guard_releases_lies_on_the_grid_whatever_the_score(text, scale, tmp_path):
    labels = np.arange(60) % 3
    guard = Guard(labels, Policy(text), tmp_path / "ledger.db", create=True)
    grid, noisy = grid_of(scale), 0
    for count in range(30):
        receipt = guard.score(np.where(np.arange(60) < count, labels, (labels + 1) % 3), team="a")
        # A reference that stood before the first look is no noisy value.
        if receipt.own:
            assert (Fraction(receipt.released) / grid).denominator == 1
            noisy += 1
    # The guard's noise can't be seeded; half of Thresholdout's looks exceed its threshold.
    assert noisy >= 1


def test_the_float_attack_reads_a_floating_point_sampler():
    rng, ruled_out = np.random.default_rng(7), []
    for _ in range(20):
        answer = float(Fraction(1, 2) + Fraction(float(rng.laplace(0.0, 1.0))))
        possible = possible_with_floats(answer, 40, 1.0)
        assert possible[20]
        ruled_out.append(1 - possible.mean())
    assert np.mean(ruled_out) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("text", "scale"), few(1, NOISY))
def test_the_float_attack_learns_nothing_from_the_last_bits(text, scale):
    # Floats gave 0.3 away, and four standard errors of six trials are a tenth.
    rule, trials, n = parse_rule(text), 6, 100

    def played(possible):
        rng = np.random.default_rng(8)
        return [accuracy_of_attack(rule, scale, rng, n, possible) for _ in range(trials)]

    with_bits = played(possible_with_floats)
    without = played(lambda answer, n, scale: np.ones(n + 1, dtype=bool))
    error = math.sqrt((np.var(with_bits) + np.var(without)) / trials)
    assert np.mean(with_bits) <= np.mean(without) + 4 * error
    certified = certify(Problem(n, 2, n + 1), rule).accuracy
    assert np.mean(with_bits) <= certified + 4 * np.std(with_bits) / math.sqrt(trials)


def test_a_wide_laplace_is_certified_far_below_what_floats_gave_away():
    # Floating-point noise of this scale gave 0.87 of the labels away, and 0.70 was certified.
    certified = certify(Problem(100, 2, 101), parse_rule("laplace:1")).accuracy
    assert certified < 0.54


def information(shape, scale, weights):
    """The exact information of one answer about a value with this law on 0, 1, 2, ... cells."""
    noise = law(shape, scale)
    answers = np.convolve(weights, noise)

    def entropy(p):
        p = p[p > 0]
        return -np.sum(p * np.log(p))

    return entropy(answers) - entropy(noise)


@pytest.mark.parametrize("shape", ["gaussian", "laplace"])
@pytest.mark.parametrize("scale", [2.0, 3.5, 10.0, 30.0])
def test_one_answer_tells_no_more_than_the_limit_whatever_the_law_of_the_score(shape, scale):
    rng = np.random.default_rng(9)
    tightest = math.inf
    for size in (2, 3, 10, 40):
        for _ in range(20):
            weights = rng.dirichlet(np.full(size, rng.choice([0.1, 1.0, 10.0])))
            values = np.arange(size)
            variance = weights @ values**2 - (weights @ values) ** 2
            # In units where a cell has this width, so that values lie in [0, 1].
            cell = 1 / 64
            channel = Channel(shape, scale * cell, cell)
            limit = channel._tells(variance * cell**2)
            exact = information(shape, scale, weights)
            assert exact <= limit
            tightest = min(tightest, limit - exact)
            assert exact <= channel.most
    assert tightest < 0.05


def test_the_grid_adds_nothing_that_matters_to_the_ideal_limits():
    for scale in (1e-9, 0.005, 0.5, 1.0, 1000.0):
        ideal = 0.5 * math.log1p(0.25 / scale**2)
        assert Channel.of("gaussian", scale).most == pytest.approx(ideal, rel=1e-9, abs=2e-12)
        assert Channel.of("laplace", scale).most <= 0.125 / scale**2 * (1 + 1e-9) + 2e-12


def test_noise_on_a_value_that_was_rounded_above_one_is_not_limited_as_if_it_were_not():
    # 1 becomes 1.2 here, so the variance may exceed 1/4, and only the rounding's limit holds.
    problem = Problem(200_000, 2, 10)
    wide = parse_rule("round:0.4+gaussian:0.5").own_nats(problem)
    assert wide == parse_rule("round:0.4").own_nats(problem)
    narrow = parse_rule("round:0.5+gaussian:0.5").own_nats(problem)
    assert narrow == parse_rule("gaussian:0.5").own_nats(problem) < wide
