r"""Certified excess of programs: what looks at outcomes of tasks can buy.

Somebody with a loop guesses no labels: he submits programs, each of which passes or fails n tasks,
and keeps what scores well. Let the tasks be independent draws from one population, let A be all
that k looks released, one of at most e^c sequences, and let a program's outcome of a task lie in an
interval of width w. For the final program f_A

    E score(f_A) <= E value(f_A) + w sqrt(c / (2 n)),

where value(f) is the expected outcome on a fresh task: Claim 1 of docs/bounds/metrics.md for means,
after Russo and Zou (2016) and Xu and Raginsky (2017): selection among k programs whose looks are
fixed is the case in which A names one of k, and adaptation to answers is counted like it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.bounds.metric_values import FLOAT_NATS
from holdfast.certificates.asked import shared_evenly
from holdfast.certificates.certify import log_answers
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least
from holdfast.rules import Rule, recorded_look

__all__ = ["ProgramCertificate", "certify_programs", "certify_recorded_programs"]

BINDS = (
    "whoever sees the tasks through these looks alone; tasks are independent draws from one "
    "population, and programs are valued on fresh tasks of it"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCertificate:
    """How far the score of a final program may exceed its value, on average.

    Attributes
    ----------
    excess
        The most by which its expected score on the n tasks exceeds its expected value on fresh
        ones, in units of the score.
    nats
        The logarithm of the number of answer sequences that the looks can show.
    looks
        Looks of all teams together.
    statement
        What is proved, and where.
    binds
        Whom it binds.
    """

    excess: float
    nats: float
    looks: int
    statement: str = "answers counted, and the exponential inequality of means (docs/outcomes.md)"
    binds: str = BINDS


def certify_programs(
    n_tasks: int,
    rule: Rule,
    looks: int,
    *,
    accounts: int = 1,
    between: tuple[float, float] | None = None,
) -> ProgramCertificate:
    """Return what looks at outcomes allow.

    Parameters
    ----------
    n_tasks
        Number of tasks.
    rule
        What is released of each score.
    looks
        Looks of all accounts together.
    accounts
        Accounts that share the looks evenly, each met by a state of its own.
    between
        The range of graded outcomes; None: each task is passed or failed.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> exact = certify_programs(164, parse_rule("exact"), 8)
    >>> ladder = certify_programs(164, parse_rule("ladder:0.02"), 8)
    >>> round(exact.excess, 3), round(ladder.excess, 3)
    (0.353, 0.255)
    """
    n, k = check_at_least("n_tasks", n_tasks, 1), check_at_least("looks", looks, 0)
    states = shared_evenly(k, accounts) if k else {}
    shown = [(rule, share, count, between) for share, count in states.items()]
    return _excess(n, k, shown, between)


def certify_recorded_programs(
    n_tasks: int,
    looks: Mapping[tuple[str, str], int],
    *,
    between: tuple[float, float] | None = None,
) -> ProgramCertificate:
    """Return what the looks allow that a ledger records.

    Parameters
    ----------
    n_tasks
        Number of tasks.
    looks
        How many were answered under each rule with each memory, as `guard.exposure.histories`
        counts them.
    between
        As for `certify_programs`.

    Examples
    --------
    >>> looks = {("exact", "blue"): 4, ("exact", "red"): 4}
    >>> round(certify_recorded_programs(164, looks).excess, 3)
    0.353
    """
    ranges = []
    for (text, _), count in looks.items():
        look = recorded_look(text)
        metric = look.display.metric
        shown = None if look.display.plain else (metric.low, metric.high)
        ranges.append((look.rule, count, 1, shown))
    return _excess(n_tasks, sum(looks.values()), ranges, between)


def _excess(
    n: int,
    looks: int,
    states: Iterable[tuple[Rule, int, int, tuple[float, float] | None]],
    between: tuple[float, float] | None,
) -> ProgramCertificate:
    """Return what looks allow at states of rules.

    Each with its looks, how many such states there are, and the range of the values shown; None:
    shares of tasks passed.
    """
    low, high = (0.0, 1.0) if between is None else between
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInput(f"between must be two finite numbers in order, got {between}.")

    def released(rule: Rule, share: int, shown: tuple[float, float] | None) -> float:
        if shown is None:
            return log_answers(rule, n, share)
        # A released number is a float at least.
        return min(share * FLOAT_NATS, rule.nats_between(Problem(n, 2, share), *shown))

    nats = sum(count * released(rule, share, shown) for rule, share, count, shown in states)
    excess = (high - low) * min(1.0, math.sqrt(nats / (2.0 * n)))
    return ProgramCertificate(excess=excess, nats=nats, looks=looks)
