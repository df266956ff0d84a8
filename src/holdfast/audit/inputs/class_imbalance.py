"""Unequal classes: what a constant submission has for free, and what everybody knows of them.

Whoever has the training part knows the class shares, so the majority class needs no look. On a set
where it is clearly above 1/m, gains count from there, and attacks may start from the shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from holdfast.audit.inputs.disclosure import RoundingUnit, rounding_unit_for
from holdfast.labels import Labels
from holdfast.priors import Prior

__all__ = ["CHANCE", "Skew", "skew_of"]

# The classes count as unequal if equal ones would have so large a majority in fewer than one of
# a thousand test sets. Below, a majority is the luck of the draw, which the training part does
# not tell: points that it is worth are learned with a look.
CHANCE = 1e-3
# Classes that keep their own share in the prior; the others have the rest in equal parts.
CANDIDATES = 64


@dataclass(frozen=True, eq=False)
class Skew:
    """A test set of unequal classes.

    `matches` is the exact score of the majority class: gains are counted from it, and it never
    leaves the audit. `shares` are rounded to the grain, as bounds and attackers may know them.
    """

    n_examples: int
    matches: int
    grain: RoundingUnit
    shares: tuple[float, ...]

    @property
    def free(self) -> float:
        """The rounded share of the majority class."""
        return max(self.shares)

    @property
    def free_percent(self) -> float:
        """What the majority class scores, as it is shown."""
        return self.grain.round(100.0 * self.matches / self.n_examples)

    @cached_property
    def prior(self) -> Prior:
        """What someone believes who knows the class shares and nothing else.

        Every class has one example more than its share, so that none is ruled out.
        """
        n, m = self.n_examples, len(self.shares)
        belief = (n * np.array(self.shares) + 1.0) / (n + m)
        order = np.argsort(-belief, kind="stable")[:CANDIDATES]
        return Prior.candidates(np.tile(order, (n, 1)), np.tile(belief[order], (n, 1)), m)


def skew_of(labels: Labels, n_classes: int) -> Skew | None:
    """Return how unequal the classes are; None: no more than equal classes may be by chance.

    >>> [round(share, 2) for share in skew_of(np.arange(2000) % 10 == 9, 2).shares]
    [0.9, 0.1]
    >>> skew_of(np.arange(2000) % 100 < 52, 2) is None
    True
    """
    n, m = labels.size, n_classes
    counts = np.bincount(labels, minlength=m)
    most = int(counts.max())
    # Each of the m classes may be the one that is frequent by chance.
    if m * float(binom.sf(most - 1, n, 1.0 / m)) >= CHANCE:
        return None
    grain = rounding_unit_for(n, m, most / n)
    return Skew(n, most, grain, _rounded(counts / n, grain))


def _rounded(shares: NDArray[np.float64], grain: RoundingUnit) -> tuple[float, ...]:
    """Return shares on the grain that sum to 1: that of the majority as it is shown."""
    rounded = np.array([grain.round(100.0 * share) / 100.0 for share in shares.tolist()])
    largest = int(np.argmax(shares))
    top = min(1.0, float(rounded[largest]))
    rounded[largest] = 0.0
    if not rounded.any():
        rounded[:] = 1.0  # all others are too rare to tell
        rounded[largest] = 0.0
    rounded *= (1.0 - top) / rounded.sum()
    rounded[largest] = top
    return tuple(float(share) for share in rounded)
