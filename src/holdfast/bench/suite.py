"""The suite of the benchmark: fixed problems, rules and seeds under one version.

Standings of the same suite and the same version of results can be compared; any change of what is
played gives it another version. The attacks are those of the registry, so that a new one changes
the suite: its digest tells, which a test compares with the version's.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from holdfast.experiments.suite import SUITE
from holdfast.sweeps import Experiment

__all__ = ["FULL", "QUICK", "BenchSuite"]

VERSION = "2026.11"
DIGITS = 12


def suite_attacks() -> tuple[str, ...]:
    """Return the attacks of the suite that play with one account."""
    return tuple(entry.attack.name for entry in SUITE if entry.accounts == 1)


@dataclass(frozen=True)
class BenchSuite:
    """What is played: on every problem all attacks meet all rules, and exact scores at all looks.

    Parameters
    ----------
    name
        What the suite is called: quick, full.
    sizes
        Numbers of examples and of classes.
    looks
        Numbers of looks, rising: at the last one every rule is met, at the others exact scores.
    rules
        Release rules; the first one is the reference that the attacks' curves are measured on.
    seeds
        Plays of each; every attack and rule meets the same hidden labels.
    attacks
        Names of attacks.
    """

    name: str
    sizes: tuple[tuple[int, int], ...]
    looks: tuple[int, ...]
    rules: tuple[str, ...]
    seeds: int
    attacks: tuple[str, ...] = field(default_factory=suite_attacks)

    @property
    def version(self) -> str:
        """What standings are comparable by."""
        return f"{VERSION}-{self.name}"

    @property
    def digest(self) -> str:
        """A hash of all that is played: suites with another one must have another version."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]

    def grids(self, attacks: list[str], rules: list[str]) -> list[Experiment]:
        """Return what to play, with attacks and rules of one's own beside the suite's.

        Raises `InvalidInput` for a reference that can't be found, before anything is played.
        """
        players = [*self.attacks, *attacks]
        *fewer, most = self.looks
        last = [(n, m, most) for n, m in self.sizes]
        grids = [Experiment(players, rules=[*self.rules, *rules], problems=last, seeds=self.seeds)]
        if fewer:
            before = [(n, m, k) for n, m in self.sizes for k in fewer]
            grids.append(
                Experiment(players, rules=[self.rules[0]], problems=before, seeds=self.seeds)
            )
        return grids


# The suite in minutes.
QUICK = BenchSuite(
    "quick",
    sizes=((1000, 2), (2000, 10), (500, 100)),
    looks=(10, 30, 100),
    rules=(
        "exact",
        "round:3",
        "round:2",
        "gaussian:0.01",
        "subsample:0.5",
        "ladder",
        "ladder:0.01",
        "rank",
    ),
    seeds=4,
)

# The suite whose standings are published.
FULL = BenchSuite(
    "full",
    sizes=((1000, 2), (10_000, 2), (10_000, 10), (5000, 100)),
    looks=(10, 30, 100, 300),
    rules=(
        "exact",
        "round:3",
        "round:2",
        "gaussian:0.01",
        "laplace:0.01",
        "subsample:0.5",
        "thresholdout:threshold=0.01,scale=0.002,budget=50",
        "ladder",
        "ladder:0.005",
        "ladder:0.01",
        "rank",
        "improved",
    ),
    seeds=4,
)
