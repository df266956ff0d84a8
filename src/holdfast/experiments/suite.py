"""The suite: which attacks a release rule is judged by, under a name.

A rule's score is the maximum over the suite, so the suite must hold attacks that know the rule:
published evaluations used weak ones. Figures are comparable between runs with the same name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast import attacks
from holdfast.answers import RoundedAnswers
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.mechanisms import Rule, compared_rules
from holdfast.problem import Problem
from holdfast.protocols import Attack

__all__ = ["SUITE", "VERSION", "SuiteEntry", "default_rules", "entry_named"]

VERSION = "2026.11"


def default_rules(problem: Problem) -> tuple[str, ...]:
    """Return the text forms of the rules that are compared if none are named."""
    return tuple(str(rule) for rule in compared_rules(problem))


Build = Callable[[Problem, np.random.Generator, Rule], Attack[Labels]]


@dataclass(frozen=True)
class SuiteEntry:
    """One way to attack a board: an attack, how it reads the rule, and how many accounts it has.

    `accounts` is 1, 2, or None for a new account at every look.
    """

    name: str
    build: Build
    accounts: int | None = 1

    def play(self, problem: Problem, rng: np.random.Generator, rule: Rule) -> Attack[Labels]:
        """Return the attack, ready to play, or raise why it can't."""
        if self.accounts != 1 and not rule.keeps_state:
            raise NotSupported("the rule remembers nothing, so accounts make no difference.")
        return self.build(problem, rng, rule)

    def n_accounts(self, n_queries: int) -> int:
        """Return the number of accounts for that many looks."""
        return n_queries if self.accounts is None else min(self.accounts, n_queries)


def _scored(cls: type[Any]) -> Build:
    """Build an attack that estimates from scores, told by the rule what they are worth."""

    def build(problem: Problem, rng: np.random.Generator, rule: Rule) -> Attack[Labels]:
        grid = _fine_grid(rule, problem)
        # What the reader undoes is left out of the model.
        model = (rule.stages[0] if grid else rule).answer_model(problem)
        if model is None:
            raise NotSupported("it needs scores, and the rule releases none.")
        informed = "answers" in inspect.signature(cls).parameters
        made: Attack[Labels] = (
            cls(problem, rng=rng, answers=model) if informed else cls(problem, rng=rng)
        )
        return attacks.GridReader(made, size=grid) if grid else made

    return build


def _steering(cls: type[Any]) -> Build:
    """Build an attack that asks where rounding tells most."""
    scored = _scored(cls)

    def build(problem: Problem, rng: np.random.Generator, rule: Rule) -> Attack[Labels]:
        if not isinstance(rule.answer_model(problem), RoundedAnswers):
            raise NotSupported("it is made for rounding, and the rule does not round.")
        return scored(problem, rng, rule)

    return build


def _comparing(cls: type[Any], **settings: Any) -> Build:
    """Build an attack that only compares answers: ranks will do."""

    def build(problem: Problem, rng: np.random.Generator, rule: Rule) -> Attack[Labels]:
        if rule.shows == "new best":
            raise NotSupported("it compares neighbouring looks, and the rule only the best.")
        attack = cls(problem, rng=rng, **settings)
        return attacks.RankReader(attack) if rule.shows == "ranks" else attack

    return build


def _climbing(cls: type[Any], settings: Callable[[Problem, Rule], dict[str, Any]]) -> Build:
    """Build an attack that only listens for a new best: one bit will do."""

    def build(problem: Problem, rng: np.random.Generator, rule: Rule) -> Attack[Labels]:
        attack = cls(problem, rng=rng, **settings(problem, rule))
        if rule.shows == "new best":
            return attacks.ImprovementReader(attack)
        return attacks.RankReader(attack) if rule.shows == "ranks" else attack

    return build


def _fine_grid(rule: Rule, problem: Problem) -> int | None:
    """Return the size of a public part whose accuracies are rounded too finely to hide them."""
    first, *rest = rule.stages
    if not (first.selects and first.keeps_exact and len(rest) == 1) or rule.rounds_to is None:
        return None
    size = first.scored(problem).n_examples
    return size if rule.rounds_to * size < 1 else None


def _margin(problem: Problem, rule: Rule) -> dict[str, Any]:
    """Return the board's threshold in standard errors, and how many tries a block should get."""
    del problem
    climbs_by_luck = rule.climb_errors > 0.0
    return {"threshold": rule.climb_errors, "passes": 4 if climbs_by_luck else 2}


def _step(problem: Problem, rule: Rule) -> dict[str, Any]:
    """Return how much a look has to climb to be shown."""
    return {"step": rule.climb_step or 1.0 / problem.n_examples}


def _nothing(problem: Problem, rule: Rule) -> dict[str, Any]:
    del problem, rule
    return {}


SUITE = (
    SuiteEntry("constant", _scored(attacks.Constant)),
    SuiteEntry("block-majority", _comparing(attacks.BlockMajority)),
    SuiteEntry("column-vote", _scored(attacks.ColumnVote)),
    SuiteEntry("uniform-vote", _scored(attacks.UniformVote)),
    SuiteEntry("naive-bayes", _scored(attacks.NaiveBayes)),
    SuiteEntry("boosting", _scored(attacks.Boosting)),
    SuiteEntry("hadamard-blocks", _scored(attacks.HadamardBlocks)),
    SuiteEntry("label-subset", _scored(attacks.LabelSubset)),
    SuiteEntry("message-passing", _scored(attacks.MessagePassing)),
    SuiteEntry("detecting", _scored(attacks.Detecting)),
    SuiteEntry("pooled-detecting", _scored(attacks.PooledDetecting)),
    SuiteEntry("lattice", _scored(attacks.Lattice)),
    SuiteEntry("champion-challenger", _scored(attacks.ChampionChallenger)),
    SuiteEntry("boundary-challenger", _steering(attacks.BoundaryChallenger)),
    SuiteEntry("hill-climb", _climbing(attacks.HillClimb, _nothing)),
    SuiteEntry("block-climb", _climbing(attacks.BlockClimb, _margin)),
    SuiteEntry("random-climb", _climbing(attacks.RandomClimb, _step)),
    SuiteEntry("block-climb, 2 accounts", _climbing(attacks.BlockClimb, _margin), accounts=2),
    SuiteEntry("random-climb, 2 accounts", _climbing(attacks.RandomClimb, _step), accounts=2),
    SuiteEntry("block-majority, new accounts", _comparing(attacks.BlockMajority), accounts=None),
    SuiteEntry("hadamard-blocks, new accounts", _scored(attacks.HadamardBlocks), accounts=None),
    SuiteEntry(
        "champion-challenger, new accounts", _scored(attacks.ChampionChallenger), accounts=None
    ),
    SuiteEntry(
        "boundary-challenger, new accounts", _steering(attacks.BoundaryChallenger), accounts=None
    ),
)


def entry_named(name: str) -> SuiteEntry:
    """Return the suite's entry of that name."""
    return next(entry for entry in SUITE if entry.name == name)
