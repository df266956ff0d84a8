"""Hit pools: gains with each constant changed, and where the planner prefers them.

    python -m benchmarks.hit_pools --around --trials 8 --seed 993
    python -m benchmarks.hit_pools --map
    python -m benchmarks.hit_pools --border --trials 12 --seed 994
    python -m benchmarks.hit_pools --prior --trials 8 --seed 1995

`--around` changes one constant of `attacks/exact/hit_pools/tuning.py` at a time, all on the same
labels. `--map` asks the planner which attack is best, by classes and load k m / n, at k = 1000:
forecasts, no games. `--border` plays hit pools, steered pools and champion-challenger on the same
labels where the map's choice changes. `--prior` plays hit pools and champion-challenger from the
same priors, and hit pools without, at (10000, 100), k = 1000: shares of the classes that fall with
a power of their rank, and the posterior of one normal number per label, of some mean for the true
one. Gains are above the prior's own guess.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.power import shown
from benchmarks.tables import Table, print_rows
from holdfast.attacks import ChampionChallenger, HitPools, SteeredPools
from holdfast.attacks.exact.hit_pools import packing, tuning
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.planner import plan
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack

Floats = NDArray[np.float64]

SIZES = [(50_000, 1000, 300), (50_000, 1000, 1000), (10_000, 100, 1000)]
AROUND: list[dict[str, float]] = [
    {}, {"BLOCK_SHARE_RADIX_5": 0.65}, {"BLOCK_SHARE_RADIX_5": 0.92},
    {"BLOCK_SHARE_RADIX_3": 0.2}, {"BLOCK_SHARE_RADIX_3": 0.4}, {"SPLIT_FROM": 1.5},
    {"SPLIT_FROM": 2.1}, {"SPLIT_SEVERAL_FROM": 2.5}, {"HALVE_BELOW": 3.0},
    {"SUMS_HOPED_FOR": 1.1}, {"SUMS_HOPED_FOR": 1.5}, {"LAST_BLOCK": 0.8},
    {"LOOKS_FOR_A_ROUND": 40}, {"CLEARLY_LIKELIER": 2.0}, {"CLEARLY_LIKELIER": 1e9},
]  # fmt: skip
BORDER = [(30, 2), (30, 4), (50, 1), (50, 2)]
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


def compared(
    problem: Problem, entries: Mapping[str, Callable[..., Attack[Labels]]], trials: int, seed: int
) -> dict[str, list[float]]:
    """Play attacks that are made from a problem and `rng`, on the same labels."""
    n, m, _ = problem
    found: dict[str, list[float]] = {name: [] for name in entries}
    for sequence in np.random.SeedSequence([seed, *problem]).spawn(trials):
        hidden = np.random.default_rng(sequence).integers(m, size=n)
        for name, make in entries.items():
            attack = make(problem, rng=np.random.default_rng([seed, *sequence.spawn_key]))
            guess = play(attack, LabelOracle(hidden, problem=problem))
            found[name].append(float((guess == hidden).sum()) - n / m)
    return found


def border(trials: int, seed: int) -> None:
    """Print what the three gain where the planner's choice changes."""
    print("| classes | km/n | champion-challenger | steered-pools | hit-pools |")
    print("|--:|--:|--:|--:|--:|")
    rivals = {cls.name: cls for cls in (ChampionChallenger, SteeredPools, HitPools)}
    for m, load in BORDER:
        problem = Problem(round(LOOKS * m / load), m, LOOKS)
        found = compared(problem, rivals, trials, seed)
        cells = " | ".join(shown(found[name]) for name in rivals)
        print(f"| {m} | {load} | {cells} |", flush=True)


def shares(power: float, problem: Problem, rng: np.random.Generator) -> tuple[Labels, Floats]:
    """Return labels of classes whose shares fall with their rank, and the shares."""
    n, m, _ = problem
    law = np.arange(1, m + 1) ** -power
    law /= law.sum()
    return rng.choice(m, size=n, p=law), np.tile(law, (n, 1))


def evidence(strength: float, problem: Problem, rng: np.random.Generator) -> tuple[Labels, Floats]:
    """Return labels, and the posterior of one normal number for each."""
    n, m, _ = problem
    hidden = rng.integers(m, size=n)
    heard = rng.normal(size=(n, m))
    heard[np.arange(n), hidden] += strength
    odds = np.exp(strength * (heard - heard.max(axis=1, keepdims=True)))
    return hidden, odds / odds.sum(axis=1, keepdims=True)


def with_prior(trials: int, seed: int) -> None:
    """Print the gains from several priors."""
    problem = Problem(10_000, 100, 1000)
    print(
        "| prior | it has right | champion-challenger | hit-pools | hit-pools without it |",
        "|---|--:|--:|--:|--:|",
        sep="\n",
    )
    for draw, level in PRIORS:
        found: list[list[float]] = [[], [], [], []]
        for trial in range(trials):
            hidden, odds = draw(level, problem, np.random.default_rng([seed, trial]))
            known = Prior.dense(odds)
            start = float((known.top() == hidden).sum())
            found[0].append(start)
            rng = np.random.default_rng
            for at, attack in enumerate(
                (
                    ChampionChallenger(problem, rng=rng([seed, trial, 1]), prior=known),
                    HitPools(problem, rng=rng([seed, trial, 1]), prior=known),
                    HitPools(problem, rng=rng([seed, trial, 1])),
                ),
                1,
            ):
                guess = play(attack, LabelOracle(hidden, problem=problem))
                found[at].append(float((guess == hidden).sum()) - start)
        cells = " | ".join(shown(each) for each in found)
        print(f"| {draw.__name__} {level:g} | {cells} |", flush=True)


PRIORS = [
    (shares, 0.3), (shares, 0.5), (shares, 0.7), (evidence, 0.5), (evidence, 1.0), (evidence, 2.0),
]  # fmt: skip


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
    parser.add_argument("--border", action="store_true")
    parser.add_argument("--prior", action="store_true")
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--seed", type=int, default=993)
    options = parser.parse_args()
    if options.around:
        around(options.trials, options.seed)
    if options.border:
        border(options.trials, options.seed)
    if options.prior:
        with_prior(options.trials, options.seed)
    if options.map or not (options.around or options.border or options.prior):
        print_rows(map_table())


if __name__ == "__main__":
    main()
