"""Attacks without features: labels per second from keys, and hashing speed against memory's."""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from benchmarks.timing import best_seconds
from holdfast import Problem
from holdfast.attacks import without_features
from holdfast.features import row_keys


def main() -> None:
    """Print labels per second for each classifier, and bytes per second for each row width."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    rng = np.random.default_rng(1)
    keys = rng.integers(2**64, size=10_000_000, dtype=np.uint64)
    for name in ("BlockMajority", "ColumnVote", "NaiveBayes"):
        attack = getattr(without_features, name)(
            Problem(10_000_000, 10, 1001), rng=np.random.default_rng(2)
        )
        query = attack.ask()
        query.labels(keys[:1000])
        rate = keys.size / best_seconds(partial(query.labels, keys), repeats=3) / 1e6
        print(f"{name}: {rate:.0f} million labels per second; goal: at least 20", flush=True)
    for dtype, width in ((np.float64, 784), (np.float32, 128), (np.uint8, 3072), (np.uint8, 783)):
        rows = 400_000_000 // (width * np.dtype(dtype).itemsize)
        X = rng.integers(100, size=(rows, width), dtype=np.uint8).astype(dtype)
        row_keys(X[:10])
        hashing = X.nbytes / best_seconds(partial(row_keys, X), repeats=3) / 1e9
        copying = X.nbytes / best_seconds(X.copy, repeats=3) / 1e9
        print(
            f"rows of {width} {np.dtype(dtype)}: hashed at {hashing:.1f} GB/s, "
            f"copied at {copying:.1f} GB/s; goal: at least 1",
            flush=True,
        )


if __name__ == "__main__":
    main()
