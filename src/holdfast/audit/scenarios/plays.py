"""Single plays of an audit.

With known features a play is one of the matrix: the same seed gives the same number as
`holdfast matrix`. Without features it is one of `holdfast attack --without-features`. Where the
classes are unequal, the gain of every play is counted from the majority class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from zlib import crc32

import numpy as np

from holdfast.attacks.registry import attack_type, make_attack
from holdfast.audit.inputs.class_imbalance import Skew
from holdfast.audit.result import Knowledge
from holdfast.errors import HoldfastError, NotSupported
from holdfast.experiments.board import Board, looks_of_accounts, play_on
from holdfast.experiments.matrix_plays import Matrix, Played, Task, play_once
from holdfast.experiments.pool import Map
from holdfast.experiments.suite import attack_on, entry_named
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.oracles import ClassifierOracle
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Classifier

__all__ = ["Job", "Play", "PlayContext", "play_job"]


class Job(NamedTuple):
    """One play: who, with what knowledge, against which rule, with how many looks.

    The looks are shared evenly among the accounts, each met by a fresh state of the rule.
    """

    setting: Knowledge
    rule: str
    attack: str
    looks: int
    trial: int
    accounts: int = 1


@dataclass(frozen=True, eq=False)
class PlayContext:
    """What all plays of an audit share."""

    labels: Labels = field(repr=False)
    n_classes: int
    seed: int
    prior: Prior | None = field(default=None, repr=False)
    skew: Skew | None = field(default=None, repr=False)

    def above_free(self, played: Played) -> Played:
        """Return a play with its gain over 1/m turned into that over what is free."""
        if self.skew is None or played.reason is not None:
            return played
        n = self.labels.size
        matches = round(n * (played.bias + 1.0 / self.n_classes))
        return played._replace(bias=(matches - self.skew.matches) / n)


Play: TypeAlias = Map[Job, Played]


def play_job(context: PlayContext, job: Job) -> Played:
    """Play one job; a reason instead of a gain where the attack can't."""
    problem = Problem(context.labels.size, context.n_classes, job.looks)
    if job.setting == "features" and job.accounts == entry_named(job.attack).n_accounts(job.looks):
        matrix = Matrix(problem, seed=context.seed, rules=[job.rule], labels=context.labels)
        return context.above_free(play_once(matrix, Task(job.rule, job.attack, job.trial)))
    one = PLAYS[job.setting]
    try:
        return one(context, job, problem, parse_mechanism(job.rule))
    except HoldfastError as error:
        return Played(0.0, 0, str(error))


def _board(
    context: PlayContext, job: Job, problem: Problem, rule: Rule, own: Sequence[int]
) -> Board:
    rng = np.random.default_rng([*own, 1])
    return Board(context.labels, problem=problem, rule=rule, rng=rng, accounts=job.accounts)


def _with_accounts(context: PlayContext, job: Job, problem: Problem, rule: Rule) -> Played:
    """Play an attack of the suite with another number of accounts than it has there."""
    n, m, _ = problem
    entry = entry_named(job.attack)
    own = [context.seed, job.trial, crc32(f"{job.attack} {job.rule}".encode()), job.accounts]
    board = _board(context, job, problem, rule, own)
    guess = play_on(lambda: entry.play(problem, np.random.default_rng([*own, 2]), rule), board)
    matches = int(np.count_nonzero(guess == context.labels))
    return context.above_free(Played((m * matches - n) / (m * n), board.looks))


def _with_model(context: PlayContext, job: Job, problem: Problem, rule: Rule) -> Played:
    """Play from the model's predictions; the gain is above the model's own accuracy.

    Or above the majority class, if a constant submission scores more than the model.
    """
    prior, cls = context.prior, attack_type(job.attack)
    assert prior is not None
    own = [context.seed, job.trial, crc32(f"{job.attack} {job.rule} model".encode()), job.accounts]
    board = _board(context, job, problem, rule, own)
    guess = play_on(
        lambda: attack_on(cls, problem, np.random.default_rng([*own, 2]), rule, prior=prior), board
    )
    before = int(np.count_nonzero(prior.top() == context.labels))
    if context.skew is not None:
        before = max(before, context.skew.matches)
    after = int(np.count_nonzero(guess == context.labels))
    return Played((after - before) / problem.n_examples, board.looks)


def _with_shares(context: PlayContext, job: Job, problem: Problem, rule: Rule) -> Played:
    """Play from the class shares; the gain is above the majority class."""
    skew = context.skew
    assert skew is not None
    own = [context.seed, job.trial, crc32(f"{job.attack} {job.rule} shares".encode()), job.accounts]
    board = _board(context, job, problem, rule, own)
    cls, prior = attack_type(job.attack), skew.prior
    guess = play_on(
        lambda: attack_on(cls, problem, np.random.default_rng([*own, 2]), rule, prior=prior), board
    )
    matches = int(np.count_nonzero(guess == context.labels))
    return Played((matches - skew.matches) / problem.n_examples, board.looks)


def _without_features(context: PlayContext, job: Job, problem: Problem, rule: Rule) -> Played:
    """Play with classifiers, seeded as a trial of `holdfast attack`."""
    n, m, _ = problem
    if rule.answer_model(problem) is None:
        raise NotSupported("it needs scores, and the rule releases none.")
    if rule.waits:
        raise NotSupported("it is not played where answers come in batches.")
    sequence = np.random.SeedSequence(context.seed, spawn_key=(job.trial,))
    _, for_attack, for_oracle = map(np.random.default_rng, sequence.spawn(3))
    attack = make_attack(job.attack, problem, for_attack, without_features=True)
    X = for_oracle.integers(2**64, size=(n, 1), dtype=np.uint64)

    def account(share: Problem) -> ClassifierOracle:
        return ClassifierOracle(X, context.labels, problem=share, mechanism=rule, rng=for_oracle)

    oracle = _Accounts(problem, job.accounts, account)
    guess = np.asarray(play(attack, oracle).predict(X))
    matches = int(np.count_nonzero(guess == context.labels))
    return context.above_free(Played((m * matches - n) / (m * n), oracle.looks))


class _Accounts:
    """Classifiers answered to one account after the other, to the rule all strangers."""

    def __init__(
        self,
        problem: Problem,
        accounts: int,
        oracle: Callable[[Problem], ClassifierOracle],
    ) -> None:
        self.problem, self.looks = problem, 0
        self._shares = looks_of_accounts(problem.n_queries, accounts)[::-1]
        self._new, self._left = oracle, 0

    def query(self, query: Classifier) -> float:
        """Return what the rule releases to the account whose turn it is."""
        if not self._left:
            self._left = self._shares.pop()
            self._oracle = self._new(self.problem._replace(n_queries=self._left))
        self._left -= 1
        self.looks += 1
        return self._oracle.query(query)


PLAYS = {
    "features": _with_accounts,
    "class shares": _with_shares,
    "model": _with_model,
    "no features": _without_features,
}
