"""What looks add to real models: champion-challenger starting from the models' votes.

    python -m benchmarks.real_models --data DIR [--sets cifar10 mmlu] [--looks 100 300 1000]

DIR has a folder a test set, with `y.npy` and the models' predictions. The prior is made from the
votes of the most accurate models by their published scores, the log-odds of which are their
weights: these scores were released before and are not counted as looks. Beyond them the hidden
labels are used to answer looks and to count matches at the end, for nothing else. A label's score
is the sum of the weights of the models that chose it. One look at the top-scored labels, taken
from the budget, fixes the temperature at which the scores, as a softmax, expect the accuracy it
showed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from holdfast.attacks import ChampionChallenger
from holdfast.priors import Prior
from holdfast.problem import Problem


class RealSet(NamedTuple):
    """A test set and the votes of models: (n,) labels, (n, models) votes, m or more: no vote."""

    labels: NDArray[np.int64]
    votes: NDArray[np.int64]
    n_classes: int


def load(folder: Path) -> RealSet:
    """Read one folder, in whichever of its layouts."""
    labels = np.load(folder / "y.npy", allow_pickle=False).astype(np.int64)
    (file,) = [
        path
        for pattern in ("top1_n_by_*.npz", "pred_30models.npz", "pred_n_by_*.npz")
        for path in folder.glob(pattern)
    ]
    with np.load(file, allow_pickle=False) as arrays:
        votes = arrays["test" if "test" in arrays.files else arrays.files[0]].astype(np.int64)
    if votes.shape[0] != labels.size:
        votes = votes.T
    return RealSet(labels, votes, int(labels.max()) + 1)


def scores(real: RealSet, n_models: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the best-scored labels of every example, by falling score, and their scores."""
    labels, votes, m = real
    published = (votes == labels[:, None]).mean(axis=0)
    chosen = np.argsort(-published, kind="stable")[:n_models]
    total = np.zeros((len(votes), m), dtype=np.float32)
    for model in chosen:
        cast = np.flatnonzero(votes[:, model] < m)
        weight = np.log(published[model] * (m - 1) / (1.0 - published[model]))
        total[cast, votes[cast, model]] += np.float32(weight)
    best = np.argsort(-total, axis=1, kind="stable")[:, : min(n_models, m)]
    return best.astype(np.int64), np.take_along_axis(total, best, axis=1).astype(np.float64)


def at_temperature(scored: NDArray[np.float64], m: int, temperature: float) -> NDArray[np.float64]:
    """Return the softmax of the scores, the labels not listed scoring 0."""
    odds = np.exp((scored - scored[:, :1]) / temperature)
    rest = (m - scored.shape[1]) * np.exp(-scored[:, 0] / temperature)
    return np.asarray(odds / (odds.sum(axis=1) + rest)[:, None])


def calibrated(scored: NDArray[np.float64], m: int, accuracy: float) -> NDArray[np.float64]:
    """Return probabilities whose first column has this mean."""

    def excess(log_temperature: float) -> float:
        made = at_temperature(scored, m, float(np.exp(log_temperature)))
        return float(made[:, 0].mean()) - accuracy

    return at_temperature(scored, m, float(np.exp(brentq(excess, -6.0, 8.0))))


def attacked(real: RealSet, looks: int, n_models: int, seed: int) -> tuple[int, int]:
    """Return the matches of the top-scored labels and of the attack's guess."""
    labels, _, m = real
    listed, scored = scores(real, n_models)
    top = int((listed[:, 0] == labels).sum())  # the first look
    n = labels.size
    prior = Prior.candidates(listed, calibrated(scored, m, top / n), m)
    problem = Problem(n, m, looks - 1)
    attack = ChampionChallenger(problem, rng=np.random.default_rng(seed), prior=prior)
    while (query := attack.ask()) is not None:
        attack.tell(int((query == labels).sum()) / n)
    return top, int((attack.predict() == labels).sum())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    sets = ["imagenet_val", "cifar10", "mmlu", "mmlu_pro", "letter"]
    parser.add_argument("--sets", nargs="+", default=sets)
    parser.add_argument("--looks", nargs="+", type=int, default=[100, 300, 1000])
    parser.add_argument("--models", type=int, default=5, help="models that vote")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=2024)
    options = parser.parse_args()
    print("| test set | n x m | best model | votes | k | after k looks | over the best model | s |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name in options.sets:
        real = load(options.data / name)
        n, best = real.labels.size, int((real.votes == real.labels[:, None]).sum(axis=0).max())
        for looks in options.looks:
            begin = time.perf_counter()
            ends = []
            for trial in range(options.trials):
                top, end = attacked(real, looks, options.models, options.seed + trial)
                ends.append(end)
            gain = np.array(ends) - best
            error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else float("nan")
            seconds = (time.perf_counter() - begin) / options.trials
            print(
                f"| {name} | {n} x {real.n_classes} | {best / n:.4f} | {top / n:.4f} | {looks} "
                f"| {np.mean(ends) / n:.4f} | {gain.mean():.0f} ± {error:.0f} | {seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
