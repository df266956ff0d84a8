"""Single plays of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

import numpy as np

from holdfast.errors import HoldfastError
from holdfast.experiments.label_kinds import hidden_labels
from holdfast.experiments.suite import entry_named
from holdfast.labels import Labels, as_labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem, check_at_least
from holdfast.rules import Rule, compared_rules, parse_rule

__all__ = ["Matrix", "Played", "Task", "play_once"]


class Task(NamedTuple):
    """One play: an entry of the suite against a rule, on the labels of that trial."""

    rule: Rule
    entry: str
    trial: int


class Played(NamedTuple):
    """What came of it: the bias and the looks taken, or the reason why it can't be played."""

    bias: float
    looks: int
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Matrix:
    """What to measure: the rules, and how often every attack of the suite plays.

    Parameters
    ----------
    problem
        The sizes.
    trials
        Plays of each attack against each rule, each on other labels.
    seed
        Where all randomness comes from.
    rules
        Release rules or their text forms; None: `compared_rules`.
    labels
        Hidden labels to use in every trial; None: fresh uniform ones.
    """

    problem: Problem
    trials: int = 4
    seed: int = 0
    rules: Sequence[Rule | str] | None = None
    labels: Labels | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        n, m, _ = self.problem
        check_at_least("trials", self.trials, 2)
        check_at_least("seed", self.seed, 0)
        for rule in self.release_rules:
            rule.init(self.problem)  # one that does not fit must say so before any play
        if self.labels is not None:
            object.__setattr__(self, "labels", as_labels(self.labels, m, n_examples=n))

    @cached_property
    def release_rules(self) -> tuple[Rule, ...]:
        """The rules, each once."""
        named = compared_rules(self.problem) if self.rules is None else self.rules
        parsed = (parse_rule(rule) if isinstance(rule, str) else rule for rule in named)
        return tuple(dict.fromkeys(parsed))


def play_once(matrix: Matrix, task: Task) -> Played:
    """Play one task.

    The labels follow from the seed and the trial, so that every attack and every rule meets the
    same ones; the randomness of attack and rule follows from their names too.
    """
    n, m, _ = problem = matrix.problem
    entry, labels = entry_named(task.entry), matrix.labels
    if labels is None:
        labels = hidden_labels("uniform", n, m, np.random.default_rng([matrix.seed, task.trial]))
    own = [matrix.seed, task.trial, crc32(f"{task.entry} {task.rule}".encode())]
    oracle = LabelOracle(
        labels,
        problem=problem,
        mechanism=task.rule,
        rng=np.random.default_rng([*own, 1]),
        accounts=entry.n_accounts(problem.n_queries),
    )
    try:
        attack = entry.play(problem, np.random.default_rng([*own, 2]), task.rule)
        guess = play(attack, oracle, until_refused=True)
    except HoldfastError as error:
        return Played(0.0, oracle.looks, str(error))
    matches = int(np.count_nonzero(guess == labels))
    return Played((m * matches - n) / (m * n), oracle.looks)
