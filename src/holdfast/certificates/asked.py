"""Looks taken or allowed, by release rule and by separate state of the rule.

A state is what a rule remembers; every account has its own, unless one is kept for the data set.
Looks of different states may be asked in any order, and by one analyst.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from holdfast.problem import Problem, check_at_least
from holdfast.rules import Rule

__all__ = ["Asked", "RuleLooks", "first_change", "shared_evenly"]


def first_change(rule: Rule) -> Rule | None:
    """Return the first rule of a chain that changes a score; what follows only post-processes."""
    return next((stage for stage in rule.stages if not stage.keeps_exact), None)


@dataclass(frozen=True)
class RuleLooks:
    """The looks under one rule: how many states there are, by the number of their looks."""

    rule: Rule
    states: Mapping[int, int]

    @cached_property
    def total(self) -> int:
        """Looks of all states together."""
        return sum(looks * count for looks, count in self.states.items())

    @property
    def accounts(self) -> int:
        """Number of states."""
        return sum(self.states.values())


@dataclass(frozen=True)
class Asked:
    """All looks at one test set, under one rule or several.

    Parameters
    ----------
    n_examples, n_classes
        The test set.
    looks
        The looks under each rule.
    total
        All looks; less than those of the states where these have more than they can use.
    taken
        Whether these are looks taken so far, each state's of a budget that is not known.
    """

    n_examples: int
    n_classes: int
    looks: tuple[RuleLooks, ...]
    total: int
    taken: bool = False

    @property
    def remembers(self) -> bool:
        """Whether an answer depends on earlier looks of the same state."""
        return any(each.rule.remembers for each in self.looks)

    @property
    def only(self) -> RuleLooks | None:
        """The looks, if all are under one rule."""
        return self.looks[0] if len(self.looks) == 1 else None

    def problem(self, looks: int) -> Problem:
        """Return the sizes with so many looks."""
        return Problem(self.n_examples, self.n_classes, looks)

    @cached_property
    def by_counts(self) -> bool:
        """Whether all answers are computed from match counts, and noise."""
        return all(math.isfinite(each.rule.counts_nats(self.problem(1))) for each in self.looks)

    @cached_property
    def same_examples(self) -> bool:
        """Whether every look is answered from its count on the same examples."""
        parts = {
            tuple(stage for stage in each.rule.stages if stage.selects and stage.keeps_exact)
            for each in self.looks
        }
        # A part that is drawn anew is noise on the count of all.
        in_turn = any(
            stage.selects and stage.remembers for each in self.looks for stage in each.rule.stages
        )
        return len(parts) == 1 and not in_turn

    @cached_property
    def exposed(self) -> int:
        """Number of examples that any look can touch."""
        sizes = {each.rule.exposed(self.problem(1)).n_examples for each in self.looks}
        return sizes.pop() if self.same_examples else self.n_examples

    @property
    def all_at_once(self) -> bool:
        """Whether the rule answers no look before all are asked."""
        only = self.only
        return only is not None and only.accounts == 1 and only.rule.all_at_once(self.total)


def shared_evenly(looks: int, accounts: int) -> Counter[int]:
    """Return how many accounts take how many looks if they share them evenly.

    >>> dict(shared_evenly(7, 3))
    {2: 2, 3: 1}
    """
    accounts = min(check_at_least("accounts", accounts, 1), looks)
    each, more = divmod(looks, accounts)
    return Counter({each: accounts - more, each + 1: more}) if more else Counter({each: accounts})
