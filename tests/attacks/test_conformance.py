"""Every attack x every check."""

import copy

import numpy as np
import pytest

from holdfast import Problem, Transcript, attacks, play
from holdfast.errors import InvalidInput, OutOfTurn
from holdfast.labels import label_dtype
from holdfast.oracles import LabelOracle
from holdfast.protocols import Attack
from tests.attacks.conformance import attack_classes, build, cases, hidden, oracle

CASES = cases()
EVERY = pytest.mark.parametrize(
    ("cls", "problem"), CASES, ids=[f"{cls.__name__}-{tuple(p)}" for cls, p in CASES]
)


def assert_labels(labels, problem):
    n, m, _ = problem
    assert isinstance(labels, np.ndarray)
    assert labels.shape == (n,)
    assert labels.dtype == label_dtype(m)
    assert labels.max() < m


def test_every_attack_plays_at_least_two_of_the_problems():
    played = {cls: sum(1 for other, _ in CASES if other is cls) for cls in attack_classes()}
    assert len(played) >= 8
    assert min(played.values()) >= 2, played


@EVERY
def test_it_is_an_attack_that_keeps_its_problem(cls, problem):
    attack = build(cls, problem)
    assert isinstance(attack, Attack)
    assert attack.problem == problem


@EVERY
def test_queries_and_predictions_are_labels_at_any_time_and_looks_stay_within_k(cls, problem):
    attack, answering = build(cls, problem), oracle(problem)
    assert_labels(attack.predict(), problem)
    while (query := attack.ask()) is not None:
        assert_labels(query, problem)
        assert_labels(attack.predict(), problem)
        attack.tell(answering.query(query))
        assert_labels(attack.predict(), problem)
    assert answering.looks <= problem.n_queries
    assert attack.ask() is None


@EVERY
def test_the_same_seed_plays_the_same_game(cls, problem):
    first, second = Transcript(problem), Transcript(problem)
    guess = play(build(cls, problem), oracle(problem), transcript=first)
    again = play(build(cls, problem), oracle(problem), transcript=second)
    assert list(first) == list(second)
    assert guess.tolist() == again.tolist()


@EVERY
def test_predicting_in_between_changes_nothing(cls, problem):
    attack, answering = build(cls, problem), oracle(problem)
    while (query := attack.ask()) is not None:
        attack.predict()
        attack.tell(answering.query(query))
        attack.predict()
    quiet = play(build(cls, problem), oracle(problem))
    assert attack.predict().tolist() == quiet.tolist()


@EVERY
def test_it_resumes_from_a_transcript(cls, problem):
    whole = Transcript(problem)
    guess = play(build(cls, problem), oracle(problem), transcript=whole)
    resumed = build(cls, problem)
    for look in list(whole)[: len(whole) // 2]:
        resumed.ask()
        resumed.tell(look.answer)
    for look in list(whole)[len(whole) // 2 :]:
        resumed.ask()
        resumed.tell(look.answer)
    assert resumed.predict().tolist() == guess.tolist()
    replayed = build(cls, problem)
    assert whole.replay(replayed) == len(whole)
    assert replayed.predict().tolist() == guess.tolist()


@EVERY
def test_what_it_returns_belongs_to_the_caller(cls, problem):
    attack, spoiled = build(cls, problem), build(cls, problem)
    answering = oracle(problem)
    while (query := attack.ask()) is not None:
        other = spoiled.ask()
        assert other.tolist() == query.tolist()
        answer = answering.query(query)
        other[:] = 0
        spoiled.predict()[:] = 0
        attack.tell(answer)
        spoiled.tell(answer)
    assert spoiled.predict().tolist() == attack.predict().tolist()


@EVERY
def test_turns_are_kept(cls, problem):
    attack = build(cls, problem)
    with pytest.raises(OutOfTurn, match="call ask"):
        attack.tell(0.5)
    if attack.ask() is not None:
        with pytest.raises(OutOfTurn, match="call tell"):
            attack.ask()


@EVERY
@pytest.mark.parametrize("answer", [float("nan"), float("inf"), "high", None])
def test_an_answer_that_is_no_number_is_refused_and_changes_nothing(cls, problem, answer):
    attack, answering = build(cls, problem), oracle(problem)
    query = attack.ask()
    if query is None:
        return
    with pytest.raises(InvalidInput, match="answer must be a finite number"):
        attack.tell(answer)
    attack.tell(answering.query(query))
    while (query := attack.ask()) is not None:
        attack.tell(answering.query(query))
    assert attack.predict().tolist() == play(build(cls, problem), oracle(problem)).tolist()


@EVERY
def test_the_generator_is_only_drawn_from_not_kept(cls, problem):
    rng = np.random.default_rng(5)
    attack = cls(problem, rng=rng)
    rng.random(100)
    assert play(attack, oracle(problem)).tolist() == (
        play(build(cls, problem), oracle(problem)).tolist()
    )


@EVERY
def test_it_can_be_copied_in_the_middle(cls, problem):
    attack, answering = build(cls, problem), oracle(problem)
    query = attack.ask()
    if query is not None:
        attack.tell(answering.query(query))
    twin = copy.deepcopy(attack)
    assert play(twin, oracle(problem)).tolist() == play(attack, oracle(problem)).tolist()


@pytest.mark.parametrize("cls", attack_classes(), ids=lambda cls: cls.__name__)
def test_it_wants_a_generator(cls):
    with pytest.raises(InvalidInput, match=r"rng must be a numpy\.random\.Generator, got 7\."):
        cls(Problem(60, 2, 6), rng=7)


@pytest.mark.parametrize("cls", attack_classes(), ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("sizes", [(0, 2, 1), (5, 1, 1), (5, 2, 0)])
def test_it_checks_its_sizes(cls, sizes):
    with pytest.raises(InvalidInput, match="must be at least"):
        cls(sizes, rng=np.random.default_rng(0))


def test_the_permuted_wrapper_conforms_too():
    problem = Problem(45, 5, 8)

    def wrapped():
        rng = np.random.default_rng(5)
        return attacks.Permuted(attacks.HillClimb(problem, rng=rng, permuted=False), rng=rng)

    attack, answering = wrapped(), oracle(problem)
    assert_labels(attack.predict(), problem)
    with pytest.raises(OutOfTurn):
        attack.tell(0.5)
    while (query := attack.ask()) is not None:
        assert_labels(query, problem)
        attack.tell(answering.query(query))
    assert attack.predict().tolist() == play(wrapped(), oracle(problem)).tolist()
    assert attack.answered == 8


def test_the_hidden_labels_of_the_checks_are_not_constant():
    assert len(set(hidden(Problem(60, 2, 12)).tolist())) == 2


def queries_asked(cls, problem, seed):
    """Return all queries of a game against hidden labels that are drawn with a seed."""
    n, m, _ = problem
    board = LabelOracle(np.random.default_rng(seed).integers(m, size=n), problem=problem)
    attack, queries = build(cls, problem), []
    while (query := attack.ask()) is not None:
        queries.append(query.tolist())
        attack.tell(board.query(query))
    return queries


FIXED = [(cls, problem) for cls, problem in CASES if not getattr(cls, "adaptive", True)]


@pytest.mark.parametrize(
    ("cls", "problem"), FIXED, ids=[f"{cls.__name__}-{tuple(p)}" for cls, p in FIXED]
)
def test_queries_of_an_attack_that_does_not_adapt_are_the_same_whatever_it_is_told(cls, problem):
    games = [queries_asked(cls, problem, seed) for seed in range(3)]
    assert games[0] == games[1] == games[2]


@pytest.mark.parametrize("cls", sorted({c for c, _ in CASES} - {c for c, _ in FIXED}, key=str))
def test_some_query_of_an_attack_that_adapts_depends_on_an_answer(cls):
    played = [problem for other, problem in CASES if other is cls and problem.n_queries > 2]
    games = [[queries_asked(cls, problem, seed) for seed in range(4)] for problem in played]
    assert any(first != game for first, *others in games for game in others)
