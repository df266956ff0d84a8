"""Certified limits: labels that are right, and gains, that no attack exceeds whatever is shown.

Both follow from counting. k looks at numbers that take v values each have at most v^k outcomes, and
log(v) k nats is all that they can tell of the labels; `certificates` turns nats into labels that
are right and into gains of a metric, for whoever knows no more beforehand than the bound names.
Here its numbers are put into the audit's unit and rounded *up*, so that what is printed still
holds, and a bound that leaves room for everything is not printed at all.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.sentences import IN_NO_ORDER
from holdfast.audit.metrics.units import Unit
from holdfast.certificates import Certificate, certify_display, certify_ladder
from holdfast.certificates.metric_gains import CertifiedGain, certify_gain
from holdfast.errors import NotSupported
from holdfast.metrics import Submission
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["certified_labels", "in_words", "most_gain", "percent_right"]

# Of two classes every number of examples that a submission may call positive is gone through.
MOST_EXAMPLES = 200_000
# The chance that a test set is drawn of which a Ladder's standing value says less.
RISK = 0.05


def certified_labels(asked: Request, rule: Rule) -> Certificate | None:
    """Return the certificate for all that the board shows under a rule; None: none is known.

    It is for the policy's looks, and for all accounts that work together. A rule that keeps
    something between looks tells each account's past apart; under any other all looks are one past.
    """
    try:
        return certify_display(
            _sizes(asked),
            rule,
            asked.display,
            _group_sizes(asked),
            accounts=asked.histories if rule.keeps_state else 1,
            knows=asked.baseline.shares,
        )
    except NotSupported:
        return None


def most_gain(asked: Request, rule: Rule, unit: Unit) -> tuple[float | None, CertifiedGain]:
    """Return the certified gain in the audit's unit, rounded up, and what it rests on.

    It is above the best expected value without a look, and binds whoever has no model.

    Returns
    -------
    float or None
        The limit. None: none is known, or it leaves room for more than all that a perfect
        submission gains. F1 of a constant is 67 points where half of the examples are positive, and
        33 are left: a bound of 40 says nothing.
    CertifiedGain
        Whom it binds; or why there is none.
    """
    metric = asked.metric
    if asked.labels.size > MOST_EXAMPLES:
        why = f"it is worked out for at most {MOST_EXAMPLES:,} examples"
        return None, CertifiedGain(None, math.inf, because=why)
    numbers = metric.takes is Submission.NUMBERS
    found = certify_gain(
        _sizes(asked),
        rule,
        asked.display,
        _group_sizes(asked),
        accounts=asked.histories if rule.keeps_state else 1,
        class_sizes=asked.class_sizes,
        targets=_range(asked) if numbers else None,
        knows=asked.baseline.shares,
    )
    if found.gain is None or not math.isfinite(found.gain):
        return None, found
    most = unit.round_up(unit.scale * found.gain)
    best = metric.high if metric.higher_is_better else metric.low
    left = abs(unit.scale * best - unit.constant)
    return (most if most < left else None), found


def _range(asked: Request) -> tuple[float, float]:
    """Return the least and the largest hidden number."""
    return float(asked.hidden.min()) / asked.per_one, float(asked.hidden.max()) / asked.per_one


def _sizes(asked: Request) -> Problem:
    n, m, _ = asked.problem
    return Problem(n, m, asked.n_looks)


def _group_sizes(asked: Request) -> list[int] | None:
    if asked.groups is None:
        return None
    sizes: list[int] = np.unique(asked.groups, return_counts=True)[1].tolist()
    return sizes


def percent_right(certificate: Certificate | None) -> float | None:
    """Return the share of labels in per cent, rounded up to a hundredth.

    None: there is no certificate, or no bound excludes that all labels are known.

    Examples
    --------
    Ten looks at an exact accuracy of 1,000 examples of ten classes:

    >>> from holdfast.certificates import certify
    >>> from holdfast.rules import Exact
    >>> percent_right(certify(Problem(1_000, 10, 10), Exact()))
    20.73
    >>> percent_right(None) is None
    True
    """
    if certificate is None or certificate.bound == "none":
        return None
    return math.ceil(1e4 * certificate.accuracy - 1e-6) / 100.0


def in_words(asked: Request, unit: Unit) -> tuple[str, ...]:
    """Return what is certified under the policy, and for whom: gains first, then labels.

    Two sentences at least: what is not certified is said with the reason, since silence would read
    as if nobody had looked.
    """
    rule = asked.rule
    most, gained = most_gain(asked, rule, unit)
    certificate = certified_labels(asked, rule)
    right = percent_right(certificate)
    found = []
    if most is not None:
        found.append(
            f"Certified for {gained.binds}: no attack, known or not, gains more than "
            f"{unit.measured(most)} in expectation, above the best expected value without a look."
        )
    else:
        why = gained.because or "what is proved lies above all that can be gained"
        found.append(f"No gain in {unit.name.removeprefix('of ')} is certified: {why}.")
    if right is not None and certificate is not None:
        found.append(
            f"Certified for {certificate.binds}: no attack, known or not, has more than {right:g} "
            "% of the labels right in expectation."
        )
    else:
        why = "no bound excludes that every label is known"
        if certificate is not None and certificate.not_covered:
            why = certificate.not_covered[0].because
        found.append(f"No share of right labels is certified with so many looks: {why}.")
    if asked.in_runs and (most is not None or right is not None):
        found.append(IN_NO_ORDER)
    return (*found, *_standing_value(asked, rule))


def _standing_value(asked: Request, rule: Rule) -> tuple[str, ...]:
    """Return how true a Ladder's standing value is of new examples, where that is proved.

    The Ladder's theorem is about one team's looks, so all looks are divided by the separate pasts,
    and it says something only if the error is below the metric's whole range.
    """
    metric = asked.metric
    looks = math.ceil(asked.n_looks / asked.histories)
    error = certify_ladder(rule, metric, asked.labels.size, looks, risk=RISK).error
    if error is None or error >= metric.high - metric.low:
        return ()
    return (
        f"Certified for one team's {looks:,} looks: the {metric} that stands is within {error:.3g} "
        "of the best that the team's submissions are expected to have on new examples, whatever "
        f"it knows, but for a chance of {100 * RISK:g} % over the draw of the test set.",
    )
