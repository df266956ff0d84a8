"""How far each attack is from the true optimum of tiny problems: the table in docs/optimal.md.

    python -m benchmarks.tiny --seeds 10

Each attack plays against every one of the m^n label vectors, with several seeds; the mean is over
all of them. An attack that refuses a problem, or that the paper does not define there, shows "-".
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import numpy as np

from holdfast.attacks.registry import attack_names, make_attack
from holdfast.errors import HoldfastError
from holdfast.optimal import optimal
from holdfast.problem import Problem

PROBLEMS = [(5, 2, 1), (5, 2, 2), (5, 2, 3), (8, 2, 3), (4, 3, 2), (5, 3, 3), (4, 4, 3), (3, 10, 3)]

# Attacks that ignore the answers or read only their order.
SKIPPED = {"constant", "block-climb", "random-climb", "improvement-reader", "rank-reader"}


def mean_accuracy(name: str, problem: Problem, seeds: int) -> float:
    """Return the accuracy averaged over all label vectors and over the seeds."""
    n, m, _ = problem
    vectors = np.array(list(product(range(m), repeat=n)))
    matches = 0
    for hidden in vectors:
        for seed in range(seeds):
            # The same seed for all vectors: a deterministic strategy's mean is then exact.
            attack: Any = make_attack(name, problem, np.random.default_rng(seed))
            while (query := attack.ask()) is not None:
                attack.tell(int((query == hidden).sum()) / n)
            matches += int((attack.predict() == hidden).sum())
    return matches / (vectors.size * seeds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    print("| attack | " + " | ".join(f"({n}, {m}), k={k}" for n, m, k in PROBLEMS) + " |")
    print("|---" + "|--:" * len(PROBLEMS) + "|")
    best = " | ".join(f"{float(optimal(*sizes)):.4f}" for sizes in PROBLEMS)
    print(f"| **optimum** | {best} |")
    for name in attack_names():
        if name in SKIPPED:
            continue
        cells = []
        for sizes in PROBLEMS:
            try:
                cells.append(f"{mean_accuracy(name, Problem(*sizes), options.seeds):.4f}")
            except HoldfastError:
                cells.append("-")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
