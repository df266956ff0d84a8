"""Theorems 2 and 7 and their corollaries: every label vector is as good as a uniform one."""

import inspect

import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play
from holdfast.attacks import without_features
from holdfast.planner import Auto
from tests.attacks.conformance import attack_classes, cases
from tests.theorems.measure import label_vector, measure

KINDS = ["balanced", "sorted", "constant", "skewed", "avoiding"]
CLASSES = [2, 3, 10, 100]

# Each with the problem it is played on: where its gain is well above its spread.
PERMUTED_ATTACKS = [
    (attacks.BlockMajority, (1000, 5, 40)),
    (attacks.HillClimb, (1000, 5, 40)),
    (attacks.ColumnVote, (60, 3, 400)),
    (attacks.UniformVote, (60, 3, 400)),
    (attacks.NaiveBayes, (400, 5, 60)),
    (attacks.Boosting, (400, 2, 60)),
    (attacks.Exhaustive, (40, 3, 26)),
    (attacks.Constant, (500, 5, 1)),
]


@pytest.mark.statement("acharya2020 cor:minmax")
@pytest.mark.parametrize("labels", KINDS)
@pytest.mark.parametrize(("cls", "problem"), PERMUTED_ATTACKS)
def test_no_label_vector_is_harder_or_easier_than_uniform_ones(cls, problem, labels):
    uniform = measure(cls, problem, trials=60, seed=1)
    other = measure(cls, problem, trials=60, seed=2, labels=labels)
    assert other.agrees_with(uniform.mean, other_stderr=uniform.stderr)


# The planner's choice and attacks of two stages draw permutations inside the attacks that they
# play; those are all here.
OPTIONAL = cases(
    cls
    for cls in attack_classes()
    if cls not in (Auto, attacks.SteeredPools) and "permuted" in inspect.signature(cls).parameters
)


@pytest.mark.statement("acharya2020 thm:reduction")
@pytest.mark.parametrize("kind", ["uniform", "sorted", "constant", "skewed"])
@pytest.mark.parametrize(
    ("cls", "problem"), OPTIONAL, ids=[f"{cls.__name__}-{tuple(p)}" for cls, p in OPTIONAL]
)
def test_every_attack_plays_permuted_labels_as_it_plays_bare_ones(cls, problem, kind):
    # Game by game, for every attack: what it scores on z is what it scores without the permutation
    # on pi^-1(z), which is uniform whatever z is.
    n, m, _ = problem
    hidden = label_vector(kind, n, m, np.random.default_rng(3))
    shifts = attacks.Constant(problem, rng=np.random.default_rng(5)).predict().astype(int)
    guess = play(
        cls(problem, rng=np.random.default_rng(5)), oracles.LabelOracle(hidden, problem=problem)
    )
    moved = (hidden - shifts) % m
    bare = play(
        cls(problem, rng=np.random.default_rng(5), permuted=False),
        oracles.LabelOracle(moved, problem=problem),
    )
    assert guess.tolist() == ((bare + shifts) % m).tolist()


def test_every_attack_can_be_switched_to_bare_labels():
    # Wrappers and readers take it from the attack that they wrap or build on.
    switchable = {cls for cls, _ in OPTIONAL}
    assert switchable >= {cls for cls, _ in PERMUTED_ATTACKS}
    assert len(switchable) >= 15


@pytest.mark.statement("acharya2020 thm:reduction")
@pytest.mark.parametrize("kind", ["uniform", *KINDS])
@pytest.mark.parametrize(
    "inner",
    [attacks.BlockMajority, attacks.HillClimb, attacks.NaiveBayes, attacks.ColumnVote],
)
@pytest.mark.parametrize("m", CLASSES)
def test_the_wrapped_attack_plays_the_inner_one_on_the_permuted_labels(inner, kind, m):
    problem = Problem(200, m, 30)
    hidden = label_vector(kind, 200, m, np.random.default_rng(3))

    def bare():
        return inner(problem, rng=np.random.default_rng(1), permuted=False)

    wrapped = attacks.Permuted(bare(), rng=np.random.default_rng(2))
    guess = play(wrapped, oracles.LabelOracle(hidden, problem=problem))
    moved = (hidden - wrapped.shifts.astype(int)) % m
    inner_guess = play(bare(), oracles.LabelOracle(moved, problem=problem))
    assert guess.tolist() == ((inner_guess + wrapped.shifts) % m).tolist()
    assert np.sum(guess == hidden) == np.sum(inner_guess == moved)


@pytest.mark.statement("acharya2020 thm:reduction")
def test_the_permuted_labels_are_uniform_whatever_the_labels_are():
    n, m = 60_000, 6
    attack = attacks.Permuted(
        attacks.Constant(Problem(n, m, 1), rng=np.random.default_rng(0), permuted=False),
        rng=np.random.default_rng(5),
    )
    counts = np.bincount(attack.shifts, minlength=m)
    assert np.abs(counts - n / m).max() <= 4 * np.sqrt(n / m)


@pytest.mark.statement("acharya2020 thm:reduction_features")
@pytest.mark.parametrize("kind", ["uniform", *KINDS])
@pytest.mark.parametrize("name", ["BlockMajority", "ColumnVote", "NaiveBayes", "UniformVote"])
@pytest.mark.parametrize("m", CLASSES)
def test_wrapped_classifiers_play_the_inner_ones_on_the_permuted_labels(name, kind, m):
    problem = Problem(150, m, 20)
    X = np.random.default_rng(0).normal(size=(150, 3))
    hidden = label_vector(kind, 150, m, np.random.default_rng(3))

    def bare():
        cls = getattr(without_features, name)
        return cls(problem, rng=np.random.default_rng(1), permuted=False)

    def ask(attack, labels):
        oracle = oracles.ClassifierOracle(X, labels, problem=problem)
        return play(attack, oracle).predict(X)

    wrapped = without_features.Permuted(bare(), rng=np.random.default_rng(2))
    shifts = (wrapped.predict().predict(X).astype(int) - bare().predict().predict(X)) % m
    moved = (hidden - shifts) % m
    guess, inner_guess = ask(wrapped, hidden), ask(bare(), moved)
    assert np.sum(guess == hidden) == np.sum(inner_guess == moved)
    assert guess.tolist() == ((inner_guess + shifts) % m).tolist()


@pytest.mark.statement("acharya2020 cor:minmax_features")
@pytest.mark.parametrize("labels", KINDS)
@pytest.mark.parametrize(
    ("cls", "problem"),
    [
        (without_features.BlockMajority, (600, 5, 40)),
        (without_features.NaiveBayes, (300, 5, 40)),
        (without_features.ColumnVote, (30, 3, 130)),
    ],
)
def test_without_features_no_labels_are_harder_than_uniform_ones(cls, problem, labels):
    uniform = measure(cls, problem, trials=30, seed=1, blind=True)
    other = measure(cls, problem, trials=30, seed=2, labels=labels, blind=True)
    assert other.agrees_with(uniform.mean, other_stderr=uniform.stderr)


def bare_block_majority(problem, rng):
    return attacks.BlockMajority(problem, rng=rng, permuted=False)


def test_without_the_permutation_labels_that_avoid_the_defaults_score_nothing():
    problem = (10_000, 10, 101)
    assert measure(bare_block_majority, problem, trials=2, seed=1, labels="avoiding").mean == 0.0
    permuted = measure(attacks.BlockMajority, problem, trials=100, seed=1, labels="avoiding")
    assert permuted.agrees_with(0.117751)


def test_without_the_permutation_a_constant_query_on_balanced_labels_says_nothing():
    n, m = 1000, 10
    hidden = label_vector("balanced", n, m, np.random.default_rng(0))
    attack = bare_block_majority(Problem(n, m, 1), np.random.default_rng(1))
    oracle = oracles.LabelOracle(hidden, problem=attack.problem)
    assert oracle.query(attack.ask()) == 1 / m


def test_the_inverse_permutation_on_output_would_be_wrong():
    n, m, k = 30, 5, 400
    problem = Problem(n, m, k)
    hidden = np.random.default_rng(0).integers(m, size=n)

    def bare():
        return attacks.ColumnVote(
            problem, rng=np.random.default_rng(1), permuted=False, queries_per_nat=0.1
        )

    wrapped = attacks.Permuted(bare(), rng=np.random.default_rng(2))
    guess = play(wrapped, oracles.LabelOracle(hidden, problem=problem))
    shifts = wrapped.shifts.astype(int)
    backwards = (guess - 2 * shifts) % m
    assert np.mean(guess == hidden) == 1.0
    assert np.mean(backwards == hidden) < 0.6
