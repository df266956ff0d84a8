"""Prices: what the looks of a policy allow, for each thing that a look shows.

For labels it is the certified gain in accuracy above guessing (docs/bounds.md), whatever metric is
shown; for outcomes of tasks how far a program's score may exceed its value (docs/outcomes.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.certificates import certify_display, certify_programs
from holdfast.certificates.displays import NO_LABELS
from holdfast.guard.policy import Policy
from holdfast.metrics import Submission
from holdfast.metrics.display import Display
from holdfast.problem import Problem
from holdfast.server.records import Outcomes

__all__ = ["Price", "prices"]

# Of numbers and sets of labels nothing is proved.
UNPRICED = (Submission.NUMBERS, Submission.LABEL_SETS)


class Price(NamedTuple):
    """What is sold under a policy: to a team with all looks of one window, and to all teams.

    `team` and `everyone` are in points; None where nothing is proved, for the reason `because`.
    """

    what: str
    team: float | None
    everyone: float | None
    because: str = ""


def prices(
    policy: Policy, problem: Problem, sizes: Sequence[int], outcomes: Outcomes | None = None
) -> list[Price]:
    """Return the price of the metric alone, with its groups, and with all that a look shows.

    Parameters
    ----------
    policy
        The rule, the limits and what is shown.
    problem
        The sizes of the test set.
    sizes
        On how many examples each number is computed, as `Guard.sizes` says.
    outcomes
        Not None: tasks and programs, instead of labels.

    Examples
    --------
    >>> policy = Policy("round:2", metric="f1_macro", also=["accuracy"], looks_per_team=50)
    >>> for price in prices(policy, Problem(10_000, 10, 10_000), [10_000, 10_000]):
    ...     print(price.what, f"{price.team:.1f}")
    f1_macro 7.0
    f1_macro, also accuracy 10.2
    """
    team = min(policy.looks_per_team, policy.looks_per_data_set)
    every = policy.looks_per_data_set
    # Every team has a state of the rule, or all share one.
    accounts = 1 if policy.memory == "data_set" else math.ceil(every / team)
    if outcomes is not None:
        between = outcomes.between
        what = "share of tasks passed" if between is None else "mean outcome"
        own, all_ = (
            100 * certify_programs(
                problem.n_examples, policy.mechanism, looks, accounts=each, between=between
            ).excess
            for looks, each in ((team, 1), (every, accounts))
        )  # fmt: skip
        return [Price(what, own, all_)]
    display = policy.display
    if display.taker.takes in UNPRICED:
        return [Price(str(display), None, None, NO_LABELS)]
    shown = [Display(display.metric)]
    if display.breakdown is not None:
        shown.append(Display(display.metric, display.breakdown))
    if display.beside:
        shown.append(display)
    groups = sizes[: len(sizes) - len(display.metrics)] if display.breakdown is not None else None

    def gain(each: Display, looks: int, states: int) -> float:
        n, m, _ = problem
        own_groups = groups if each.breakdown is not None else None
        found = certify_display(
            Problem(n, m, looks), policy.mechanism, each, own_groups, accounts=states
        )
        return 100.0 * found.gain

    return [Price(str(each), gain(each, team, 1), gain(each, every, accounts)) for each in shown]
