"""Cells of the power record: boards on which attacks have gained so much, and how they are played.

A cell is a board (sizes, rule, metric, what a model knows) with fixed seeds. Its figure is a mean:

- `Game`: matches above n/m of one attack, called by name, or of `auto`, which is told the rule;
- `Best`: the same of the strongest of all attacks that can play under a rule;
- `AllLabels`: looks until an attack has proved every label, where less is more;
- `Audited`: the largest gain that an audit of a metric measures, in the audit's unit.

Only what a user can call plays: attacks by name or `Auto`, oracles, and audits.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.registry import make_attack
from holdfast.audit import Request, audit, parse_looks, parts_of
from holdfast.experiments.matrix import run_matrix
from holdfast.experiments.matrix_plays import Matrix
from holdfast.experiments.summary import Mean, mean_of
from holdfast.files.label_files import LabelFile
from holdfast.loop import play
from holdfast.metrics.display import Display
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import parse_rule

SEED = 20261118


class Board(NamedTuple):
    """Hidden labels drawn from a model that is right with chance `accuracy`, or uniformly."""

    problem: Problem
    rule: str = "exact"
    accuracy: float | None = None

    @property
    def name(self) -> str:
        """Sizes and rule, as tables write them."""
        n, m, k = self.problem
        model = "" if self.accuracy is None else f", a model right on {self.accuracy:.0%}"
        return f"n={n} m={m} k={k} {self.rule}{model}"

    def opened(self, trial: int) -> tuple[NDArray[np.int64], Prior | None, LabelOracle]:
        """Return the labels of one trial, what is known of them, and the board."""
        n, m, _ = self.problem
        rng = np.random.default_rng([SEED, trial, n, m])
        hidden, prior = rng.integers(m, size=n), None
        if self.accuracy is not None:
            top = np.where(
                rng.random(n) < self.accuracy, hidden, (hidden + rng.integers(1, m, n)) % m
            )
            rows = np.full((n, m), (1.0 - self.accuracy) / (m - 1))
            rows[np.arange(n), top] = self.accuracy
            prior = Prior.dense(rows)
        oracle = LabelOracle(
            hidden,
            problem=self.problem,
            mechanism=parse_rule(self.rule),
            rng=np.random.default_rng([SEED, trial, 1]),
        )
        return hidden, prior, oracle


class Game(NamedTuple):
    """Matches above n/m of one attack, or of `auto`, which knows the rule."""

    attack: str
    board: Board
    trials: int = 12

    higher_is_better = True

    @property
    def name(self) -> str:
        """What the record calls it."""
        return f"gain of {self.attack}: {self.board.name}"

    def played(self) -> Mean:
        """Play all trials."""
        return mean_of([self._gain(trial) for trial in range(self.trials)])

    def _gain(self, trial: int) -> float:
        n, m, _ = problem = self.board.problem
        hidden, prior, oracle = self.board.opened(trial)
        rng = np.random.default_rng([SEED, trial, 2])
        attack: Any = (
            Auto(problem, rng=rng, prior=prior, rule=parse_rule(self.board.rule))
            if self.attack == "auto"
            else make_attack(self.attack, problem, rng, prior=prior)
        )
        guess = play(attack, oracle)
        return float(np.count_nonzero(guess == hidden) - n / m)


class Best(NamedTuple):
    """Matches above n/m of the strongest attack under a rule, with one account or with several."""

    rule: str
    problem: Problem
    accounts: bool = False
    trials: int = 8

    higher_is_better = True

    @property
    def name(self) -> str:
        """What the record calls it."""
        several = " with accounts" if self.accounts else ""
        return f"best gain{several}: {Board(self.problem, self.rule).name}"

    def played(self) -> Mean:
        """Play every attack; the strongest plays again on fresh labels."""
        matrix = Matrix(self.problem, trials=self.trials, seed=SEED, rules=[self.rule])
        (summary,) = run_matrix(matrix)["rules"]
        bias = summary.bias_with_accounts if self.accounts else summary.bias
        n = self.problem.n_examples
        return Mean(n * bias.mean, n * bias.stderr)


class AllLabels(NamedTuple):
    """Looks until every label is proved; a wrong one is an error."""

    board: Board
    trials: int = 4

    higher_is_better = False

    @property
    def name(self) -> str:
        """What the record calls it."""
        return f"looks for all labels: {self.board.name}"

    def played(self) -> Mean:
        """Play all trials."""
        return mean_of([self._looks(trial) for trial in range(self.trials)])

    def _looks(self, trial: int) -> float:
        hidden, prior, oracle = self.board.opened(trial)
        rng = np.random.default_rng([SEED, trial, 2])
        attack: Any = make_attack("lattice", self.board.problem, rng, prior=prior)
        guess = play(attack, oracle)
        assert attack.certain().all()
        assert (guess == hidden).all()
        return oracle.looks


class Audited(NamedTuple):
    """The largest gain that an audit measures on a metric, over the best constant submission."""

    metric: str
    rule: str
    shares: tuple[float, ...]
    n_examples: int
    looks: int
    groups: int = 0

    higher_is_better = True

    @property
    def name(self) -> str:
        """What the record calls it."""
        by = f" by {self.groups} groups" if self.groups else ""
        shares = "/".join(f"{share:g}" for share in self.shares)
        sizes = f"n={self.n_examples} k={self.looks} classes {shares}"
        return f"audited {self.metric}{by}: {sizes} {self.rule}"

    def played(self) -> Mean:
        """Audit once, with the audit's own trials."""
        found = audit(self._asked())
        verdict = found.verdict
        gain, above = verdict.points.mean, verdict.points.upper
        # Gains are told in multiples of the rounding unit.
        rounding = found.rounding_unit / math.sqrt(12.0)
        return Mean(gain, math.hypot((above - gain) / T_975_OF_4, rounding))

    def _asked(self) -> Request:
        rng = np.random.default_rng([SEED, self.n_examples, len(self.shares)])
        sizes = np.rint(np.multiply(self.shares, self.n_examples)).astype(int)
        hidden = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.uint8)
        file = LabelFile(hidden, tuple(str(label) for label in range(len(sizes))))
        request = Request(
            name="power",
            file=file,
            parts=parts_of(file),
            rule=parse_rule(self.rule),
            looks=parse_looks(str(self.looks)),
            seed=SEED,
        )
        if not self.groups:
            return replace(request, display=Display.of(self.metric))
        groups = np.arange(hidden.size) % self.groups
        return replace(request, display=Display.of(self.metric, breakdown="part"), groups=groups)


# An interval's half width in standard errors, for the four games of an audit.
T_975_OF_4 = 3.182


FIFTH, TENTH = (0.2,) * 5, (0.1,) * 10
RARE, THIRD, EVEN = (0.95, 0.05), (0.7, 0.3), (0.5, 0.5)
SKEWED = (0.6, 0.2, 0.1, 0.06, 0.04)


def _cells() -> list[Game | Best | AllLabels | Audited]:
    few = [
        Game("auto", Board(Problem(2000, 2, 100)), trials=16),
        Game("auto", Board(Problem(2000, 10, 100)), trials=16),
        Game("auto", Board(Problem(5000, 100, 60)), trials=8),
        Game("champion-challenger", Board(Problem(1000, 10, 50)), trials=24),
        Game("block-majority", Board(Problem(2000, 2, 101)), trials=40),
    ]
    many = [
        Game("auto", Board(Problem(1000, 10, 400)), trials=6),
        Game("auto", Board(Problem(1000, 2, 150)), trials=8),
        Game("steered-pools", Board(Problem(1000, 10, 200)), trials=8),
        Game("pooled-detecting", Board(Problem(1000, 4, 300)), trials=12),
        Game("pooled-detecting", Board(Problem(1000, 2, 120)), trials=12),
        Game("hit-pools", Board(Problem(2000, 100, 200)), trials=6),
        Game("detecting", Board(Problem(600, 2, 140)), trials=12),
        Game("lattice", Board(Problem(1000, 10, 400)), trials=6),
    ]
    every = [
        AllLabels(Board(Problem(1000, 2, 4000))),
        AllLabels(Board(Problem(500, 3, 4000))),
        AllLabels(Board(Problem(1000, 4, 4000))),
        AllLabels(Board(Problem(300, 10, 4000))),
        AllLabels(Board(Problem(1000, 10, 4000)), trials=2),
        AllLabels(Board(Problem(300, 16, 4000))),
        AllLabels(Board(Problem(300, 30, 4000))),
        AllLabels(Board(Problem(500, 10, 4000), accuracy=0.9)),
    ]
    ruled = [
        Game("auto", Board(Problem(500, 10, 100), "round:2"), trials=12),
        Game("auto", Board(Problem(200, 2, 200), "round:1"), trials=16),
        Game("auto", Board(Problem(300, 4, 200), "round:2"), trials=16),
        Game("auto", Board(Problem(1000, 10, 200), "gaussian:0.03"), trials=24),
        Game("auto", Board(Problem(1000, 2, 200), "gaussian:0.01"), trials=24),
        Game("auto", Board(Problem(400, 2, 250), "subsample:0.5"), trials=16),
        Game("auto", Board(Problem(1000, 10, 100), "subsample:0.5"), trials=24),
        Game("auto", Board(Problem(200, 10, 400), "improved"), trials=24),
        Game("auto", Board(Problem(60, 4, 150), "improved"), trials=24),
        Game("auto", Board(Problem(500, 10, 200), "ladder:0.01"), trials=24),
        Game("auto", Board(Problem(300, 4, 100), "rank"), trials=24),
        Best("ladder:0.01", Problem(300, 4, 80)),
        Best("ladder:0.01", Problem(300, 4, 80), accounts=True),
        Best("improved", Problem(200, 4, 100), trials=16),
        Best("rank", Problem(200, 4, 100), trials=16),
        Best("subsample:0.5", Problem(300, 4, 100)),
        Best("gaussian:0.03", Problem(300, 4, 100)),
    ]
    informed = [
        Game("auto", Board(Problem(300, 10, 40), accuracy=0.7), trials=8),
        Game("auto", Board(Problem(300, 10, 40), "round:2", accuracy=0.7), trials=6),
        Game("auto", Board(Problem(600, 2, 60), "gaussian:0.01", accuracy=0.7), trials=8),
        Game("lattice", Board(Problem(500, 10, 150), accuracy=0.9), trials=6),
        Game("auto", Board(Problem(300, 10, 100), "improved", accuracy=0.7), trials=6),
    ]
    metrics = [
        Audited("f1", "round:2", RARE, 400, 60),
        Audited("f1", "exact", THIRD, 200, 60),
        Audited("f1_macro", "round:3", FIFTH, 200, 60),
        Audited("balanced_accuracy", "round:2", SKEWED, 200, 60),
        Audited("roc_auc", "round:3", THIRD, 200, 40),
        Audited("log_loss", "round:3", EVEN, 400, 15),
        Audited("mse", "round:2", FIFTH, 400, 15),
        Audited("top_k_accuracy:5", "exact", TENTH, 200, 60),
        Audited("f1", "round:2", THIRD, 200, 40, groups=4),
        Audited("accuracy", "round:2", FIFTH, 200, 40, groups=4),
    ]
    return [*few, *many, *every, *ruled, *informed, *metrics]


CELLS = {cell.name: cell for cell in _cells()}
