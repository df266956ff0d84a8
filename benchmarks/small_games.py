"""Many small games: what a game of every attack takes, beside the time of its own kernel.

A game is a whole trial: labels, attack, looks, guess, score. Its kernel is what can't be left out:
the match counts of its looks, bare, on ready-made arrays of this size, and the attack's own work on
examples, which is what a game of twenty times as many takes more than one of ten times as many, for
each example, without their counts. All else is overhead: it does not grow with the examples.

Processor time, games of all sizes in turn, the shortest of several rounds. Searches that are an
attack's own work but do not grow with the examples (the lattice's) count as overhead here.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import holdfast.planner  # noqa: F401 - registers the attack that plans first
from benchmarks.timing import Comparison, show
from holdfast import Problem
from holdfast.attacks.registry import attack_names
from holdfast.errors import HoldfastError
from holdfast.evaluate import matches_and_largest
from holdfast.experiments.trials import Experiment, run, run_trial

SIZES = Problem(2000, 10, 100)
# Where those play that can't play there: for two classes, and for a search over few labelings.
ELSEWHERE = {"boosting": Problem(2000, 2, 100), "exhaustive": Problem(2000, 10, 20)}
GAMES = 1000
# Seconds for the games of one size in one round; a dear game is played less often.
SECONDS_A_ROUND = 0.25
ROUNDS = 3
COUNTS = 20_000


def main() -> None:
    """Print a line per attack, and the comparison of 1,000 games with bare counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attack", nargs="*", default=attack_names(), help="which; default: all")
    parser.add_argument("--seed", type=int, default=16)
    asked = parser.parse_args()
    show(many_games(asked.seed))
    print(f"{'attack':28} {'games':>6} {'game, ms':>9} {'kernel, ms':>10} {'ratio':>6}")
    for name in asked.attack:
        line(name, asked.seed)


def line(name: str, seed: int) -> None:
    """Print what a game takes, its kernel, and their ratio."""
    n, m, k = ELSEWHERE.get(name, SIZES)
    said = name if name not in ELSEWHERE else f"{name} ({n}, {m}, {k})"
    sizes = [Problem(n * times, m, k) for times in (1, 10, 20)]
    try:
        games = [Experiment(name, each, trials=1, seed=seed) for each in sizes]
        looks = [run_trial(game, 0)["looks"] for game in games]
    except HoldfastError as error:
        print(f"{said:28} not played: {error}")
        return
    first = processor_seconds(lambda: run_trial(games[0], 1), 1)
    number = int(np.clip(SECONDS_A_ROUND / max(first, 1e-6), 2, GAMES))
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        for at, game in enumerate(games):
            repeats = max(2, number // (1, 10, 20)[at])
            best[at] = min(best[at], mean_seconds(game, repeats))
    counts = [looks[at] * bare_count(each.n_examples, m) for at, each in enumerate(sizes)]
    own = ((best[2] - counts[2]) - (best[1] - counts[1])) / 10
    kernel = counts[0] + max(own, 0.0)
    ratio = best[0] / kernel if kernel > 0 else float("nan")
    print(
        f"{said:28} {number:6,} {1e3 * best[0]:9.3f} {1e3 * kernel:10.3f} {ratio:6.1f}", flush=True
    )


def mean_seconds(game: Experiment, repeats: int) -> float:
    """Return the processor seconds of a game, the mean of several."""
    start = time.process_time()
    for trial in range(repeats):
        run_trial(game, trial)
    return (time.process_time() - start) / repeats


def processor_seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the processor seconds of a call, the mean of several."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def bare_count(n: int, m: int) -> float:
    """Return the processor seconds of one match count, by the oracle's kernel, at best."""
    rng = np.random.default_rng(n)
    query, hidden = (rng.integers(m, size=n).astype(np.uint8) for _ in range(2))
    matches_and_largest(query, hidden)
    repeats = max(200, COUNTS * SIZES.n_examples // n)
    return min(
        processor_seconds(lambda: matches_and_largest(query, hidden), repeats) for _ in range(5)
    )


def many_games(seed: int) -> Comparison:
    """Time 1,000 games of the simplest attack on two processes against their bare counts on one."""
    problem = Problem(10_000, 10, 500)
    games = Experiment("block-majority", problem, trials=GAMES, seed=seed)
    run_trial(games, 0)
    best = counts = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run([games], processes=2)
        best = min(best, time.perf_counter() - start)
        counts = min(counts, GAMES * problem.n_queries * bare_count(10_000, 10))
    return Comparison(
        "1,000 games of block-majority at (10000, 10, 500), two processes",
        best,
        "500,000 bare match counts on one core",
        counts,
        "at most 2 times",
    )


if __name__ == "__main__":
    main()
