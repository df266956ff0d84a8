"""Gain of looks above real models: `VoteStacking` from the votes of all models of a test set.

    python -m benchmarks.real_models --data DIR [--sets cifar10 mmlu] [--looks 100 300 1000]

DIR has a folder a test set, with `y.npy` and the models' predictions. The hidden labels answer the
looks, and count the matches of the guess and of the models at the end; they are used for nothing
else. Looks at models count as looks. "best model" is the most accurate of all models, whether or
not it was scored. Trials differ in the attack's seed alone. The first table has no look at all:
what the votes alone make of themselves, and how often that is right.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import VoteStacking
from holdfast.problem import Problem
from holdfast.votes import Votes


class RealSet(NamedTuple):
    """A test set and the votes of models: (n,) labels, (n, models) votes, m or more: no vote."""

    labels: NDArray[np.int64]
    votes: NDArray[np.int64]
    n_classes: int


class Game(NamedTuple):
    """Matches of the best model scored, of the weighted vote, and of the guess."""

    scored: int
    best_scored: int
    stack: int
    guess: int


def load(folder: Path) -> RealSet:
    """Read one folder, in whichever of its layouts."""
    (truth,) = [*folder.glob("y.npy"), *folder.glob("y_matched_frequency.npy")]
    labels = np.load(truth, allow_pickle=False).astype(np.int64)
    patterns = ("top1_*n_by_*.npz", "pred_30models.npz", "*pred_n_by_*.npz")
    (file,) = [path for pattern in patterns for path in folder.glob(pattern)]
    with np.load(file, allow_pickle=False) as arrays:
        votes = arrays["test" if "test" in arrays.files else arrays.files[0]].astype(np.int64)
    if votes.shape[0] != labels.size:
        votes = votes.T
    return RealSet(labels, votes, int(labels.max()) + 1)


def played(votes: Votes, labels: NDArray[np.int64], looks: int, seed: int) -> Game:
    """Play once."""
    n = labels.size
    problem = Problem(n, votes.n_classes, looks)
    attack = VoteStacking(votes, problem, rng=np.random.default_rng(seed))
    counts = []
    while (query := attack.ask()) is not None:
        counts.append(int((query == labels).sum()))
        attack.tell(counts[-1] / n)
    guess = int((attack.predict() == labels).sum())
    scored = attack.n_scored
    return Game(scored, max(counts[:scored]), counts[scored], guess)


def without_looks(folder: Path, names: list[str]) -> None:
    """Print how often the votes alone are right, and how often they believe to be."""
    print("| test set | models | best model | votes alone | believed |")
    print("|---|--:|--:|--:|--:|")
    for name in names:
        labels, models, m = load(folder / name)
        best = (models == labels[:, None]).mean(axis=0).max()
        stack = Votes(models, m).stack()
        right = (stack.top() == labels).mean()
        print(
            f"| {name} | {models.shape[1]} | {best:.4f} | {right:.4f} "
            f"| {stack.expected_accuracy:.4f} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    sets = ["imagenet_val", "cifar10", "mmlu", "mmlu_pro", "letter"]
    parser.add_argument("--sets", nargs="+", default=sets)
    parser.add_argument("--looks", nargs="+", type=int, default=[100, 300, 1000])
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    without_looks(options.data, options.sets)
    print()
    print(
        "| test set | n x m | models | best model | k | models scored | best of them | stack "
        "| after k looks | gain over the best model | s |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in options.sets:
        labels, models, m = load(options.data / name)
        n, best = labels.size, int((models == labels[:, None]).sum(axis=0).max())
        votes = Votes(models, m)
        for looks in options.looks:
            begin = time.perf_counter()
            games = [played(votes, labels, looks, options.seed + t) for t in range(options.trials)]
            seconds = (time.perf_counter() - begin) / options.trials
            ends = np.array([game.guess for game in games])
            error = ends.std(ddof=1) / np.sqrt(ends.size) if ends.size > 1 else float("nan")
            one = games[0]
            print(
                f"| {name} | {n} x {m} | {votes.n_models} | {best / n:.4f} | {looks} "
                f"| {one.scored} | {one.best_scored / n:.4f} | {one.stack / n:.4f} "
                f"| {ends.mean() / n:.4f} | {ends.mean() - best:.1f} ± {error:.1f} "
                f"| {seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
