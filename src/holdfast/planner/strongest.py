"""The best forecast gain of any attack, by formulas that take milliseconds."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from holdfast.answers import ExactAnswers
from holdfast.attacks.description import Described, Needs
from holdfast.attacks.registry import attack_types
from holdfast.forecasts import Setting
from holdfast.planner.forecast import forecast

__all__ = ["best_gain"]


@lru_cache(maxsize=4096)
def _for_exact_answers(setting: Setting) -> float:
    return max(_gains(setting, [cls for cls in attack_types() if cls.needs is None]))


def best_gain(setting: Setting) -> float:
    """Return the largest expected gain of an attack that needs nothing but a board, in matches.

    Every attack that has a forecast is asked, but those whose forecast is slow. With answers that
    hide something only adaptive ones are, and those made for rounding: the forecasts of fixed
    queries take answers for noisy ones where rounding leaves no two of them apart. No gain exceeds
    what any attack can reach.

    Parameters
    ----------
    setting
        The sizes, and what an answer tells; without a model.

    Examples
    --------
    >>> from holdfast.problem import Problem
    >>> 270 < best_gain(Setting(Problem(10_000, 10, 100))) < 310
    True
    """
    if setting.exact:
        # Rounding that hides nothing is the same setting.
        return _for_exact_answers(replace(setting, answers=ExactAnswers()))
    able = [cls for cls in attack_types() if cls.needs in (None, Needs.ROUNDING) and cls.adaptive]
    return max(_gains(setting, able))


def _gains(setting: Setting, attacks: list[type[Described]]) -> list[float]:
    found = [forecast(cls, setting).gain for cls in attacks if cls.quick_forecast]
    return [0.0, *(gain for gain in found if gain is not None)]
