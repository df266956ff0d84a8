"""Natural analysts on all real test sets: on fresh examples, and on random halves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.real.analyst import Outcome, ascending, submitted
from benchmarks.real.grid import rules_of
from benchmarks.real.sets import RealSet

__all__ = ["SEED", "SPLITS", "on_fresh", "on_halves"]

# Random halves of each set, and where they are drawn from.
SPLITS, SEED = 20, 1116
FIELDS = (*Outcome._fields, "gap", "overfit", "regret")


def orders(accuracies: NDArray[np.float64]) -> dict[str, NDArray[np.int64]]:
    """Return the models in the order that is given, and by rising public accuracy."""
    return {"as given": np.arange(accuracies.size), "rising": ascending(accuracies)}


def on_fresh(real: RealSet) -> Iterator[dict[str, Any]]:
    """Yield what a board of the whole test set would have shown, judged by fresh examples."""
    for fresh in real.fresh:
        private = fresh.right.mean(axis=0)
        for name, order in orders(real.accuracies).items():
            for rule in rules_of(real):
                found = submitted(
                    rule, real.labels.astype(np.int64), real.votes, private, real.n_classes, order
                )
                sizes = (real.labels.size, fresh.labels.size)
                yield {"set": real.name, "private": fresh.name, "order": name, "rule": rule} | {
                    "error": round(_gap_error(found, *sizes), 5),
                    **_rounded(found),
                }


def on_halves(real: RealSet) -> Iterator[dict[str, Any]]:
    """Yield what a board of one half would have shown, judged by the other; many splits."""
    for name in ("as given", "rising"):
        for rule in rules_of(real):
            found = [_on_half(real, name, rule, split) for split in range(SPLITS)]
            yield {"set": real.name, "private": "half", "order": name, "rule": rule} | {
                _column(field): _mean([getattr(each, field) for each in found]) for field in FIELDS
            }


def _on_half(real: RealSet, order: str, rule: str, split: int) -> Outcome:
    rng = np.random.default_rng([SEED, split])
    rows = rng.permutation(real.labels.size)
    public, private = rows[: rows.size // 2], rows[rows.size // 2 :]
    right = real.right
    return submitted(
        rule,
        real.labels[public].astype(np.int64),
        real.votes[public],
        right[private].mean(axis=0),
        real.n_classes,
        orders(right[public].mean(axis=0))[order],
    )


def _mean(values: list[float]) -> list[float]:
    """Return the mean and its standard error over splits."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return [round(float(np.mean(values)), 5), round(float(error), 5)]


def _gap_error(found: Outcome, n_public: int, n_private: int) -> float:
    """Return the standard error of shown minus private accuracy, two independent samples."""
    shares = ((found.shown, n_public), (found.private, n_private))
    return float(np.sqrt(sum(p * (1.0 - p) / n for p, n in shares)))


def _rounded(found: Outcome) -> dict[str, Any]:
    return {_column(field): round(getattr(found, field), 5) for field in FIELDS}


def _column(field: str) -> str:
    """Return what a row calls it: `private` is what the examples are."""
    return "private_accuracy" if field == "private" else field
