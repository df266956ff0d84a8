"""How strong the attacks are: every goal, what was measured, and what the planner predicted.

    python -m benchmarks.power --cells small --trials 10 --seed 7001
    python -m benchmarks.power --cells all --trials 10 --seed 7001 --processes 2
    python -m benchmarks.power --cells large --sizes 10000,100 --trials 2

Cells:
    small     matches above n/m, k <= 300
    middle    matches above n/m, k >= 1000
    lattice   looks for all labels, up to (10000, 10)
    large     looks for all labels at (10000, 100), (1000, 1000) and (50000, 1000)
    answers   rounded answers at (10000, 10), k = 128
    hole      fixed queries between the paper's two regimes
    prior     all labels from a calibrated model that is right 9 times in 10

`Auto` plays, so a line also tests the planner's choice. The paper's attacks play on the same hidden
labels. Predictions agree if they are within 10 % or four standard errors. No seed here was used
to tune an attack or to make the planner's tables. Seconds are those of a whole game, oracle and
planning included, and depend on the machine.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from holdfast.attacks import BlockMajority, ColumnVote
from holdfast.bounds import best_impossible
from holdfast.bounds.binomial import entropy
from holdfast.experiments.pool import pool
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.mechanisms import parse_mechanism
from holdfast.oracles import LabelOracle
from holdfast.planner import Auto
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack

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
    seconds: float
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
    rule = parse_mechanism(cell.mechanism)
    prior = None
    if cell.model_accuracy is not None:
        prior = synthetic_model(cell.model_accuracy, hidden, m, rng)
    start = time.perf_counter()
    attack = Auto(
        problem,
        rng=rng,
        prior=prior,
        answers=rule.answer_model(problem),
        non_adaptive=cell.non_adaptive,
    )
    oracle = LabelOracle(hidden, problem=problem, mechanism=rule, rng=rng)
    guess = play(attack, oracle)
    seconds = time.perf_counter() - start
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
        seconds=seconds,
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


def agrees(predicted: float, values: list[float]) -> str:
    """Tell whether the prediction is within 10 % or four standard errors."""
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
    return "yes" if abs(predicted - mean) <= max(0.1 * abs(mean), 4 * error) else "NO"


def line(cell: Cell, results: list[Result], reference: float) -> str:
    """Return one line of the table; `reference` is what a share of a gain refers to."""
    n, m, k = cell.problem
    looks = [float(each.looks) for each in results]
    gains = [each.gain for each in results]
    seconds = f"{np.mean([each.seconds for each in results]):.1f}"
    last = results[-1]
    if cell.wants_all:
        nats = entropy(n, m) - (math.log(2) if m == 2 else 0.0)
        limit = n * math.log(m) / nats
        ratio = "" if cell.model_accuracy else f"{np.mean(looks) / limit:.3f}"
        reached = _reached([-each for each in looks], -cell.goal)
        return (
            f"| ({n}, {m}) | {_goal(cell.goal)} | {shown(looks)} | {reached} | {last.attack} "
            f"| {last.predicted_looks} | {agrees(last.predicted_looks, looks)} "
            f"| {limit:.0f} | {ratio} | {9 * n * math.log(m):.0f} | {seconds} |"
        )
    goal = cell.goal * reference if cell.kind == "answers" else cell.goal
    what = cell.mechanism + (", fixed queries" if cell.non_adaptive else "")
    return (
        f"| ({n}, {m}) | {k} | {what} | {_goal(goal)} | {shown(gains)} "
        f"| {_reached(gains, goal)} | {last.attack} | {last.predicted:.1f} "
        f"| {agrees(last.predicted, gains)} | {shown([r.block_majority for r in results])} "
        f"| {shown([r.column_vote for r in results])} "
        f"| {n * (best_impossible(cell.problem) - 1 / m):.0f} | {seconds} |"
    )


def _goal(goal: float) -> str:
    return "-" if math.isnan(goal) else f"{goal:.0f}"


def _reached(values: list[float], goal: float) -> str:
    """Tell whether the mean is at the goal, or below it by no more than two standard errors."""
    if math.isnan(goal):
        return "-"
    error = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
    short = goal - float(np.mean(values))
    return "yes" if short <= 0.0 else "within error" if short <= 2.0 * error else "NO"


GAIN_HEAD = [
    "| (n, m) | k | answers | goal | gain | reached | attack | predicted | agree "
    "| BlockMajority | ColumnVote | impossible above | s |",
    "|---|--:|---|--:|--:|---|---|--:|---|--:|--:|--:|--:|",
]
LOOK_HEAD = [
    "| (n, m) | goal | looks, zero errors | reached | attack | predicted | agree "
    "| limit | ratio | 9 n log m | s |",
    "|---|--:|--:|---|---|--:|---|--:|--:|--:|--:|",
]


def main() -> None:
    """Print the table, a line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cells", nargs="+", choices=[*KINDS, "all"], default=["small"])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7001)
    parser.add_argument("--sizes", nargs="+", metavar="N,M", help="only these n,m")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    kinds = KINDS if "all" in options.cells else options.cells
    with pool(game, None, processes=options.processes) as games:
        head: list[str] = []
        reference = math.nan
        for cell in cells():
            n, m, _ = cell.problem
            if cell.kind not in kinds or (options.sizes and f"{n},{m}" not in options.sizes):
                continue
            wanted = LOOK_HEAD if cell.wants_all else GAIN_HEAD
            if wanted is not head:
                head = wanted
                print("\n".join(["", *head]), flush=True)
            sequences = np.random.SeedSequence(options.seed).spawn(options.trials)
            results = list(games((cell, sequence) for sequence in sequences))
            print(line(cell, results, reference), flush=True)
            if cell.mechanism == "exact":
                reference = float(np.mean([each.gain for each in results]))


if __name__ == "__main__":
    main()
