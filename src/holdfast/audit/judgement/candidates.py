"""Candidate fixes: other rules, fewer looks and batches, and what each costs honest teams.

Costs of different kinds are made comparable by counting doublings: twice as coarse, half as many
looks, twice as long a wait for an answer each cost one. That is a convention, not a measurement. It
orders candidates sensibly within a kind, which is what the search needs; of each kind the cheapest
fix is shown, and the choice between kinds is the host's.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

from holdfast.audit.inputs.request import Request
from holdfast.mechanisms import Batch, Ladder, ParameterFreeLadder, Rounding, Rule
from holdfast.problem import Problem

__all__ = ["KINDS", "Candidate", "FixKind", "candidates", "loss", "numbers_of_looks"]

DECIMALS = (4, 3, 2, 1)
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
# Batches as shares of today's looks.
BATCHES = (0.1, 0.34, 1.0)
# First digits of the numbers of looks that are tried.
DIGITS = (5, 2, 1)

FixKind: TypeAlias = Literal["rule", "batch", "looks", "rule and looks"]
KINDS: tuple[FixKind, ...] = ("rule", "batch", "looks", "rule and looks")


class Candidate(NamedTuple):
    """A change: a rule, looks of all accounts together, and what it costs."""

    rule: Rule
    looks: int
    loss: float

    def kind(self, request: Request) -> FixKind:
        """Return what it changes."""
        if self.rule == request.rule:
            return "looks"
        if self.rule.waits:
            return "batch"
        return "rule" if self.looks == request.n_looks else "rule and looks"


def loss(rule: Rule, looks: int, request: Request) -> float:
    """Return what a change costs honest teams, in doublings.

    Coarseness counts in standard errors of a score, because a step below the error hides nothing
    that an honest team could rely on: log2(1 + resolution / error). Half the looks cost one, and
    answers that come in batches of b cost log2(b).

    Examples
    --------
    The embedded example has 899 labels, so a score has a standard error of 1.7 points: two decimals
    cost less than one doubling, half the looks one, and answers in batches of eight three. The 0.09
    in both is the coarseness of exact scores, one match in 899.

    >>> from holdfast.audit.inputs.reading import read_request
    >>> request = read_request()
    >>> changes = (Rounding(decimals=2), 1000), (request.rule, 500), (Batch(8), 1000)
    >>> [round(loss(rule, looks, request), 2) for rule, looks in changes]
    [0.68, 1.09, 3.09]
    """
    n, m, today = request.problem
    error = 0.5 / math.sqrt(n)
    coarse = math.log2(1.0 + rule.resolution(Problem(n, m, looks)) / error)
    return coarse + math.log2(today / looks) + math.log2(rule.batch_size or 1)


def numbers_of_looks(request: Request) -> list[int]:
    """Return fewer looks than today's, of all accounts together, the most first.

    Round numbers for each account: no account can be left less than a look.

    >>> from holdfast.audit.inputs.reading import read_request
    >>> numbers_of_looks(read_request(looks="60", accounts=2))
    [100, 40, 20, 10, 4, 2]
    """
    own = range(len(str(request.looks.count)), -1, -1)
    each = [digit * 10**power for power in own for digit in DIGITS]
    together = [request.accounts * k for k in each]
    return [k for k in together if k < request.n_looks]


def candidates(request: Request, gap: float) -> list[Candidate]:
    """Return every change that is considered, cheapest first.

    None has a resolution coarser than the gap, in points, that the board should show: it would
    hide what the ranking is for. Today's rule is today's, whatever its resolution.
    """
    n, m, today = request.problem
    rules: list[Rule] = [*(Rounding(decimals=digits) for digits in DECIMALS)]
    rules += [*(Ladder(step) for step in STEPS), ParameterFreeLadder()]
    if not request.rule.waits:
        sizes = {max(2, math.ceil(share * today)) for share in BATCHES}
        rules += [Batch(size) for size in sorted(sizes) if size <= today]
    fine = [rule for rule in rules if 100.0 * rule.resolution(Problem(n, m, today)) <= gap]
    looks = numbers_of_looks(request)
    found = [(request.rule, k) for k in looks]
    for rule in fine:
        # With one look each, a rule that remembers has nothing to remember.
        fewer = [k for k in looks if k > request.accounts or not rule.remembers]
        if rule != request.rule:
            found += [(rule, k) for k in ([today] if rule.waits else [today, *fewer])]
    priced = [Candidate(rule, k, loss(rule, k, request)) for rule, k in found]
    return sorted(priced, key=lambda each: (each.loss, str(each.rule), -each.looks))
