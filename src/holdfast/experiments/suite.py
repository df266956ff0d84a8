"""The suite: attacks by which a release rule is judged, each under a name.

A rule's score is the maximum over the suite, so the suite must hold attacks that know the rule:
published evaluations used weak ones. Figures are comparable between runs with the same name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.answers import RoundedAnswers
from holdfast.attacks import GridReader, ImprovementReader, RankReader
from holdfast.attacks.description import Described, Needs, NewBestBoard, Reads
from holdfast.attacks.registry import attack_types, build
from holdfast.attacks.through_metrics import RunClimb, RunReader
from holdfast.attacks.through_metrics.rows_in_runs import RUNS
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.planner import Auto
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.rules import Rule

__all__ = [
    "IN_RUNS",
    "SUITE",
    "VERSION",
    "SuiteEntry",
    "attack_on",
    "entry_named",
    "settings_named",
]

VERSION = "2026.11"


@dataclass(frozen=True)
class SuiteEntry:
    """One way to attack a board: an attack, and how many accounts it has.

    `accounts` is 1, 2, or None for a new account at every look; `settings` is what it is made with.
    """

    attack: type[Described]
    accounts: int | None = 1
    settings: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """What tables call it."""
        if self.accounts == 1:
            return ", ".join(
                [self.attack.name, *(f"{each} {what}" for what, each in self.settings)]
            )
        return f"{self.attack.name}, {self.accounts or 'new'} accounts"

    def play(self, problem: Problem, rng: np.random.Generator, rule: Rule) -> Attack[Labels]:
        """Return the attack, ready to play, or raise why it can't."""
        if self.accounts != 1 and not rule.keeps_state:
            raise NotSupported("the rule remembers nothing, so accounts make no difference.")
        return attack_on(self.attack, problem, rng, rule, settings=dict(self.settings))

    def n_accounts(self, n_queries: int) -> int:
        """Return the number of accounts for that many looks."""
        return n_queries if self.accounts is None else min(self.accounts, n_queries)


def attack_on(
    cls: type[Described],
    problem: Problem,
    rng: np.random.Generator,
    rule: Rule,
    *,
    prior: Prior | None = None,
    settings: dict[str, int] | None = None,
) -> Attack[Labels]:
    """Return an attack that knows the rule, ready to play, or raise why it can't."""
    if cls.reads in (Reads.ORDER, Reads.NEW_BEST):
        return _comparing(cls, problem, rng, rule, prior, settings or {})
    if cls.needs is Needs.ROUNDING and not isinstance(rule.answer_model(problem), RoundedAnswers):
        raise NotSupported("it is made for rounding, and the rule does not round.")
    grid = _fine_grid(rule, problem)
    # What the reader undoes is left out of the model.
    shown = rule.stages[0] if grid else rule
    if issubclass(cls, Auto):
        # It plans for the whole board, which may show ranks or new bests, not for a new value.
        planned = cls(problem, rng=rng, prior=prior, rule=shown)
        return GridReader(planned, size=grid) if grid else planned
    if prior is None:
        model = shown.answer_model(problem)
    else:
        model = shown.informed_model(problem, float(prior.ranked(1)[1].mean()))
    if model is None:
        raise NotSupported("it needs scores, and the rule releases none.")
    made = build(cls, problem, rng, prior=prior, answers=model, **(settings or {}))
    return GridReader(made, size=grid) if grid else made


def _comparing(
    cls: type[Described],
    problem: Problem,
    rng: np.random.Generator,
    rule: Rule,
    prior: Prior | None,
    given: dict[str, int],
) -> Attack[Labels]:
    """Return an attack that needs no scores: ranks will do, or one bit for a new best."""
    if cls.reads is Reads.ORDER and rule.shows == "new best":
        raise NotSupported("it compares neighbouring looks, and the rule only the best.")
    rounding, ties = float(rule.rounds_to or 0.0), rule.shows == "ranks"
    board = NewBestBoard(rule.climb_step, rule.climb_errors, rounding, ties)
    settings = {**cls.settings_for(problem, board), **given}
    attack = build(cls, problem, rng, prior=prior, **settings)
    if rule.shows == "new best":
        return ImprovementReader(attack)
    return RankReader(attack) if rule.shows == "ranks" else attack


def _fine_grid(rule: Rule, problem: Problem) -> int | None:
    """Return the size of a public part whose accuracies are rounded too finely to hide them."""
    first, *rest = rule.stages
    if not (first.selects and first.keeps_exact and len(rest) == 1) or rule.rounds_to is None:
        return None
    size = first.scored(problem).n_examples
    return size if rule.rounds_to * size < 1 else None


def _suite() -> tuple[SuiteEntry, ...]:
    """Return every attack that is worth playing on its own, then some from several accounts."""
    alone = [cls for cls in attack_types() if cls.needs in (None, Needs.ROUNDING)]
    found = [SuiteEntry(cls) for cls in alone]
    for accounts in (2, None):
        found += [SuiteEntry(cls, accounts) for cls in alone if cls.accounts == accounts]
    return tuple(found)


SUITE = _suite()
# What plays besides where rows come in runs of one label, which nobody knows the length of.
IN_RUNS = tuple(
    SuiteEntry(cls, settings=(("runs", runs),)) for cls in (RunReader, RunClimb) for runs in RUNS
)


def entry_named(name: str) -> SuiteEntry:
    """Return the entry of that name, of the suite or for rows in runs."""
    return next(entry for entry in (*SUITE, *IN_RUNS) if entry.name == name)


def settings_named(name: str) -> dict[str, int]:
    """Return what the entry of that name is made with, if it is one for rows in runs."""
    return next((dict(entry.settings) for entry in IN_RUNS if entry.name == name), {})
