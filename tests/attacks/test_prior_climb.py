import numpy as np
import pytest

from holdfast import Problem, play
from holdfast.attacks import HillClimb, ImprovementReader, PriorClimb
from holdfast.errors import InvalidInput
from holdfast.oracles import LabelOracle
from holdfast.priors import Prior
from holdfast.rules import parse_rule

N = 1000


def shares_prior(labels, m):
    return Prior.dense(np.tile(np.bincount(labels, minlength=m) / labels.size, (labels.size, 1)))


def gains(labels, m, k, rule, seeds, build=PriorClimb, **settings):
    """Return matches above the majority class, one number a seed."""
    problem, most = Problem(labels.size, m, k), np.bincount(labels).max()
    if build is PriorClimb:
        settings["prior"] = shares_prior(labels, m)

    def attack(seed):
        made = build(problem, rng=np.random.default_rng(seed), **settings)
        return ImprovementReader(made) if rule == "improved" else made

    found = []
    for seed in range(seeds):
        oracle = LabelOracle(
            labels,
            problem=problem,
            mechanism=parse_rule(rule),
            rng=np.random.default_rng([seed, 1]),
        )
        guess = play(attack(seed), oracle)
        found.append(np.count_nonzero(guess == labels) - most)
    return np.array(found, dtype=float)


def assert_near(found, expected):
    assert abs(found.mean() - expected) < 4 * found.std(ddof=1) / np.sqrt(found.size)


@pytest.mark.parametrize("rule", ["improved", "exact"])
def test_a_sure_prior_is_climbed_one_example_at_a_time(rule):
    """Every look but the first tries one example, and one in ten of them is in the minority."""
    labels = np.random.default_rng(0).permutation(np.arange(N) < 100).astype(np.uint8)
    assert_near(gains(labels, 2, 301, rule, 40), 300 * 0.1)


def test_of_several_classes_the_next_most_likely_is_tried_first():
    labels = np.repeat([2, 0, 1], [700, 250, 50])
    labels = np.random.default_rng(0).permutation(labels).astype(np.uint8)
    assert_near(gains(labels, 3, 201, "improved", 40), 200 * 0.25)


def test_everything_is_found_in_the_end():
    labels = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
    found = gains(labels.astype(np.uint8), 3, 250, "improved", 3)
    assert (found == 40).all()


def test_groups_climb_a_threshold_that_single_examples_do_not():
    labels = np.random.default_rng(0).permutation(np.arange(N) < 450).astype(np.uint8)
    grouped = gains(labels, 2, 200, "ladder", 10, threshold=1.0)
    stepped = gains(labels, 2, 200, "ladder:0.005", 10, step=0.005)
    for found in (grouped, stepped):
        assert found.mean() > 4 * found.std(ddof=1) / np.sqrt(found.size) > 0.0
    # Told of no threshold it tries single examples, or so few that the board shows nothing.
    assert gains(labels, 2, 200, "ladder:0.02", 4).max() == 0.0


def test_it_is_stronger_than_climbing_from_nothing():
    labels = np.random.default_rng(0).permutation(np.arange(N) < 350).astype(np.uint8)
    mine = gains(labels, 2, 100, "improved", 10)
    other = gains(labels, 2, 100, "improved", 10, build=HillClimb)
    error = np.hypot(mine.std(ddof=1), other.std(ddof=1)) / np.sqrt(10)
    assert mine.mean() - other.mean() > 4 * error


@pytest.mark.parametrize("setting", [{"step": -0.1}, {"step": 1.5}, {"threshold": float("nan")}])
def test_settings_that_make_no_sense_are_refused(setting):
    with pytest.raises(InvalidInput, match=f"^{next(iter(setting))} must"):
        PriorClimb(Problem(10, 2, 4), rng=np.random.default_rng(0), **setting)


def test_a_prior_of_other_sizes_is_refused():
    with pytest.raises(InvalidInput, match="prior must have 10 examples and 2 classes"):
        PriorClimb(Problem(10, 2, 4), rng=np.random.default_rng(0), prior=Prior.uniform(10, 3))
