"""Attacks by name: what `holdfast.attacks` imports, and what was registered from above it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from holdfast import attacks
from holdfast.answers import AnswerModel
from holdfast.attacks.description import Described, Needs
from holdfast.errors import InvalidInput
from holdfast.plugins import installed
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.quoting import choice

__all__ = [
    "attack_names",
    "attack_type",
    "attack_types",
    "build",
    "make_attack",
    "register",
    "summary_of",
]

Class = TypeVar("Class", bound=type[Described])

_registered: list[type[Described]] = []


def register(cls: Class) -> Class:
    """Add an attack that is made of others, or is somebody else's, to those played by name."""
    _registered.append(cls)
    return cls


def attack_types(*, without_features: bool = False) -> list[type[Described]]:
    """Return the attacks in the order in which tables list them, wrappers and plug-ins last.

    >>> [cls.name for cls in attack_types()][:2]
    ['constant', 'block-majority']
    """
    home = attacks.without_features if without_features else attacks
    found = [each for each in vars(home).values() if isinstance(each, type)]
    own = [each for each in found if issubclass(each, Described)]
    return own if without_features else [*own, *installed("holdfast.attacks", Described)]


def attack_names(*, without_features: bool = False) -> list[str]:
    """List the attacks that can be played by name: a wrapper needs an attack first.

    >>> "block-majority" in attack_names(), "grid-reader" in attack_names()
    (True, False)
    """
    found = attack_types(without_features=without_features)
    found += [] if without_features else _registered
    return sorted(cls.name for cls in found if cls.needs not in (Needs.ATTACK, Needs.VOTES))


def attack_type(name: str, *, without_features: bool = False) -> type[Described]:
    """Return the attack with that name, or raise `InvalidInput` listing the names there are."""
    return _found(name, without_features, len(_registered))


@lru_cache(maxsize=256)
def _found(name: str, without_features: bool, registered: int) -> type[Described]:  # noqa: ARG001 - as many attacks, the same one
    names = attack_names(without_features=without_features)
    if name not in names:
        what = "attack without features" if without_features else "attack"
        raise InvalidInput(f"{what} must be {choice(name, names)}")
    found = attack_types(without_features=without_features) + _registered
    return next(cls for cls in found if cls.name == name)


def summary_of(name: str) -> str:
    """Return what the attack of that name does, in six words; nothing for a name not known.

    What follows a comma in the name, such as how many accounts it has, is left out.

    >>> summary_of("lattice"), summary_of("block-majority, new accounts")
    ('recovers labels exactly', "finds each block's more frequent label")
    """
    name = name.partition(",")[0]
    return next((cls.summary for cls in attack_types() + _registered if cls.name == name), "")


def build(
    cls: type[Described],
    problem: Problem,
    rng: np.random.Generator,
    *,
    prior: Prior | None = None,
    answers: AnswerModel | None = None,
    **settings: Any,
) -> Attack[Any]:
    """Make an attack; a prior and an answer model reach it if it takes them."""
    if cls.takes_prior:
        settings["prior"] = prior
    if cls.takes_answers:
        settings["answers"] = answers
    make: Any = cls
    made: Attack[Any] = make(problem, rng=rng, **settings)
    return made


def make_attack(
    name: str,
    problem: Problem,
    rng: np.random.Generator,
    *,
    without_features: bool = False,
    **given: Any,
) -> Attack[Any]:
    """Make the attack with that name, as `build` does."""
    return build(attack_type(name, without_features=without_features), problem, rng, **given)
