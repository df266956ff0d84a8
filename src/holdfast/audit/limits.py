"""Bounds: what is certified for this policy, and when each gain becomes a problem."""

from __future__ import annotations

from holdfast.audit import closed_forms
from holdfast.audit.request import Request
from holdfast.audit.result import Curve, Limits
from holdfast.bounds import queries_to_recover_all
from holdfast.problem import Problem

__all__ = ["limits"]

SEARCHED = 10**6


def limits(request: Request, gap: float, curve: Curve) -> Limits:
    """Return what bounds say of the policy, and the looks at which each word passes the gap."""
    problem = request.problem
    n, m, _ = problem
    rule = request.rule

    def at(looks: int) -> Problem:
        return Problem(n, m, looks)

    return Limits(
        allowed=closed_forms.allowed(rule, problem, request.histories),
        allowed_everyone=closed_forms.allowed(
            rule,
            at(request.everyone_looks),
            1 if request.memory == "data_set" else min(request.teams, request.everyone_looks),
        ),
        everyone_looks=request.everyone_looks,
        principle=closed_forms.principle(problem),
        guarantee=closed_forms.guarantee(problem),
        bits_per_look=round(rule.bits_per_look(problem), 3),
        conditions=rule.guarantee(problem).conditions
        if request.histories == 1
        else f"{request.histories:,} accounts, each met afresh",
        looks_until={
            "possible": _measured_until(curve, gap),
            "principle": closed_forms.first_above(
                gap, lambda looks: closed_forms.principle(at(looks)), SEARCHED
            ),
            "allowed": closed_forms.first_above(
                gap,
                lambda looks: closed_forms.allowed(rule, at(looks), request.histories),
                SEARCHED,
            ),
        },
        searched=SEARCHED,
        recover_all=queries_to_recover_all(n, m).adaptive,
    )


def _measured_until(curve: Curve, gap: float) -> int | None:
    """Return the first number of looks that was played and gained the gap or more."""
    for at, looks in enumerate(curve.looks):
        for series in curve.measured:
            point = series.points[at]
            if point is not None and point.mean >= gap:
                return looks
    return None
