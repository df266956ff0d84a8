"""Assumptions of the impossibility bounds, in sentences that every record carries."""

from __future__ import annotations

from holdfast.problem import Problem

__all__ = ["CHOSEN", "EVERYTHING", "NOTHING_ELSE", "SHOWN", "UNIFORM", "with_parity"]

UNIFORM = "the labels are uniform and independent for the analyst"
SHOWN = "every submission shows one of the m labels at every example: no abstentions"
CHOSEN = "all k looks were chosen by the analyst, or by a group that knows every query"
NOTHING_ELSE = "nothing else about the labels is released"

# What a bound for uniform labels assumes if it makes no use of parity.
EVERYTHING = (UNIFORM, CHOSEN, NOTHING_ELSE)


def with_parity(problem: Problem) -> tuple[str, ...]:
    """Return what a bound for uniform labels assumes that uses the parity of two classes' answers.

    >>> SHOWN in with_parity(Problem(10, 2, 5)), SHOWN in with_parity(Problem(10, 3, 5))
    (True, False)
    """
    used = problem.n_classes == 2 and problem.n_queries > 1
    return (*EVERYTHING, SHOWN) if used else EVERYTHING
