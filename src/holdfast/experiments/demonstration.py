"""The demo's plays: the paper's attacks on one hidden test set, over a range of looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from holdfast.attacks.registry import attack_type
from holdfast.bounds import all_bounds, best_impossible
from holdfast.errors import HoldfastError
from holdfast.experiments.trials import Experiment
from holdfast.problem import Problem

__all__ = [
    "ATTACKS",
    "LABELS_PER_POINT",
    "LOOKS",
    "N_CLASSES",
    "N_EXAMPLES",
    "demo_experiments",
    "with_bounds",
]

N_EXAMPLES, N_CLASSES = 10_000, 10
# The paper's attacks and those it compares with. Boosting is missing: it wants two classes.
ATTACKS = (
    "block-majority",
    "naive-bayes",
    "column-vote",
    "uniform-vote",
    "exhaustive",
    "hill-climb",
    "constant",
)
LOOKS = (1, 5, 21, 51, 101, 201, 501, 1501, 5001, 20_001)
# So many labels are handled for each attack and number of looks: half a second or so.
LABELS_PER_POINT = 6 * 10**7
FEWEST_TRIALS, MOST_TRIALS = 4, 300


def demo_experiments(
    seed: int,
    *,
    n_examples: int = N_EXAMPLES,
    n_classes: int = N_CLASSES,
    looks: Sequence[int] = LOOKS,
    labels_per_point: int = LABELS_PER_POINT,
) -> list[Experiment]:
    """Return one experiment for each attack and number of looks that it can play.

    An attack that refuses a size is left out there: `Exhaustive` can't search for more than a few
    labels, `BlockMajority` has at most one block per example. Every experiment has its own seed,
    drawn from `seed`.
    """
    experiments = []
    seeds = np.random.SeedSequence(seed).generate_state(len(looks) * len(ATTACKS))
    for at, (name, k) in enumerate((name, k) for name in ATTACKS for k in looks):
        problem = Problem(n_examples, n_classes, k)
        trials = max(
            FEWEST_TRIALS, min(MOST_TRIALS, labels_per_point // attack_type(name).work(problem))
        )
        try:
            experiments.append(Experiment(name, problem, trials=trials, seed=int(seeds[at])))
        except HoldfastError:
            continue
    return experiments


def with_bounds(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Add to a summary the attack's own guarantee (or None) and what no attack exceeds."""
    problem = Problem(summary["n_examples"], summary["n_classes"], summary["n_queries"])
    bounds = {bound.name: bound.accuracy for bound in all_bounds(problem)}
    return {
        **summary,
        "guarantee": bounds.get(attack_type(summary["attack"]).guarantee or ""),
        "upper_bound": best_impossible(problem),
    }
