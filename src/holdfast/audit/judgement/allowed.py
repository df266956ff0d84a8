"""Upper bounds on a board's gains: certificates for its looks, in points above the baseline.

The one place where an audit's settings become those of `holdfast.certificates`: who shares which
looks, whose past a rule remembers, and what the attackers know. Everything the audit calls allowed
comes from here, so that no two numbers of a page can be bounds for different people unnoticed.
"""

from __future__ import annotations

import math

from holdfast.audit.inputs.request import Request
from holdfast.certificates import Certificate, certify
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["allowed", "certificate", "in_points"]


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

    >>> from holdfast.mechanisms import Exact
    >>> in_points(certify(Problem(10_000, 10, 1), Exact()))
    0.133
    """
    return math.ceil(1e5 * found.gain - 1e-6) / 1e3
