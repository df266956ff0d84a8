"""The adversary who has read the page: gain and detection of ways to evade it.

    python -m benchmarks.detect.evade --data DIR --out OUT

K close rows between the top two labels of five models' votes, exact answers, 100 looks, and a
linear-Gaussian decoder: each row's label is worth its posterior mean. Six seeds each.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.detect.common import columns, read_set, rng_of, rows_into, seen
from benchmarks.detect.honest import plurality
from holdfast.labels import Labels

LOOKS, SEEDS, CLOSE = 100, range(6), (150, 500)
SETS = ("cifar10", "letter", "mmlu")
Signs = NDArray[np.float64]
Design = Callable[[np.random.Generator, int, Labels], Signs]


def coin(share: float) -> Design:
    """Return designs that flip a share of rows: which rows is a coin's choice."""

    def design(rng: np.random.Generator, rows: int, agree: Labels) -> Signs:
        del agree
        return (rng.random((LOOKS, rows)) < share).astype(float)

    return design


def unequal(rng: np.random.Generator, rows: int, agree: Labels) -> Signs:
    """Flip every row with a chance of its own."""
    del agree
    return (rng.random((LOOKS, rows)) < rng.beta(0.5, 0.5, size=rows)).astype(float)


def directed(noise: float) -> Design:
    """Return designs that take the side of public models with random weights, and some coins."""

    def design(rng: np.random.Generator, rows: int, agree: Labels) -> Signs:
        del rows
        weights = rng.normal(size=(LOOKS, len(agree)))
        sides = weights @ (2.0 * agree - 1.0)
        return (sides + noise * rng.normal(size=sides.shape) > 0).astype(float)

    return design


def paths(rng: np.random.Generator, rows: int, agree: Labels) -> Signs:
    """Flip a coin's choice of rows step by step, ten looks a path."""
    del agree
    found = []
    for _ in range(LOOKS // 10):
        when = rng.integers(0, 20, size=rows)  # half of the rows are never flipped
        found += [(when <= at).astype(float) for at in range(10)]
    return np.array(found)


def mixed(every: int) -> Design:
    """Return coins in one look of so many; the others are real models, as zeros here."""

    def design(rng: np.random.Generator, rows: int, agree: Labels) -> Signs:
        del agree
        signs = (rng.random((LOOKS, rows)) < 0.5).astype(float)
        signs[np.arange(LOOKS) % every != 0] = np.nan
        return signs

    return design


WAYS: dict[str, Design] = {
    "coin": coin(0.5),
    "a quarter of rows": coin(0.25),
    "15 % of rows": coin(0.15),
    "5 % of rows": coin(0.05),
    "unequal chances": unequal,
    "public models, random weights": directed(0.0),
    "the same with noise": directed(3.0),
    "paths of ten looks": paths,
    "every second look a model": mixed(2),
    "every fourth look a probe": mixed(4),
}


def runner_up(votes: Labels, base: Labels) -> Labels:
    """Return the label with most votes but for the winning one, or that where there is no other."""
    most, found = np.zeros(votes.shape[1], int), base.copy()
    for vote in votes:
        count = (votes == vote).sum(axis=0) * (vote != base)
        more = count > most
        most[more], found[more] = count[more], vote[more]
    return found


def rows(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the row of every game."""
    for name in SETS:
        real = read_set(data, name)
        models = columns(real)
        for seed in SEEDS:
            order = rng_of("evade", name, seed).permutation(len(models))
            known, public = models[order[:5]], models[order[5:10]]
            panel = models[order[-min(9, len(models) - 5) :]]
            base = plurality(known, np.ones(5))
            second = runner_up(known, base)
            votes = (known == base).sum(axis=0)
            able = np.flatnonzero(second != base)
            for close in CLOSE:
                some = able[np.argsort(votes[able], kind="stable")[:close]]
                for way, design in WAYS.items():
                    rng = rng_of("evade", name, seed, close, way)
                    # Which of the two labels the public models take; those without a side flip one.
                    agree = (public[:, some] == second[some]).astype(np.uint8)
                    flips = design(rng, len(some), agree)
                    row = {"set": name, "seed": seed, "rows": len(some), "close": close}
                    yield row | {"way": way} | game(real.labels, base, second, some, flips, panel,
                                                    models[order[5:]], votes)  # fmt: skip


def game(
    labels: Labels,
    base: Labels,
    second: Labels,
    some: NDArray[np.intp],
    flips: Signs,
    panel: Labels,
    others: Labels,
    votes: NDArray[np.int64],
) -> dict[str, Any]:
    """Return gain in standard deviations, and the look at which it is flagged."""
    looks, asked = [], ~np.isnan(flips[:, 0])
    for at, flip in enumerate(flips):
        if not asked[at]:
            looks.append(others[at % len(others)])
            continue
        look = base.copy()
        turned = some[flip > 0]
        look[turned] = second[turned]
        looks.append(look)
    design = flips[asked]
    worth = (second[some] == labels[some]).astype(float) - (base[some] == labels[some])
    answers = design @ worth
    # A row's worth is +1, -1 or 0; what votes say of it beforehand is its mean.
    share = 1.0 - votes[some] / 5.0
    mean = 0.5 * share - 0.5 * votes[some] / 5.0
    prior = np.maximum(0.05, 0.8 - mean**2)
    cover = (design * prior) @ design.T + 1e-6 * np.eye(len(design))
    posterior = mean + prior * (design.T @ np.linalg.solve(cover, answers - design @ mean))
    gained = float(worth[posterior > 0].sum())
    right = float((base == labels).mean())
    sd = np.sqrt(len(labels) * right * (1.0 - right))
    return {"gain": round(gained / sd, 3)} | seen(looks, panel)._asdict()


def main() -> None:
    """Play all, and write a line each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows_into(given.out / "evade.jsonl", rows(given.data))


if __name__ == "__main__":
    main()
