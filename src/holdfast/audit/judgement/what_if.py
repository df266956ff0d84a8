"""Surfaces for the page's what-if panel: gains over a grid of sizes, from formulas alone.

The page interpolates between grid points on log axes. `possible` is the best gain that a formula
gives for some attack, and `allowed` what is certified; measured gains of today's policy are not in
here. Arrays are nested in the order of the axes that `order` names.

The surfaces do not depend on what is audited, so they come with the package: `make data` renews
the file, and tests compute some of its numbers again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from holdfast.audit import formulas
from holdfast.audit.judgement.limits import in_points
from holdfast.certificates import certify
from holdfast.problem import Problem
from holdfast.rules import Exact, Ladder, Rounding, Rule

__all__ = ["ACCOUNTS", "CLASSES", "DECIMALS", "EXAMPLES", "LOOKS", "STEPS", "compute", "what_if"]

EXAMPLES = (200, 1_000, 5_000, 20_000, 100_000)
CLASSES = (2, 5, 10, 100, 1_000)
LOOKS = (1, 10, 50, 200, 1_000, 5_000, 20_000)
DECIMALS = (1, 2, 3, 4, None)  # None: exact
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
ACCOUNTS = (1, 2, 5, 20, 100)


def what_if() -> Mapping[str, Any]:
    """Return the axes and the surfaces, in points, as they come with the package."""
    text = files("holdfast.audit").joinpath("data/what_if.json").read_text(encoding="utf-8")
    surfaces: dict[str, Any] = json.loads(text)
    return surfaces


def compute() -> Mapping[str, Any]:
    """Compute the axes and the surfaces.

    Rounding remembers nothing, so accounts only add up their looks: its surfaces have no axis
    for them. A Ladder is met afresh by every account.
    """
    return {
        "order": {
            "round": ["n_examples", "n_classes", "looks", "decimals"],
            "ladder": ["n_examples", "n_classes", "looks", "step"],
            "ladder_allowed": ["n_examples", "n_classes", "looks", "step", "accounts"],
        },
        "axes": {
            "n_examples": EXAMPLES,
            "n_classes": CLASSES,
            "looks": LOOKS,
            "decimals": DECIMALS,
            "step": STEPS,
            "accounts": ACCOUNTS,
        },
        "round": {name: _surface(cell) for name, cell in ROUND.items()},
        "ladder": {name: _surface(cell) for name, cell in LADDER.items()},
        "note": "possible: the best forecast gain of an attack; for a Ladder that of blocks under "
        "rounding to its step, capped by what is allowed to one account",
    }


def _surface(values: Any) -> list[list[list[Any]]]:
    return [[[values(Problem(n, m, k)) for k in LOOKS] for m in CLASSES] for n in EXAMPLES]


def _rounding(decimals: int | None) -> Rule:
    return Exact() if decimals is None else Rounding(decimals=decimals)


def _possible(rule: Rule, problem: Problem) -> float:
    """Return the best forecast in points, never above the bound for one account.

    For a rule that remembers, a Ladder, that of fixed blocks under rounding to its step: no formula
    covers what it says later.
    """
    formula = formulas.forecast_of_blocks if rule.remembers else formulas.forecast
    gain = formula(rule, problem) or 0.0
    return round(min(gain, in_points(certify(problem, rule))), 2)


def _allowed(rule: Rule, problem: Problem, accounts: int = 1) -> float:
    """Return the certified gain in points of so many accounts, each with all looks.

    The panel's looks are per account, a certificate's are those of all accounts together.
    """
    n, m, k = problem
    # Each account brings as many looks of its own.
    return round(in_points(certify(Problem(n, m, k * accounts), rule, accounts=accounts)), 2)


# What stands at one point of the grid, by surface: a list over decimals or steps (and accounts).
ROUND: dict[str, Callable[[Problem], list[Any]]] = {
    "possible": lambda p: [_possible(_rounding(decimals), p) for decimals in DECIMALS],
    "allowed": lambda p: [_allowed(_rounding(decimals), p) for decimals in DECIMALS],
}
LADDER: dict[str, Callable[[Problem], list[Any]]] = {
    "possible": lambda p: [_possible(Ladder(step), p) for step in STEPS],
    "allowed": lambda p: [[_allowed(Ladder(step), p, a) for a in ACCOUNTS] for step in STEPS],
}
