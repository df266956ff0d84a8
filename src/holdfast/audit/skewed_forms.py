"""Formulas for unequal classes: what is possible in principle, and allowed, above the majority.

The formulas for equal classes bound the gain over 1/m of labels that are uniform, and so does no
theorem for what lies above a majority class. Here labels are drawn independently with the class
shares, which everybody knows. Then an accuracy a costs n R(a) nats at least, with the
rate-distortion function R of the shares, and R is 0 at the majority's share. What answers can tell
is counted without any assumption on the labels: by the values that can be released.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from holdfast.audit.skew import Skew
from holdfast.bounds.shares import (
    accuracy_from_shares,
    nats_any_labels,
    queries_to_recover_shares,
)
from holdfast.mechanisms import Batch, Chain, Rule
from holdfast.planner.curves import lattice_certain
from holdfast.planner.forecast import Situation
from holdfast.planner.rate_distortion import NATS_PER_LOOK
from holdfast.problem import Problem

__all__ = ["SkewedForms", "nats_for"]

# More looks than any attack takes to tell every label.
ENOUGH = 10**9


@dataclass(frozen=True, eq=False)
class SkewedForms:
    """What `closed_forms` says of equal classes, for unequal ones."""

    skew: Skew
    early = ("class shares", "champion-challenger")

    def allowed(self, rule: Rule, problem: Problem, accounts: int = 1) -> float | None:
        """Return the certified bound on the gain above the majority class, in points.

        The looks are shared evenly among accounts: what their answers can tell adds up.
        """
        n, m, k = problem
        accounts = min(accounts, k)
        looks, more = divmod(k, accounts)
        nats = (accounts - more) * nats_for(rule, Problem(n, m, looks))
        nats += more * nats_for(rule, Problem(n, m, looks + 1)) if more else 0.0
        size = rule.exposed(problem).n_examples
        return round(100.0 * size / n * self._gain(nats, size), 3)

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

    def bits_per_look(self, rule: Rule, problem: Problem) -> float:
        """Return what one look may tell, on average over all of them."""
        return nats_for(rule, problem) / (problem.n_queries * math.log(2.0))

    def recover_all(self, n_examples: int, n_classes: int) -> int:
        """Return how many exact looks it takes at least to know every label."""
        return queries_to_recover_shares(n_examples, n_classes, self.skew.shares)

    def conditions(self, rule: Rule, problem: Problem) -> str:
        """Return in words when the bound holds."""
        return f"class shares are known, nothing else is; {rule.conditions(problem)}"

    def _gain(self, nats: float, size: int) -> float:
        return accuracy_from_shares(nats, size, self.skew.shares) - self.skew.free

    @cached_property
    def _all_looks(self) -> int:
        """How many looks tell every label, by a measured multiple of the limit."""
        n, m = self.skew.n_examples, len(self.skew.shares)
        return lattice_certain(Situation(Problem(n, m, ENOUGH), prior=self.skew.prior))[1]


def nats_for(rule: Rule, problem: Problem) -> float:
    """Return an upper limit on the information in all answers of a rule, whatever the labels' law.

    A rule's own limit counts what it can release. Those of match counts in `Rule.nats` are for
    uniform labels; here an answer is one of as many values as there are counts.

    >>> from holdfast.mechanisms import parse_mechanism
    >>> problem = Problem(2000, 2, 100)
    >>> [round(nats_for(parse_mechanism(rule), problem)) for rule in ("exact", "round:2", "ladder")]
    [692, 462, 399]
    """
    stages = rule.rules if isinstance(rule, Chain) else (rule,)
    least, here = math.inf, problem
    for stage in stages:
        # A batch's own limit is for uniform labels: its answers are counts like all others.
        if not isinstance(stage, Batch):
            least = min(least, stage.own_nats(here))
        if stage.unbounded:
            break
        here = stage.exposed(here)
    if math.isinf(rule.counts_nats(problem)):
        return least  # its decisions use more than match counts
    if any(stage.selects for stage in stages):
        size, looks = rule.exposed(problem).n_examples, problem.n_queries
        return min(least, looks * math.log(size + 1))
    return min(least, nats_any_labels(problem))
