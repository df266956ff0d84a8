"""Every attack, and the small problems of `holdfast.testing` that it plays.

A new attack is picked up from `holdfast.attacks.__all__`; nothing here needs to change.
"""

from __future__ import annotations

import inspect

import numpy as np

from holdfast import Problem, attacks, planner
from holdfast.errors import HoldfastError
from holdfast.testing import PROBLEMS


def attack_classes() -> list[type]:
    """Return every attack that is built from a problem and a generator alone."""
    classes = [getattr(attacks, name) for name in attacks.__all__] + [planner.Auto]
    return [
        cls
        for cls in classes
        if inspect.isclass(cls) and next(iter(inspect.signature(cls).parameters)) == "problem"
    ]


def cases() -> list[tuple[type, Problem]]:
    """Return every (attack, problem) that the attack does not refuse."""
    playable = []
    for cls in attack_classes():
        for problem in PROBLEMS:
            try:
                build(cls, problem)
            except HoldfastError:
                continue
            playable.append((cls, problem))
    return playable


def build(cls: type, problem: Problem, seed: int = 5):
    return cls(problem, rng=np.random.default_rng(seed))
