"""Other release rules beside the policy's: gain, bits per look, and price to an honest user."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.audit import closed_forms
from holdfast.audit.grain import Grain
from holdfast.audit.plays import Play
from holdfast.audit.request import Request
from holdfast.audit.result import RuleRow, Setting
from holdfast.audit.suite import Effort, Measured, OnPlay, measure, worst
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.problem import Problem

__all__ = ["ATTACKS", "RULES", "compare", "measure_rule", "price_points"]

# Rules that a host can switch to, from free to strict, and attacks that between them are the
# strongest of the suite against each.
RULES = ("exact", "round:3", "round:2", "ladder:0.005", "ladder:0.01", "gaussian:0.01", "improved")
ATTACKS: tuple[tuple[Setting, str], ...] = (
    ("features", "block-majority"),
    ("features", "naive-bayes"),
    ("features", "hadamard-blocks"),
    ("features", "champion-challenger"),
    ("features", "hill-climb"),
    ("features", "random-climb"),
    ("features", "lattice"),
)


def n_jobs(request: Request, effort: Effort) -> int:
    """Return how many plays the comparison takes."""
    return len(_others(request)) * len(ATTACKS) * effort.fewer


def _others(request: Request) -> list[str]:
    return [name for name in RULES if name != request.release]


def compare(
    request: Request,
    effort: Effort,
    grain: Grain,
    measured: Sequence[Measured],
    play: Play,
    on_play: OnPlay | None = None,
) -> tuple[RuleRow, ...]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays."""
    known = [each for each in measured if each.setting == "features"]
    rows = [row(request, grain, request.rule, effort.looks, known)]
    for name in _others(request):
        played = measure_rule(name, effort.looks, range(effort.fewer), play, on_play)
        rows.append(row(request, grain, parse_mechanism(name), effort.looks, played))
    return tuple(rows)


def measure_rule(
    rule: str, looks: int, trials: range, play: Play, on_play: OnPlay | None = None
) -> list[Measured]:
    """Play the attacks of a comparison against one rule."""
    return measure(ATTACKS, rule, looks, trials, play, on_play)


def row(
    request: Request, grain: Grain, rule: Rule, looks: int, measured: Sequence[Measured]
) -> RuleRow:
    """Gather one rule's row."""
    n, m, _ = request.problem
    problem = Problem(n, m, looks)
    strongest = worst(measured)
    assert strongest.bias is not None
    return RuleRow(
        rule=str(rule),
        is_policy=str(rule) == request.release,
        attack=strongest.attack,
        possible=grain.interval(strongest.bias),
        allowed=closed_forms.allowed(rule, problem),
        bits_per_look=round(rule.bits_per_look(problem), 3),
        price_points=price_points(rule, problem),
        cells={
            each.attack: grain.round(100.0 * each.bias.mean)
            for each in measured
            if each.bias is not None
        },
    )


def price_points(rule: Rule, problem: Problem) -> float:
    """Return how far an answer may be from the exact accuracy, in points."""
    return round(100.0 * rule.resolution(problem), 4)
