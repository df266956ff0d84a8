"""A bound is a record: what it says, for whom, under which conditions, and from where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


Side = Literal["achievable", "impossible"]
Analyst = Literal["any", "non-adaptive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One statement about the best expected accuracy after k looks.

    Expected accuracy is that of the worst-case labels, which by acharya2020 thm:reduction
    (Theorem 2) equals that of uniform labels. "achievable" says some attack reaches at least
    ``accuracy``; "impossible" says no attack exceeds it in expectation.

    Parameters
    ----------
    name
        Kebab-case name, unique in ``all_bounds``.
    side
        "achievable" or "impossible".
    statement
        The statement it comes from, such as "acharya2020 thm:small (Theorem 3)".
    conditions
        When it holds, in words.
    accuracy
        The bound, or None where it does not apply.
    reason
        Why it does not apply; None where it does.
    analyst
        Whom it binds (impossible) or who reaches it (achievable): "any" analyst, or only one
        that fixes all queries before the first answer.
    assumptions
        What it takes for granted beyond its conditions, in sentences.
    not_covered
        Who is not bound by it, and why, in sentences.

    Examples
    --------
    >>> Bound(name="guess", side="achievable", statement="uniform guessing", conditions="none",
    ...       accuracy=0.1).applies
    True
    """

    name: str
    statement: str
    side: Side = "impossible"
    conditions: str = "none"
    accuracy: float | None = None
    reason: str | None = None
    analyst: Analyst = "any"
    assumptions: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.accuracy is None) == (self.reason is None):
            raise ValueError(f"{self.name}: give either an accuracy or a reason, not both or none.")
        if self.accuracy is not None and not 0.0 <= self.accuracy <= 1.0:
            raise ValueError(f"{self.name}: accuracy must be in [0, 1], got {self.accuracy}.")

    @property
    def applies(self) -> bool:
        """Whether the conditions hold for the problem it was asked for."""
        return self.accuracy is not None
