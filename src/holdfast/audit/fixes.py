"""The cheapest fix: the least loss to honest users that brings the worst gain under the gap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from holdfast.audit import closed_forms
from holdfast.audit.grain import Grain
from holdfast.audit.plays import Play
from holdfast.audit.request import Request
from holdfast.audit.result import Fix, Interval, RuleRow
from holdfast.audit.rules import measure_rule, price_points
from holdfast.audit.suite import Effort, OnPlay
from holdfast.mechanisms import Batch, Chain, parse_mechanism
from holdfast.problem import Problem

__all__ = ["Candidate", "candidates", "cheapest_fix", "loss"]

DECIMALS = (4, 3, 2, 1)
STEPS = (0.002, 0.005, 0.01, 0.02, 0.05)
# Shares of today's looks that are tried, and batches as shares of them.
SHARES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
BATCHES = (0.1, 0.34, 1.0)
# At most so many candidates are played.
MOST_PLAYED = 8


class Candidate(NamedTuple):
    """A change: a rule in text form, looks of all accounts together, and what it costs."""

    rule: str
    looks: int
    loss: float


def loss(rule: str, looks: int, request: Request) -> float:
    """Return what a change costs honest users, in doublings.

    Coarseness counts in standard errors of a score, because a step below the error hides nothing
    that an honest user could rely on: log2(1 + resolution / error). Half the looks cost one, and
    answers that come in batches of b cost log2(b).
    """
    n, m, today = request.problem
    parsed = parse_mechanism(rule)
    error = 0.5 / math.sqrt(n)
    coarse = math.log2(1.0 + parsed.resolution(Problem(n, m, looks)) / error)
    rules = parsed.rules if isinstance(parsed, Chain) else [parsed]
    late = sum(math.log2(each.size) for each in rules if isinstance(each, Batch))
    return coarse + math.log2(today / looks) + late


def candidates(request: Request) -> list[Candidate]:
    """Return every change that is considered, cheapest first."""
    today = request.n_looks
    rules = [request.release]
    rules += [f"round:{digits}" for digits in DECIMALS]
    rules += [f"ladder:{step}" for step in STEPS] + ["ladder"]
    looks = sorted({max(1, int(share * today)) for share in SHARES}, reverse=True)
    found = {(rule, k): Candidate(rule, k, loss(rule, k, request)) for rule in rules for k in looks}
    if not request.release.startswith("batch"):
        for share in BATCHES:
            rule = f"batch:{max(2, math.ceil(share * today))}"
            if max(2, math.ceil(share * today)) <= today:
                found[rule, today] = Candidate(rule, today, loss(rule, today, request))
    del found[request.release, today]
    return sorted(found.values(), key=lambda each: (each.loss, each.rule, -each.looks))


def cheapest_fix(
    request: Request,
    effort: Effort,
    grain: Grain,
    gap: float,
    compared: Sequence[RuleRow],
    play: Play,
    on_play: OnPlay | None = None,
) -> Fix | None:
    """Return the cheapest candidate whose worst measured gain is below the gap, or None.

    Candidates are taken in order of loss. Formulas and the rules already compared skip those
    that can't be enough; the others are played with the attacks of the comparison.
    """
    n, m, _ = request.problem
    # Measured gains by rule, each with its looks; what was played before prunes what comes later.
    known = {each.rule: (effort.looks, each.possible.mean) for each in compared}
    left = MOST_PLAYED
    for each in candidates(request):
        problem = Problem(n, m, each.looks)
        if not _promising(each, problem, gap, known):
            continue
        certain = closed_forms.allowed(parse_mechanism(each.rule), problem)
        proven = certain is not None and certain < gap
        if left == 0 and not proven:
            continue  # too many were played; what is proven needs no luck
        left -= not proven
        looks = min(each.looks, effort.looks)
        _, strongest = measure_rule(each.rule, looks, effort.fewer, play, on_play)
        mean = 100.0 * strongest.bias.mean
        if mean < gap or proven:
            return _fix(
                request, each, grain.interval(strongest.bias, strongest.trials), problem, gap
            )
        known[str(parse_mechanism(each.rule))] = (looks, mean)
    return None


def _promising(
    each: Candidate, problem: Problem, gap: float, known: Mapping[str, tuple[int, float]]
) -> bool:
    """Tell whether neither a formula nor a measurement rules a candidate out."""
    rule = parse_mechanism(each.rule)
    certain = closed_forms.allowed(rule, problem)
    if certain is not None and certain < gap:
        return True
    formula = closed_forms.expected(rule, problem)
    if rule.name in ("round", "exact") and formula is not None and formula >= gap:
        return False
    looks, gain = known.get(str(rule), (each.looks, 0.0))
    # Small numbers of looks gain like their square root.
    return gain * math.sqrt(min(1.0, each.looks / looks)) < gap


def _fix(
    request: Request, each: Candidate, possible: Interval, problem: Problem, gap: float
) -> Fix:
    rule = parse_mechanism(each.rule)
    allowed = closed_forms.allowed(rule, problem)
    parts = []
    if str(rule) != request.release:
        parts.append(f"release {rule} instead of {request.release}")
    if each.looks < request.n_looks:
        own = max(1, each.looks // request.accounts)
        parts.append(f"allow {own:,} looks an account instead of {request.looks.count:,}")
    change = " and ".join(parts)
    return Fix(
        rule=str(rule),
        looks=each.looks,
        loss=round(each.loss, 2),
        possible=possible,
        allowed=allowed,
        price_points=price_points(rule, problem),
        proven=allowed is not None and allowed < gap,
        text=f"{change[:1].upper()}{change[1:]}: the worst gain found falls to "
        f"{possible.mean:g} points.",
    )
