"""Mean accuracy of an attack over many games, with its standard error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast import Problem, oracles, play


class Measured(NamedTuple):
    mean: float
    stderr: float

    def agrees_with(self, value: float, *, other_stderr: float = 0.0) -> bool:
        """Whether `value` lies within four standard errors."""
        return abs(self.mean - value) <= 4 * np.hypot(self.stderr, other_stderr)

    def at_least(self, value: float) -> bool:
        """Whether the mean is not below `value` by more than four standard errors."""
        return self.mean >= value - 4 * self.stderr


def label_vector(kind: str, n: int, m: int, rng: np.random.Generator) -> np.ndarray:
    """Return hidden labels of one of the kinds that attacks must not depend on."""
    if kind == "uniform":
        return rng.integers(m, size=n)
    if kind == "balanced":
        return rng.permutation(np.arange(n) % m)
    if kind == "sorted":
        return np.sort(np.arange(n) % m)
    if kind == "constant":
        return np.full(n, m - 1)
    if kind == "skewed":
        return np.minimum(rng.geometric(0.5, size=n) - 1, m - 1)
    if kind == "avoiding":  # no example has one of the attack's two default labels
        # With two classes no label is left; then only the first of the two is avoided.
        return np.ones(n, dtype=int) if m == 2 else 2 + np.arange(n) % (m - 2)
    raise ValueError(kind)


def measure(build, problem, *, trials, seed, labels="uniform", blind=False) -> Measured:
    """Play `trials` games; `build(problem, rng=...)` makes the attack."""
    n, m, _ = problem = Problem(*problem)
    scores = []
    for child in np.random.SeedSequence(seed).spawn(trials):
        rng = np.random.default_rng(child)
        hidden = label_vector(labels, n, m, rng)
        attack = build(problem, rng=rng)
        if blind:
            X = rng.integers(2**62, size=(n, 1))
            oracle = oracles.ClassifierOracle(X, hidden, problem=problem, rng=rng)
            guess = play(attack, oracle).predict(X)
        else:
            guess = play(attack, oracles.LabelOracle(hidden, problem=problem))
        scores.append(np.mean(guess == hidden))
    return Measured(float(np.mean(scores)), float(np.std(scores, ddof=1) / np.sqrt(trials)))
