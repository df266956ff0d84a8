"""Certified shares of labels that are right: what no attack exceeds, whatever is shown."""

from __future__ import annotations

import math

import numpy as np

from holdfast.audit.metrics.asked import MetricRequest
from holdfast.certificates import Certificate, certify_display
from holdfast.errors import NotSupported
from holdfast.mechanisms import Rule
from holdfast.metrics import Accuracy
from holdfast.problem import Problem

__all__ = ["certified_labels", "in_words", "percent_right"]


def certified_labels(asked: MetricRequest, rule: Rule) -> Certificate | None:
    """Return the certificate for all that the board shows under a rule; None: none is known."""
    request = asked.request
    n, m, _ = request.problem
    sizes = None
    if asked.groups is not None:
        sizes = np.unique(asked.groups, return_counts=True)[1].tolist()
    try:
        return certify_display(
            Problem(n, m, request.n_looks),
            rule,
            asked.display,
            sizes,
            accounts=request.histories if rule.keeps_state else 1,
            knows=request.baseline.shares,
        )
    except NotSupported:
        return None


def percent_right(certificate: Certificate | None) -> float | None:
    """Return the share of labels in per cent, rounded up; None: no bound excludes all of them."""
    if certificate is None or certificate.bound == "none":
        return None
    return math.ceil(1e4 * certificate.accuracy - 1e-6) / 100.0


def in_words(asked: MetricRequest, certificate: Certificate | None) -> str:
    """Return what is certified under the policy, and for whom."""
    right = percent_right(certificate)
    if right is None or certificate is None:
        why = "no bound excludes that every label is known"
        if certificate is not None and certificate.not_covered:
            why = certificate.not_covered[0].because
        return f"Nothing is certified for {asked.board} with so many looks: {why}."
    text = (
        f"Certified for {certificate.binds}: no attack, known or not, has more than {right:g} % of "
        "the labels right in expectation."
    )
    if isinstance(asked.metric, Accuracy):
        return text
    return f"{text} No bound is known in the unit of {asked.metric}."
