"""Distance of each attack from the true optimum of tiny problems: the table in docs/optimal.md.

    python -m benchmarks.tiny --seeds 10

Each attack plays against every one of the m^n label vectors, with several seeds; the mean is over
all of them. An attack that refuses a problem, or that the paper does not define there, shows "-".
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.tables import Table, print_rows
from holdfast.attacks.registry import attack_names, make_attack
from holdfast.errors import HoldfastError
from holdfast.optimal import optimal
from holdfast.problem import Problem

PROBLEMS = [(5, 2, 1), (5, 2, 2), (5, 2, 3), (8, 2, 3), (4, 3, 2), (5, 3, 3), (4, 4, 3), (3, 10, 3)]

# Attacks that ignore the answers, read only their order, start from a model, or play on runs.
SKIPPED = {
    "constant",
    "block-climb",
    "random-climb",
    "improvement-reader",
    "rank-reader",
    "prior-climb",
    "run-climb",
    "run-reader",
}


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


def row(name: str, seeds: int) -> str:
    """Return one attack's line."""
    cells = []
    for sizes in PROBLEMS:
        try:
            cells.append(f"{mean_accuracy(name, Problem(*sizes), seeds):.4f}")
        except HoldfastError:
            cells.append("-")
    return f"| {name} | " + " | ".join(cells) + " |"


def best_row() -> str:
    """Return the line of what is possible."""
    best = " | ".join(f"{float(optimal(*sizes)):.4f}" for sizes in PROBLEMS)
    return f"| **optimum** | {best} |"


def table(seeds: int) -> Table:
    """Return the optimum and every attack."""
    head = (
        "| attack | " + " | ".join(f"({n}, {m}), k={k}" for n, m, k in PROBLEMS) + " |",
        "|---" + "|--:" * len(PROBLEMS) + "|",
    )
    names = [name for name in attack_names() if name not in SKIPPED]
    rows: list[Callable[[], str]] = [best_row]
    rows += [partial(row, name, seeds) for name in names]
    command = f"python -m benchmarks.tiny --seeds {seeds}"
    return Table("tiny", command, 0, head, rows, row_names=names)


def tables() -> list[Table]:
    """Return the table of the page."""
    return [table(10)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    made = table(parser.parse_args().seeds)
    print_rows(made)


if __name__ == "__main__":
    main()
