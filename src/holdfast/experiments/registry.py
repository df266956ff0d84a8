"""Attacks by name: the class in kebab-case, as the packages' `__all__` list them."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import numpy as np

from holdfast import attacks, planner
from holdfast.attacks import without_features as attacks_without_features
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.quoting import quoted

__all__ = ["attack_names", "make_attack"]


def attack_names(*, without_features: bool = False) -> list[str]:
    """List the attacks that can be played by name.

    >>> "block-majority" in attack_names()
    True
    """
    return list(_classes(without_features))


def make_attack(
    name: str, problem: Problem, rng: np.random.Generator, *, without_features: bool = False
) -> Attack[Any]:
    """Make the attack with that name, or raise `InvalidInput` listing the names there are."""
    classes = _classes(without_features)
    if name not in classes:
        where = " without features" if without_features else ""
        raise InvalidInput(
            f"attack{where} must be one of {', '.join(classes)}, got {quoted(name)}."
        )
    made: Attack[Any] = classes[name](problem, rng=rng)
    return made


def _classes(without_features: bool) -> dict[str, Any]:
    modules: list[ModuleType] = (
        [attacks_without_features] if without_features else [attacks, planner]
    )
    found = {_kebab(name): getattr(module, name) for module in modules for name in module.__all__}
    return {name: cls for name, cls in sorted(found.items()) if _playable(cls)}


def _playable(cls: Any) -> bool:
    """Whether it is made from a problem and a generator alone; a wrapper needs an attack first."""
    if not inspect.isclass(cls):
        return False
    needed = [
        name
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    return needed == ["problem", "rng"]


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
