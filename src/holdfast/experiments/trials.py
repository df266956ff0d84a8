"""Trials: hidden labels, an attack and an oracle, played; one flat row each.

Every random choice of a trial follows from the experiment's seed and the trial's number, so the
rows are the same on one process and on many, whatever finishes first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from holdfast.attacks.registry import attack_type, make_attack
from holdfast.errors import InvalidInput
from holdfast.experiments.label_kinds import LABEL_KINDS, hidden_labels
from holdfast.experiments.pool import pool
from holdfast.experiments.suite import attack_on
from holdfast.labels import Labels, as_labels
from holdfast.loop import play
from holdfast.oracles import ClassifierOracle, LabelOracle
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Attack
from holdfast.quoting import choice
from holdfast.rules import parse_rule

__all__ = ["Experiment", "Row", "run", "run_trial"]

# One played cell: its settings and what came out, by column.
Row: TypeAlias = dict[str, Any]

# How long a batch of trials should keep a worker busy before it reports.
SECONDS_PER_REPORT = 0.3
# What worker processes take to start, about, and a label in the simplest attack at most.
SECONDS_TO_START = 0.8
SECONDS_PER_LABEL = 2e-9


@dataclass(frozen=True, eq=False)
class Experiment:
    """Many trials of one attack on one problem.

    Parameters
    ----------
    attack
        The attack's name, as `attack_names` lists it.
    problem
        The sizes.
    trials
        How many times to play, each time with fresh randomness.
    seed
        Where all the randomness comes from.
    label_kind
        Which hidden labels to draw, see `hidden_labels`.
    labels
        Hidden labels to use in every trial instead.
    without_features
        Hide the features: the attack asks with classifiers, and the rows come in a fresh random
        order each time.
    rule
        The release rule, as text; the attack knows it.

    Examples
    --------
    >>> rows = run([Experiment("block-majority", Problem(100, 2, 11), trials=3, seed=1)])
    >>> [row["looks"] for row in rows]
    [11, 11, 11]
    """

    attack: str
    problem: Problem
    trials: int
    seed: int
    label_kind: str = "uniform"
    labels: Labels | None = None
    without_features: bool = False
    rule: str = "exact"

    def __post_init__(self) -> None:
        n, m, _ = self.problem
        check_at_least("trials", self.trials, 1)
        check_at_least("seed", self.seed, 0)
        if self.labels is not None:
            object.__setattr__(self, "labels", as_labels(self.labels, m, n_examples=n))
        elif self.label_kind not in LABEL_KINDS:
            raise InvalidInput(f"label_kind must be {choice(self.label_kind, LABEL_KINDS)}")
        if self.rule != "exact" and self.without_features:
            raise InvalidInput(f"rule must be exact where features are hidden, got {self.rule}.")
        # An attack that can't be played must say so before any process is started.
        _attack_of(self, np.random.default_rng(0))


def _attack_of(experiment: Experiment, rng: np.random.Generator) -> Attack[Any]:
    """Return the attack, ready to play."""
    if experiment.rule != "exact":
        rule = parse_rule(experiment.rule)
        return attack_on(attack_type(experiment.attack), experiment.problem, rng, rule)
    return make_attack(
        experiment.attack, experiment.problem, rng, without_features=experiment.without_features
    )


def run_trial(experiment: Experiment, trial: int) -> Row:
    """Play one trial.

    Returns
    -------
    A flat row: attack, n_examples, n_classes, n_queries, trial, seed, matches, accuracy, bias
    (accuracy above 1/m), gain_examples (matches above n/m), looks, seconds (of processor time,
    which other work does not stretch).
    """
    problem = experiment.problem
    n, m, k = problem
    labels = experiment.labels
    if labels is None:
        labels = hidden_labels(experiment.label_kind, n, m, _generator(experiment, trial, 0))
    hidden = experiment.without_features
    attack = _attack_of(experiment, _generator(experiment, trial, 1))
    oracle: LabelOracle | ClassifierOracle
    if hidden:
        # Features that are distinct and tell nothing: random 64-bit keys.
        for_oracle = _generator(experiment, trial, 2)
        X = for_oracle.integers(2**64, size=(n, 1), dtype=np.uint64)
        oracle = ClassifierOracle(X, labels, problem=problem, rng=for_oracle)
    elif experiment.rule == "exact":
        oracle = LabelOracle(labels, problem=problem)  # exact scores need no randomness
    else:
        rule, for_rule = parse_rule(experiment.rule), _generator(experiment, trial, 2)
        oracle = LabelOracle(labels, problem=problem, mechanism=rule, rng=for_rule)
    start = time.process_time()
    prediction = play(attack, oracle)
    guess = prediction.predict(X) if hidden else prediction
    seconds = time.process_time() - start
    matches = int(np.count_nonzero(np.asarray(guess) == labels))
    return {
        "attack": experiment.attack,
        "n_examples": n,
        "n_classes": m,
        "n_queries": k,
        "trial": trial,
        "seed": experiment.seed,
        "matches": matches,
        "accuracy": matches / n,
        "bias": (m * matches - n) / (m * n),
        "gain_examples": (m * matches - n) / m,
        "looks": oracle.looks,
        "seconds": seconds,
    }


def _generator(experiment: Experiment, trial: int, use: int) -> np.random.Generator:
    """Return a trial's own generator for one use: labels, attack, oracle.

    The same as that of SeedSequence(seed).spawn(trials)[trial].spawn(3)[use], without spawning
    the others.
    """
    seed = experiment.seed
    sequence = (
        # The words that a sequence makes of its seed, filled up to four, and of its place: it is
        # the same one, and its descendants are, in half the time.
        np.random.SeedSequence(np.array([seed, 0, 0, 0, trial, use], dtype=np.uint32))
        if max(seed, trial) < 2**32
        else np.random.SeedSequence(seed, spawn_key=(trial, use))
    )
    return np.random.Generator(np.random.PCG64(sequence))


def run(
    experiments: Sequence[Experiment],
    *,
    processes: int = 1,
    on_trials: Callable[[int], None] | None = None,
) -> list[Row]:
    """Play all trials of all experiments; return the rows, experiment by experiment.

    Parameters
    ----------
    experiments
        What to play.
    processes
        How many processes to play on; 1: in this one. A script that asks for more needs the usual
        `if __name__ == "__main__":`.
    on_trials
        Called with how many more trials are done, for progress bars.
    """
    rows: list[list[Row | None]] = [[None] * experiment.trials for experiment in experiments]
    batches = _Batches(experiments)

    def on_done(batch: _Batch, finished: list[Row]) -> None:
        batches.learn(batch, finished)
        for row in finished:
            rows[batch.experiment][row["trial"]] = row
        if on_trials is not None:
            on_trials(len(finished))

    waiting = iter(batches)
    if processes > 1:
        _play_first_here(experiments, waiting, on_done)
    with pool(_play, list(experiments), processes=processes) as play:
        for _ in play(waiting, on_done):
            pass
    return [row for part in rows for row in part if row is not None]


def _play_first_here(
    experiments: Sequence[Experiment],
    waiting: Iterator[_Batch],
    on_done: Callable[[_Batch, list[Row]], None],
) -> None:
    """Play short trials here for as long as workers would take to start.

    What is done by then needs none, and nothing takes more than twice as long as it must.
    """
    latest = time.perf_counter() + SECONDS_TO_START
    short = all(_forecast_seconds(each) < SECONDS_PER_REPORT for each in experiments)
    while short and time.perf_counter() < latest and (batch := next(waiting, None)) is not None:
        on_done(batch, _play(experiments, batch))


def _forecast_seconds(experiment: Experiment) -> float:
    cls = attack_type(experiment.attack, without_features=experiment.without_features)
    return SECONDS_PER_LABEL * cls.effort * cls.work(experiment.problem)


class _Batch(NamedTuple):
    """Some trials of one experiment, given by its position."""

    experiment: int
    trials: range


def _play(experiments: Sequence[Experiment], batch: _Batch) -> list[Row]:
    return [run_trial(experiments[batch.experiment], trial) for trial in batch.trials]


class _Batches:
    """All trials in batches that double until one keeps a worker busy for a moment.

    Long trials go first, so that the workers finish together.
    """

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        self._experiments = experiments
        self._sizes = [1] * len(experiments)

    def __iter__(self) -> Iterator[_Batch]:
        def cost(at: int) -> int:
            n, _, k = self._experiments[at].problem
            return n * k

        for at in sorted(range(len(self._experiments)), key=cost, reverse=True):
            start, trials = 0, self._experiments[at].trials
            while start < trials:
                stop = min(start + self._sizes[at], trials)
                yield _Batch(at, range(start, stop))
                start = stop

    def learn(self, batch: _Batch, rows: Sequence[Row]) -> None:
        """Let batches of that experiment be larger if this one took little time."""
        at = batch.experiment
        seconds = sum(row["seconds"] for row in rows)
        if len(rows) == self._sizes[at] and seconds < SECONDS_PER_REPORT:
            self._sizes[at] *= 2
