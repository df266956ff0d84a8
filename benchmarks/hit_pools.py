"""Hit pools: gains with each constant changed, and where the planner prefers them.

    python -m benchmarks.hit_pools --around --trials 8 --seed 993
    python -m benchmarks.hit_pools --map

`--around` changes one constant of `attacks/exact/hit_pools/tuning.py` at a time, all on the same
labels. `--map` asks the planner which attack is best, by classes and load k m / n, at k = 1000:
forecasts, no games.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from benchmarks.power import shown
from benchmarks.tables import Table, print_rows
from holdfast.attacks import HitPools
from holdfast.attacks.exact.hit_pools import packing, tuning
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.planner import plan
from holdfast.problem import Problem

SIZES = [(50_000, 1000, 300), (50_000, 1000, 1000), (10_000, 100, 1000)]
AROUND: list[dict[str, float]] = [
    {}, {"FIVE": 0.65}, {"FIVE": 0.92}, {"THREE": 0.2}, {"THREE": 0.4}, {"SPLIT_FROM": 1.5},
    {"SPLIT_FROM": 2.1}, {"SPLIT_SEVERAL_FROM": 2.5}, {"HALVE_BELOW": 3.0}, {"HOPE": 1.1},
    {"HOPE": 1.5}, {"LAST_BLOCK": 0.8}, {"LOOKS_FOR_A_ROUND": 40}, {"CLEARLY_LIKELIER": 2.0},
    {"CLEARLY_LIKELIER": 1e9},
]  # fmt: skip
CLASSES, LOADS, LOOKS = (10, 20, 30, 50, 100, 300, 1000), (0.5, 1, 2, 4, 8, 16, 32, 64), 1000


def gains(problem: Problem, trials: int, seed: int) -> list[float]:
    """Play so often."""
    n, m, _ = problem
    found = []
    for sequence in np.random.SeedSequence([seed, *problem]).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        guess = play(HitPools(problem, rng=rng), LabelOracle(hidden, problem=problem))
        found.append(float((guess == hidden).sum()) - n / m)
    return found


def around(trials: int, seed: int) -> None:
    """Print the gain with each constant changed."""
    print("| changed | " + " | ".join(f"({n}, {m}), k = {k}" for n, m, k in SIZES) + " |")
    print("|---" * (1 + len(SIZES)) + "|")
    for change in AROUND:
        kept = {name: getattr(tuning, name) for name in change}
        for name, value in change.items():
            setattr(tuning, name, value)
        packing.forget()
        cells = [shown(gains(Problem(*sizes), trials, seed)) for sizes in SIZES]
        words = ", ".join(f"{name} = {value:g}" for name, value in change.items()) or "nothing"
        print(f"| {words} | " + " | ".join(cells) + " |", flush=True)
        for name, value in kept.items():
            setattr(tuning, name, value)
    packing.forget()


def map_row(n_classes: int) -> str:
    """Return the planner's choice for some classes at every load."""
    cells = []
    for load in LOADS:
        chosen = plan(Problem(max(2, round(LOOKS * n_classes / load)), n_classes, LOOKS)).chosen
        cells.append(f"{chosen.attack} {chosen.gain:,.0f}")
    return f"| {n_classes} | " + " | ".join(cells) + " |"


def map_table() -> Table:
    """Return where the planner prefers which attack."""
    head = (
        "| classes | " + " | ".join(f"km/n = {load:g}" for load in LOADS) + " |",
        "|--:" + "|---" * len(LOADS) + "|",
    )
    rows = tuple(partial(map_row, m) for m in CLASSES)
    return Table("hit-pools-map", "python -m benchmarks.hit_pools --map", 0, head, rows)


def tables() -> list[Table]:
    """Return the table of the page."""
    return [map_table()]


def main() -> None:
    """Print the map, or the gains around the constants."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--around", action="store_true")
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--seed", type=int, default=993)
    options = parser.parse_args()
    if options.around:
        around(options.trials, options.seed)
    if options.map or not options.around:
        print_rows(map_table())


if __name__ == "__main__":
    main()
