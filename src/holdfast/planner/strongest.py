"""The best forecast gain of any attack, by formulas that take milliseconds."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from holdfast.answers import ExactAnswers
from holdfast.attacks import HadamardBlocks
from holdfast.attacks.description import Described, Needs
from holdfast.attacks.registry import attack_types
from holdfast.bounds.acharya2020 import large_k
from holdfast.planner.forecast import forecast
from holdfast.planner.formulas import is_quick
from holdfast.problem import Problem
from holdfast.rules import Rule
from holdfast.setting import Setting

__all__ = ["best_gain", "gain_in_principle", "gain_under"]


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
    found = [forecast(cls, setting).gain for cls in attacks if is_quick(cls)]
    return [0.0, *(gain for gain in found if gain is not None)]


def gain_under(rule: Rule, problem: Problem) -> float | None:
    """Return the best gain that a formula gives for some attack under a rule, as a fraction.

    That of fixed blocks and of adaptive attacks; where the rule hides nothing of a match count,
    that of every attack on exact answers. None: the rule releases no scores.

    >>> from holdfast.rules import parse_rule
    >>> sizes = Problem(10_000, 10, 1000)
    >>> gain_under(parse_rule("round:2"), sizes) < gain_under(parse_rule("exact"), sizes)
    True
    """
    n, model = problem.n_examples, rule.answer_model(problem)
    if model is None:
        return None
    low, high = model.counts(0.0, n)
    if isinstance(model, ExactAnswers) or (rule.rounds_to is not None and low == high):
        return gain_in_principle(problem)
    blocks = HadamardBlocks.expected_accuracy(problem, answers=model) or 0.0
    adaptive = problem.baseline + best_gain(Setting(problem, answers=model)) / n
    return max(0.0, min(1.0, adaptive) - problem.baseline, blocks - problem.baseline)


def gain_in_principle(problem: Problem) -> float:
    """Return the best gain from exact answers that a formula gives for some attack, as a fraction.

    What a theorem promises is possible too.
    """
    promised = large_k(problem).accuracy or 0.0
    return max(best_gain(Setting(problem)) / problem.n_examples, promised - problem.baseline)
