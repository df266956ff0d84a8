"""Rounds of `Lattice`: what each yields, what full nodes would save, and other clusters.

    python -m benchmarks.lattice_rounds --problem 10000,10 --trials 4 --seed 2026
    python -m benchmarks.lattice_rounds --clusters --problem 2000,100 --trials 4 --seed 2026
    python -m benchmarks.lattice_rounds --leaving --problem 2000,100 --trials 8 --seed 2027

The first prints, round by round, its rows K, the bits per look that it learnt (what was open before
less what is open after), and its capacity: the places below the last one of every node, s - 1 bits
at a node of s bits, and the entropy of a difference of two labels of unknown positions on top. Then
the looks that would be saved if the first two rounds were full, at the rate of the others.

`--clusters` plays the same labels with other numbers of clusters than the attack's own, for many
classes; `--leaving` lets positions leave the clusters with fewer or more candidates.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.lattice import UNLIMITED, games, limit
from benchmarks.power import shown
from holdfast.attacks.exact.lattice import attack, tuning
from holdfast.attacks.exact.lattice.cluster import number_of_clusters
from holdfast.attacks.exact.rounds.recovery import Recovery

CLUSTERS = (0.5, 0.75, 1.5, 2.0)


class Logged(NamedTuple):
    """Rows of a round, and the bits that were open before it."""

    rows: int
    bits: float


@contextmanager
def logged() -> Iterator[list[Logged]]:
    """Write down the rounds of all games, one after the other."""
    found: list[Logged] = []
    choose = Recovery.choose

    def noted(self: Recovery, *told: Any) -> Any:
        rows, fillings = choose(self, *told)
        if fillings:
            found.append(Logged(rows, self.bits()))
        return rows, fillings

    with mock.patch.object(Recovery, "choose", noted):
        yield found


def capacity(rows: int, m: int) -> float:
    """Return the bits per look of a round whose nodes are full."""
    lower = sum(node.bit_count() - 1 for node in range(1, rows))
    # Two positions, each 1, -1 or 0 with probabilities 1/m, 1/m and the rest.
    one = np.array([1.0 / m, 1.0 - 2.0 / m, 1.0 / m])
    law = np.convolve(one, one)
    return (lower + (rows - 1) * float(-(law * np.log2(law)).sum())) / rows


def trace(n: int, m: int, trials: int, seed: int) -> None:
    """Print the rounds of the first game, and what full rounds would save in all of them."""
    with logged() as rounds:
        taken = games(n, m, UNLIMITED, trials, seed)[:, 0]
    starts = [at for at, each in enumerate(rounds) if at == 0 or each.bits > rounds[at - 1].bits]
    saved = []
    print("| round | K | bits left | bits per look | capacity |", "|--:|--:|--:|--:|--:|", sep="\n")
    for start, stop in zip(starts, [*starts[1:], len(rounds)], strict=True):
        game = rounds[start:stop]
        learnt = [a.bits - b for a, b in zip(game, [*(g.bits for g in game[1:]), 0.0], strict=True)]
        room = [each.rows * capacity(each.rows, m) for each in game]
        if start == 0:
            for at, (each, got, full) in enumerate(zip(game, learnt, room, strict=True), 1):
                rates = f"{got / each.rows:.2f} | {full / each.rows:.2f}"
                print(f"| {at} | {each.rows} | {each.bits:,.0f} | {rates} |")
        later = sum(learnt[2:]) / sum(each.rows for each in game[2:])
        saved.append((sum(room[:2]) - sum(learnt[:2])) / later)
    bound, mean = limit(n, m), float(taken.mean())
    print(f"{shown(taken.tolist())} looks, {mean / bound:.3f} times the limit")
    print(f"first two rounds full: {(mean - np.mean(saved)) / bound:.3f} times the limit")


def clusters(n: int, m: int, trials: int, seed: int) -> None:
    """Print the looks with other numbers of clusters."""
    own = number_of_clusters
    print("| clusters | looks | more |", "|--:|--:|--:|", sep="\n")
    usual: list[float] = []
    for factor in (1.0, *CLUSTERS):
        used: list[int] = []

        def number(
            *sizes: Any, factor: float = factor, used: list[int] = used, **named: Any
        ) -> int:
            used.append(max(1, round(factor * own(*sizes, **named))))
            return used[-1]

        with mock.patch(f"{attack.__name__}.number_of_clusters", number):
            taken = games(n, m, UNLIMITED, trials, seed)[:, 0].tolist()
        usual = usual or taken
        more = shown([a - b for a, b in zip(taken, usual, strict=True)])
        print(f"| {used[0]} | {shown(taken)} | {more} |", flush=True)
    leaving(n, m, trials, seed, usual)


def leaving(n: int, m: int, trials: int, seed: int, usual: list[float] | None = None) -> None:
    """Print the looks if positions leave the clusters with other numbers of candidates."""
    if usual is None:
        usual = games(n, m, UNLIMITED, trials, seed)[:, 0].tolist()
        print("| leaving with | looks | more |", "|--:|--:|--:|", sep="\n")
        print(f"| {tuning.CANDIDATES_TO_LEAVE} candidates | {shown(usual)} | |", flush=True)
    kept = tuning.CANDIDATES_TO_LEAVE
    for leave in (6, 24):
        tuning.CANDIDATES_TO_LEAVE = leave
        taken = games(n, m, UNLIMITED, trials, seed)[:, 0].tolist()
        tuning.CANDIDATES_TO_LEAVE = kept
        more = shown([a - b for a, b in zip(taken, usual, strict=True)])
        print(f"| own, left with {leave} candidates | {shown(taken)} | {more} |", flush=True)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--problem", default="10000,10", help="n,m")
    parser.add_argument("--trials", type=int, default=4)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--clusters", action="store_true")
    parser.add_argument("--leaving", action="store_true")
    options = parser.parse_args()
    n, m = map(int, options.problem.split(","))
    chosen: dict[str, Callable[[int, int, int, int], None]] = {
        "clusters": clusters, "leaving": leaving
    }  # fmt: skip
    what = next((chosen[name] for name in chosen if getattr(options, name)), trace)
    what(n, m, options.trials, options.seed)


if __name__ == "__main__":
    main()
