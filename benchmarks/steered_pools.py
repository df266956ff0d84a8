"""Gain of pools with a steered tail by the length of the tail, and the law's share of it.

    python -m benchmarks.steered_pools --trials 12 --seed 991
    python -m benchmarks.steered_pools --trials 12 --seed 991 --stages
    python -m benchmarks.steered_pools --trials 16 --seed 992 --sizes 10000,10,1000

Every line is one tail: looks, gain, what is forecast, and which share of the rate-distortion law
the tail reached: the gain above the design's own forecast, over the law's. `SHARE_OF_LAW_REACHED`
and `LOOKS_LOST_BY_TAIL` in `attacks/steering/stages.py` are read off the last column. With
`--stages`: one round and a tail, and two rounds and a tail, on the same labels.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.power import shown
from holdfast.attacks import SteeredPools
from holdfast.attacks.exact.lindstrom import plan_pooled
from holdfast.attacks.steering.stages import OpenLabels, best_stages, best_tail, steered
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem

SIZES = [
    (10_000, 2, 100), (10_000, 2, 300), (14_042, 4, 300), (14_042, 4, 1000), (10_000, 10, 300),
    (10_000, 10, 1000), (10_000, 10, 3000), (1000, 10, 100), (10_000, 30, 1000), (2000, 100, 300),
]  # fmt: skip
# In units of the tail that is forecast to be the best.
LENGTHS = (0.0, 0.5, 1.0, 2.0)


def gains(problem: Problem, tail: int, trials: int, seed: int, second: int = 0) -> list[float]:
    """Play so often with one tail."""
    n, m, _ = problem
    found = []
    for sequence in np.random.SeedSequence([seed, *problem]).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        guess = play(
            SteeredPools(problem, rng=rng, tail=tail, second=second),
            LabelOracle(hidden, problem=problem),
        )
        found.append(float((guess == hidden).sum()) - n / m)
    return found


def stages(trials: int, seed: int) -> None:
    """Print what one round and two gain on the same labels."""
    print(
        "| (n, m) | k | tail | gain | second round | tail | gain | forecast | difference |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        sep="\n",
    )
    for sizes in (*SIZES, (10_000, 10, 5000), (10_000, 16, 3000), (2000, 10, 900)):
        n, m, k = problem = Problem(*sizes)
        second, tail, forecast = best_stages(problem)
        if not second:
            continue
        alone = best_tail(problem)
        one = gains(problem, alone, trials, seed)
        two = gains(problem, tail, trials, seed, second)
        more = shown([b - a for a, b in zip(one, two, strict=True)])
        print(
            f"| ({n}, {m}) | {k} | {alone} | {shown(one)} | {second} | {tail} | {shown(two)} "
            f"| {forecast:,.1f} | {more} |",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--seed", type=int, default=991)
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--sizes", default=None, help="n,m,k: these alone")
    options = parser.parse_args()
    if options.stages:
        stages(options.trials, options.seed)
        return
    print(
        "| (n, m) | k | tail | gain | forecast | of the law |",
        "|---|--:|--:|--:|--:|--:|",
        sep="\n",
    )
    asked = [tuple(map(int, options.sizes.split(",")))] if options.sizes else SIZES
    for sizes in asked:
        n, m, k = problem = Problem(*sizes)
        for tail in sorted({round(best_tail(problem) * length) for length in LENGTHS}):
            played = gains(problem, tail, options.trials, options.seed)
            design = Problem(n, m, k - tail)
            law = OpenLabels(design).law(tail) if tail else 0.0
            share = (np.mean(played) - plan_pooled(design).gain) / law if tail else np.nan
            told = f"{steered(problem, tail):,.1f} | {share:.2f}"
            print(f"| ({n}, {m}) | {k} | {tail} | {shown(played)} | {told} |", flush=True)


if __name__ == "__main__":
    main()
