"""The baseline that gains count from: what everybody has without a look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from holdfast.audit import formulas
from holdfast.audit.inputs.disclosure import RoundingUnit, rounding_unit_for
from holdfast.audit.result import Knowledge
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["Baseline", "Formulas"]


class Formulas(Protocol):
    """Gains in points above the baseline, from formulas alone.

    The module `formulas` has them for equal classes, `UnequalClasses` for others: an audit asks its
    baseline, and never which of the two it is.
    """

    @property
    def strongest_with_few_looks(self) -> tuple[str, str]:
        """Knowledge and name of the attack that is strongest with few looks."""

    def forecast_from_exact(self, problem: Problem) -> float:
        """Return what some attack gains from exact answers."""

    def guarantee(self, problem: Problem) -> float | None:
        """Return what the paper's theorems promise; None: nothing."""

    def guaranteed_by(self, problem: Problem) -> str | None:
        """Return the theorem that promises most."""

    def regime_edges(self, n_examples: int, n_classes: int) -> tuple[int, ...]:
        """Return the looks at which a theorem begins or ends to apply."""

    def forecast_of_blocks(self, rule: Rule, problem: Problem) -> float | None:
        """Return what fixed blocks gain under a rule; None: there is no formula."""

    def recover_all(self, n_examples: int, n_classes: int) -> int:
        """Return how many exact looks it takes at least to know every label."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """The baseline of equal classes: a guess, which is right with probability 1/m.

    `matches` are those that a constant submission is known to have without a look, as a whole
    number; `shares` and `prior` are what is known of the classes, None if they are equal.
    """

    n_examples: int
    n_classes: int
    matches: int = 0
    shares: tuple[float, ...] | None = None

    @property
    def unequal(self) -> bool:
        """Whether the classes are so unequal that everybody knows it."""
        return self.shares is not None

    @cached_property
    def rounding_unit(self) -> RoundingUnit:
        """The unit to which numbers computed from the labels are rounded."""
        return rounding_unit_for(self.n_examples, self.n_classes)

    @property
    def percent(self) -> float:
        """The accuracy that is free, as it is shown."""
        return round(100.0 / self.n_classes, 4)

    @property
    def prior(self) -> Prior | None:
        """What everybody believes of the labels; None: nothing."""
        return None

    @property
    def formulas(self) -> Formulas:
        """The formulas that hold above it."""
        return formulas

    def gain(self, matches: int) -> float:
        """Return the gain of so many matches, as an accuracy.

        In whole numbers up to the last division, so that a guess of just n/m matches gains 0.

        >>> Baseline(899, 10).gain(90) * 8990
        1.0
        """
        n, m = self.n_examples, self.n_classes
        return (m * matches - n) / (m * n)

    def in_words(self, setting: Knowledge) -> str:  # noqa: ARG002 - the general answer
        """Return what gains are said to be above; empty: it goes without saying."""
        return ""
