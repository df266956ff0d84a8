"""Other release rules beside the policy's: gain, bits per look, and price to an honest user."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.audit import closed_forms
from holdfast.audit.grain import Grain
from holdfast.audit.plays import Play
from holdfast.audit.request import Request
from holdfast.audit.result import RuleRow, Setting
from holdfast.audit.suite import Effort, Measured, OnPlay, Worst, measure, worst
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
    return len(_others(request)) * (len(ATTACKS) + 1) * effort.fewer


def _others(request: Request) -> list[str]:
    return [name for name in RULES if name != request.release]


def compare(
    request: Request,
    effort: Effort,
    grain: Grain,
    measured: Sequence[Measured],
    found: Worst,
    play: Play,
    on_play: OnPlay | None = None,
) -> tuple[RuleRow, ...]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays."""
    known = [each for each in measured if each.setting == "features"]
    first = worst(known)
    assert first.bias is not None
    again = found
    if found.setting != "features":
        again = Worst("features", first.attack, first.bias, effort.trials)
    rows = [row(request, grain, request.rule, effort.looks, known, again)]
    for name in _others(request):
        played, strongest = measure_rule(name, effort.looks, effort.fewer, play, on_play)
        rows.append(row(request, grain, parse_mechanism(name), effort.looks, played, strongest))
    return tuple(rows)


def measure_rule(
    rule: str, looks: int, trials: int, play: Play, on_play: OnPlay | None = None
) -> tuple[list[Measured], Worst]:
    """Play the attacks of a comparison against one rule, and the strongest once more."""
    measured = measure(ATTACKS, rule, looks, range(trials), play, on_play)
    first = worst(measured)
    chosen = [(first.setting, first.attack)]
    again = measure(chosen, rule, looks, range(trials, 2 * trials), play, on_play)[0]
    assert again.bias is not None
    return measured, Worst(first.setting, first.attack, again.bias, trials)


def row(
    request: Request,
    grain: Grain,
    rule: Rule,
    looks: int,
    measured: Sequence[Measured],
    strongest: Worst,
) -> RuleRow:
    """Gather one rule's row."""
    n, m, _ = request.problem
    problem = Problem(n, m, looks)
    return RuleRow(
        rule=str(rule),
        is_policy=str(rule) == request.release,
        attack=strongest.attack,
        possible=grain.interval(strongest.bias, strongest.trials),
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
