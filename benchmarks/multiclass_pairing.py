"""Worth of each part of the weights of multiclass pairing: games in the limit of many examples.

    python -m benchmarks.multiclass_pairing --looks 30 --games 2000 --seed 1

With many examples an answer's unpredicted part is a standard normal number, and what it says is
linear: a game needs no labels, only the numbers. Most of the luck of a game lies in them, and
their mean and variance are known: the mean gain is that of a linear regression on the numbers and
their squares. Printed is gain / sqrt(k n / m); `without` sets one part of the weights to nothing.
The last line is the share of the squares of all estimates that is in labels below a fresh one.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import Table, print_rows
from holdfast.attacks.steering.champion_challenger import LAST_LOOK_LEVEL
from holdfast.attacks.steering.multiclass_pairing import (
    DEFAULT_WEIGHTS,
    SPENT_ON_BEATEN,
    LabelHistory,
    ShowWeights,
    multiclass_level,
    multiclass_pairing,
)

Floats = NDArray[np.float64]

POSITIONS = 200
CLASSES = [4, 10, 1000]
# Probabilities are 1/m times 1 + SMALL * value: small enough to be linear.
SMALL = 1e-4
PARTS = {
    "lead": ("lead", "lead_to_the_4th"),
    "second": ("second", "second_squared"),
    "memory of the last look": ("champion_was_last", "challenger_was_last"),
    "other odds for a fresh label": ("challenger_is_fresh",),
    "bar for known challengers": ("bar", "bar_by_looks_left", "bar_by_lead"),
}


def level(best: Floats, left: float) -> float:
    """Return c with the mean of (c^2 - best^2)+ equal to the looks left, by bisection."""
    low, high = 0.0, 2.0 * float(max(best.max(), math.sqrt(left)))
    for _ in range(40):
        middle = 0.5 * (low + high)
        spent = np.maximum(middle**2 - np.maximum(best, 0.0) ** 2, 0.0).mean()
        low, high = (low, middle) if spent > left else (middle, high)
    return middle


def game(
    n_classes: int, innovations: Floats, weights: ShowWeights, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the gain of a game over sqrt(k n / m), and what share beaten labels hold."""
    k, n = innovations.size, POSITIONS
    spread = 1.0 - 1.0 / n_classes
    values = np.zeros((min(n_classes, k + 1), n))
    past = np.zeros((k, n), dtype=np.uint8)
    inverse = np.zeros((k, k))
    shown = LabelHistory(n)
    for t in range(k):
        if t > 0:
            rows = values[: int(shown.reached.max()) + 1]
            best = (rows.max(axis=0) - values.sum(axis=0) / n_classes) / math.sqrt(spread)
            lead = level(best, float(k - t)) / math.sqrt(spread)
            slope = SMALL * lead * multiclass_level(k) * (LAST_LOOK_LEVEL if t == k - 1 else 1.0)
            past[t], _ = multiclass_pairing(
                1.0 + SMALL * rows,
                shown,
                slope,
                rng.random(n),
                left=k - t,
                looks=k,
                weights=weights,
            )
            shown.add(past[t])
        agree = ((past[: t + 1] == past[t]).mean(axis=1) - 1.0 / n_classes) / spread
        known = inverse[:t, :t] @ agree[:t]
        new = math.sqrt(max(1.0 - known @ known, 1e-12))
        inverse[t, : t + 1] = np.append(-known @ inverse[:t, :t], 1.0) / new
        moves = innovations[t] / math.sqrt(spread) * inverse[t, : t + 1]
        for s in range(t + 1):
            values[past[s], np.arange(n)] += moves[s]
    ends = values.max(axis=0) - values.sum(axis=0) / n_classes
    lost = float((np.minimum(values, 0.0) ** 2).sum() / (values**2).sum())
    return float(ends.mean()) / math.sqrt(k), lost


def measure(
    n_classes: int, looks: int, weights: ShowWeights, games: int, seed: int
) -> tuple[float, float, Floats]:
    """Return the mean of gain / sqrt(k n / m), its standard error, and the shares lost."""
    gains, lost, facts = np.empty(games), np.empty(games), np.empty((games, 2 * looks + 1))
    for i in range(games):
        rng = np.random.default_rng([seed, i])
        numbers = rng.standard_normal(looks)
        gains[i], lost[i] = game(n_classes, numbers, weights, rng)
        facts[i] = np.concatenate([[1.0], numbers, numbers**2 - 1.0])
    fit, *_ = np.linalg.lstsq(facts, gains, rcond=None)
    rest = gains - facts @ fit
    return float(fit[0]), math.sqrt(rest @ rest / (games - facts.shape[1]) / games), lost


def row(
    name: str, weights: ShowWeights, classes: Sequence[int], looks: int, games: int, seed: int
) -> str:
    """Return the line of one set of weights."""
    found = [measure(m, looks, weights, games, seed) for m in classes]
    return f"| {name} |" + "".join(f" {mean:.4f} ± {error:.4f} |" for mean, error, _ in found)


def last_row(classes: Sequence[int], looks: int, games: int, seed: int) -> str:
    """Return the line of what is lost in beaten labels."""
    shares = [measure(m, looks, DEFAULT_WEIGHTS, games, seed)[2] for m in classes]
    cells = (f" {lost.mean():.3f} ± {lost.std() / math.sqrt(games):.3f} |" for lost in shares)
    return f"| in beaten labels (foreseen {SPENT_ON_BEATEN / math.sqrt(looks):.3f}) |" + "".join(
        cells
    )


def table(classes: Sequence[int], looks: int, games: int, seed: int) -> Table:
    """Return what all weights are worth, and what is lost without some."""
    weights = {"all of it": DEFAULT_WEIGHTS}
    for name, fields in PARTS.items():
        weights["without " + name] = DEFAULT_WEIGHTS._replace(**dict.fromkeys(fields, 0.0))
    settings = (classes, looks, games, seed)
    few = (classes, 10, 50, seed)
    return Table(
        "multiclass-pairing",
        f"python -m benchmarks.multiclass_pairing --looks {looks} --games {games} --seed {seed}",
        seed,
        (
            f"| k = {looks} |" + "".join(f" m = {m} |" for m in classes),
            "|---|" + "--:|" * len(classes),
        ),
        (
            *(partial(row, name, each, *settings) for name, each in weights.items()),
            partial(last_row, *settings),
        ),
        {"few-games": partial(row, "all of it", DEFAULT_WEIGHTS, *few)},
    )


def tables() -> list[Table]:
    """Return the table of the page."""
    return [table(CLASSES, 30, 1000, 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=int, nargs="+", default=CLASSES)
    parser.add_argument("--looks", type=int, default=30)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.games <= 4 * args.looks + 2:
        parser.error(f"games must be above {4 * args.looks + 2}, got {args.games}.")
    made = table(args.classes, args.looks, args.games, args.seed)
    print_rows(made)


if __name__ == "__main__":
    main()
