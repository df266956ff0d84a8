"""Class attributes of an attack: what suites, plans, audits and tables select it by."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, ClassVar, NamedTuple

from holdfast.answers import ExactAnswers, check_tolerated
from holdfast.errors import HoldfastError
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = [
    "FAMILIES",
    "MOST_SUMMARY_WORDS",
    "Described",
    "Needs",
    "NewBestBoard",
    "Reads",
    "kebab_case",
]

# What attacks are grouped by: where they come from and how they ask.
FAMILIES = ("paper", "steering", "designs", "exact", "climbing", "wrappers")
# A longer summary does not fit into tables.
MOST_SUMMARY_WORDS = 6


def kebab_case(name: str) -> str:
    """Return a class's name as the command line spells it.

    >>> kebab_case("BlockMajority"), kebab_case("TopK")
    ('block-majority', 'top-k')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


class Reads(Enum):
    """The least that a board must release for the attack to play: each includes the ones below."""

    SCORES = "scores"
    ORDER = "ranks"
    NEW_BEST = "new best"
    NOTHING = "nothing"


class Needs(Enum):
    """What must be there, besides a board, for the attack to be worth playing."""

    ATTACK = "another attack"
    VOTES = "votes of several models"
    PRIOR = "a prior"
    ROUNDING = "rounded answers"
    OPEN_END = "an unknown number of looks"
    TINY_PROBLEM = "a tiny problem"
    RUNS = "rows in runs"


class NewBestBoard(NamedTuple):
    """What a board asks of a look before it shows a new best.

    Parameters
    ----------
    step
        The fixed rise in accuracy that it wants; 0: any rise will do.
    standard_errors
        How many standard errors of the difference it wants.
    rounding
        The step that its scores are rounded to; 0: they are not.
    ties
        Whether a look as good as the best counts as one: equals share a rank.
    """

    step: float = 0.0
    standard_errors: float = 0.0
    rounding: float = 0.0
    ties: bool = False


class Described:
    """What is true of an attack, said once: a subclass overrides what differs.

    Attributes
    ----------
    name
        The class in kebab-case, as the command line takes it.
    family
        One of `FAMILIES`.
    summary
        What it does, in at most six words that follow its name and a colon.
    adaptive
        Whether a query may depend on the answers before it.
    reads
        The least that a board must release.
    needs
        What it is not worth playing without; None: nothing.
    takes_prior, takes_answers
        Whether it is made with `prior=`, with `answers=`.
    proves_labels
        Whether `certain()` may name labels.
    knows_only_proved
        Whether it has learned nothing of the labels that it has not proved. An attack that plays
        another one says it of that one, when it is made.
    plays_rest
        Whether mixtures consider it for the examples whose labels were not made certain.
    tolerates, intolerance
        The answer models under which its argument holds, and why no others.
    strongest_on
        Boards (by what they release) on which it is among the strongest: quick comparisons play
        these alone, and so do audits with a prior or without features.
    strongest_by_forecast
        Whether it is among the strongest in some sizes only, where its forecast says so: there
        comparisons play it, too, and audits with a prior play it if it takes one.
    accounts
        From how many accounts it is worth playing besides one; None: a new one at every look.
    effort
        Time per label handled, as a multiple of `BlockMajority`'s: (5000, 10), k = 300.
    guarantee
        The name of the bound that proves what it reaches; None: there is none.
    by_stretches
        Whether exact scores let it play on a stretch of the examples at a time: it has
        `fixed_queries` and `predict_on`.
    results
        The version of its plays: raised when the same seed plays otherwise than before, so that
        sweeps play its cells again, and no others.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    summary: ClassVar[str] = ""
    adaptive: bool = False
    reads: ClassVar[Reads] = Reads.SCORES
    needs: ClassVar[Needs | None] = None
    takes_prior: ClassVar[bool] = False
    takes_answers: ClassVar[bool] = False
    proves_labels: ClassVar[bool] = False
    knows_only_proved: bool = False
    plays_rest: ClassVar[bool] = False
    tolerates: ClassVar[frozenset[type[Any]]] = frozenset({ExactAnswers})
    intolerance: ClassVar[str] = "its argument holds for no others"
    strongest_on: ClassVar[frozenset[Reads]] = frozenset()
    strongest_by_forecast: ClassVar[bool] = False
    accounts: ClassVar[int | None] = 1
    effort: ClassVar[float] = 1.0
    guarantee: ClassVar[str | None] = None
    by_stretches: ClassVar[bool] = False
    results: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = kebab_case(cls.__name__)

    @classmethod
    def work(cls, problem: Problem) -> int:
        """Return about how many labels a play handles."""
        return problem.n_examples * problem.n_queries

    @classmethod
    def usable(cls, problem: Problem) -> Problem:
        """Return the problem with no more looks than it can use."""
        return problem

    @classmethod
    def settings_for(cls, problem: Problem, board: NewBestBoard) -> dict[str, Any]:  # noqa: ARG003
        """Return what to make it with on a board that shows new bests, besides the problem."""
        return {}

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with in this setting; None: it can."""
        try:
            check_tolerated(cls, setting.answers, setting.problem)
        except HoldfastError as error:
            return str(error).rstrip(".")
        return None
