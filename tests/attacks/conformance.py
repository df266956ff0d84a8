"""Every attack, and the small problems of `holdfast.testing` that it plays.

A new attack is picked up from the registry; nothing here needs to change.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from holdfast import Problem
from holdfast.attacks.registry import attack_names, attack_type
from holdfast.errors import HoldfastError
from holdfast.testing import PROBLEMS


def attack_classes() -> list[type]:
    """Return every attack that is built from a problem and a generator alone."""
    return [attack_type(name) for name in attack_names()]


def cases(classes: Iterable[type]) -> list[tuple[type, Problem]]:
    """Return every (attack, problem) that the attack does not refuse."""
    playable = []
    for cls in classes:
        for problem in PROBLEMS:
            try:
                build(cls, problem)
            except HoldfastError:
                continue
            playable.append((cls, problem))
    return playable


def build(cls: type, problem: Problem, seed: int = 5):
    return cls(problem, rng=np.random.default_rng(seed))
