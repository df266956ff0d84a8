"""Gains of the champion-challenger attacks: the figures in docs/attacks/steering.md.

    python -m benchmarks.champion_challenger gains --trials 60 --seed 2024
    python -m benchmarks.champion_challenger anytime --trials 12 --seed 2024
    python -m benchmarks.champion_challenger answers --trials 12 --seed 2024
    python -m benchmarks.champion_challenger time

Every trial draws uniform hidden labels and counts matches above n/m; the same labels are used for
every attack of a row. `time` prints seconds per game, the first (compiling) one left out.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.designs import answers, released, shown
from benchmarks.tables import Table, print_rows
from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks import AnytimeChampionChallenger, BlockMajority, ChampionChallenger
from holdfast.attacks.base import LabelAttack
from holdfast.problem import Problem

Make = Callable[[Problem, np.random.Generator, AnswerModel], LabelAttack]

EXACT = ExactAnswers()

CELLS = [
    Problem(n, m, k)
    for n, m, looks in [
        (10_000, 10, (10, 30, 100, 300, 1000)),
        (50_000, 1000, (30, 100, 300, 1000)),
        (10_000, 2, (30, 100, 300, 1000)),
        (14_042, 4, (30, 100, 300, 1000)),
    ]
    for k in looks
]


def gains(
    make: Make,
    problem: Problem,
    trials: int,
    seed: int,
    *,
    model: AnswerModel = EXACT,
    stop: int | None = None,
) -> NDArray[np.float64]:
    """Return the matches above n/m of every trial."""
    n, m, _ = problem
    out = np.empty(trials)
    for trial, sequence in enumerate(np.random.SeedSequence(seed).spawn(trials)):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        attack = make(problem, rng, model)
        while (query := attack.ask()) is not None:
            matches = int((query == hidden).sum())
            attack.tell(released(matches, n, model, rng))
            if attack.answered == stop:
                break
        out[trial] = (attack.predict() == hidden).sum() - n / m
    return out


def steered(problem: Problem, rng: np.random.Generator, model: AnswerModel) -> LabelAttack:
    """Make the attack that knows how many looks there are."""
    return ChampionChallenger(problem, rng=rng, answers=model)


def anytime(problem: Problem, rng: np.random.Generator, model: AnswerModel) -> LabelAttack:
    """Make the attack that does not."""
    return AnytimeChampionChallenger(problem, rng=rng, answers=model)


def blocks(problem: Problem, rng: np.random.Generator, _: AnswerModel) -> LabelAttack:
    """Make the paper's attack."""
    return BlockMajority(problem, rng=rng)


def rate_distortion(problem: Problem) -> float:
    """Return the gain at which n R(accuracy) = k/2 nats."""
    n, m, k = problem
    low, high = 1 / m, 1.0 - 1e-12
    for _ in range(60):
        a = (low + high) / 2
        rate = a * math.log(a * m) + (1 - a) * math.log((1 - a) * m / (m - 1))
        low, high = (low, a) if n * rate > k / 2 else (a, high)
    return n * (low - 1 / m)


def gain_row(problem: Problem, trials: int, seed: int) -> str:
    """Show both attacks on the same labels, the constant and the rate-distortion curve."""
    n, m, k = problem
    ours = gains(steered, problem, trials, seed)
    paper = gains(blocks, problem, trials, seed)
    return (
        f"| ({n}, {m}) | {k} | {shown(paper)} | {shown(ours)} "
        f"| {ours.mean() / math.sqrt(k * n / m):.3f} | {rate_distortion(problem):.0f} |"
    )


def gain_table(trials: int, seed: int) -> Table:
    """Return the gains; a fifth of the trials above 100 looks."""
    head = (
        "| (n, m) | k | BlockMajority | ChampionChallenger | C | n R(a) = k/2 |",
        "|---|--:|--:|--:|--:|--:|",
    )
    counts = [trials if each.n_queries <= 100 else trials // 5 for each in CELLS]
    pairs = zip(CELLS, counts, strict=True)
    rows = [partial(gain_row, each, count, seed) for each, count in pairs]
    return _table("champion-gains", "gains", head, rows, trials, seed)


def anytime_row(problem: Problem, trials: int, seed: int) -> str:
    """Show the anytime attack stopped after k looks beside the attack that knew k."""
    n, m, k = problem
    got = gains(anytime, Problem(n, m, 100_000), trials, seed, stop=k)
    best = gains(steered, problem, trials, seed)
    return f"| ({n}, {m}) | {k} | {shown(got)} | {shown(best)} |"


def anytime_table(trials: int, seed: int) -> Table:
    """Return what not knowing the number of looks costs."""
    head = (
        "| (n, m) | stopped after | AnytimeChampionChallenger | ChampionChallenger |",
        "|---|--:|--:|--:|",
    )
    rows = [partial(anytime_row, each, trials, seed) for each in CELLS[:4]]
    return _table("champion-anytime", "anytime", head, rows, trials, seed)


def answer_row(model: AnswerModel, trials: int, seed: int) -> str:
    """Show one kind of answers at (10000, 10), k = 128."""
    got = gains(steered, Problem(10_000, 10, 128), trials, seed, model=model)
    return f"| {answers(model)} | {shown(got)} |"


def answer_table(trials: int, seed: int) -> Table:
    """Return what rounding and noise leave."""
    models: list[AnswerModel] = [
        ExactAnswers(),
        RoundedAnswers(0.001),
        RoundedAnswers(0.01),
        NoisyAnswers(0.001),
        NoisyAnswers(0.003),
        NoisyAnswers(0.01),
    ]
    head = ("| answers | ChampionChallenger |", "|---|--:|")
    rows = [partial(answer_row, model, trials, seed) for model in models]
    return _table("champion-answers", "answers", head, rows, trials, seed)


def _table(
    name: str,
    words: str,
    head: tuple[str, str],
    rows: Sequence[Callable[[], str]],
    trials: int,
    seed: int,
) -> Table:
    command = f"python -m benchmarks.champion_challenger {words} --trials {trials} --seed {seed}"
    return Table(name, command, seed, head, rows)


def tables() -> list[Table]:
    """Return the tables of the page."""
    return [
        gain_table(60, 2024),
        anytime_table(12, 2024),
        answer_table(12, 2024),
    ]


def time_row(problem: Problem) -> str:
    """Show the seconds of one game on all cores of this machine."""
    n, m, k = problem
    begin = time.perf_counter()
    gains(steered, problem, 1, 0)
    return f"| ({n}, {m}) | {k} | {time.perf_counter() - begin:.2f} |"


def time_table() -> Table:
    """Return seconds per game; they depend on the machine, and no page shows them."""
    gains(steered, Problem(2000, 10, 20), 1, 0)
    head = ("| (n, m) | k | seconds |", "|---|--:|--:|")
    rows = tuple(partial(time_row, problem) for problem in CELLS)
    return Table("champion-time", "", 0, head, rows)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", choices=["gains", "anytime", "answers", "time"])
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    makers: dict[str, Callable[[], Table]] = {
        "gains": lambda: gain_table(options.trials, options.seed),
        "anytime": lambda: anytime_table(options.trials, options.seed),
        "answers": lambda: answer_table(options.trials, options.seed),
        "time": time_table,
    }
    made = makers[options.table]()
    print_rows(made)


if __name__ == "__main__":
    main()
