"""ColumnVote against the plain numpy way, and at the paper's own figure for all labels.

Peer: what a user would write: the whole query matrix, and one `np.add.at` per query to decode.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import numpy as np

from benchmarks.timing import Comparison, best_seconds, peak_megabytes, show
from holdfast import Problem, attacks, oracles, play

# Deciding every example, not only the paper's t, makes the work k x n on both sides.
EVERY_EXAMPLE = 1e-6


def main() -> None:
    """Print the comparison, then the large case from a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "part", nargs="?", choices=["all", "large"], default="all", help="default: all"
    )
    if parser.parse_args().part == "large":
        large()
        return
    show(against_plain_numpy())
    subprocess.run([sys.executable, "-m", "benchmarks.column_vote", "large"], check=True)


def against_plain_numpy() -> Comparison:
    """Time both at n = 10,000, m = 10, k = 20,000, where the matrix still fits in memory."""
    problem = Problem(10_000, 10, 20_000)
    hidden = np.random.default_rng(1).integers(10, size=10_000).astype(np.uint8)
    ours = np.empty(0)
    theirs = np.empty(0)

    def holdfast_way() -> None:
        nonlocal ours
        attack = attacks.ColumnVote(
            problem, rng=np.random.default_rng(2), queries_per_nat=EVERY_EXAMPLE
        )
        ours = play(attack, oracles.LabelOracle(hidden, problem=problem))

    def plain_way() -> None:
        nonlocal theirs
        n, m, k = problem
        rng = np.random.default_rng(2)
        column = np.repeat(np.arange(m, dtype=np.uint8), k // m)
        columns = rng.permuted(np.tile(column, (n, 1)), axis=1)
        matrix = np.ascontiguousarray(columns.T)
        answers = np.array([np.mean(row == hidden) for row in matrix])
        sums = np.zeros((n, m))
        examples = np.arange(n)
        for row, answer in zip(matrix, answers, strict=True):
            np.add.at(sums, (examples, row), answer)
        theirs = sums.argmax(axis=1)

    holdfast_way()
    comparison = Comparison(
        "ColumnVote at (10000, 10, 20000), every example decided",
        best_seconds(holdfast_way, repeats=3),
        "the plain numpy loop",
        best_seconds(plain_way, repeats=2),
        "at least 20 times faster",
    )
    print(
        f"accuracy: {np.mean(ours == hidden):.4f} here, {np.mean(theirs == hidden):.4f} plain",
        flush=True,
    )
    return comparison


def large() -> None:
    """Decide all labels at n = 10,000, m = 10, k = 207,212: the paper's t = n."""
    problem = Problem(10_000, 10, 207_212)
    hidden = np.random.default_rng(1).integers(10, size=10_000)
    start = time.perf_counter()
    attack = attacks.ColumnVote(problem, rng=np.random.default_rng(2))
    guess = play(attack, oracles.LabelOracle(hidden, problem=problem))
    seconds = time.perf_counter() - start
    print(
        f"ColumnVote at (10000, 10, 207212), t = {attack.n_live}: {seconds:.1f} s, "
        f"{peak_megabytes():.0f} MB peak, accuracy {np.mean(guess == hidden):.4f}; "
        f"goal: at most 60 s and 500 MB",
        flush=True,
    )


if __name__ == "__main__":
    main()
