"""The loop that joins an attack and an oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.protocols import Attack, Oracle
from holdfast.transcript import Transcript

__all__ = ["play"]

Query = TypeVar("Query")


def play(
    attack: Attack[Query],
    oracle: Oracle[Query],
    *,
    transcript: Transcript | None = None,
    on_look: Callable[[int], None] | None = None,
) -> Query:
    """Let `attack` ask `oracle` until it has nothing left to ask; return its prediction.

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

    Returns
    -------
    The attack's prediction: a label vector, or a classifier if it plays without features.

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
    looks = 0
    if transcript is not None:
        looks = transcript.replay(attack)
    while (query := attack.ask()) is not None:
        answer = oracle.query(query)
        if transcript is not None:
            transcript.record(query, answer)
        attack.tell(answer)
        looks += 1
        if on_look is not None:
            on_look(looks)
    return attack.predict()
