"""Unequal classes: what a constant submission has for free, and what everybody knows of them.

Whoever has the training part knows the class shares, so the majority class needs no look. On a set
where it is clearly above 1/m, gains count from there, and attacks may start from the shares.

The formulas for equal classes are about the gain over 1/m of labels that are uniform. Here labels
are drawn independently with the class shares, which everybody knows. Then an accuracy a costs
n R(a) nats at least, with the rate-distortion function R of the shares, and R is 0 at the
majority's share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from holdfast.attacks import ChampionChallenger
from holdfast.audit.baseline import Baseline, Formulas
from holdfast.audit.inputs.disclosure import RoundingUnit, rounding_unit_for
from holdfast.audit.result import Knowledge
from holdfast.bounds.label_model import accuracy_from_shares, queries_to_recover_shares
from holdfast.bounds.rate_distortion import NATS_PER_LOOK
from holdfast.labels import Labels
from holdfast.planner.formulas import rough_hits_gain
from holdfast.planner.lattice_gain import lattice_certain
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Rule
from holdfast.setting import Setting

__all__ = ["SIGNIFICANCE", "UnequalClasses", "baseline_of"]

# The classes count as unequal if equal ones would have so large a majority in fewer than one of
# a thousand test sets. Below, a majority is the luck of the draw, which the training part does
# not tell: points that it is worth are learned with a look.
SIGNIFICANCE = 1e-3
# Classes that keep their own share in the prior; the others have the rest in equal parts.
CLASSES_RANKED = 64
# More looks than any attack takes to tell every label.
LOOKS_FOR_ALL_LABELS = 10**9


@dataclass(frozen=True, eq=False)
class UnequalClasses(Baseline):
    """The baseline of unequal classes: the majority class.

    `matches` is its exact score, which never leaves the audit. `shares` are rounded to the unit,
    as bounds and attackers may know them. It is its own formulas.
    """

    matches: int
    shares: tuple[float, ...]
    strongest_with_few_looks = ("class shares", ChampionChallenger.name)

    @cached_property
    def rounding_unit(self) -> RoundingUnit:
        """The unit, which is that of the majority's score if it varies more than a guess's."""
        return rounding_unit_for(self.n_examples, self.n_classes, self.matches / self.n_examples)

    @property
    def free(self) -> float:
        """The rounded share of the majority class."""
        return max(self.shares)

    @property
    def percent(self) -> float:
        """What the majority class scores, as it is shown."""
        return self.rounding_unit.round(100.0 * self.matches / self.n_examples)

    @cached_property
    def prior(self) -> Prior:
        """What someone believes who knows the class shares and nothing else.

        Every class has one example more than its share, so that none is ruled out.
        """
        n, m = self.n_examples, self.n_classes
        belief = (n * np.array(self.shares) + 1.0) / (n + m)
        order = np.argsort(-belief, kind="stable")[:CLASSES_RANKED]
        return Prior.candidates(np.tile(order, (n, 1)), np.tile(belief[order], (n, 1)), m)

    @property
    def formulas(self) -> Formulas:
        """The formulas below."""
        return self

    def gain(self, matches: int) -> float:
        """Return the gain over the majority class."""
        return (matches - self.matches) / self.n_examples

    def in_words(self, setting: Knowledge) -> str:
        """Return what gains are said to be above."""
        if setting == "model":
            return "the model or the majority class"
        return f"the {self.percent:g} % that the majority class scores without a look"

    def forecast_from_exact(self, problem: Problem) -> float:
        """Return what the best attack is expected to gain from exact answers, in points.

        Champion against challenger turns an answer into half a nat; with many classes hits gain
        more, from about 2 n/m looks on; where the looks are enough for every label, all of them are
        gained. No other attack has a formula that starts from class shares.
        """
        if problem.n_queries >= self._times_the_limit * self.recover_all(*problem[:2]):
            return round(100.0 * (1.0 - self.free), 3)
        nats = NATS_PER_LOOK * problem.n_queries
        law = accuracy_from_shares(nats, problem.n_examples, self.shares) - self.free
        hits = rough_hits_gain(np.array([self.free]), problem)
        return round(100.0 * max(law, hits / problem.n_examples), 3)

    def guarantee(self, problem: Problem) -> float | None:  # noqa: ARG002 - for any problem
        """Return None: the paper's theorems are about gains over 1/m."""
        return None

    def guaranteed_by(self, problem: Problem) -> str | None:  # noqa: ARG002 - for any problem
        """Return None: no theorem applies."""
        return None

    def regime_edges(self, n_examples: int, n_classes: int) -> tuple[int, ...]:  # noqa: ARG002
        """Return nothing: no theorem applies."""
        return ()

    def forecast_of_blocks(self, rule: Rule, problem: Problem) -> float | None:  # noqa: ARG002
        """Return None: there is no formula for blocks that start from class shares."""
        return None

    def recover_all(self, n_examples: int, n_classes: int) -> int:
        """Return how many exact looks it takes at least to know every label."""
        return queries_to_recover_shares(n_examples, n_classes, self.shares)

    @cached_property
    def _times_the_limit(self) -> float:
        """How many times the limit it takes to tell every label, measured."""
        n, m = self.n_examples, self.n_classes
        every = Setting(Problem(n, m, LOOKS_FOR_ALL_LABELS), prior=self.prior)
        return lattice_certain(every)[1] / max(1, self.recover_all(n, m))


def baseline_of(labels: Labels, n_classes: int) -> Baseline:
    """Return what gains count from: the majority class, or a guess if chance explains it.

    >>> [round(share, 2) for share in baseline_of(np.arange(2000) % 10 == 9, 2).shares]
    [0.9, 0.1]
    >>> baseline_of(np.arange(2000) % 100 < 52, 2)
    Baseline(n_examples=2000, n_classes=2, matches=0, shares=None)
    """
    n, m = labels.size, n_classes
    counts = np.bincount(labels, minlength=m)
    most = int(counts.max())
    # Each of the m classes may be the one that is frequent by chance: m times the binomial tail,
    # which is an incomplete beta function.
    if m * float(betainc(most, n - most + 1, 1.0 / m)) >= SIGNIFICANCE:
        return Baseline(n, m)
    return UnequalClasses(n, m, most, _rounded(counts / n, rounding_unit_for(n, m, most / n)))


def _rounded(shares: NDArray[np.float64], unit: RoundingUnit) -> tuple[float, ...]:
    """Return shares in multiples of the unit that sum to 1: that of the majority as it is shown."""
    rounded = np.array([unit.round(100.0 * share) / 100.0 for share in shares.tolist()])
    largest = int(np.argmax(shares))
    top = min(1.0, float(rounded[largest]))
    rounded[largest] = 0.0
    if not rounded.any():
        rounded[:] = 1.0  # all others are too rare to tell
        rounded[largest] = 0.0
    rounded *= (1.0 - top) / rounded.sum()
    rounded[largest] = top
    return tuple(float(share) for share in rounded)
