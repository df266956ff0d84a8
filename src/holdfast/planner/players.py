"""Attacks by name, made with what each of them takes."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import attacks
from holdfast.answers import AnswerModel
from holdfast.errors import InvalidInput
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.quoting import quoted

__all__ = ["block_majority_problem", "make_player", "part_of", "player_names", "player_type"]


# Labels of an example that keep their own probability when a prior is cut; the rest share.
CANDIDATES = 64


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


_TYPES: dict[str, Any] = {
    _kebab(name): getattr(attacks, name)
    for name in attacks.__all__
    if inspect.isclass(getattr(attacks, name))
}


def player_names() -> list[str]:
    """List every attack with known features.

    >>> "block-majority" in player_names()
    True
    """
    return sorted(_TYPES)


def player_type(name: str) -> Any:
    """Return the class with that name, or raise `InvalidInput` listing the names there are."""
    if name not in _TYPES:
        raise InvalidInput(
            f"attack must be one of {', '.join(player_names())}, got {quoted(name)}."
        )
    return _TYPES[name]


def block_majority_problem(problem: Problem) -> Problem:
    """Return the problem with as many looks as `BlockMajority` can use.

    >>> block_majority_problem(Problem(100, 10, 500))
    Problem(n_examples=100, n_classes=10, n_queries=101)
    """
    n, m, k = problem
    return Problem(n, m, min(k, n + 1))


def make_player(
    name: str,
    problem: Problem,
    rng: np.random.Generator,
    *,
    permuted: bool = True,
    prior: Prior | None = None,
    answers: AnswerModel | None = None,
) -> Attack[Labels]:
    """Make the attack with that name; a prior and an answer model reach it if it takes them.

    It may be made for fewer looks than there are, if it has no use for more.
    """
    cls = player_type(name)
    if name == "block-majority":
        problem = block_majority_problem(problem)
    takes = inspect.signature(cls).parameters
    given: dict[str, Any] = {"permuted": permuted, "prior": prior, "answers": answers}
    made: Attack[Labels] = cls(
        problem,
        rng=rng,
        **{word: value for word, value in given.items() if word in takes and value is not None},
    )
    return made


def part_of(prior: Prior, examples: NDArray[np.intp]) -> Prior:
    """Return the prior of some of the examples.

    >>> part_of(Prior.dense([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]), np.array([0, 2])).top()
    array([1, 0], dtype=uint8)
    """
    labels, probabilities = prior.ranked(min(prior.n_classes, CANDIDATES))
    return Prior.candidates(labels[examples], probabilities[examples], prior.n_classes)
