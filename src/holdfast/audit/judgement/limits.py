"""Bounds: what is certified for this policy, and when each gain becomes a problem.

One certificate for each group of people: the colluding accounts without a model, the same with
models as good as the given ones, and all teams together. Each is a bound on the *expected* gain of
any attack, known or not, of those it binds; docs/bounds.md has the proofs. A forecast is something
else: what the best known attack would gain, were the scores exact.

`certificate` is the one place where an audit's settings become those of `holdfast.certificates`:
who shares which looks, whose past a rule remembers, and what the attackers know. What the audit
calls allowed comes from here, so that no two numbers of a page bind different people unnoticed.
"""

from __future__ import annotations

import math

from holdfast.audit.formulas import first_above
from holdfast.audit.inputs.request import Request
from holdfast.audit.result import GainCurve, Limits
from holdfast.certificates import Certificate, certify
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["allowed", "certificate", "in_points", "limits"]

# Numbers of looks up to which it is asked when a gain reaches the gap.
LOOKS_SEARCHED = 10**6


def certificate(
    request: Request,
    rule: Rule,
    looks: int,
    *,
    accounts: int | None = None,
    model: float | None = None,
    everyone: bool = False,
) -> Certificate:
    """Return the certificate for so many looks under a rule.

    What has to be translated is who shares what. A rule that remembers may be met afresh by every
    account, and a bound that rests on its memory holds for each past by itself. A memory that all
    teams share is one past, but one that other teams move, too: its answers may tell a team what
    others were told. The certificate's own text says which bounds hold in each case.

    Parameters
    ----------
    request
        The board.
    rule
        What is released.
    looks
        Looks of all accounts together.
    accounts
        Separate pasts of the rule that they meet; None: those of the colluding accounts.
    model
        Accuracy of the models that the attackers start from; None: they know the class shares
        where these are unequal, and nothing else.
    everyone
        The looks are those of all teams.
    """
    n, m, _ = request.problem
    accounts = min(request.histories if accounts is None else accounts, looks)
    # Under a limit for the data set, accounts may share the looks as they like.
    own = min(looks, request.looks.count) if accounts * request.looks.count > looks else None
    others = request.teams > (1 if everyone else request.accounts)
    return certify(
        Problem(n, m, looks),
        rule,
        accounts=accounts,
        looks_each=own if everyone or (looks == request.n_looks and request.capped) else None,
        knows=request.baseline.shares if model is None else model,
        memory="data_set" if request.memory == "data_set" and others else "team",
        everyone=everyone,
    )


def allowed(
    request: Request,
    rule: Rule,
    looks: int,
    *,
    accounts: int | None = None,
    model: float | None = None,
) -> float:
    """Return the certified bound on the gain in points; see `certificate`.

    Ten exact looks at the embedded example's 899 labels of ten classes allow 11.3 points to whom
    knows nothing: looks carry so much information at most, whatever is asked. Above a model that is
    right in nine of ten there are ten points to be had, and the same information buys fewer.

    >>> from holdfast.audit.inputs.reading import read_request
    >>> request = read_request()
    >>> allowed(request, request.rule, 10), allowed(request, request.rule, 10, model=0.9)
    (11.318, 7.272)
    """
    return in_points(certificate(request, rule, looks, accounts=accounts, model=model))


def in_points(found: Certificate) -> float:
    """Return a certificate's gain in points, rounded up: it must still bound.

    >>> from holdfast.rules import Exact
    >>> in_points(certify(Problem(10_000, 10, 1), Exact()))
    0.133
    """
    return math.ceil(1e5 * found.gain - 1e-6) / 1e3


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
