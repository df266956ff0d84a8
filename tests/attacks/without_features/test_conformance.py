"""Every attack without features x every check; queries are compared as classifiers."""

import copy

import numpy as np
import pytest

from holdfast import Problem, Transcript, play
from holdfast.attacks import without_features
from holdfast.errors import InvalidInput, OutOfTurn
from holdfast.oracles import ClassifierOracle, IndexedOracle
from holdfast.protocols import Attack

PROBLEMS = [
    Problem(60, 2, 12),
    Problem(60, 2, 1),
    Problem(45, 5, 8),
    Problem(9, 300, 4),
    Problem(1, 2, 1),
]
PLAIN = ["BlockMajority", "ColumnVote", "NaiveBayes", "UniformVote"]
NAMES = [*PLAIN, "Permuted", "ByIndex"]

EVERY = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: str(tuple(problem)))
NAMED = pytest.mark.parametrize("name", NAMES)


def test_no_attack_without_features_is_left_out():
    assert sorted(NAMES) == sorted(without_features.__all__)


def build(name, problem, rng=None):
    rng = np.random.default_rng(5) if rng is None else rng
    if name == "Permuted":
        inner = without_features.BlockMajority(problem, rng=rng, permuted=False)
        return without_features.Permuted(inner, rng=rng)
    if name == "ByIndex":
        return without_features.ByIndex(without_features.BlockMajority(problem, rng=rng))
    return getattr(without_features, name)(problem, rng=rng)


def board(name, problem):
    n, m, _ = problem
    X = np.random.default_rng(76).normal(size=(n, 2))
    hidden = np.random.default_rng(77).integers(m, size=n)
    kind = IndexedOracle if name == "ByIndex" else ClassifierOracle
    return kind(X, hidden, problem=problem, rng=np.random.default_rng(78))


def labels(classifier, problem):
    X = np.random.default_rng(76).normal(size=(problem.n_examples, 2))
    if isinstance(classifier, without_features.by_index.IndexClassifier):
        found = classifier.predict(X, np.arange(problem.n_examples))
    else:
        found = classifier.predict(X)
    assert found.shape == (problem.n_examples,)
    assert found.max() < problem.n_classes
    return found.tolist()


@NAMED
@EVERY
def test_queries_and_predictions_are_classifiers_at_any_time_and_looks_stay_within_k(name, problem):
    attack, answering = build(name, problem), board(name, problem)
    assert isinstance(attack, Attack)
    assert attack.problem == problem
    labels(attack.predict(), problem)
    while (query := attack.ask()) is not None:
        labels(query, problem)
        labels(attack.predict(), problem)
        attack.tell(answering.query(query))
        labels(attack.predict(), problem)
    assert answering.looks == problem.n_queries
    assert attack.ask() is None


@NAMED
@EVERY
def test_the_same_seed_plays_the_same_game_and_predicting_changes_nothing(name, problem):
    first, second = Transcript(problem), Transcript(problem)
    final = play(build(name, problem), board(name, problem), transcript=first)
    attack, answering = build(name, problem), board(name, problem)
    while (query := attack.ask()) is not None:
        attack.predict()
        answer = answering.query(query)
        second.record(query, answer)
        attack.tell(answer)
    assert list(first) == list(second)
    assert attack.predict() == final


@NAMED
@EVERY
def test_it_resumes_from_a_transcript(name, problem):
    whole, half = Transcript(problem), Transcript(problem)
    final = play(build(name, problem), board(name, problem), transcript=whole)
    stopped, answering = build(name, problem), board(name, problem)
    for _ in range(problem.n_queries // 2):
        query = stopped.ask()
        answer = answering.query(query)
        half.record(query, answer)
        stopped.tell(answer)
    assert play(build(name, problem), answering, transcript=half) == final
    assert list(half) == list(whole)


@NAMED
@EVERY
def test_turns_are_kept_and_what_is_no_number_is_refused(name, problem):
    attack = build(name, problem)
    with pytest.raises(OutOfTurn, match="call ask"):
        attack.tell(0.5)
    attack.ask()
    with pytest.raises(OutOfTurn, match="call tell"):
        attack.ask()
    with pytest.raises(InvalidInput, match="answer must be a finite number"):
        attack.tell(float("nan"))
    attack.tell(0.5)
    twin = build(name, problem)
    twin.ask()
    twin.tell(0.5)
    assert attack.predict() == twin.predict()


@NAMED
@EVERY
def test_the_generator_is_only_drawn_from_and_copies_play_on(name, problem):
    rng = np.random.default_rng(5)
    attack, answering = build(name, problem, rng), board(name, problem)
    rng.random(100)
    attack.tell(answering.query(attack.ask()))
    twin = copy.deepcopy(attack)
    while (query := attack.ask()) is not None:
        assert twin.ask() == query
        answer = answering.query(query)
        attack.tell(answer)
        twin.tell(answer)
    assert twin.predict() == attack.predict()
    assert attack.predict() == play(build(name, problem), board(name, problem))


@pytest.mark.parametrize("name", PLAIN)
def test_it_checks_its_generator_and_its_sizes(name):
    cls = getattr(without_features, name)
    with pytest.raises(InvalidInput, match=r"rng must be a numpy\.random\.Generator, got 7\."):
        cls(Problem(60, 2, 6), rng=7)
    for sizes in [(0, 2, 1), (5, 1, 1), (5, 2, 0)]:
        with pytest.raises(InvalidInput, match="must be at least"):
            cls(sizes, rng=np.random.default_rng(0))


def test_too_many_queries_for_block_majority_are_refused():
    with pytest.raises(InvalidInput, match=r"n_queries must be at most n_examples \+ 1 = 11"):
        without_features.BlockMajority(Problem(10, 2, 12), rng=np.random.default_rng(0))
