"""Bounds: what is certified for this policy, and when each gain becomes a problem."""

from __future__ import annotations

from holdfast.audit.closed_forms import first_above
from holdfast.audit.forms import forms_for
from holdfast.audit.request import Request
from holdfast.audit.result import Curve, Limits
from holdfast.problem import Problem

__all__ = ["limits"]

SEARCHED = 10**6


def limits(request: Request, gap: float, curve: Curve) -> Limits:
    """Return what bounds say of the policy, and the looks at which each word passes the gap."""
    problem = request.problem
    n, m, _ = problem
    rule, forms = request.rule, forms_for(request)

    def at(looks: int) -> Problem:
        return Problem(n, m, looks)

    return Limits(
        allowed=forms.allowed(rule, problem, request.histories),
        allowed_everyone=forms.allowed(
            rule,
            at(request.everyone_looks),
            1 if request.memory == "data_set" else min(request.teams, request.everyone_looks),
        ),
        everyone_looks=request.everyone_looks,
        principle=forms.principle(problem),
        guarantee=forms.guarantee(problem),
        bits_per_look=round(forms.bits_per_look(rule, problem), 3),
        conditions=forms.conditions(rule, problem)
        if request.histories == 1
        else f"{request.histories:,} accounts, each met afresh",
        looks_until={
            "possible": _measured_until(curve, gap),
            "principle": first_above(gap, lambda looks: forms.principle(at(looks)), SEARCHED),
            "allowed": first_above(
                gap,
                lambda looks: forms.allowed(rule, at(looks), request.histories),
                SEARCHED,
            ),
        },
        searched=SEARCHED,
        recover_all=forms.recover_all(n, m),
    )


def _measured_until(curve: Curve, gap: float) -> int | None:
    """Return the first number of looks that was played and gained the gap or more."""
    for at, looks in enumerate(curve.looks):
        for series in curve.measured:
            point = series.points[at]
            if point is not None and point.mean >= gap:
                return looks
    return None
