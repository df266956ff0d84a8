"""Rank release: the place among one's own submissions."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from numpy.random import Generator
from scipy.special import gammaln

from holdfast.problem import Problem
from holdfast.protocols import State
from holdfast.rules.base import Reading, Rule, WorksOn
from holdfast.rules.packed import matches_of, pack
from holdfast.rules.told import Told, Wording

__all__ = ["RankOnly"]


@dataclass(frozen=True)
class RankOnly(Rule):
    """Tell only the rank among all looks so far: 1.0 for the best, 2.0 for the second.

    The rank is one more than the number of earlier looks that scored strictly higher, so equals
    share the better rank. Ranks tell which of two looks scored higher, and the paper's small-k
    attack needs nothing else: it loses nothing here.

    The state holds every submission, in order of rank, and no score: a new submission finds its
    place by scoring about log2(k) of them again. That is the price of a rule whose memory leaks
    nothing; its state grows with k.

    Examples
    --------
    >>> str(RankOnly())
    'rank'
    """

    name: ClassVar[str] = "rank"
    source: ClassVar[str] = "boards that show ranks without scores; no paper"
    text_forms: ClassVar[tuple[str, ...]] = ("rank",)
    wants_exact: ClassVar[bool] = True
    works_on: ClassVar[WorksOn] = WorksOn.ACCURACIES
    accuracies_because: ClassVar[str] = "it keeps submitted labels and counts their matches again"
    unbounded: ClassVar[bool] = True
    speaks: ClassVar[bool] = True
    tells_best: ClassVar[bool] = True
    shows: ClassVar[Literal["ranks"]] = "ranks"
    counted: ClassVar[bool] = True

    def init(self, problem: Problem) -> State:
        """Return the state before the first submission."""
        return {"order": [], "n_classes": problem.n_classes}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return one more than the number of submissions with strictly more matches."""
        evaluation, n_classes = reading.evaluation, state["n_classes"]
        order: list[str] = state["order"]
        place = bisect_left(
            order,
            -evaluation.matches,
            key=lambda packed: -matches_of(packed, evaluation.labels, n_classes),
        )
        after = [*order[:place], pack(evaluation.query, n_classes), *order[place:]]
        ranked = reading.telling(Fraction(place + 1), new_best=place == 0)
        return ranked, {"order": after, "n_classes": n_classes}

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for a rank."""
        return so_far.about(f"rank of this submission among those of {so_far.whose}, 1 the best")

    def resolution(self, problem: Problem) -> float:
        """Return 1: the answer says nothing about the level."""
        return 1.0

    def own_nats(self, problem: Problem) -> float:
        """Return log k!: look t has t possible ranks."""
        return float(gammaln(problem.n_queries + 1.0))
