"""What an optimiser loses under each release rule: the table of docs/optimisers.md.

    python -m benchmarks.optimisers [SEEDS]

A search over five numbers for the model that is right most often, with 40 looks at 1,000 hidden
labels; the loss is in points of true accuracy against the same search with exact scores. TPE is
Optuna's, where that is installed; evolution keeps the better half of ten and crosses them; hill
climbing keeps a change that is told to be better. `as told` takes whatever is released for the
submission's own score, `own` what `receipt.score` says.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from holdfast.guard import Guard, Ledger, Policy

N, LOOKS, DIMENSIONS = 1000, 40, 5
RULES = ("exact", "round:2", "gaussian:0.01", "ladder:0.01")
Point = NDArray[np.float64]
Tell = Callable[[Point], float | None]


class Model:
    """A model whose accuracy depends on five numbers, and what the guard tells of it."""

    def __init__(self, rule: str, ledger: Ledger, seed: int, *, own: bool) -> None:
        rng = np.random.default_rng(seed)
        self.best, self.hard = rng.uniform(0.2, 0.8, DIMENSIONS), rng.random(N)
        self.labels = rng.integers(2, size=N)
        self.own = own
        self.guard = Guard(self.labels, Policy(rule, looks_per_team=LOOKS), ledger, n_classes=2)

    def value(self, point: Point) -> float:
        """Return the accuracy on fresh examples."""
        return float(0.9 - np.mean((point - self.best) ** 2))

    def tell(self, point: Point) -> float | None:
        """Return what a search learns of a point; None: nothing of its own."""
        guess = np.where(self.hard < self.value(point), self.labels, 1 - self.labels)
        receipt = self.guard.try_score(guess, team="search")
        return receipt.score if self.own else receipt.shown


def climb(tell: Tell, rng: np.random.Generator) -> Point:
    """Change the best point so far; keep what is told to be better."""
    best, top = rng.random(DIMENSIONS), -1.0
    for _ in range(LOOKS):
        point = np.clip(best + rng.normal(0, 0.15, DIMENSIONS), 0, 1)
        told = tell(point)
        if told is not None and told > top:
            best, top = point, told
    return best


def evolve(tell: Tell, rng: np.random.Generator) -> Point:
    """Keep the better half of ten, and cross and change two of them for each newcomer."""
    points = [rng.random(DIMENSIONS) for _ in range(10)]
    pool = [(tell(point), point) for point in points]
    known = [(told, point) for told, point in pool if told is not None]
    for _ in range(LOOKS - len(points)):
        known = sorted(known, key=lambda each: -each[0])[:5]
        one, other = (known[rng.integers(len(known))][1] for _ in range(2))
        point = np.where(rng.random(DIMENSIONS) < 0.5, one, other)
        point = np.clip(point + rng.normal(0, 0.1, DIMENSIONS), 0, 1)
        told = tell(point)
        if told is not None:
            known.append((told, point))
    return max(known, key=lambda each: each[0])[1]


def tpe(tell: Tell, rng: np.random.Generator) -> Point:
    """Model the values of all trials."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=int(rng.integers(2**31)))
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def objective(trial: optuna.Trial) -> float:
        point = np.array([trial.suggest_float(f"x{at}", 0, 1) for at in range(DIMENSIONS)])
        told = tell(point)
        if told is None:
            raise optuna.TrialPruned
        return told

    study.optimize(objective, n_trials=LOOKS)
    return np.array([study.best_params[f"x{at}"] for at in range(DIMENSIONS)])


def main(seeds: int) -> None:
    """Print the mean loss of each search under each rule, with its standard error."""
    warnings.simplefilter("ignore")
    searches = {"hill climbing": climb, "evolution": evolve}
    if importlib.util.find_spec("optuna"):
        searches["TPE"] = tpe
    print(f"mean loss in points (standard error), {seeds} searches of {LOOKS} looks")
    for name, search in searches.items():
        reached: dict[str, list[float]] = {}
        for rule in RULES:
            for own in (True, False) if rule == "ladder:0.01" else (True,):
                title = rule + (
                    "" if own and rule != "ladder:0.01" else " own" if own else " as told"
                )
                with tempfile.TemporaryDirectory() as folder:
                    ledger = Ledger(Path(folder) / "ledger.db", create=True)
                    for seed in range(seeds):
                        model = Model(rule, ledger, seed, own=own)
                        point = search(model.tell, np.random.default_rng([seed, 1]))
                        reached.setdefault(title, []).append(model.value(point))
        for title, values in reached.items():
            loss = 100 * (np.array(reached["exact"]) - np.array(values))
            error = np.std(loss, ddof=1) / np.sqrt(seeds)
            print(f"{name:14s} {title:20s} {np.mean(loss):6.2f} ({error:.2f})", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", nargs="?", type=int, default=40, help="searches of each kind")
    main(parser.parse_args().seeds)
