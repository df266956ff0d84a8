"""BlockMajority against the limit of any black-box attack: counting the matches of its queries.

Peer: 501 bare match counts on ready-made arrays, by numpy and by the oracle's own kernel,
whichever is faster. Also 1,000 trials as a sweep runs them, on two processes.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.timing import Comparison, best_seconds, show
from holdfast import Problem, attacks, oracles, play
from holdfast.evaluate import matches_and_largest
from holdfast.experiments.trials import Experiment, run


def main() -> None:
    """Print both comparisons."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    show(play_against_bare_counts())
    show(sweep())


def play_against_bare_counts() -> Comparison:
    """Time a whole game at n = 10^6, m = 1000, k = 501."""
    problem = Problem(1_000_000, 1000, 501)
    rng = np.random.default_rng(1)
    hidden = rng.integers(1000, size=1_000_000).astype(np.uint16)

    def game() -> None:
        attack = attacks.BlockMajority(problem, rng=np.random.default_rng(2))
        play(attack, oracles.LabelOracle(hidden, problem=problem))

    game()  # compiles
    attack = attacks.BlockMajority(problem, rng=np.random.default_rng(2))
    queries = []
    while (query := attack.ask()) is not None:
        queries.append(query)
        attack.tell(0.001)

    def bare_numpy() -> None:
        for query in queries:
            np.count_nonzero(query == hidden)

    def bare_kernel() -> None:
        for query in queries:
            matches_and_largest(query, hidden)

    limit = min(best_seconds(bare_numpy, repeats=3), best_seconds(bare_kernel, repeats=3))
    return Comparison(
        "play(BlockMajority) at n = 10^6, m = 1000, k = 501",
        best_seconds(game, repeats=3),
        "501 bare match counts",
        limit,
        "at most 2 times slower",
    )


def sweep() -> Comparison:
    """Time 1,000 trials at (10000, 10, 500) against as many bare match counts."""
    problem = Problem(10_000, 10, 500)
    experiment = Experiment("block-majority", problem, trials=1000, seed=3)
    rng = np.random.default_rng(4)
    query = rng.integers(10, size=10_000).astype(np.uint8)
    hidden = rng.integers(10, size=10_000).astype(np.uint8)

    def bare() -> None:
        for _ in range(10_000):
            matches_and_largest(query, hidden)

    bare()
    return Comparison(
        "1,000 trials of BlockMajority at (10000, 10, 500), two processes",
        best_seconds(lambda: run([experiment], processes=2), repeats=2),
        "500,000 bare match counts on one core",
        50 * best_seconds(bare, repeats=3),
        "at most 2 times",
    )


if __name__ == "__main__":
    main()
