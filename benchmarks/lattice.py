"""Looks that `Lattice` needs: the figures in docs/attacks/lattice.md.

    python -m benchmarks.lattice looks --trials 10 --seed 2025
    python -m benchmarks.lattice budgets --trials 10 --seed 2025

`looks`: all labels, and the ratio to n log2(m) / H(Bin(n, 1/m)). `budgets`: matches above n/m with
too few looks. Every trial draws uniform hidden labels; a wrong label that was called certain stops
the script. Seconds are those of a whole game, the oracle included; the first, compiling game is
left out.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator

import numpy as np
from scipy.stats import binom

from holdfast.attacks import Lattice
from holdfast.problem import Problem

ALL_LABELS = [
    (1000, 2),
    (10_000, 2),
    (10_000, 3),
    (14_042, 4),
    (10_000, 10),
    (10_000, 100),
    (1000, 1000),
    (50_000, 1000),
]

TOO_FEW = [(10_000, 10, 1000), (10_000, 10, 3000), (10_000, 10, 5000), (10_000, 2, 1000),
           (14_042, 4, 3000), (10_000, 100, 5000)]  # fmt: skip

UNLIMITED = 10**9


def limit(n: int, m: int) -> float:
    """Return n log2(m) / H(Bin(n, 1/m)); for two classes all but one answer's parity is known."""
    p = binom.pmf(np.arange(n + 1), n, 1 / m)
    entropy = float(-(p[p > 0] * np.log2(p[p > 0])).sum())
    return n * math.log2(m) / (entropy - (m == 2))


def game(n: int, m: int, k: int, sequence: np.random.SeedSequence) -> tuple[int, int, int, float]:
    """Play once; return looks, certain labels, right labels, seconds."""
    rng = np.random.default_rng(sequence)
    hidden = rng.integers(m, size=n)
    start = time.perf_counter()
    attack = Lattice(Problem(n, m, k), rng=rng)
    labels = hidden.astype(attack.predict().dtype)
    while (query := attack.ask()) is not None:
        attack.tell(np.count_nonzero(query == labels) / n)
    seconds = time.perf_counter() - start
    sure, guess = attack.certain(), attack.predict()
    if (guess[sure] != hidden[sure]).any():
        raise AssertionError(f"a certain label was wrong at {(n, m, k)}, {sequence}")
    return attack.answered, int(sure.sum()), int(np.count_nonzero(guess == hidden)), seconds


def games(n: int, m: int, k: int, trials: int, seed: int) -> np.ndarray:
    """Return one row for each trial."""
    game(200, m, k, np.random.SeedSequence(0))
    sequences = np.random.SeedSequence(seed).spawn(trials)
    return np.array([game(n, m, k, sequence) for sequence in sequences])


def _mean(values: np.ndarray) -> str:
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{values.mean():.1f} ± {error:.1f}"


def looks(trials: int, seed: int) -> Iterator[str]:
    yield "| (n, m) | limit | looks, zero errors | ratio | seconds |"
    yield "|---|--:|--:|--:|--:|"
    for n, m in ALL_LABELS:
        rows = games(n, m, UNLIMITED, trials if n * m < 10**7 else max(2, trials // 5), seed)
        if (rows[:, 1] < n).any():
            raise AssertionError(f"not all labels were recovered at {(n, m)}")
        bound = limit(n, m)
        yield (
            f"| ({n}, {m}) | {bound:.0f} | {_mean(rows[:, 0])} | "
            f"{rows[:, 0].mean() / bound:.3f} | {rows[:, 3].mean():.1f} |"
        )


def budgets(trials: int, seed: int) -> Iterator[str]:
    yield "| (n, m) | k | certain labels | gain over n/m |"
    yield "|---|--:|--:|--:|"
    for n, m, k in TOO_FEW:
        rows = games(n, m, k, trials, seed)
        yield f"| ({n}, {m}) | {k} | {_mean(rows[:, 1])} | {_mean(rows[:, 2] - n / m)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=["looks", "budgets"])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seed", type=int, default=2025)
    options = parser.parse_args()
    table = {"looks": looks, "budgets": budgets}[options.table]
    for line in table(options.trials, options.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
