"""Every step of the proof for two classes, on random adaptive trees of queries, enumerated."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.bounds.leverage_cells import coin, path

Signs = NDArray[np.int64]
N, K = 7, 3


def cells(seed: int) -> list[tuple[Signs, Signs]]:
    """Return the queries asked and the labels left, for every transcript of a random tree."""
    rng = np.random.default_rng(seed)
    everything = np.array(list(itertools.product([-1, 1], repeat=N)))
    parts = [(np.zeros((0, N), dtype=np.int64), everything)]
    for _ in range(K):
        split = []
        for asked, left in parts:
            query = rng.choice([-1, 1], size=N)  # a fresh one after every history
            sums = left @ query
            split += [(np.vstack([asked, query]), left[sums == s]) for s in np.unique(sums)]
        parts = split
    return parts


def leverages(asked: Signs) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return the ridge leverages of columns and of the unit columns, and ln det(VV' + I)."""
    gram = asked @ asked.T + np.eye(len(asked))
    inverse = np.linalg.inv(gram)
    columns = np.einsum("ij,ik,kj->j", asked, inverse, asked)
    return columns, np.diag(inverse), float(np.linalg.slogdet(gram)[1])


def revealed_square(left: Signs, j: int, f: float) -> float:
    """Return J_j(f): the mean square of E[x_j | cell, labels on R], R a random 1 - f of others."""
    others = [i for i in range(N) if i != j]
    total = 0.0
    for size in range(N):
        weight = (1 - f) ** size * f ** (N - 1 - size)
        for chosen in itertools.combinations(others, size):
            _, group = np.unique(left[:, list(chosen)], axis=0, return_inverse=True)
            sums = np.bincount(group.ravel(), weights=left[:, j])
            total += weight * float((sums**2 / np.bincount(group.ravel())).sum()) / len(left)
    return total


@pytest.mark.parametrize("seed", range(12))
def test_the_determinant_and_the_entropy(seed: int) -> None:
    parts = cells(seed)
    shares = np.array([len(left) for _, left in parts]) / 2**N
    entropy = -float((shares * np.log(shares)).sum())
    squares = sum(
        share * float((left.mean(axis=0) ** 2).sum())
        for share, (_, left) in zip(shares, parts, strict=True)
    )
    determinant = 0.0
    for share, (asked, _) in zip(shares, parts, strict=True):
        columns, units, log_det = leverages(asked)
        assert columns.sum() + units.sum() == pytest.approx(K)
        limit = coin(columns).sum() + coin(units).sum() + columns.sum() * math.log(K)
        assert log_det <= limit + 1e-12
        determinant += share * log_det
    spread = math.log(2 * math.pi * math.e * (squares / K / 16 + 1 / 12))
    assert entropy <= 0.5 * determinant + 0.5 * K * spread + math.log(2) + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_what_revealed_labels_add_within_a_cell(seed: int) -> None:
    parts = sorted(cells(seed), key=lambda part: -len(part[1]))[:3]
    for asked, left in parts:
        columns, _, _ = leverages(asked)
        for j in (0, N - 1):
            end = float(left[:, j].mean()) ** 2
            if end == 1.0:
                continue
            for f in (0.2, 0.6, 1.0):
                least = path(np.array(f), np.array(end), columns[j])
                assert revealed_square(left, j, f) >= float(least) - 1e-12
