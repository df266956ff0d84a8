"""GEPA: an acceptance criterion that gates candidates on held-out tasks.

GEPA's own validation set takes part in the optimisation. Here a candidate that does better on its
minibatch is run on tasks that GEPA never sees, and accepted if its gain over its parent is more
than chance and all earlier verdicts explain: `optimize(..., acceptance_criterion=criterion)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast.errors import BudgetExhausted, NotSupported
from holdfast.guard.outcomes import OutcomeGuard, Outcomes

__all__ = ["GatedAcceptance"]


class GatedAcceptance:
    """An `AcceptanceCriterion` whose looks a guard counts and limits.

    Parameters
    ----------
    guard
        The guard of the held-out tasks. The prompts run elsewhere: nothing of them in this process.
    outcomes
        Runs a candidate, GEPA's `dict[str, str]`, on the held-out tasks.
    team
        Whose looks they are.
    confidence
        Of all verdicts together.

    Raises
    ------
    NotSupported
        Once GEPA has merged two candidates (`use_merge=True`), which it accepts without asking.
    """

    def __init__(
        self,
        guard: OutcomeGuard,
        outcomes: Callable[[dict[str, str]], Outcomes],
        *,
        team: str = "gepa",
        confidence: float = 0.95,
    ) -> None:
        if not isinstance(guard, OutcomeGuard):
            raise NotSupported("GEPA's candidates are prompts with outcomes: take an OutcomeGuard.")
        self._guard, self._outcomes, self._team = guard, outcomes, team
        self._confidence = confidence
        self._why: dict[int, str] = {}

    def should_accept(self, proposal: Any, state: Any) -> bool:
        """Return whether a proposal passes; no better on its minibatch, it costs no look."""
        if any(len(parents) > 1 for parents in state.parent_program_for_candidate):
            raise NotSupported(
                "GEPA accepts merged candidates without asking its acceptance criterion, and has "
                "accepted one: optimize(..., use_merge=False)."
            )
        before = sum(proposal.subsample_scores_before or [])
        if sum(proposal.subsample_scores_after or []) <= before:
            return self._said(proposal, "no better on its minibatch")
        parent = state.program_candidates[proposal.parent_program_ids[0]]
        pair = self._outcomes(parent), self._outcomes(proposal.candidate)
        try:
            found = self._guard.gate(*pair, team=self._team, confidence=self._confidence)
        except BudgetExhausted as refusal:
            return self._said(proposal, str(refusal))
        return self._said(proposal, "" if found.passed else f"would pass: {found.advice[0]}")

    def reject_reason(self, proposal: Any, state: Any) -> str:  # noqa: ARG002 - GEPA's signature
        """Return why a proposal was not accepted."""
        return self._why.get(id(proposal), "not gated")

    def _said(self, proposal: Any, why: str) -> bool:
        self._why[id(proposal)] = why
        return not why
