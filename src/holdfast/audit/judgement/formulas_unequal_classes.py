"""Formulas for unequal classes: what is possible in principle above the majority.

The formulas for equal classes are about the gain over 1/m of labels that are uniform. Here labels
are drawn independently with the class shares, which everybody knows. Then an accuracy a costs
n R(a) nats at least, with the rate-distortion function R of the shares, and R is 0 at the
majority's share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from holdfast.attacks import ChampionChallenger, Lattice
from holdfast.audit.inputs.class_imbalance import Skew
from holdfast.bounds.rate_distortion import NATS_PER_LOOK
from holdfast.bounds.shares import accuracy_from_shares, queries_to_recover_shares
from holdfast.forecasts import Setting
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["SkewedForms"]

# More looks than any attack takes to tell every label.
ENOUGH = 10**9


@dataclass(frozen=True, eq=False)
class SkewedForms:
    """What `closed_forms` says of equal classes, for unequal ones."""

    skew: Skew
    early = ("class shares", ChampionChallenger.name)

    def principle(self, problem: Problem) -> float:
        """Return what the best attack is expected to gain from exact answers, in points.

        Champion against challenger turns an answer into half a nat; where the looks are enough
        for every label, all of them are gained.
        """
        if problem.n_queries >= self._all_looks:
            return round(100.0 * (1.0 - self.skew.free), 3)
        nats = NATS_PER_LOOK * problem.n_queries
        return round(100.0 * self._gain(nats, problem.n_examples), 3)

    def guarantee(self, problem: Problem) -> float | None:  # noqa: ARG002 - for any problem
        """Return None: the paper's theorems are about gains over 1/m."""
        return None

    def guaranteed_by(self, problem: Problem) -> str | None:  # noqa: ARG002 - for any problem
        """Return None: no theorem applies."""
        return None

    def regime_edges(self, n_examples: int, n_classes: int) -> tuple[int, ...]:  # noqa: ARG002
        """Return nothing: no theorem applies."""
        return ()

    def expected(self, rule: Rule, problem: Problem) -> float | None:  # noqa: ARG002
        """Return None: there is no formula for blocks that start from class shares."""
        return None

    def recover_all(self, n_examples: int, n_classes: int) -> int:
        """Return how many exact looks it takes at least to know every label."""
        return queries_to_recover_shares(n_examples, n_classes, self.skew.shares)

    def _gain(self, nats: float, size: int) -> float:
        return accuracy_from_shares(nats, size, self.skew.shares) - self.skew.free

    @cached_property
    def _all_looks(self) -> int:
        """How many looks tell every label, by a measured multiple of the limit."""
        n, m = self.skew.n_examples, len(self.skew.shares)
        return Lattice.forecast(Setting(Problem(n, m, ENOUGH), prior=self.skew.prior)).looks
