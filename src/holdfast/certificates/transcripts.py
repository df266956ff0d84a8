"""Number of distinct answer sequences that looks can produce."""

from __future__ import annotations

import math

from holdfast.certificates.certify import Histories
from holdfast.mechanisms import Rule, parse_mechanism
from holdfast.problem import Problem

__all__ = ["log_answers", "log_transcripts"]


def log_transcripts(n_examples: int, looks: Histories) -> float:
    """Return the logarithm of the number of answer sequences that the looks could have shown.

    Whatever the rule, an answer is one of n + 1 once its noise is fixed: given the answers before
    it, it is a function of a match count. A coarse rule without noise has fewer. The
    parameter-free Ladder decides by more than a count, but it answers with one of n + 1 values.
    Numbers of sequences multiply over histories.

    >>> round(log_transcripts(100, {("exact", "a"): 2, ("improved", "b"): 3}), 3)
    10.617
    """
    return sum(
        log_answers(parse_mechanism(text), n_examples, count) for (text, _), count in looks.items()
    )


def log_answers(rule: Rule, n_examples: int, looks: int) -> float:
    """Return the same for looks at one state of a rule."""
    limit = looks * math.log(n_examples + 1)
    return min(limit, rule.own_nats(Problem(n_examples, 2, looks))) if rule.counted else limit
