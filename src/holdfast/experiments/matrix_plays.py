"""Single plays of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32

import numpy as np

from holdfast.errors import HoldfastError
from holdfast.experiments.board import Board, play_on
from holdfast.experiments.label_kinds import hidden_labels
from holdfast.experiments.suite import default_rules, entry_named
from holdfast.labels import Labels, as_labels
from holdfast.mechanisms import parse_mechanism
from holdfast.problem import Problem, check_at_least

__all__ = ["Matrix", "Played", "Task", "play_once"]


class Task(NamedTuple):
    """One play: an entry of the suite against a rule, on the labels of that trial."""

    rule: str
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
        Text forms of release rules; None: `default_rules`.
    labels
        Hidden labels to use in every trial; None: fresh uniform ones.
    """

    problem: Problem
    trials: int = 4
    seed: int = 0
    rules: Sequence[str] | None = None
    labels: Labels | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        n, m, _ = self.problem
        check_at_least("trials", self.trials, 2)
        check_at_least("seed", self.seed, 0)
        for rule in self.rule_names:
            # A rule that does not fit the problem must say so before any play.
            parse_mechanism(rule).init(self.problem)
        if self.labels is not None:
            object.__setattr__(self, "labels", as_labels(self.labels, m, n_examples=n))

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The rules in their printed form, each once."""
        named = default_rules(self.problem) if self.rules is None else self.rules
        return tuple(dict.fromkeys(str(parse_mechanism(rule)) for rule in named))


def play_once(matrix: Matrix, task: Task) -> Played:
    """Play one task.

    The labels follow from the seed and the trial, so that every attack and every rule meets the
    same ones; the randomness of attack and rule follows from their names too.
    """
    n, m, _ = problem = matrix.problem
    entry, rule = entry_named(task.entry), parse_mechanism(task.rule)
    labels = matrix.labels
    if labels is None:
        labels = hidden_labels("uniform", n, m, np.random.default_rng([matrix.seed, task.trial]))
    own = [matrix.seed, task.trial, crc32(f"{task.entry} {task.rule}".encode())]
    board = Board(
        labels,
        problem=problem,
        rule=rule,
        rng=np.random.default_rng([*own, 1]),
        accounts=entry.n_accounts(problem.n_queries),
    )
    try:
        guess = play_on(lambda: entry.play(problem, np.random.default_rng([*own, 2]), rule), board)
    except HoldfastError as error:
        return Played(0.0, board.looks, str(error))
    matches = int(np.count_nonzero(guess == labels))
    return Played((m * matches - n) / (m * n), board.looks)
