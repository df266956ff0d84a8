"""Real test sets: labels, votes of real models, groups, and fresh examples where there are any.

Rows are permuted once, the same for labels, votes and groups: files that list one subject or class
after the other would favour attacks that use positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.real.folder import NoData
from benchmarks.real_models import load
from holdfast.labels import Labels, label_dtype
from holdfast.priors import Prior
from holdfast.votes import Votes

__all__ = ["SETS", "Fresh", "RealSet", "read_set"]

# The seed of the permutation of rows.
ROWS = 16

# Of each set: the file of its groups, and the fresh sets that the same models were scored on.
GROUPS = {"mmlu": "subject", "mmlu_pro": "category"}
SETS = ("letter", "mnist", "cifar10", "mmlu", "mmlu_pro", "imagenet_v2", "imagenet_val")


@dataclass(frozen=True, eq=False)
class Fresh:
    """Examples that no board scored: what the models say of them, and what is true."""

    name: str
    labels: NDArray[np.int64]
    votes: NDArray[np.int64]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Who is right about which example, (n, models)."""
        return np.asarray(self.votes == self.labels[:, None])


@dataclass(frozen=True, eq=False)
class RealSet:
    """A test set with its models; `groups` is empty where no breakdown is known."""

    name: str
    n_classes: int
    labels: Labels
    votes: NDArray[np.int64]
    groups: NDArray[np.int64]
    fresh: tuple[Fresh, ...]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Who is right about which example, (n, models)."""
        return np.asarray(self.votes == self.labels[:, None])

    @property
    def accuracies(self) -> NDArray[np.float64]:
        """Every model's accuracy."""
        return np.asarray(self.right.mean(axis=0))

    @cached_property
    def prior(self) -> Prior:
        """What the audit lets an attacker know: the best weighted vote of all the models.

        The labels enter by accuracies alone, each model's and the vote's own, which an attacker
        would learn with one look each. What a model left unanswered is filled with what most others
        say: a submission must have a label everywhere.
        """
        votes = Votes(self.votes, self.n_classes)
        scored = {
            model: float(np.mean(votes.column(model) == self.labels))
            for model in range(votes.n_models)
        }
        stack = votes.stack(scored)
        return stack.prior(float(np.mean(stack.top() == self.labels)))

    @cached_property
    def model_matches(self) -> int:
        """How many labels that vote has right."""
        return int(np.count_nonzero(self.prior.top() == self.labels))


def read_set(data: Path, name: str) -> RealSet:
    """Read one test set."""
    folder = data / name
    if not folder.is_dir():
        raise NoData(f"{name}: there is no folder of that name in {data}.")
    labels, votes, m = load(folder)
    order = np.random.default_rng(ROWS).permutation(labels.size)
    groups = np.empty(0, np.int64)
    if name in GROUPS and (file := folder / f"{GROUPS[name]}.npy").exists():
        groups = np.load(file, allow_pickle=False).astype(np.int64)[order]
    return RealSet(
        name,
        m,
        labels[order].astype(label_dtype(m)),
        votes[order],
        groups,
        tuple(_fresh(data, name)),
    )


def _fresh(data: Path, name: str) -> list[Fresh]:
    """Return the fresh sets of the same models."""
    folder = data / name
    if name == "imagenet_val" and (data / "imagenet_v2").is_dir():
        labels, votes, _ = load(data / "imagenet_v2")
        return [Fresh("imagenet_v2", labels, votes)]
    if name == "cifar10":
        found = []
        for version in ("v4", "v6"):
            labels = _integers(folder / f"y_cifar10.1_{version}.npy")
            with np.load(folder / f"pred_30models_cifar10.1_{version}.npz") as arrays:
                votes = arrays["pred"].astype(np.int64).T
            found.append(Fresh(f"cifar10.1 {version}", labels, votes))
        return found
    if name in ("letter", "mnist"):
        before = "zoo_" if name == "mnist" else ""
        with np.load(folder / f"{before}pred_n_by_models.npz") as arrays:
            votes = arrays["fresh"].astype(np.int64)
        return [Fresh("fresh", _integers(folder / f"{before}y_fresh.npy"), votes)]
    return []


def _integers(path: Path) -> NDArray[np.int64]:
    return np.asarray(np.load(path, allow_pickle=False).astype(np.int64))
