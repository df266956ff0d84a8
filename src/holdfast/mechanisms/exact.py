"""The rule that hides nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.problem import Problem
from holdfast.protocols import Evaluation, State

__all__ = ["Exact"]


@dataclass(frozen=True)
class Exact:
    """Release the accuracy itself.

    The identity among release rules, and the one that the paper's model assumes: every answer
    is a match count divided by n.
    """

    def init(self, problem: Problem) -> State:  # noqa: ARG002 - the protocol's signature
        """Return the empty state: nothing is remembered."""
        return {}

    def release(
        self,
        state: State,
        evaluation: Evaluation,
        rng: np.random.Generator,  # noqa: ARG002 - the protocol's signature
    ) -> tuple[float, State]:
        """Return the exact accuracy."""
        return evaluation.matches / evaluation.n_examples, state
