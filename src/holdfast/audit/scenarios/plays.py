"""Single plays of an audit.

With known features a play is one of the matrix: the same seed gives the same number as
`holdfast bench matrix`. Without features it is one of `holdfast attack --without-features`. Where
the classes are unequal, the gain of every play is counted from the majority class.

A play's seed is made of the audit's seed, the trial and the names of attack and rule, so that no
two plays share their randomness and none depends on which others are played, or where. That is what
makes plays fit for any pool, and for keeping.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol, TypeAlias
from zlib import crc32

import numpy as np

from holdfast.attacks.registry import attack_type, make_attack
from holdfast.audit.baseline import Baseline
from holdfast.audit.result import Knowledge
from holdfast.errors import HoldfastError, NotSupported
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.pool import Map, pool
from holdfast.experiments.suite import attack_on, entry_named, settings_named
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.oracles import ClassifierOracle, LabelOracle
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.rules import Rule

__all__ = [
    "AnyJob",
    "Job",
    "Labelled",
    "Players",
    "play_job",
    "play_on",
    "players",
    "told_reason",
]

# Why an attack can't play that does not say so itself.
UNUSABLE = "it can't use the values as this rule releases them"
# What the seed of a play has beside the names of attack and rule.
KEYS = {"features": "", "class shares": " shares", "model": " model"}


class Job(NamedTuple):
    """One play: who, with what knowledge, against which rule, with how many looks.

    The looks are shared evenly among the accounts, each met by a fresh state of the rule.
    """

    setting: Knowledge
    rule: Rule
    attack: str
    looks: int
    trial: int
    accounts: int = 1

    @property
    def effort(self) -> float:
        """The attack's time beside that of others."""
        base = self.attack.partition(",")[0]
        return attack_type(base, without_features=self.setting == "no features").effort

    def who(self, board: object) -> tuple[str, str]:  # noqa: ARG002 - other jobs ask the board
        """Return the attack's name and what it knows."""
        return self.attack, self.setting

    def played(self, board: Labelled) -> Played:
        """Play it on a board."""
        return play_job(board, self)


class Labelled(Protocol):
    """What plays on accuracies ask of a board."""

    @property
    def labels(self) -> Labels:
        """Those of the scored part, which the oracle hides."""

    @property
    def baseline(self) -> Baseline:
        """What is free, from which gains are counted."""

    @property
    def seed(self) -> int:
        """The audit's."""

    @property
    def beliefs(self) -> Prior | None:
        """What the given models say together; None: there are none."""


class AnyJob(Protocol):
    """One play of an attack on a board, whatever the board shows; equal jobs are one play."""

    @property
    def trial(self) -> int:
        """The number that its seed is made of."""

    @property
    def looks(self) -> int:
        """Of all accounts together."""

    @property
    def rule(self) -> Rule:
        """What is released."""

    @property
    def accounts(self) -> int:
        """From how many accounts the looks are taken, as far as the play tells them apart."""

    @property
    def effort(self) -> float:
        """The attack's time beside that of others."""

    def who(self, board: Any) -> tuple[str, str]:
        """Return the attack's name, with what it reads, and what it knows."""

    def played(self, board: Any) -> Played:
        """Play it on a board."""

    def __iter__(self) -> Iterator[Any]:
        """Yield what tells it from other jobs."""

    def __hash__(self) -> int:
        """Return what a play is known by."""


Players: TypeAlias = Map[Any, Played]


def play_on(board: object, job: AnyJob) -> Played:
    """Play one job on a board."""
    return job.played(board)


def play_job(board: Labelled, job: Job) -> Played:
    """Play one job; a reason instead of a gain where the attack can't."""
    problem = Problem(board.labels.size, board.baseline.n_classes, job.looks)
    one = _without_features if job.setting == "no features" else _with_features
    try:
        guess, looks = one(board, job, problem)
    except HoldfastError as error:
        return Played(0.0, 0, told_reason(error))
    return Played(_gain(board, guess, job.setting), looks)


def _gain(board: Labelled, guess: Labels, setting: Knowledge) -> float:
    """Return what a guess gains above the baseline, or above its model if that is more."""
    matches = int(np.count_nonzero(guess == board.labels))
    if setting != "model":
        return board.baseline.gain(matches)
    assert board.beliefs is not None
    model = int(np.count_nonzero(board.beliefs.top() == board.labels))
    return (matches - max(model, board.baseline.matches)) / board.labels.size


def players(given: Players | None, board: object, **how: Any) -> AbstractContextManager[Players]:
    """Return who plays in a block: those that are given, or a pool made as `how` says."""
    return pool(play_on, board, **how) if given is None else nullcontext(given)


def told_reason(error: HoldfastError) -> str:
    """Return why an attack can't play, for people who see the board and not the attack.

    An attack that declines says why itself. Anything else that ends it is about its inner numbers.
    """
    return error.reason if isinstance(error, NotSupported) else UNUSABLE


def _with_features(board: Labelled, job: Job, problem: Problem) -> tuple[Labels, int]:
    """Play with label vectors; return the guess and the looks taken."""
    named = f"{job.attack} {job.rule}{KEYS[job.setting]}"
    own = [board.seed, job.trial, crc32(named.encode())]
    if job.setting != "features" or job.accounts != entry_named(job.attack).n_accounts(job.looks):
        own.append(job.accounts)  # the matrix has no such play
    oracle = LabelOracle(
        board.labels,
        problem=problem,
        mechanism=job.rule,
        rng=np.random.default_rng([*own, 1]),
        accounts=job.accounts,
    )
    attack = _attack(board, job, problem, np.random.default_rng([*own, 2]))
    return play(attack, oracle, until_refused=True), oracle.looks


def _attack(
    board: Labelled, job: Job, problem: Problem, rng: np.random.Generator
) -> Attack[Labels]:
    """Return the attack, told what its setting lets it know."""
    if job.setting == "features":
        return entry_named(job.attack).play(problem, rng, job.rule)
    prior = board.beliefs if job.setting == "model" else board.baseline.prior
    assert prior is not None
    cls, settings = attack_type(job.attack.partition(",")[0]), settings_named(job.attack)
    return attack_on(cls, problem, rng, job.rule, prior=prior, settings=settings)


def _without_features(board: Labelled, job: Job, problem: Problem) -> tuple[Labels, int]:
    """Play with classifiers, seeded as a trial of `holdfast attack`."""
    if job.rule.answer_model(problem) is None:
        raise NotSupported("it needs scores, and the rule releases none.")
    sequence = np.random.SeedSequence(board.seed, spawn_key=(job.trial,))
    _, for_attack, for_oracle = map(np.random.default_rng, sequence.spawn(3))
    attack = make_attack(job.attack, problem, for_attack, without_features=True)
    X = for_oracle.integers(2**64, size=(problem.n_examples, 1), dtype=np.uint64)
    oracle = ClassifierOracle(
        X,
        board.labels,
        problem=problem,
        mechanism=job.rule,
        rng=for_oracle,
        accounts=job.accounts,
    )
    return np.asarray(play(attack, oracle).predict(X)), oracle.looks
