"""Synthetic voters: independent, of one family, broken, copied."""

import numpy as np

CASES = ("independent", "family", "broken", "copied", "nearly copied")
CLASSES = 6


def voters(case: str, seed: int, n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Return hidden labels and (n, models) votes."""
    rng = np.random.default_rng(seed)
    m = CLASSES
    hidden = rng.integers(m, size=n)

    def voter(accuracy):
        wrong = (hidden + rng.integers(1, m, size=n)) % m
        return np.where(rng.random(n) < accuracy, hidden, wrong)

    good = [voter(a) for a in (0.8, 0.75, 0.7, 0.65)]
    if case == "independent":
        votes = [*good, voter(0.6), voter(0.55)]
    elif case == "broken":
        votes = [*good, (hidden + 1) % m, rng.integers(m, size=n)]
    elif case == "copied":
        votes = [*[voter(0.55)] * 10, *good]
    elif case == "nearly copied":
        one = voter(0.55)
        votes = [*[np.where(rng.random(n) < 0.9, one, voter(0.55)) for _ in range(10)], *good]
    else:
        # Hard examples, on which all are mostly wrong, and wrong alike.
        hard, alike = rng.random(n) < 0.3, (hidden + 1 + rng.integers(0, 2, size=n)) % m
        votes = [np.where(hard & (rng.random(n) < 0.8), alike, voter(0.85)) for _ in range(8)]
    return hidden, np.array(votes).T


def accuracies(hidden: np.ndarray, votes: np.ndarray) -> np.ndarray:
    return (votes == hidden[:, None]).mean(axis=0)
