"""Attacks that are among the strongest in some sizes only, chosen by their forecasts.

Quick comparisons play the attacks that are strongest anywhere (`strongest_on`). Others win where
looks, examples and classes stand in the right proportion, and are far behind elsewhere. They say so
of themselves (`strongest_by_forecast`), and play where a formula finds them near the best.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from holdfast.attacks.description import Described
from holdfast.attacks.registry import attack_types
from holdfast.planner.forecast import forecast
from holdfast.planner.formulas import is_quick
from holdfast.problem import Problem
from holdfast.rules import Rule
from holdfast.setting import Setting

__all__ = ["can_play", "may_be_strongest"]

Attacks: TypeAlias = tuple[type[Described], ...]

# Forecasts are right within a tenth: what is told less than this share of the best one is behind.
SHARE_OF_BEST = 0.9


def can_play(cls: type[Described], rule: Rule, problem: Problem) -> bool:
    """Tell whether an attack can use what the rule answers."""
    model = rule.answer_model(problem)
    late = cls.adaptive and rule.waits
    return model is not None and not late and cls.obstacle(Setting(problem, answers=model)) is None


@lru_cache(maxsize=256)
def may_be_strongest(rule: Rule, problem: Problem, head_start: float = 0.0) -> Attacks:
    """Return the attacks whose forecast under a rule is the best one, or within a tenth of it.

    Of those that say `strongest_by_forecast`, and start from nothing.

    Parameters
    ----------
    rule, problem
        What is released, and the sizes with the looks of all accounts together.
    head_start
        Matches above n/m that are had without a look, such as a majority's: whoever gains no more
        gains nothing.

    Examples
    --------
    >>> from holdfast.rules import Exact, Rounding
    >>> [cls.name for cls in may_be_strongest(Exact(), Problem(10_000, 10, 1000))]
    ['pooled-detecting', 'steered-pools']
    >>> [cls.name for cls in may_be_strongest(Exact(), Problem(10_000, 100, 1000))]
    ['hit-pools']
    >>> may_be_strongest(Rounding(decimals=3), Problem(10_000, 100, 1000))
    ()
    """
    some = [cls for cls in attack_types() if cls.strongest_by_forecast]
    if not any(can_play(cls, rule, problem) for cls in some):
        return ()
    setting = Setting(problem, answers=rule.answer_model(problem) or Setting(problem).answers)
    told: dict[type[Described], float] = {}
    for cls in attack_types():
        if cls.needs is None and is_quick(cls) and can_play(cls, rule, problem):
            told[cls] = forecast(cls, setting).gain or 0.0
    enough = max(SHARE_OF_BEST * max(told.values()), head_start)
    return tuple(cls for cls in some if told.get(cls, 0.0) > enough)
