"""Theory beside measured gains: certified limits, guarantees and closed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from holdfast.certificates import certify
from holdfast.errors import HoldfastError
from holdfast.experiments.figures import STATEMENTS, guaranteed
from holdfast.planner.formulas import estimate, is_quick
from holdfast.planner.rehearsal import Rehearsal
from holdfast.problem import Problem
from holdfast.setting import Setting
from holdfast.sweeps.figures.words import is_plain, uniform
from holdfast.sweeps.references import find_attack, find_rule
from holdfast.sweeps.summary import Place

__all__ = ["Gain", "between", "certified_gain", "forecast_gain", "guaranteed_gain"]

# A gain in accuracy for given sizes; None: theory does not say.
Gain = Callable[[Problem], float | None]
# Families whose forecasts are formulas; those of others play games or look up what was measured.
WITH_FORMULAS = ("paper", "designs")
POINTS = 24


def between(sizes: Sequence[int]) -> list[int]:
    """Return sizes from the least to the largest, evenly on a logarithmic axis."""
    evenly = np.geomspace(min(sizes), max(sizes), POINTS)
    return sorted({*np.rint(evenly).astype(np.int64).tolist(), *sizes})


def certified_gain(place: Place) -> Gain:
    """Return what no attack exceeds under the place's rule; it is about uniform labels."""
    rule = find_rule(place.rule)

    def gain(problem: Problem) -> float | None:
        try:
            return certify(problem, rule).gain
        except HoldfastError:
            return None

    return gain if is_plain(place) and uniform(place) else _unknown


def guaranteed_gain(place: Place) -> tuple[str, Gain]:
    """Return the statement that guarantees the attack, and what; exact scores alone."""
    name = find_attack(place.attack).guarantee
    if name is None or place.rule != "exact" or not is_plain(place):
        return "", _unknown

    return STATEMENTS[name], partial(guaranteed, name)


def forecast_gain(place: Place) -> Gain:
    """Return the closed form of the attack's gain with exact scores, where it has one."""
    attack = find_attack(place.attack)
    quick = attack.family in WITH_FORMULAS and is_quick(attack)
    if not (quick and place.rule == "exact" and is_plain(place) and uniform(place)):
        return _unknown

    def gain(problem: Problem) -> float | None:
        try:
            found = estimate(attack, Rehearsal(Setting(problem)))
        except (HoldfastError, MemoryError):
            return None
        return None if found is None else found.gain / problem.n_examples

    return gain


def _unknown(problem: Problem) -> None:
    del problem
