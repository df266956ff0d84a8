"""Strength of the attacks: every goal, what was measured, and what the planner predicted.

    python -m benchmarks.power --cells small --trials 10 --seed 7001
    python -m benchmarks.power --cells all --trials 10 --seed 7001 --processes 2
    python -m benchmarks.power --before --trials 16 --seed 8801

Cells:
    small     matches above n/m, k <= 300
    middle    matches above n/m, k >= 1000
    lattice   looks for all labels, up to (10000, 10)
    large     looks for all labels at (10000, 100), (1000, 1000) and (50000, 1000)
    answers   rounded answers at (10000, 10), k = 128
    hole      fixed queries between the paper's two regimes
    prior     all labels from a calibrated model that is right 9 times in 10

`--before` plays the attack that the planner would have chosen before `SteeredPools` and `HitPools`
on the same labels, and shows both: cells of `BEFORE`, and of `BEFORE_FIXED` with fixed queries. All
of it takes about seven minutes.

`Auto` plays, so a line also tests the planner's choice. The paper's attacks play on the same hidden
labels. Predictions agree if they are within 10 % or four standard errors, and are called wrong
otherwise. No seed here was used to tune an attack or to make the planner's tables.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.before import before
from benchmarks.tables import Table, print_rows
from holdfast.attacks import BlockMajority, ColumnVote
from holdfast.bounds import best_impossible
from holdfast.bounds.binomial import entropy
from holdfast.experiments.pool import pool
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.rules import parse_rule

KINDS = ["small", "middle", "lattice", "large", "answers", "hole", "prior"]


class Cell(NamedTuple):
    """One line of the table."""

    kind: str
    problem: Problem
    goal: float  # a gain, or looks where all labels are wanted
    mechanism: str = "exact"
    non_adaptive: bool = False
    model_accuracy: float | None = None

    @property
    def wants_all(self) -> bool:
        """Whether the goal is a number of looks for every label."""
        return self.kind in ("lattice", "large", "prior")


class Result(NamedTuple):
    """What one game gave."""

    gain: float
    looks: int
    attack: str
    predicted: float
    predicted_looks: int
    block_majority: float
    column_vote: float


GAINS: dict[tuple[int, int], dict[int, float]] = {
    (10_000, 10): {10: 75, 30: 150, 100: 290, 300: 540, 1000: 1040, 3000: 3050, 5000: 5600},
    (50_000, 1000): {30: 36, 100: 72, 300: 136, 1000: 205},
    (10_000, 2): {100: 445, 300: 800, 1000: 2400},
    (14_042, 4): {100: 485, 300: 870, 1000: 1650, 3000: 5300},
}
LOOKS: dict[tuple[int, int], float] = {
    (1000, 2): 260,
    (10_000, 2): 1870,
    (10_000, 3): 2950,
    (14_042, 4): 5150,
    (10_000, 10): 7050,
    (10_000, 100): 20_400,
    (1000, 1000): math.nan,  # as many classes as examples: reported, no goal
    (50_000, 1000): 166_000,
}


def cells() -> Iterator[Cell]:
    """Yield every goal."""
    for (n, m), goals in GAINS.items():
        for k, goal in goals.items():
            yield Cell("small" if k <= 300 else "middle", Problem(n, m, k), goal)
    for (n, m), looks in LOOKS.items():
        ample = 4 * math.ceil(n * math.log(m) / entropy(n, m))
        yield Cell("large" if m >= 100 else "lattice", Problem(n, m, ample), looks)
    at_128 = Problem(10_000, 10, 128)
    yield Cell("answers", at_128, math.nan)
    yield Cell("answers", at_128, 0.95, "round:3")  # goals are shares of the line before
    yield Cell("answers", at_128, 0.50, "round:2")
    yield Cell("hole", Problem(10_000, 100, 1000), 10_000 * (0.034 - 0.01), non_adaptive=True)
    yield Cell("hole", Problem(50_000, 1000, 1000), 50_000 * (0.0049 - 0.001), non_adaptive=True)
    yield Cell("prior", Problem(10_000, 10, 20_000), 1800, model_accuracy=0.9)


def synthetic_model(accuracy: float, hidden: Labels, m: int, rng: np.random.Generator) -> Prior:
    """Return a calibrated model: sure of most examples, and of the others as unsure as it says.

    Three in five examples are right 99 times in 100; the others make up for the mean.
    """
    n = hidden.size
    unsure = rng.random(n) < 0.4
    confidence = np.where(unsure, (accuracy - 0.6 * 0.99) / 0.4, 0.99)
    wrong = (hidden + rng.integers(1, m, size=n)) % m
    top = np.where(rng.random(n) < confidence, hidden, wrong)
    return Prior.candidates(top[:, None], confidence[:, None], m)


def game(nothing: None, task: tuple[Cell, np.random.SeedSequence]) -> Result:
    """Play once: the planner's choice, then the paper's attacks on the same labels."""
    del nothing  # all that a game needs comes with its task
    cell, sequence = task
    problem = cell.problem
    n, m, _ = problem
    rng = np.random.default_rng(sequence)
    hidden = rng.integers(m, size=n)
    rule = parse_rule(cell.mechanism)
    prior = None
    if cell.model_accuracy is not None:
        prior = synthetic_model(cell.model_accuracy, hidden, m, rng)
    attack = Auto(
        problem,
        rng=rng,
        prior=prior,
        answers=rule.answer_model(problem),
        non_adaptive=cell.non_adaptive,
    )
    oracle = LabelOracle(hidden, problem=problem, mechanism=rule, rng=rng)
    guess = play(attack, oracle)
    sure = attack.certain()
    if (guess[sure] != hidden[sure]).any():
        raise AssertionError(f"A certain label was wrong at {cell}, {sequence}.")
    if cell.wants_all and (guess != hidden).any():
        raise AssertionError(f"Not every label was found at {cell}, {sequence}.")
    chosen = attack.plan.chosen
    began = n / m if prior is None else float((prior.top() == hidden).sum())

    def paper(other: Attack[Labels]) -> float:
        board = LabelOracle(hidden, problem=problem, mechanism=rule, rng=rng)
        return float((play(other, board) == hidden).sum()) - n / m

    compared = not cell.wants_all
    return Result(
        gain=float((guess == hidden).sum()) - began,
        looks=oracle.looks,
        attack=chosen.attack,
        predicted=math.nan if chosen.gain is None else chosen.gain,
        predicted_looks=chosen.looks,
        block_majority=paper(BlockMajority(problem, rng=rng)) if compared else math.nan,
        column_vote=paper(ColumnVote(problem, rng=rng)) if compared else math.nan,
    )


def shown(values: list[float]) -> str:
    """Return mean ± standard error."""
    if len(values) < 2:
        return f"{values[0]:,.1f}"
    return f"{np.mean(values):,.1f} ± {np.std(values, ddof=1) / math.sqrt(len(values)):.1f}"


def agrees(predicted: float, values: list[float]) -> bool:
    """Tell whether the prediction is within 10 % or four standard errors."""
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
    return abs(predicted - mean) <= max(0.1 * abs(mean), 4 * error)


@cache
def results(cell: Cell, trials: int, seed: int, processes: int) -> list[Result]:
    """Play one cell so often."""
    with pool(game, None, processes=processes) as games:
        sequences = np.random.SeedSequence(seed).spawn(trials)
        return list(games((cell, sequence) for sequence in sequences))


def row(cell: Cell, trials: int, seed: int, processes: int = 1) -> str:
    """Return one line of the table."""
    n, m, k = cell.problem
    played = results(cell, trials, seed, processes)
    last, looks = played[-1], [float(each.looks) for each in played]
    if cell.wants_all:
        nats = entropy(n, m) - (math.log(2) if m == 2 else 0.0)
        limit = n * math.log(m) / nats
        ratio = "" if cell.model_accuracy else f"{np.mean(looks) / limit:.3f}"
        reached = _reached([-each for each in looks], -cell.goal)
        return (
            f"| ({n}, {m}) | {_goal(cell.goal)} | {shown(looks)} | {reached} | {last.attack} "
            f"| {_told(last.predicted_looks, looks, 0)} | {limit:.0f} | {ratio} "
            f"| {9 * n * math.log(m):.0f} |"
        )
    gains = [each.gain for each in played]
    goal = cell.goal
    if cell.kind == "answers" and not math.isnan(goal):
        exact = results(cell._replace(mechanism="exact", goal=math.nan), trials, seed, processes)
        goal *= float(np.mean([each.gain for each in exact]))
    what = cell.mechanism + (", fixed queries" if cell.non_adaptive else "")
    return (
        f"| ({n}, {m}) | {k} | {what} | {_goal(goal)} | {shown(gains)} "
        f"| {_reached(gains, goal)} | {last.attack} | {_told(last.predicted, gains, 1)} "
        f"| {shown([r.block_majority for r in played])} "
        f"| {shown([r.column_vote for r in played])} "
        f"| {n * (best_impossible(cell.problem) - 1 / m):.0f} |"
    )


def _told(predicted: float, values: list[float], decimals: int) -> str:
    """Show a prediction, and say so if it is wrong."""
    return f"{predicted:.{decimals}f}" + ("" if agrees(predicted, values) else " (wrong)")


def _goal(goal: float) -> str:
    return "-" if math.isnan(goal) else f"{goal:.0f}"


def _reached(values: list[float], goal: float) -> str:
    """Tell whether the mean is at the goal, or below it by no more than two standard errors."""
    if math.isnan(goal):
        return "-"
    error = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
    short = goal - float(np.mean(values))
    return "yes" if short <= 0.0 else "within error" if short <= 2.0 * error else "NO"


GAIN_HEAD = (
    "| (n, m) | k | answers | goal | gain | reached | attack | predicted "
    "| BlockMajority | ColumnVote | impossible above |",
    "|---|--:|---|--:|--:|---|---|--:|--:|--:|--:|",
)
LOOK_HEAD = (
    "| (n, m) | goal | looks, zero errors | reached | attack | predicted "
    "| limit | ratio | 9 n log m |",
    "|---|--:|--:|---|---|--:|--:|--:|--:|",
)


# Gains to reach, (n, m, k); nan: not to be lost. With fewer looks the same attack plays as before.
BEFORE: dict[tuple[int, int, int], float] = {
    (10_000, 10, 300): math.nan,
    (10_000, 10, 1000): 1440,
    (10_000, 10, 3000): 4030,
    (10_000, 10, 5000): 6600,
    (10_000, 2, 100): 522,
    (10_000, 2, 300): math.nan,
    (10_000, 2, 1000): math.nan,
    (14_042, 4, 300): 915,
    (14_042, 4, 1000): 2225,
    (14_042, 4, 3000): math.nan,
    (50_000, 1000, 300): 162,
    (50_000, 1000, 1000): 440,
    (50_000, 1000, 3000): 945,
    (10_000, 100, 300): math.nan,
    (10_000, 100, 1000): 535,
    (10_000, 100, 3000): 1295,
}


# The same with queries that are fixed before the first answer: pools alone.
BEFORE_FIXED: dict[tuple[int, int, int], float] = {(10_000, 10, 1000): 1390}


def both(nothing: None, task: tuple[Problem, np.random.SeedSequence, bool]) -> tuple[float, float]:
    """Return what the attack before gains, and today's, on the same labels."""
    del nothing
    problem, sequence, fixed = task
    n, m, _ = problem
    rng = np.random.default_rng(sequence)
    hidden = rng.integers(m, size=n)
    seeds = rng.spawn(2)
    attacks = (
        before(problem, seeds[0], non_adaptive=fixed),
        Auto(problem, rng=seeds[1], non_adaptive=fixed),
    )
    guesses = [play(attack, LabelOracle(hidden, problem=problem)) for attack in attacks]
    was, now = (float((guess == hidden).sum()) - n / m for guess in guesses)
    return was, now


def before_row(
    problem: Problem,
    goal: float,
    trials: int,
    seed: int,
    processes: int = 1,
    *,
    fixed: bool = False,
) -> str:
    """Return one line of the table of both; `fixed`: with queries fixed before the first answer."""
    n, m, k = problem
    with pool(both, None, processes=processes) as games:
        sequences = np.random.SeedSequence([seed, n, m, k]).spawn(trials)
        played = list(games((problem, sequence, fixed) for sequence in sequences))
    was, new = ([each[at] for each in played] for at in (0, 1))
    who: Any = before(problem, np.random.default_rng(0), non_adaptive=fixed)
    chosen = Auto(problem, rng=np.random.default_rng(0), non_adaptive=fixed).plan.chosen
    assert chosen.gain is not None
    return (
        f"| ({n}, {m}) | {k}{', fixed queries' if fixed else ''} | {_goal(goal)} "
        f"| {shown(was)} | {who.name} | {shown(new)} "
        f"| {_reached(new, goal)} | {chosen.attack} | {_told(chosen.gain, new, 1)} "
        f"| {shown([b - a for a, b in played])} |"
    )


BEFORE_HEAD = (
    "| (n, m) | k | goal | before | attack | gain | reached | attack | predicted | difference |",
    "|---|--:|--:|--:|---|--:|---|---|--:|--:|",
)


def before_table(trials: int, seed: int, processes: int = 1) -> Table:
    """Return gains before and after on the same labels."""
    return Table(
        "power-before",
        f"python -m benchmarks.power --before --trials {trials} --seed {seed}",
        seed,
        BEFORE_HEAD,
        tuple(
            partial(before_row, Problem(*sizes), goal, trials, seed, processes)
            for sizes, goal in BEFORE.items()
        )
        + tuple(
            partial(before_row, Problem(*sizes), goal, trials, seed, processes, fixed=True)
            for sizes, goal in BEFORE_FIXED.items()
        ),
    )


def table(name: str, kinds: Sequence[str], trials: int, seed: int, processes: int = 1) -> Table:
    """Return the cells of some kinds, which have the same columns."""
    wanted = [cell for cell in cells() if cell.kind in kinds]
    return Table(
        f"power-{name}",
        f"python -m benchmarks.power --cells {' '.join(kinds)} --trials {trials} --seed {seed}",
        seed,
        LOOK_HEAD if wanted[0].wants_all else GAIN_HEAD,
        tuple(partial(row, cell, trials, seed, processes) for cell in wanted),
    )


def tables() -> list[Table]:
    """Return the tables of the page."""
    return [
        table("small", ["small"], 40, 8101),
        table("middle", ["middle"], 10, 8101),
        table("answers", ["answers", "hole"], 10, 8101),
        table("looks", ["lattice", "large"], 10, 8101),
        before_table(16, 8801),
    ]


def main() -> None:
    """Print the tables, a line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cells", nargs="+", choices=[*KINDS, "all"], default=["small"])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7001)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--before", action="store_true")
    options = parser.parse_args()
    if options.before:
        print_rows(before_table(options.trials, options.seed, options.processes))
        return
    for kind in KINDS if "all" in options.cells else options.cells:
        made = table(kind, [kind], options.trials, options.seed, options.processes)
        print_rows(made)


if __name__ == "__main__":
    main()
