"""Conformance checks for attacks: the `Attack` protocol, turn by turn, on small games."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from holdfast.answers import EVERY_MODEL, ExactAnswers
from holdfast.attacks.description import FAMILIES, MOST_SUMMARY_WORDS, Described
from holdfast.errors import CheckFailed, HoldfastError, InvalidInput, OutOfTurn
from holdfast.loop import play
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.quoting import quoted
from holdfast.testing.games import (
    ATTACK_SEED,
    PROBLEMS,
    AnyQueryOracle,
    Factory,
    build,
    expect,
    hidden_labels,
    labels_of,
)
from holdfast.transcript import Transcript

__all__ = ["AttackCheck", "attack_checks", "check_attack"]


class AttackCheck(Protocol):
    """One check: what an attack must do on every problem that it plays."""

    __name__: str

    def __call__(self, factory: Factory, *, problems: Sequence[Problem] = PROBLEMS) -> None:
        """Check the attacks that the factory makes, or raise `CheckFailed`."""
        ...


def attack_checks() -> tuple[AttackCheck, ...]:
    """Return every check, for a test runner to name and run each by itself.

    >>> [check.__name__ for check in attack_checks()][:2]
    ['check_it_plays', 'check_it_is_an_attack']
    """
    return CHECKS


def check_attack(factory: Factory, *, problems: Sequence[Problem] = PROBLEMS) -> None:
    """Run every check on an attack, with or without features.

    Parameters
    ----------
    factory
        The attack's class, or a function that makes one. It is called as
        `factory(problem, rng=rng)`, and refuses a problem that it can't play with a
        `HoldfastError`.
    problems
        The sizes to play.

    Raises
    ------
    CheckFailed
        The first check that the attack does not pass: which one, on which problem, and why.

    Examples
    --------
    >>> from holdfast import attacks
    >>> check_attack(attacks.BlockMajority)
    """
    for check in attack_checks():
        check(factory, problems=problems)


def _played(factory: Factory, problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems that the attack does not refuse."""
    played = []
    for problem in problems:
        try:
            build(factory, problem)
        except HoldfastError:
            continue
        played.append(problem)
    return played


def _name(factory: Factory) -> str:
    return getattr(factory, "__name__", type(factory).__name__)


def _on_every_problem(check: Callable[[Factory, Problem], None]) -> AttackCheck:
    """Let a check of one problem run on all that the attack plays, and say which one failed."""

    @functools.wraps(check)
    def checked(factory: Factory, *, problems: Sequence[Problem] = PROBLEMS) -> None:
        for problem in _played(factory, problems):
            where = f"{_name(factory)} on {problem}, {check.__name__}"
            try:
                check(factory, problem)
            except CheckFailed as failure:
                raise CheckFailed(f"{where}: {failure}") from None
            except Exception as error:
                error.add_note(f"raised by {where}")
                raise

    return checked


def _refused(
    call: Callable[[], object], error: type[HoldfastError], naming: str, what: str
) -> None:
    """Expect an error of a class, with a message that has a word."""
    try:
        call()
    except error as refusal:
        expect(naming in str(refusal), f"the error for {what} must name {naming}, got: {refusal}")
        return
    raise CheckFailed(f"{what} must raise {error.__name__}, and did not.")


def _final_labels(attack: Attack[Any], problem: Problem) -> list[int]:
    """Return what an attack predicts at the end of a game."""
    return labels_of(play(attack, AnyQueryOracle(problem)), problem)


def _queries(factory: Factory, problem: Problem, seed: int) -> list[list[int]]:
    """Return all queries of a game against hidden labels that are drawn with a seed."""
    attack, board, queries = build(factory, problem), AnyQueryOracle(problem, seed), []
    while (query := attack.ask()) is not None:
        queries.append(labels_of(query, problem))
        attack.tell(board.query(query))
    return queries


def check_it_plays(factory: Factory, *, problems: Sequence[Problem] = PROBLEMS) -> None:
    """Check that it refuses no more than it must: at least two problems are played."""
    played, least = _played(factory, problems), min(2, len(problems))
    expect(
        len(played) >= least,
        f"{_name(factory)} must play at least {least} of {len(problems)} problems, got "
        f"{len(played)}: called as factory(problem, rng=rng) it raises for all others.",
    )


@_on_every_problem
def check_it_is_an_attack(factory: Factory, problem: Problem) -> None:
    """Check that it has the protocol's methods, and keeps its problem."""
    attack = build(factory, problem)
    expect(isinstance(attack, Attack), "it must have problem, ask, tell and predict.")
    expect(attack.problem == problem, f"problem must be the one given, got {attack.problem}.")


@_on_every_problem
def check_queries_and_predictions_are_labels(factory: Factory, problem: Problem) -> None:
    """Check every query, a prediction at any time, and that the looks stay within k."""
    attack, board, looks = build(factory, problem), AnyQueryOracle(problem), 0
    labels_of(attack.predict(), problem)
    while (query := attack.ask()) is not None:
        expect(looks < problem.n_queries, "it must ask n_queries times at most, and asks again.")
        labels_of(query, problem)
        labels_of(attack.predict(), problem)
        attack.tell(board.query(query))
        labels_of(attack.predict(), problem)
        looks += 1
    expect(attack.ask() is None, "ask must return None again once it has returned None.")


@_on_every_problem
def check_the_same_seed_plays_the_same_game(factory: Factory, problem: Problem) -> None:
    """Check that queries and prediction follow from the generator and the answers."""
    first, second = Transcript(problem), Transcript(problem)
    guess = play(build(factory, problem), AnyQueryOracle(problem), transcript=first)
    again = play(build(factory, problem), AnyQueryOracle(problem), transcript=second)
    expect(list(first) == list(second), "two games from one seed must ask the same queries.")
    expect(
        labels_of(guess, problem) == labels_of(again, problem),
        "two games from one seed must end in the same prediction.",
    )


@_on_every_problem
def check_predicting_changes_nothing(factory: Factory, problem: Problem) -> None:
    """Check that a prediction in between leaves the game as it is."""
    attack, board = build(factory, problem), AnyQueryOracle(problem)
    while (query := attack.ask()) is not None:
        attack.predict()
        attack.tell(board.query(query))
        attack.predict()
    expect(
        labels_of(attack.predict(), problem) == _final_labels(build(factory, problem), problem),
        "predict in between must not change the final prediction.",
    )


@_on_every_problem
def check_it_resumes_from_a_transcript(factory: Factory, problem: Problem) -> None:
    """Check that a new attack, told the answers so far, goes on where one was stopped."""
    whole, half = Transcript(problem), Transcript(problem)
    guess = play(build(factory, problem), AnyQueryOracle(problem), transcript=whole)
    stopped, board = build(factory, problem), AnyQueryOracle(problem)
    for _ in range(len(whole) // 2):
        query = stopped.ask()
        half.record(query, board.query(query))
        stopped.tell(half.answers[-1])
    resumed = play(build(factory, problem), board, transcript=half)
    expect(list(half) == list(whole), "a resumed game must ask what a whole one asks.")
    expect(
        labels_of(resumed, problem) == labels_of(guess, problem),
        "a resumed game must end in the same prediction as a whole one.",
    )


@_on_every_problem
def check_what_it_returns_belongs_to_the_caller(factory: Factory, problem: Problem) -> None:
    """Check that arrays may be overwritten: the attack keeps none that it gave away."""
    attack, spoiled = build(factory, problem), build(factory, problem)
    board = AnyQueryOracle(problem)
    while (query := attack.ask()) is not None:
        answer = board.query(query)
        for given in (spoiled.ask(), spoiled.predict()):
            if isinstance(given, np.ndarray):
                given[:] = 0
        attack.tell(answer)
        spoiled.tell(answer)
    expect(
        labels_of(spoiled.predict(), problem) == labels_of(attack.predict(), problem),
        "ask and predict must return new arrays: overwriting one changed the game.",
    )


@_on_every_problem
def check_turns_are_kept(factory: Factory, problem: Problem) -> None:
    """Check that `tell` waits for a query, and `ask` for its answer."""
    attack = build(factory, problem)
    _refused(lambda: attack.tell(0.5), OutOfTurn, "ask", "tell before ask")
    if attack.ask() is not None:
        _refused(attack.ask, OutOfTurn, "tell", "ask before tell")


@_on_every_problem
def check_an_answer_that_is_no_number_is_refused(factory: Factory, problem: Problem) -> None:
    """Check that such an answer changes nothing, and the game goes on."""
    attack, board = build(factory, problem), AnyQueryOracle(problem)
    if (query := attack.ask()) is None:
        return
    bad: tuple[Any, ...] = (float("nan"), float("inf"), "high", None)
    for answer in bad:
        tell = functools.partial(attack.tell, answer)
        _refused(tell, InvalidInput, "answer", f"tell({answer!r})")
    attack.tell(board.query(query))
    expect(
        labels_of(play(attack, board), problem) == _final_labels(build(factory, problem), problem),
        "an answer that was refused must not change the game.",
    )


@_on_every_problem
def check_the_generator_is_not_kept(factory: Factory, problem: Problem) -> None:
    """Check that draws of others, after the attack was made, do not reach it."""
    rng = np.random.default_rng(ATTACK_SEED)
    attack = factory(problem, rng=rng)
    rng.random(100)
    expect(
        _final_labels(attack, problem) == _final_labels(build(factory, problem), problem),
        "it must draw what it needs from rng when it is made, and not later.",
    )


@_on_every_problem
def check_a_copy_plays_on(factory: Factory, problem: Problem) -> None:
    """Check that `copy.deepcopy` in the middle of a game gives an attack of its own."""
    attack, board = build(factory, problem), AnyQueryOracle(problem)
    if (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    games = []
    for each in (copy.deepcopy(attack), attack):
        rest = Transcript(problem)
        guess = play(each, AnyQueryOracle(problem), transcript=rest)
        games.append((list(rest), labels_of(guess, problem)))
    expect(games[0] == games[1], "a deep copy must play as the original does, and leave it alone.")


@_on_every_problem
def check_it_wants_a_generator(factory: Factory, problem: Problem) -> None:
    """Check that a seed in place of a generator is refused."""
    _refused(lambda: factory(problem, rng=7), InvalidInput, "rng", "rng=7")


@_on_every_problem
def check_it_wants_sizes_in_range(factory: Factory, problem: Problem) -> None:
    """Check that no examples, one class and no queries are refused."""
    n, m, k = problem
    for name, sizes in (
        ("n_examples", (0, m, k)),
        ("n_classes", (n, 1, k)),
        ("n_queries", (n, m, 0)),
    ):
        make = functools.partial(factory, sizes, rng=np.random.default_rng(0))
        _refused(make, InvalidInput, name, f"the problem {sizes}")


def check_adaptive_is_true(factory: Factory, *, problems: Sequence[Problem] = PROBLEMS) -> None:
    """Check the attribute `adaptive`, if it has one: whether a query may depend on an answer."""
    claims, depends = set(), False
    for problem in _played(factory, problems):
        adaptive = getattr(build(factory, problem), "adaptive", None)
        if adaptive is None or (adaptive and problem.n_queries <= 2):
            continue
        first, *others = (_queries(factory, problem, seed) for seed in range(4))
        claims.add(adaptive)
        depends = depends or any(other != first for other in others)
        expect(
            adaptive or not depends,
            f"{_name(factory)} on {problem}: adaptive must be True: a query depends on an answer.",
        )
    expect(
        depends or True not in claims,
        f"{_name(factory)}: adaptive must be False: no query depends on an answer.",
    )


@_on_every_problem
def check_its_description_is_true(factory: Factory, problem: Problem) -> None:
    """Check the attributes of a `Described` class: what suites and plans select it by."""
    cls: Any = factory
    if not (isinstance(cls, type) and issubclass(cls, Described)):
        return
    family = getattr(cls, "family", None)
    expect(
        family in FAMILIES, f"family must be one of {', '.join(FAMILIES)}, got {quoted(family)}."
    )
    expect(
        len(cls.summary.split()) <= MOST_SUMMARY_WORDS,
        f"summary must have at most {MOST_SUMMARY_WORDS} words, got {quoted(cls.summary)}.",
    )
    odd = [each for each in cls.tolerates if each not in EVERY_MODEL]
    expect(cls.tolerates and not odd, f"tolerates must hold answer models, got {quoted(odd)}.")
    given: dict[str, tuple[bool, Any]] = {
        "prior": (cls.takes_prior, Prior.uniform(problem.n_examples, problem.n_classes)),
        "answers": (cls.takes_answers, ExactAnswers()),
    }
    for name, (taken, value) in given.items():
        expect(
            _takes(factory, problem, **{name: value}) == taken,
            f"takes_{name} is {taken}: it must {'' if taken else 'not '}be made with {name}=.",
        )
    usable, work = cls.usable(problem), cls.work(problem)
    expect(
        usable[:2] == problem[:2] and 1 <= usable.n_queries <= problem.n_queries,
        f"usable must return the problem with as many looks or fewer, got {usable}.",
    )
    expect(work > 0, f"work must be positive, got {work}.")


def _takes(factory: Factory, problem: Problem, **setting: Any) -> bool:
    """Tell whether an attack can be made with a setting; one that refuses its value takes it."""
    try:
        factory(problem, rng=np.random.default_rng(ATTACK_SEED), **setting)
    except TypeError:
        return False
    except HoldfastError:
        pass
    return True


@_on_every_problem
def check_what_is_certain_is_right(factory: Factory, problem: Problem) -> None:
    """Check `certain()`, which an attack has if and only if `proves_labels` says so."""
    attack = build(factory, problem)
    certain = getattr(attack, "certain", None)
    if isinstance(attack, Described):
        has_it = certain is not None
        expect(has_it == attack.proves_labels, "proves_labels must say whether it has certain().")
    if certain is None:
        return
    right = np.array(_final_labels(attack, problem)) == hidden_labels(problem)
    known = certain()
    expect(
        isinstance(known, np.ndarray) and known.dtype == np.bool_ and known.shape == right.shape,
        f"certain() must return one truth value per example, got {quoted(known)}.",
    )
    expect(right[known].all(), "after exact answers, certain() must mark no label that is wrong.")


CHECKS: tuple[AttackCheck, ...] = (
    check_it_plays,
    check_it_is_an_attack,
    check_queries_and_predictions_are_labels,
    check_the_same_seed_plays_the_same_game,
    check_predicting_changes_nothing,
    check_it_resumes_from_a_transcript,
    check_what_it_returns_belongs_to_the_caller,
    check_turns_are_kept,
    check_an_answer_that_is_no_number_is_refused,
    check_the_generator_is_not_kept,
    check_a_copy_plays_on,
    check_it_wants_a_generator,
    check_it_wants_sizes_in_range,
    check_adaptive_is_true,
    check_its_description_is_true,
    check_what_is_certain_is_right,
)
