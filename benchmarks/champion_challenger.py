"""Gains of the champion-challenger attacks: the figures in docs/attacks/champion_challenger.md.

    python -m benchmarks.champion_challenger gains --looks 10 30 100 --trials 60 --seed 2024
    python -m benchmarks.champion_challenger gains --looks 300 1000 --trials 12 --seed 2024
    python -m benchmarks.champion_challenger anytime --trials 12 --seed 2024
    python -m benchmarks.champion_challenger answers --trials 12 --seed 2024
    python -m benchmarks.champion_challenger time

Every trial draws uniform hidden labels and counts matches above n/m; the same labels are used for
every attack of a row. `time` prints seconds a game, the first (compiling) one left out.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.designs import released
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


def shown(values: NDArray[np.float64]) -> str:
    """Return mean ± standard error."""
    return f"{values.mean():.1f} ± {values.std(ddof=1) / math.sqrt(len(values)):.1f}"


def rate_distortion(problem: Problem) -> float:
    """Return the gain at which n R(accuracy) = k/2 nats."""
    n, m, k = problem
    low, high = 1 / m, 1.0 - 1e-12
    for _ in range(60):
        a = (low + high) / 2
        rate = a * math.log(a * m) + (1 - a) * math.log((1 - a) * m / (m - 1))
        low, high = (low, a) if n * rate > k / 2 else (a, high)
    return n * (low - 1 / m)


def gain_table(looks: list[int], trials: int, seed: int) -> Iterator[str]:
    """Show both attacks on the same labels, the energy bound and the rate-distortion curve."""
    yield "| (n, m) | k | BlockMajority | ChampionChallenger | C | n R(a) = k/2 |"
    yield "|---|--:|--:|--:|--:|--:|"
    for problem in CELLS:
        n, m, k = problem
        if k not in looks:
            continue
        ours = gains(steered, problem, trials, seed)
        paper = gains(blocks, problem, trials, seed)
        yield (
            f"| ({n}, {m}) | {k} | {shown(paper)} | {shown(ours)} "
            f"| {ours.mean() / math.sqrt(k * n / m):.3f} | {rate_distortion(problem):.0f} |"
        )


def anytime_table(trials: int, seed: int) -> Iterator[str]:
    """Show the anytime attack stopped after k looks beside the attack that knew k."""
    yield "| (n, m) | stopped after | AnytimeChampionChallenger | ChampionChallenger |"
    yield "|---|--:|--:|--:|"
    for n, m, k in CELLS[:4]:
        open_end, known = Problem(n, m, 100_000), Problem(n, m, k)
        got = gains(anytime, open_end, trials, seed, stop=k)
        best = gains(steered, known, trials, seed)
        yield f"| ({n}, {m}) | {k} | {shown(got)} | {shown(best)} |"


def answer_table(trials: int, seed: int) -> Iterator[str]:
    """Show exact, rounded and noisy answers at (10000, 10), k = 128."""
    yield "| answers | ChampionChallenger |"
    yield "|---|--:|"
    problem = Problem(10_000, 10, 128)
    models: list[AnswerModel] = [
        ExactAnswers(),
        RoundedAnswers(0.001),
        RoundedAnswers(0.01),
        NoisyAnswers(0.001),
        NoisyAnswers(0.003),
        NoisyAnswers(0.01),
    ]
    for model in models:
        got = gains(steered, problem, trials, seed, model=model)
        yield f"| {model} | {shown(got)} |"


def time_table() -> Iterator[str]:
    """Show seconds a game on all cores of this machine."""
    yield "| (n, m) | k | seconds |"
    yield "|---|--:|--:|"
    warm = Problem(2000, 10, 20)
    gains(steered, warm, 1, 0)
    for problem in CELLS:
        n, m, k = problem
        begin = time.perf_counter()
        gains(steered, problem, 1, 0)
        yield f"| ({n}, {m}) | {k} | {time.perf_counter() - begin:.2f} |"


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", choices=["gains", "anytime", "answers", "time"])
    parser.add_argument("--looks", nargs="+", type=int, default=[10, 30, 100, 300, 1000])
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    tables: dict[str, Callable[[], Iterator[str]]] = {
        "gains": lambda: gain_table(options.looks, options.trials, options.seed),
        "anytime": lambda: anytime_table(options.trials, options.seed),
        "answers": lambda: answer_table(options.trials, options.seed),
        "time": time_table,
    }
    for line in tables[options.table]():
        print(line, flush=True)


if __name__ == "__main__":
    main()
