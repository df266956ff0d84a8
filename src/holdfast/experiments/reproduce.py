r"""Table 1 of the paper, measured: how the bias grows with k, n and m in both regimes.

The table says that the largest bias grows like sqrt(k/(mn)) for few queries and like k/n for many,
up to logarithms; that Feldman, Frostig and Hardt's polynomial attack reached sqrt(k/(m^2 n)) for
few; and that theirs for many takes exp(k) time where the paper's takes polynomial time. Here each
attack is played over a grid, and a weighted regression of log bias reads off the exponents.

Implements: acharya2020 tab:results (Table 1)
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.attacks import BlockMajority, ColumnVote, Exhaustive, NaiveBayes, UniformVote
from holdfast.bounds import naive_bayes
from holdfast.bounds.block_majority import expected_accuracy
from holdfast.bounds.column_vote import predicted_accuracy
from holdfast.experiments.regression import Exponents, exponents
from holdfast.experiments.summary import Mean, summarise
from holdfast.experiments.trials import Experiment, Row
from holdfast.problem import Problem

__all__ = [
    "FILE",
    "TABLE_1",
    "Grid",
    "MeasuredRow",
    "TableRow",
    "doubling_looks",
    "measure",
    "table_experiments",
]

# A processor clock may not have moved during a short trial.
CLOCK_TICK = 1e-9


class Grid(NamedTuple):
    """The values that k, n and m take."""

    k: tuple[int, ...]
    n: tuple[int, ...]
    m: tuple[int, ...]


@dataclass(frozen=True)
class TableRow:
    """One line of the table: an attack in its regime, and what the theory says.

    Parameters
    ----------
    attack
        The attack's name.
    regime
        "small k" or "large k".
    theory
        The exponents of k, n and m in the table, logarithms left out.
    grid
        Looks, sizes and classes; all combinations are played.
    trials
        Trials per grid point.
    work
        Whose result it is.
    expected_bias
        A closed form of the attack's bias, exact or of the normal limit, if there is one. Fitted
        over the same grid it shows what the hidden logarithms do to the exponents.
    """

    attack: str
    regime: str
    theory: tuple[float, float, float]
    grid: Grid
    trials: int
    work: str
    expected_bias: Callable[[Problem], float] | None = None

    @property
    def problems(self) -> list[Problem]:
        """Every point of the grid."""
        return [Problem(n, m, k) for n, m, k in product(self.grid.n, self.grid.m, self.grid.k)]


@dataclass(frozen=True)
class MeasuredRow:
    """A line of the table with its measured exponents, and the closed form's over the same grid."""

    row: TableRow
    measured: Exponents
    expected: Exponents | None
    seconds_per_trial: float


def _block_majority(problem: Problem) -> float:
    return expected_accuracy(problem) - 1 / problem.n_classes


def _column_vote(problem: Problem) -> float:
    return predicted_accuracy(problem) - 1 / problem.n_classes


class _TableLine(NamedTuple):
    """What the table says of an attack."""

    regime: str
    theory: tuple[float, float, float]
    work: str
    expected_bias: Callable[[Problem], float] | None = None


_LINES = {
    BlockMajority.name: _TableLine("small k", (0.5, -0.5, -0.5), "this paper", _block_majority),
    NaiveBayes.name: _TableLine(
        "small k", (0.5, -0.5, -1.0), "Feldman, Frostig, Hardt", naive_bayes.expected_bias
    ),
    ColumnVote.name: _TableLine("large k", (1.0, -1.0, 0.0), "this paper", _column_vote),
    UniformVote.name: _TableLine(
        "large k", (1.0, -1.0, 0.0), "this paper, their queries", _column_vote
    ),
    Exhaustive.name: _TableLine("large k", (1.0, -1.0, 0.0), "Feldman, Frostig, Hardt"),
}

# An experiment like any other: `holdfast.sweeps` reads the same file.
FILE = Path(__file__).with_name("table_1.toml")


def _rows(file: Path) -> Iterator[TableRow]:
    """Yield the lines of the table, with the grids that the experiment file gives them."""
    for part in tomllib.loads(file.read_text(encoding="utf-8"))["parts"]:
        (attack,) = part["attacks"]
        said = _LINES[attack]
        yield TableRow(
            attack,
            said.regime,
            said.theory,
            Grid(*(tuple(part[name]) for name in ("n_queries", "n_examples", "n_classes"))),
            trials=part["seeds"],
            work=said.work,
            expected_bias=said.expected_bias,
        )


TABLE_1 = tuple(_rows(FILE))


def table_experiments(
    seed: int, *, rows: Sequence[TableRow] = TABLE_1, effort: float = 1.0
) -> list[Experiment]:
    """Return the experiments of all lines, each with its own seed drawn from `seed`.

    `effort` scales the number of trials, down to two per grid point.
    """
    points = [(row, problem) for row in rows for problem in row.problems]
    seeds = np.random.SeedSequence(seed).generate_state(len(points))
    return [
        Experiment(
            row.attack, problem, trials=max(2, round(effort * row.trials)), seed=int(seeds[at])
        )
        for at, (row, problem) in enumerate(points)
    ]


def measure(played: Sequence[Row], *, rows: Sequence[TableRow] = TABLE_1) -> list[MeasuredRow]:
    """Fit the exponents of each line of the table to the rows that were played for it."""
    summaries = summarise(played)
    return [_measured(row, [s for s in summaries if s["attack"] == row.attack]) for row in rows]


def _measured(row: TableRow, summaries: list[dict[str, Any]]) -> MeasuredRow:
    expected = None
    if row.expected_bias is not None:
        expected = exponents(
            [{**s, "bias": Mean(row.expected_bias(_problem(s)), 0.0)} for s in summaries]
        )
    trials = sum(s["trials"] for s in summaries)
    return MeasuredRow(
        row, exponents(summaries), expected, sum(s["seconds"] for s in summaries) / trials
    )


def doubling_looks(played: Sequence[Row], attack: str) -> Mean:
    """Return how many more looks double the attack's time, by regression of log2 seconds on k.

    Only meaningful for a time that is exponential in k. Of each problem the fastest trial counts,
    which other work on the machine disturbs least, and of all problems the larger half of k, which
    the clock can tell apart.
    """
    fastest: dict[Problem, float] = {}
    for row in played:
        if row["attack"] == attack:
            problem = _problem(row)
            seconds = max(row["seconds"], CLOCK_TICK)
            fastest[problem] = min(seconds, fastest.get(problem, math.inf))
    middle = np.median([problem.n_queries for problem in fastest])
    slow = {p: seconds for p, seconds in fastest.items() if p.n_queries >= middle}
    looks, times = [p.n_queries for p in slow], [math.log2(seconds) for seconds in slow.values()]
    (slope, _), covariance = np.polyfit(looks, times, 1, cov=True)
    return Mean(float(1 / slope), float(math.sqrt(covariance[0, 0]) / slope**2))


def _problem(summary: Mapping[str, Any]) -> Problem:
    return Problem(summary["n_examples"], summary["n_classes"], summary["n_queries"])
