"""Gains of the non-adaptive designs: the figures in docs/attacks, each with its standard error.

    python -m benchmarks.designs hadamard-blocks --trials 100 --seed 7

Every trial draws uniform hidden labels, answers each query as the release rule says and counts
matches above n/m. Nothing is timed here.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.tables import Table, print_rows
from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks import (
    BlockMajority,
    BoundaryChallenger,
    ChampionChallenger,
    Detecting,
    HadamardBlocks,
    LabelSubset,
    MessagePassing,
    PooledDetecting,
)
from holdfast.attacks.base import LabelAttack
from holdfast.problem import Problem

Make = Callable[[Problem, np.random.Generator, AnswerModel], LabelAttack]

EXACT = ExactAnswers()


def released(matches: int, n: int, model: AnswerModel, rng: np.random.Generator) -> float:
    """Return what a host that follows the model shows."""
    if isinstance(model, RoundedAnswers):
        return round(matches / n / model.step) * model.step
    if isinstance(model, NoisyAnswers):
        return matches / n + model.scale * float(rng.normal())
    return matches / n


def gains(make: Make, problem: Problem, model: AnswerModel, trials: int, seed: int) -> np.ndarray:
    """Return the matches above n/m of every trial."""
    n, m, _ = problem
    out = np.empty(trials)
    for trial, sequence in enumerate(np.random.SeedSequence(seed).spawn(trials)):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        attack = make(problem, rng, model)
        while (query := attack.ask()) is not None:
            attack.tell(released(int((query == hidden).sum()), n, model, rng))
        out[trial] = (attack.predict() == hidden).sum() - n / m
    return out


class Cell(NamedTuple):
    """One measurement: an attack, a problem, what its answers are like, and what is expected."""

    name: str
    make: Make
    problem: Problem
    model: AnswerModel
    trials: int
    forecast: Callable[[], float] | None = None  # accuracy


def shown(values: np.ndarray) -> str:
    """Return mean ± standard error."""
    return f"{values.mean():.1f} ± {values.std(ddof=1) / math.sqrt(values.size):.1f}"


def row(cell: Cell, seed: int) -> str:
    """Return one line of a Markdown table."""
    n, m, k = cell.problem
    got = gains(cell.make, cell.problem, cell.model, cell.trials, seed)
    predicted = "" if cell.forecast is None else f" {n * (cell.forecast() - 1 / m):.1f}"
    return (
        f"| {cell.name} | ({n}, {m}) | {k} | {answers(cell.model)} | {shown(got)} "
        f"|{predicted} | {1 / m + got.mean() / n:.5f} |"
    )


def answers(model: AnswerModel) -> str:
    """Return what a table calls an answer model."""
    if isinstance(model, RoundedAnswers):
        return f"{-round(math.log10(model.step))} decimals"
    if isinstance(model, NoisyAnswers):
        return f"noise, deviation {model.scale:g}".replace("0.", ".")
    return "exact"


def _forecast(cls: Any, problem: Problem, model: AnswerModel, trials: int) -> Cell:
    """Return the measurement of an attack that says what it expects of itself."""
    told = {} if cls in (Detecting, PooledDetecting) else {"answers": model}

    def make(problem: Problem, rng: np.random.Generator, _: AnswerModel) -> LabelAttack:
        attack: LabelAttack = cls(problem, rng=rng, **told)
        return attack

    forecast = partial(cls.expected_accuracy, problem, **told)
    return Cell(cls.__name__, make, problem, model, trials, forecast)


def _block_majority(problem: Problem, rng: np.random.Generator, _: AnswerModel) -> LabelAttack:
    return BlockMajority(problem, rng=rng)


def hadamard_blocks(trials: int) -> Iterator[Cell]:
    """HadamardBlocks beside the paper's chain, under exact, rounded and noisy answers."""
    problem = Problem(10_000, 10, 128)
    for model in (EXACT, RoundedAnswers(0.001), RoundedAnswers(0.01), NoisyAnswers(0.005)):
        yield _forecast(HadamardBlocks, problem, model, trials)
        yield Cell("BlockMajority", _block_majority, problem, model, trials)
    for problem in (Problem(10_000, 10, 101), Problem(10_000, 2, 100), Problem(10_000, 100, 51)):
        yield _forecast(HadamardBlocks, problem, EXACT, trials)


def label_subset(trials: int) -> Iterator[Cell]:
    """LabelSubset in the paper's regime hole, for few queries, and under rounded answers."""
    cells: list[tuple[Problem, AnswerModel]] = [
        (Problem(10_000, 100, 1000), EXACT),
        (Problem(50_000, 1000, 1000), EXACT),
        (Problem(10_000, 10, 1000), EXACT),
        (Problem(10_000, 10, 128), EXACT),
        (Problem(10_000, 10, 128), RoundedAnswers(0.001)),
        (Problem(10_000, 10, 128), RoundedAnswers(0.01)),
        (Problem(10_000, 10, 128), NoisyAnswers(0.005)),
    ]
    for problem, model in cells:
        yield _forecast(LabelSubset, problem, model, max(10, trials * 128 // problem.n_queries))


def message_passing(trials: int) -> Iterator[Cell]:
    """MessagePassing from few queries to all labels."""
    cells: list[tuple[Problem, AnswerModel]] = [
        (Problem(10_000, 10, 128), EXACT),
        (Problem(10_000, 10, 128), RoundedAnswers(0.01)),
        (Problem(10_000, 10, 1000), EXACT),
        (Problem(10_000, 10, 3000), EXACT),
        (Problem(10_000, 100, 1000), EXACT),
        (Problem(50_000, 1000, 1000), EXACT),
        (Problem(2_000, 2, 1200), EXACT),
        (Problem(2_000, 10, 4200), EXACT),
    ]
    for problem, model in cells:
        yield _forecast(MessagePassing, problem, model, max(10, trials * 128 // problem.n_queries))


def detecting(trials: int) -> Iterator[Cell]:
    """One exact round: labels identified, and the largest gain."""
    for m, n, k in ((2, 5120, 1024), (3, 3082, 1024), (10, 649, 1024), (10, 1553, 2048)):
        yield _forecast(Detecting, Problem(n, m, k), EXACT, max(3, trials // 30))
    cells = [(10_000, 10, k) for k in (10, 30, 100, 300, 1000, 3000, 5000)]
    cells += [(10_000, 2, k) for k in (100, 300, 1000)]
    cells += [(14_042, 4, k) for k in (100, 300, 1000, 3000)]
    for n, m, k in cells:
        count = max(20, min(trials, trials * 128 // k))
        yield _forecast(PooledDetecting, Problem(n, m, k), EXACT, count)


HEAD = (
    "| attack | (n, m) | k | answers | gain | predicted | accuracy |",
    "|---|---|--:|---|--:|--:|--:|",
)
ROUNDING_HEAD = ("| attack | exact | 3 decimals | 2 decimals |", "|---|--:|--:|--:|")


def rounding_row(name: str, make: Make, trials: int, seed: int) -> str:
    """Measure what rounding leaves of an attack's gain."""
    problem = Problem(10_000, 10, 128)
    models = (EXACT, RoundedAnswers(0.001), RoundedAnswers(0.01))
    cells = (shown(gains(make, problem, model, trials, seed)) for model in models)
    return f"| {name} | " + " | ".join(cells) + " |"


def rounding(trials: int, seed: int) -> Iterator[Callable[[], str]]:
    """Yield one row for each attack that plays rounded answers."""
    makers: dict[str, Make] = {
        "BoundaryChallenger": lambda p, rng, a: BoundaryChallenger(p, rng=rng, answers=a),
        "ChampionChallenger": lambda p, rng, a: ChampionChallenger(p, rng=rng, answers=a),
        "LabelSubset": lambda p, rng, a: LabelSubset(p, rng=rng, answers=a),
        "HadamardBlocks": lambda p, rng, a: HadamardBlocks(p, rng=rng, answers=a),
        "BlockMajority": _block_majority,
    }
    for name, make in makers.items():
        yield partial(rounding_row, name, make, trials, seed)


SECTIONS: dict[str, Callable[[int], Iterator[Cell]]] = {
    "detecting": detecting,
    "hadamard-blocks": hadamard_blocks,
    "label-subset": label_subset,
    "message-passing": message_passing,
}


def table(section: str, trials: int, seed: int) -> Table:
    """Return one section's table."""
    if section == "rounding":
        head, rows = ROUNDING_HEAD, tuple(rounding(trials, seed))
    else:
        cells = SECTIONS[section](trials)
        head, rows = HEAD, tuple(partial(row, cell, seed) for cell in cells)
    command = f"python -m benchmarks.designs {section} --trials {trials} --seed {seed}"
    return Table(section, command, seed, head, rows)


def tables() -> list[Table]:
    """Return the tables of the pages."""
    return [
        table("detecting", 100, 7),
        table("hadamard-blocks", 200, 7),
        table("label-subset", 100, 7),
        table("message-passing", 100, 7),
        table("rounding", 40, 11),
    ]


def main() -> None:
    """Print the table of one section."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("section", choices=sorted([*SECTIONS, "rounding"]))
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    made = table(options.section, options.trials, options.seed)
    print_rows(made)


if __name__ == "__main__":
    main()
