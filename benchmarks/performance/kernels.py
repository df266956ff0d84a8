"""Kernels against the plain way and the limit of memory.

The plain way is what a user of numpy would write; where that would be another algorithm it is the
same loop in Python, on a share of the work. The limit is the time that memory takes for the bytes
that must be read and written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.performance.rows import Row, in_turns, ratio_row
from holdfast import Problem, attacks, oracles, play
from holdfast.attacks import answer_likelihood, without_features
from holdfast.attacks.designs import subset_design
from holdfast.attacks.steering import posterior_kernels
from holdfast.features import row_keys
from holdfast.kernels import keyed, lazy_walk, permutations
from holdfast.kernels.fixed_queries import Staircase
from holdfast.kernels.matches import matches_and_largest

__all__ = ["KERNELS", "Kernel", "Memory", "kernel_row"]

UNIT = "times the limit of memory"
# So much is moved to measure bandwidth: more than caches hold.
BANDWIDTH_BYTES = 1 << 26


@dataclass(frozen=True)
class Kernel:
    """A kernel: whose it is, its work, the plain way, and the bytes that must be moved."""

    name: str
    modules: tuple[str, ...]
    run: Callable[[], object]
    plain: Callable[[], object]
    n_bytes: int
    plain_share: float = 1.0


class Memory:
    """A copy of more than caches hold: what it takes tells the bandwidth, in turns with kernels."""

    def __init__(self) -> None:
        self._source = np.ones(BANDWIDTH_BYTES, np.uint8)
        self._target = np.empty_like(self._source)

    def copy(self) -> None:
        """Read and write all of it."""
        np.copyto(self._target, self._source)

    def bytes_per_second(self) -> float:
        """Return the bytes that a copy reads and writes per second."""
        (taken,) = in_turns(self.copy)
        return 2 * BANDWIDTH_BYTES / min(taken)


def kernel_row(kernel: Kernel, memory: Memory) -> Row:
    """Time one kernel."""
    return ratio_row(
        kernel.name,
        "kernel",
        UNIT,
        kernel.run,
        memory.copy,
        limit_share=max(kernel.n_bytes, 1) / (2 * BANDWIDTH_BYTES),
        plain=kernel.plain,
        plain_share=kernel.plain_share,
    )


def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


def _counting(scale: float) -> Kernel:
    n = int(4_000_000 * scale)
    query, hidden = _rng().integers(10, size=(2, n)).astype(np.uint8)
    return Kernel(
        "count matches",
        ("holdfast.kernels.matches",),
        lambda: matches_and_largest(query, hidden),
        lambda: (np.count_nonzero(query == hidden), query.max()),
        2 * n,
    )


def _staircase(scale: float) -> Kernel:
    n, looks = int(1_000_000 * scale), 50
    before, after, hidden = _rng().integers(10, size=(3, n)).astype(np.uint8)
    edges = np.linspace(0, n, looks).astype(np.int64)
    queries = Staircase(edges, lambda start, stop: (before[start:stop], after[start:stop]))

    def plain() -> None:
        for edge in edges:
            np.count_nonzero(np.concatenate((before[:edge], after[edge:])) == hidden)

    return Kernel(
        "count fixed queries together",
        ("holdfast.kernels.fixed_queries",),
        lambda: queries.matches(hidden),
        plain,
        3 * n,
    )


def plain_hash(keys: Any, seed: np.uint64) -> Any:
    """Hash keys as numpy would, array by array."""

    def mix(x: Any) -> Any:
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))

    return mix(mix(keys + keyed.GOLDEN64) ^ seed)


def _hashing(scale: float) -> Kernel:
    n = int(2_000_000 * scale)
    keys, seed = _rng().integers(2**64, size=n, dtype=np.uint64), np.uint64(5)
    return Kernel(
        "hash keys",
        ("holdfast.kernels.keyed",),
        lambda: keyed.hash_keys(keys, seed),
        lambda: plain_hash(keys, seed),
        16 * n,
    )


def _bounded(scale: float) -> Kernel:
    n = int(2_000_000 * scale)
    keys, seed, m = _rng().integers(2**64, size=n, dtype=np.uint64), np.uint64(5), np.uint64(10)
    half = np.uint64(32)
    return Kernel(
        "keyed labels",
        ("holdfast.kernels.keyed",),
        lambda: keyed.bounded(keys, seed, 10),
        lambda: ((plain_hash(keys, seed) >> half) * m >> half).astype(np.uint32),
        12 * n,
    )


def _permuting(scale: float) -> Kernel:
    n = int(1_000_000 * scale)
    values = np.arange(n, dtype=np.uint32)
    return Kernel(
        "keyed permutation",
        ("holdfast.kernels.permutations", "holdfast.kernels.uint16_simd"),
        lambda: permutations.permutation(values, np.uint64(3), n),
        lambda: np.random.default_rng(3).permutation(n)[values],
        8 * n,
    )


def plain_column_vote(problem: Problem, hidden: Any) -> Any:
    """Play ColumnVote as a user of numpy would: the whole matrix, one `np.add.at` per query."""
    n, m, k = problem
    column = np.repeat(np.arange(m, dtype=np.uint8), -(-k // m))[:k]
    matrix = np.ascontiguousarray(_rng().permuted(np.tile(column, (n, 1)), axis=1).T)
    sums, examples = np.zeros((n, m)), np.arange(n)
    for row in matrix:
        np.add.at(sums, (examples, row), np.mean(row == hidden))
    return sums.argmax(axis=1)


def _columns(scale: float) -> Kernel:
    problem = Problem(max(20, int(10_000 * scale)), 10, max(20, int(2000 * scale)))
    hidden = _rng().integers(10, size=problem.n_examples).astype(np.uint8)

    def game() -> None:
        attack = attacks.ColumnVote(problem, rng=_rng(), queries_per_nat=1e-6)
        play(attack, oracles.LabelOracle(hidden, problem=problem))

    return Kernel(
        "balanced columns, asked and decoded",
        ("holdfast.kernels.columns", "holdfast.kernels.permutations"),
        game,
        lambda: plain_column_vote(problem, hidden),
        # Each query is written once, and read once to be counted and once to be decoded.
        3 * problem.n_examples * problem.n_queries,
    )


def _adding(scale: float) -> Kernel:
    n, k, m = int(20_000 * scale), 100, 6
    rows = _rng().integers(m, size=(k, n)).astype(np.uint8)
    weights, sums, examples = _rng().random(k), np.zeros((n, m)), np.arange(n)

    def plain() -> None:
        for row, weight in zip(rows, weights, strict=True):
            sums[examples, row] += weight

    return Kernel(
        "sums of a subset design",
        ("holdfast.attacks.designs.subset_design",),
        lambda: subset_design.add_rows(rows, weights, sums),
        plain,
        rows.nbytes + 16 * n * m,
    )


def _totals(scale: float) -> Kernel:
    n, k, m = int(20_000 * scale), 100, 6
    rows = _rng().integers(m, size=(k, n)).astype(np.uint8)
    values, out, examples = _rng().random((n, m)), np.empty(k), np.arange(n)
    return Kernel(
        "totals of a subset design",
        ("holdfast.attacks.designs.subset_design",),
        lambda: subset_design.row_totals(rows, values, out),
        lambda: [values[examples, row].sum() for row in rows],
        rows.nbytes + 8 * n * m,
    )


def _agreements(scale: float) -> Kernel:
    n, t = max(2048, int(40_000 * scale)), 100
    past = _rng().integers(4, size=(t, n)).astype(np.uint8)
    new, gains = past[0].copy(), _rng().random(n)
    blocks = -(-n // posterior_kernels.BLOCK_POSITIONS)
    out = np.zeros((blocks, t))
    return Kernel(
        "agreements of queries",
        ("holdfast.attacks.steering.posterior_kernels",),
        lambda: posterior_kernels.agreements(past, new, gains, 0, blocks, out),
        lambda: (past == new) @ gains,
        past.nbytes,
    )


def _rows_of_features(scale: float) -> Kernel:
    X = _rng().integers(256, size=(int(4000 * scale) + 1, 3072), dtype=np.uint8)

    def plain() -> list[bytes]:
        return [hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in X]

    return Kernel("hash features", ("holdfast.features",), lambda: row_keys(X), plain, X.nbytes)


def _without_features(scale: float) -> Kernel:
    n = int(1_000_000 * scale)
    keys = _rng().integers(2**64, size=n, dtype=np.uint64)
    attack = without_features.BlockMajority(Problem(n, 10, 101), rng=_rng())
    query = attack.ask()
    assert query is not None
    half, blocks = np.uint64(32), np.uint64(100)

    def plain() -> Any:
        # A block, a shift of the labels, and one of two labels by the block.
        block = (plain_hash(keys, np.uint64(1)) >> half) * blocks >> half
        shift = (plain_hash(keys, np.uint64(2)) >> half) * np.uint64(10) >> half
        return ((block == 0) + shift) % np.uint64(10)

    return Kernel(
        "labels of a keyed classifier",
        ("holdfast.attacks.without_features.block_majority",),
        lambda: query.labels(keys),
        plain,
        9 * n,
    )


def _walk(scale: float) -> Kernel:
    most = int(200_000 * scale) + 10
    found = np.empty(most)
    loop: Any = lazy_walk._returns
    share = 20
    return Kernel(
        "returns of a lazy walk",
        ("holdfast.kernels.lazy_walk",),
        lambda: loop(found, 0.1),
        lambda: loop.py_func(found[: most // share], 0.1),
        8 * most,
        1 / share,
    )


def _shares(scale: float) -> Kernel:
    loop: Any = answer_likelihood._rounding_share
    n = max(2, int(2000 * scale))

    def run() -> None:
        for at in range(n):
            loop(1000.0 + at, 500.0, 10.0)

    def plain() -> None:
        for at in range(n):
            loop.py_func(1000.0 + at, 500.0, 10.0)

    modules = ("holdfast.attacks.answer_likelihood",)
    # Nothing is read from memory: a call is a line of three numbers.
    return Kernel("share that rounding leaves", modules, run, plain, 64 * n)


def _last_look(scale: float) -> Kernel:
    from holdfast import optimal

    loop: Any = optimal._last_look
    size = max(16, int(1024 * scale))
    vectors = _rng().integers(2, size=(size, 10)).astype(np.uint8)
    queries = _rng().integers(2, size=(40, 10)).astype(np.uint8)

    def plain() -> None:
        for query in queries:
            matches = (vectors == query).sum(axis=1)
            for answer in range(11):
                found = vectors[matches == answer]
                np.maximum(found.sum(axis=0), len(found) - found.sum(axis=0)).sum()

    return Kernel(
        "last look of optimal play",
        ("holdfast.optimal",),
        lambda: loop(vectors, queries, 2),
        plain,
        vectors.nbytes * len(queries),
    )


KERNELS: tuple[Callable[[float], Kernel], ...] = (
    _counting,
    _staircase,
    _hashing,
    _bounded,
    _permuting,
    _columns,
    _adding,
    _totals,
    _agreements,
    _rows_of_features,
    _without_features,
    _walk,
    _shares,
    _last_look,
)
