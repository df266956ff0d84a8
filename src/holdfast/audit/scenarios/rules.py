"""Other release rules beside the policy's: who plays against each, and what is strongest there.

Data processing decides which rule is the weaker one, and not which attacks happened to be played on
it: if another rule's answers can be made from this one's (it *refines* the other), what an attack
gains there it gains here. So a rule is judged by the strongest attack found on any rule that it
refines. Its price is how far an honest answer may be from the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from holdfast.audit.inputs.request import Request
from holdfast.audit.result import TOTAL
from holdfast.audit.scenarios.measurer import (
    Measured,
    Measurer,
    Strongest,
    strongest_first,
)
from holdfast.audit.scenarios.suite import compared
from holdfast.errors import NotSupported
from holdfast.metrics import Accuracy
from holdfast.problem import Problem
from holdfast.rules import Exact, Gaussian, ImprovedOnly, Ladder, Rounding, Rule, check_metric

__all__ = [
    "RULES",
    "OnRule",
    "blur_of",
    "compare",
    "raised",
    "refines",
    "rules_beside",
    "through",
]

# Rules that a host can switch to, from free to strict.
RULES: tuple[Rule, ...] = (
    Exact(),
    Rounding(decimals=3),
    Rounding(decimals=2),
    Ladder(0.005),
    Ladder(0.01),
    Gaussian(0.01),
    ImprovedOnly(),
)


@dataclass(frozen=True)
class OnRule:
    """What was played against one rule, and the strongest of each show on what it refines."""

    rule: Rule
    measured: Sequence[Measured]
    strongest: Mapping[str, Strongest]


def rules_beside(board: Request) -> list[Rule]:
    """Return the rules that are compared with the policy's: those that work on all numbers."""
    return [rule for rule in RULES if rule != board.rule and _works(rule, board)]


def _works(rule: Rule, board: Request) -> bool:
    """Tell whether a rule can release every number that the board shows."""
    try:
        for metric in board.display.released:
            check_metric(rule, metric)
    except NotSupported:
        return False
    return True


def refines(board: Request, rule: Rule, other: Rule, problem: Problem) -> bool:
    """Tell whether another rule's answers can be made from this one's on this board.

    Rules know it of accuracies, whose steps are matches. Of any metric it is known where values are
    released as they are: whoever has them rounds or blurs them himself.
    """
    if isinstance(board.metric, Accuracy):
        return rule.refines(other, problem)
    whole = all(stage.keeps_exact and not stage.selects for stage in rule.stages)
    return rule == other or (whole and other.tells_counts_alone)


def through(measured: Iterable[Measured], show: str) -> list[Measured]:
    """Return who plays on a board with this show, the strongest first.

    Whatever else is shown, the total is, too: an attack on the total counts for every show.
    """
    return [each for each in strongest_first(measured) if each.scenario.show in (show, TOTAL)]


def compare(
    measurer: Measurer, measured: Sequence[Measured], found: Strongest
) -> tuple[dict[Rule, OnRule], Strongest]:
    """Play a few attacks against each other rule; the policy's row comes from the suite's plays.

    Returns
    -------
    What was found on each rule; and the strongest attack on the policy's, found there or elsewhere.
    """
    board, budget = measurer.board, measurer.budget
    shows, looks = tuple(board.shows), budget.looks
    own, others = board.rule, rules_beside(board)
    asked = [(each, rule, looks) for rule in others for each in compared(board, rule, looks)]
    played = measurer.measure(asked, range(budget.fewer))
    cells: dict[Rule, list[Measured]] = {own: list(measured)}
    for each in played:
        cells.setdefault(each.rule, []).append(each)
    # The best of each show by fresh trials; the policy's has been measured again already.
    best = {
        (rule, show): able[0]
        for rule, group in cells.items()
        for show in shows
        if (able := [each for each in through(group, show) if each.gain is not None])
        and not (rule == own and found.scenario.show in (show, TOTAL))
    }
    again = dict.fromkeys((each.scenario, each.rule) for each in best.values())
    first = budget.trials
    fresh = measurer.measure(
        [(scenario, rule, looks) for scenario, rule in again], range(first, first + budget.fewer)
    )
    by_cell = dict(zip(again, fresh, strict=True))
    on_each = {
        key: Strongest(by_cell[each.scenario, each.rule], measurer.unit, (), key[0])
        for key, each in best.items()
    }
    on_each |= {(own, show): found for show in shows if found.scenario.show in (show, TOTAL)}
    problem = board.problem._replace(n_queries=looks)
    rows = {}
    for rule, group in cells.items():
        coarser = [other for other in cells if refines(board, rule, other, problem)]
        strongest = {}
        for show in shows:
            known = [on_each[one, show] for one in coarser if (one, show) in on_each]
            if known:
                hardest = max(known, key=lambda each: each.measured.mean)
                strongest[show] = replace(hardest, board=rule)
        rows[rule] = OnRule(rule, group, strongest)
    elsewhere = [each.measured for each in rows[own].strongest.values()]
    return rows, raised(measurer, found, elsewhere)


def raised(measurer: Measurer, found: Strongest, elsewhere: Iterable[Measured]) -> Strongest:
    """Return what was found elsewhere if that gains more: on a coarser rule, or with fewer looks.

    Whoever is told more, or may look more often, can do the same here. What lies above by more than
    chance is measured once more, so that a lucky mean among many changes no verdict.
    """
    mean = found.points.mean
    for each in strongest_first(elsewhere):
        if each != found.measured and _above(each, mean):
            again = measurer.again([each], measurer.budget.trials)
            if _above(again.measured, mean):
                return replace(again, board=found.board)
    return found


def _above(each: Measured, mean: float) -> bool:
    """Tell whether a gain lies above a mean by more than chance."""
    low = None if each.points is None else each.points.low
    return low is not None and low > mean


def blur_of(rule: Rule, problem: Problem, scale: float = 100.0) -> float:
    """Return the blur for honest teams: how far an answer may be from the value, in a unit.

    Less than one example's worth is no blur: no two submissions differ by less.

    >>> blur_of(Exact(), Problem(899, 10, 5)), blur_of(Ladder(0.01), Problem(899, 10, 5))
    (0.0, 1.0)
    """
    off = rule.resolution(problem)
    return 0.0 if off * problem.n_examples <= 1.0 else round(scale * off, 4)
