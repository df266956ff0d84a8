"""Bounds: what is certified for this policy, and when each gain becomes a problem.

One certificate for each group of people: the colluding accounts without a model, the same with
models as good as the given ones, and all teams together. Each is a bound on the *expected* gain of
any attack, known or not, of those it binds; docs/bounds.md has the proofs. A forecast is something
else: what the best known attack would gain, were the scores exact.
"""

from __future__ import annotations

from holdfast.audit.formulas import first_above
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import allowed, certificate, in_points
from holdfast.audit.result import GainCurve, Limits
from holdfast.problem import Problem

__all__ = ["limits"]

# Numbers of looks up to which it is asked when a gain reaches the gap.
LOOKS_SEARCHED = 10**6


def limits(
    request: Request,
    gap: float,
    curve: GainCurve,
    *,
    model: float | None = None,
    measured: float = 0.0,
) -> Limits:
    """Return what bounds say of the policy, and the looks at which each word passes the gap.

    Three numbers of looks answer "when does it become a problem?", each in its own sense.
    *Allowed* is the first at which the bound no longer excludes a gain of the gap: fewer are proved
    harmless, as far as those go whom it binds. *Forecast* is the first at which a formula promises
    that gain from exact scores, *possible* the first that was played at which an attack had it.

    Parameters
    ----------
    request
        The policy and the test set's sizes.
    gap
        The ranking gap, in points.
    curve
        What was played with fewer looks: the first number of looks at which the gap was gained.
    model
        The stated accuracy of the given models; None: there are none.
    measured
        The worst gain found, in points, below which no forecast is shown.
    """
    problem = request.problem
    n, m, _ = problem
    rule, forms = request.rule, request.baseline.formulas

    def at(looks: int) -> Problem:
        return Problem(n, m, looks)

    possible = _measured_until(curve, gap)
    forecast = first_above(gap, lambda looks: forms.forecast_from_exact(at(looks)), LOOKS_SEARCHED)
    looks, everyone = problem.n_queries, request.everyone_looks
    mine = certificate(request, rule, looks)
    modelled = None if model is None else certificate(request, rule, looks, model=model)
    order = ", in rows of no order (these have one)" if request.in_runs else ""
    states = 1 if request.memory == "data_set" else request.teams
    return Limits(
        allowed=in_points(mine),
        allowed_model=None if modelled is None else in_points(modelled),
        allowed_everyone=in_points(
            certificate(request, rule, everyone, accounts=states, everyone=True)
        ),
        everyone_looks=request.everyone_looks,
        forecast=max(forms.forecast_from_exact(problem), measured),
        guarantee=forms.guarantee(problem),
        bits_per_look=round(mine.bits_per_look, 3),
        bound=mine.bound,
        binds=mine.binds + order,
        binds_model=None if modelled is None else modelled.binds + order,
        not_covered=tuple(f"{each.bound}: {each.because}" for each in mine.not_covered),
        looks_until={
            "possible": possible,
            # What was measured is possible, whatever was forecast.
            "forecast": min((k for k in (possible, forecast) if k is not None), default=None),
            "allowed": first_above(gap, lambda k: allowed(request, rule, k), LOOKS_SEARCHED),
        },
        searched=LOOKS_SEARCHED,
        recover_all=forms.recover_all(n, m),
    )


def _measured_until(curve: GainCurve, gap: float) -> int | None:
    """Return the first number of looks that was played and gained the gap or more, as by no chance.

    A few plays of a few attacks have a lucky mean somewhere: its interval must lie above nothing,
    as that of a verdict must.
    """
    for at, looks in enumerate(curve.looks):
        for series in curve.measured:
            point = series.points[at]
            if point is not None and point.mean >= gap and (point.low is None or point.low > 0.0):
                return looks
    return None
