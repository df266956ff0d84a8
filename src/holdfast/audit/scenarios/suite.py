"""Scenarios of a board: the suite of its total, and attacks through all else that it shows."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.result import TOTAL, Knowledge
from holdfast.audit.scenarios.plays import AnyJob
from holdfast.audit.scenarios.scenarios import (
    compared_scenarios,
    model_scenarios,
    suite_scenarios,
)
from holdfast.metrics import Accuracy
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["AnyScenario", "compared", "suite"]


class AnyScenario(Protocol):
    """An attack with what it knows, reads, and from how many accounts it looks."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def setting(self) -> Knowledge:
        """What it knows."""

    @property
    def show(self) -> str:
        """What a look tells it."""

    @property
    def reads(self) -> str:
        """Which of the numbers it reads."""

    @property
    def does(self) -> str:
        """What it does, in about six words."""

    @property
    def climbs(self) -> bool:
        """Whether it hears no more than which look was the best."""

    @property
    def effort(self) -> float:
        """Its time beside that of others, as far as it is known."""

    def job(self, rule: Rule, looks: int, trial: int) -> AnyJob:
        """Return one play with so many looks of all accounts together."""


Scenarios: TypeAlias = list[Any]


def suite(board: Request, rule: Rule, looks: int) -> Scenarios:
    """Return all scenarios that a board with this rule meets, those on the total first."""
    return _on_board(
        board,
        suite_scenarios(
            rule,
            board.problem._replace(n_queries=looks),
            board.histories,
            models=bool(board.predictions),
            shares=board.baseline.unequal,
            in_runs=board.in_runs,
        ),
    )


def compared(board: Request, rule: Rule, looks: int) -> Scenarios:
    """Return those by which a rule is compared with the policy's: all but the weak ones.

    The total of accuracies has many, of which the strongest under the rule are chosen; whoever
    starts from a model is compared as well.
    """
    n = board.labels.size
    problem: Problem = board.problem._replace(n_queries=looks)
    found = compared_scenarios(
        rule,
        problem,
        board.histories,
        shares=board.baseline.unequal,
        head_start=max(0.0, board.baseline.matches - n / problem.n_classes),
    )
    if board.predictions:
        found += model_scenarios(rule, problem, board.histories)
    return _on_board(board, found)


def _on_board(board: Request, on_accuracy: Scenarios) -> Scenarios:
    ranked = isinstance(board.metric, Accuracy)
    return [
        each
        for show in board.shows
        for each in (on_accuracy if ranked and show == TOTAL else metric_scenarios(board, show))
    ]
