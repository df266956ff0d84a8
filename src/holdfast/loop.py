"""The loop that joins an attack and an oracle."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np

from holdfast.errors import BudgetExhausted, InvalidInput, NotSupported
from holdfast.problem import Problem
from holdfast.protocols import Answer, Attack, BatchOracle, Oracle
from holdfast.rules import is_pending
from holdfast.transcript import Transcript

__all__ = ["play"]

Query = TypeVar("Query")

# Part of the seed of the labels that attacks are rehearsed on.
REHEARSAL = 0x7265686561727361


def play(
    attack: Attack[Query],
    oracle: Oracle[Query],
    *,
    transcript: Transcript | None = None,
    on_look: Callable[[int], None] | None = None,
    until_refused: bool = False,
) -> Query:
    """Let `attack` ask `oracle` until it has nothing left to ask; return its prediction.

    Where a rule holds answers back until a batch is full, a copy of the attack is rehearsed on
    labels of its own to learn its queries, and the attack plays when their answers are there.

    Parameters
    ----------
    attack
        Who asks.
    oracle
        Who answers. It must have the attack's n_examples and n_classes, and at least as many
        looks as the attack wants to take beyond those already in the transcript.
    transcript
        Where each look is recorded before the next one. One that already has looks is replayed
        first, so the same call starts an attack and resumes it.
    on_look
        Called with the number of looks taken so far after each answer, for progress bars.
    until_refused
        Let a look that is refused end the play, as when a rule answers no more.

    Returns
    -------
    The attack's prediction: a label vector, or a classifier if it plays without features.

    Raises
    ------
    BudgetExhausted
        A look was refused, unless `until_refused`. The attack can still predict.
    NotSupported
        Answers are held back, and the attack's queries depend on them or its looks are recorded.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Problem, attacks, oracles, play
    >>> rng = np.random.default_rng(0)
    >>> problem = Problem(n_examples=1000, n_classes=10, n_queries=51)
    >>> hidden = rng.integers(10, size=1000)
    >>> guess = play(attacks.BlockMajority(problem, rng=rng),
    ...              oracles.LabelOracle(hidden, problem=problem))
    >>> bool(np.mean(guess == hidden) > 0.12)
    True
    """
    mine, theirs = attack.problem, oracle.problem
    if mine[:2] != theirs[:2]:
        raise InvalidInput(
            f"attack and oracle must have the same n_examples and n_classes, "
            f"got {mine[0]}, {mine[1]} and {theirs[0]}, {theirs[1]}."
        )
    if transcript is None and on_look is None and _played_at_once(attack, oracle):
        return attack.predict()
    looks = 0 if transcript is None else transcript.replay(attack)
    try:
        while (query := attack.ask()) is not None:
            answer = oracle.query(query)
            # A float that is itself is there: nearly all answers, told apart without a call.
            if not (type(answer) is float and answer == answer) and is_pending(answer):
                _play_in_batches(attack, query, oracle, transcript, on_look)
                break
            if transcript is not None:
                transcript.record(query, answer)
            attack.tell(answer)
            looks += 1
            if on_look is not None:
                on_look(looks)
    except BudgetExhausted:
        if not until_refused:
            raise
    return attack.predict()


def _played_at_once(attack: Attack[Any], oracle: Oracle[Any]) -> bool:
    """Let an oracle that can do so answer all looks of an attack whose queries are fixed.

    The answers are those that it would give one by one, so the game is the same.
    """
    # Somebody else's attack or oracle has what its protocol asks, and perhaps no more.
    ready = getattr(oracle, "answers_at_once", None)
    fixed = getattr(attack, "fixed_queries", None)
    if ready is None or fixed is None or not ready(attack.problem.n_queries):
        return False
    queries = fixed()
    if queries is None:
        return False
    # Who fixes queries takes all answers, and who is ready gives them.
    attack.tell_all(oracle.query_all(queries))  # type: ignore[attr-defined]
    return True


def _play_in_batches(
    attack: Attack[Any],
    first: Any,
    oracle: Oracle[Any],
    transcript: Transcript | None,
    on_look: Callable[[int], None] | None,
) -> None:
    """Go on after the first look, whose answer is held back."""
    if transcript is not None:
        raise NotSupported("looks can't be recorded where answers are held back.")
    if not isinstance(oracle, BatchOracle):
        raise NotSupported("the oracle holds answers back, and has no `batch` to tell them.")
    # Somebody else's attack may not say; what it asks in a rehearsal is then taken as it is.
    if getattr(attack, "adaptive", False) and _depends_on_answers(attack, first, oracle.problem):
        raise NotSupported("its queries depend on answers that the batch holds back.")
    queries = _rehearsed(copy.deepcopy(attack), first, oracle.problem)
    answers: list[Answer] = []
    if on_look is not None:
        on_look(1)
    try:
        for looks, query in enumerate(queries[1:], start=2):
            if not is_pending(oracle.query(query)):
                answers.extend(oracle.batch)
            if on_look is not None:
                on_look(looks)
    finally:  # what was answered before a refusal counts
        for number, answer in enumerate(answers):
            asked: Any = attack.ask() if number else first
            if not np.array_equal(asked, queries[number]):
                raise NotSupported("its queries depend on answers that the batch holds back.")
            attack.tell(answer)


def _rehearsed(attack: Attack[Any], query: Any, problem: Problem) -> list[Any]:
    """Return what an attack asks from its first query on, answered as any labels would answer."""
    if not isinstance(query, np.ndarray):
        raise NotSupported("it is not played where answers come in batches.")
    return list(_rehearsal(attack, query, problem, 0))


def _depends_on_answers(attack: Attack[Any], query: Any, problem: Problem) -> bool:
    """Tell whether two rehearsals on other labels part, which they mostly do at once."""
    if not isinstance(query, np.ndarray):
        return False  # a rehearsal will say that it can't be
    rehearsals = (_rehearsal(copy.deepcopy(attack), query, problem, number) for number in range(2))
    together = zip_longest(*rehearsals)
    return any(one is None or not np.array_equal(one, other) for one, other in together)


def _rehearsal(attack: Attack[Any], query: Any, problem: Problem, number: int) -> Iterator[Any]:
    """Yield what an attack asks from its first query on, answered as labels of its own would."""
    n, m, _ = problem
    # Not a seed that hidden labels are drawn from: a rehearsal on them would be no rehearsal.
    own = [n, m, REHEARSAL, number] if number else [n, m, REHEARSAL]
    labels = np.random.default_rng(own).integers(m, size=n)
    while query is not None:
        yield query
        attack.tell(int(np.count_nonzero(query == labels)) / n)
        query = attack.ask()
