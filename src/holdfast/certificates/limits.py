r"""Upper bounds on the information in all answers together, each with its assumptions.

Two kinds must be kept apart. A limit that counts what can be released, or that holds for each look
whatever was learned before, may be added up over accounts. All others say how little a look tells
an analyst who has learned little so far: they are taken of all looks of all accounts together. An
account that starts afresh does not make the analyst forget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from holdfast.bounds.information import nats_non_adaptive
from holdfast.bounds.label_model import nats_any_labels
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.certificates.asked import Asked, first_change
from holdfast.certificates.record import NotCovered
from holdfast.problem import Problem
from holdfast.rules import Rule

__all__ = ["Analysts", "Limit", "limits"]


class Analysts(NamedTuple):
    """Who asks, and how.

    Parameters
    ----------
    uniform
        Whether the labels are uniform for the analyst.
    fixed
        Whether all queries are fixed before the first answer.
    abstentions
        Whether looks may show none of the classes at some examples.
    shared
        Whether others, who may know more, take looks from the same state of the rule.
    everyone
        Whether the looks of those others are counted as well.
    """

    uniform: bool = True
    fixed: bool = False
    abstentions: bool = False
    shared: bool = False
    everyone: bool = False


class Limit(NamedTuple):
    """At most so many nats, by the bound of this name."""

    name: str
    nats: float


# Reasons why a limit does not cover the looks.
UNIFORM_ONLY = "the labels are not uniform for this analyst"
OTHER_ANALYSTS = "others, who may know more of the labels, look at the same state"
MORE_THAN_COUNTS = "the rule's answers depend on more than match counts"
DIFFERENT_PARTS = "looks are scored on different parts of the test set"
ABSTENTIONS_SPREAD = "a look that abstains may be spread over other values than one that does not"


def limits(asked: Asked, analysts: Analysts) -> tuple[list[Limit], list[NotCovered]]:
    """Return all limits that apply, and why others do not."""
    found, missing = [], []
    for name, reason, nats in _all(asked, analysts):
        if reason is not None:
            missing.append(NotCovered(name, reason))
        elif math.isfinite(limit := nats()):
            found.append(Limit(name, limit))
    return found, missing


def _all(asked: Asked, analysts: Analysts) -> Iterator[tuple[str, str | None, Callable[[], float]]]:
    """Yield every limit: its name, why it does not apply, and how it is computed.

    all-labels
        The labels' own entropy, n log m: no answers tell more than there is to know.
    answers-counted
        The logarithm of the number of answer sequences that each state can release, added up.
    match-counts-counted
        The same for the match counts behind the answers, at most n + 1 values per look.
    information-adaptive-tilted
        The entropy of counts whose mean can be tilted only by what was learned before.
    blurred-answers
        What rounding or noise leaves of each count.
    information-non-adaptive
        The entropy of one binomial count per look: for queries that are fixed in advance.
    """
    n, m, k = asked.exposed, asked.n_classes, asked.total
    here = Problem(n, m, k)
    yield "all-labels", None, lambda: n * math.log(m)
    yield "answers-counted", None, lambda: _counted(asked, analysts)
    reason = None
    if analysts.shared and asked.remembers:
        reason = OTHER_ANALYSTS
    if not asked.by_counts:
        reason = MORE_THAN_COUNTS
    abstentions = analysts.abstentions or not asked.same_examples
    counted = k * math.log(n + 1) if abstentions else nats_any_labels(here)
    yield "match-counts-counted", reason, lambda: counted
    if not analysts.uniform:
        reason = reason or UNIFORM_ONLY
    only = asked.only
    # Of each part its own looks; within a part two classes count on parity.
    in_parts = not asked.same_examples and not (analysts.abstentions and m == 2)
    if only is not None and in_parts:
        of_parts = only
        yield (
            "information-adaptive-tilted",
            reason,
            lambda: of_parts.rule.counts_nats_of(
                asked.problem(k), of_parts.states, whole=not asked.taken
            ),
        )
    else:
        yield (
            "information-adaptive-tilted",
            reason,
            lambda: nats_adaptive_tilted(here, abstentions=abstentions),
        )
    if only is not None:
        blurring = only.rule
        yield (
            "blurred-answers",
            _not_blurred(blurring, asked, analysts),
            lambda: _blurred(blurring, asked, analysts),
        )
    if analysts.fixed:
        reason = reason or (None if asked.same_examples else DIFFERENT_PARTS)
        yield (
            "information-non-adaptive",
            reason,
            lambda: nats_non_adaptive(here, abstentions=abstentions),
        )


def _not_blurred(rule: Rule, asked: Asked, analysts: Analysts) -> str | None:
    """Return why the limit of a rule that blurs every look does not apply; None: it does."""
    first = first_change(rule)
    if analysts.shared and asked.remembers:
        return OTHER_ANALYSTS
    if analysts.abstentions and not (first is not None and first.adds_noise):
        return ABSTENTIONS_SPREAD
    return None if analysts.uniform else UNIFORM_ONLY


def _blurred(rule: Rule, asked: Asked, analysts: Analysts) -> float:
    """Return what a rule that blurs every look tells: of fixed queries each what the first does."""
    if analysts.fixed:
        return asked.total * rule.blurred_nats(asked.problem(1))
    return rule.blurred_nats(asked.problem(asked.total))


def _remembers_noise(rule: Rule) -> bool:
    """Tell whether noise is added to what a later rule of a chain remembers."""
    noisy = False
    for stage in rule.stages:
        if noisy and stage.remembers:
            return True
        noisy |= stage.adds_noise
    return False


def _counted(asked: Asked, analysts: Analysts) -> float:
    """Return the sum over all states of what each can release."""
    return sum(
        count * _own(each.rule, looks, asked, analysts)
        for each in asked.looks
        for looks, count in each.states.items()
    )


def _own(rule: Rule, looks: int, asked: Asked, analysts: Analysts) -> float:
    """Return what one state's answers to so many looks can tell, whatever is known before."""
    problem = asked.problem(looks)
    own = rule.own_nats(problem)
    others = analysts.shared and not analysts.everyone
    if others and any(stage.remembers and stage.tells_of_others for stage in rule.stages):
        return math.inf
    if others and _remembers_noise(rule):
        return math.inf  # what is remembered is others' noisy values, as many as they asked for
    if others and rule.shows == "new best":
        own = looks * math.log(2.0)  # where others look too, even the first look may be no best
    if math.isfinite(rule.counts_nats(problem)):
        own = min(own, looks * math.log(rule.exposed(problem).n_examples + 1))
    return own
