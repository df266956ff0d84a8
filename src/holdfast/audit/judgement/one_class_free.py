"""Which formulas an audit goes by: those for equal classes, or those for unequal ones."""

from __future__ import annotations

from typing import Protocol

from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement import formulas as closed_forms
from holdfast.audit.judgement.formulas_unequal_classes import SkewedForms
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["Forms", "forms_for"]


class Forms(Protocol):
    """Gains in points above what is free without a look."""

    @property
    def early(self) -> tuple[str, str]:
        """Knowledge and name of the attack that is strongest with few looks."""

    def principle(self, problem: Problem) -> float:
        """Return what some attack gains from exact answers."""

    def guarantee(self, problem: Problem) -> float | None:
        """Return what the paper's theorems promise; None: nothing."""

    def guaranteed_by(self, problem: Problem) -> str | None:
        """Return the theorem that promises most."""

    def regime_edges(self, n_examples: int, n_classes: int) -> tuple[int, ...]:
        """Return the looks at which a theorem begins or ends to apply."""

    def expected(self, rule: Rule, problem: Problem) -> float | None:
        """Return what fixed blocks gain under a rule; None: there is no formula."""

    def recover_all(self, n_examples: int, n_classes: int) -> int:
        """Return how many exact looks it takes at least to know every label."""


def forms_for(request: Request) -> Forms:
    """Return the formulas for this test set."""
    return closed_forms if request.skew is None else SkewedForms(request.skew)
