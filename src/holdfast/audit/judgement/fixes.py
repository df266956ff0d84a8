"""The cheapest fix: the least loss to honest users that brings the worst gain under the gap."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from holdfast.audit.baseline import Formulas
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import allowed
from holdfast.audit.judgement.verdict import RESERVE, word_for
from holdfast.audit.result import Fix, Interval, RuleRow
from holdfast.audit.scenarios.measurer import Measurer
from holdfast.audit.scenarios.rules import compared, price_points
from holdfast.mechanisms import Batch, Exact, Ladder, ParameterFreeLadder, Rounding, Rule
from holdfast.problem import Problem

__all__ = ["Candidate", "candidates", "cheapest_fix", "loss"]

DECIMALS = (4, 3, 2, 1)
STEPS = (0.002, 0.005, 0.01, 0.02, 0.05)
# Shares of today's looks that are tried, and batches as shares of them.
SHARES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
BATCHES = (0.1, 0.34, 1.0)
# Where to read on.
READ = "docs/choosing_a_rule.md"
# At most so many candidates are played.
MOST_PLAYED = 8


class Candidate(NamedTuple):
    """A change: a rule, looks of all accounts together, and what it costs."""

    rule: Rule
    looks: int
    loss: float


def loss(rule: Rule, looks: int, request: Request) -> float:
    """Return what a change costs honest users, in doublings.

    Coarseness counts in standard errors of a score, because a step below the error hides nothing
    that an honest user could rely on: log2(1 + resolution / error). Half the looks cost one, and
    answers that come in batches of b cost log2(b).
    """
    n, m, today = request.problem
    error = 0.5 / math.sqrt(n)
    coarse = math.log2(1.0 + rule.resolution(Problem(n, m, looks)) / error)
    return coarse + math.log2(today / looks) + math.log2(rule.batch_size or 1)


def candidates(request: Request) -> list[Candidate]:
    """Return every change that is considered, cheapest first."""
    today = request.n_looks
    rules = [request.rule, *(Rounding(decimals=digits) for digits in DECIMALS)]
    rules += [*(Ladder(step) for step in STEPS), ParameterFreeLadder()]
    # No account can be left less than a look.
    least = min(request.accounts, today)
    looks = sorted({max(least, int(share * today)) for share in SHARES}, reverse=True)
    found = {(rule, k): Candidate(rule, k, loss(rule, k, request)) for rule in rules for k in looks}
    if not request.rule.waits:
        for share in BATCHES:
            batch = Batch(max(2, math.ceil(share * today)))
            if batch.size <= today:
                found[batch, today] = Candidate(batch, today, loss(batch, today, request))
    del found[request.rule, today]
    return sorted(found.values(), key=lambda each: (each.loss, str(each.rule), -each.looks))


def cheapest_fix(measurer: Measurer, gap: float, others: Mapping[Rule, RuleRow]) -> Fix | None:
    """Return the cheapest candidate that brings the worst gain under the gap, or None.

    `gap` is in points of the scored part: larger where a gain there counts only by its share.
    `others` has what was found under other rules.

    Enough is what the verdict's reserve asks for: twice the gain is below the gap, or the gain is
    below it and no more than chance. Candidates are taken in order of loss. Formulas and what was
    played before skip those that can't be enough; the others are played with the attacks of the
    comparison, the strongest of them first.
    """
    request, budget, model = measurer.request, measurer.budget, measurer.model
    n, m, _ = request.problem
    forms = request.baseline.formulas
    known = {rule: (budget.looks, row.possible) for rule, row in others.items()}
    left = MOST_PLAYED
    for each in candidates(request):
        problem = Problem(n, m, each.looks)
        rule, looks = each.rule, min(each.looks, budget.looks)
        certain = allowed(request, rule, each.looks)
        if model is not None:
            certain = max(certain, allowed(request, rule, each.looks, model=model))
        proven = certain < gap
        if not proven and not _promising(forms, each, problem, gap, known):
            continue
        if rule in known and known[rule][0] == looks:
            possible = known[rule][1]
        elif left == 0 and not proven:
            continue  # too many were played; what is proven needs no luck
        else:
            left -= not proven
            possible = _played(measurer, rule, looks, gap)
            known[rule] = (looks, possible)
        if proven or _enough(possible, gap):
            return _fix(request, each, possible, certain, gap)
    return None


def _played(measurer: Measurer, rule: Rule, looks: int, gap: float) -> Interval:
    """Return the worst gain under a rule; the first attack's alone if that is too much."""
    trials, grain = measurer.budget.fewer, measurer.grain
    asked = [(scenario, rule, looks) for scenario in compared(measurer.request, rule, looks)]
    first = measurer.measure(asked[:1], range(trials))
    if first[0].bias is not None and 100.0 * first[0].bias.mean >= gap:
        return grain.interval(first[0].bias, trials)
    rest = measurer.measure(asked[1:], range(trials))
    return measurer.strongest_of([(rule, looks, [*first, *rest])], trials)[0].points(grain)


def _enough(possible: Interval, gap: float) -> bool:
    """Tell whether a gain, with the verdict's reserve, is below the gap."""
    chance = possible.low is not None and possible.low <= 0.0
    return RESERVE * possible.mean < gap or (chance and possible.mean < gap)


def _promising(
    forms: Formulas,
    each: Candidate,
    problem: Problem,
    gap: float,
    known: Mapping[Rule, tuple[int, Interval]],
) -> bool:
    """Tell whether neither a formula nor a measurement rules a candidate out."""
    rule = each.rule
    formula = forms.expected(rule, problem)
    if isinstance(rule, Rounding | Exact) and formula is not None and RESERVE * formula >= gap:
        return False
    for other, (looks, possible) in known.items():
        # Small numbers of looks gain like their square root, and finer rules not less.
        fewer = math.sqrt(min(1.0, each.looks / looks))
        less = Interval(possible.mean * fewer, possible.low, possible.high)
        if _is_finer(rule, other) and not _enough(less, gap):
            return False
    return True


def _is_finer(rule: Rule, other: Rule) -> bool:
    """Tell whether a rule is another one, or the same with more decimals or a smaller step."""
    match rule, other:
        case (Rounding(), Rounding()):
            return rule.rounds_to <= other.rounds_to
        case (Ladder(), Ladder()):
            return rule.step <= other.step
        case _:
            return rule == other


def _fix(request: Request, each: Candidate, possible: Interval, certain: float, gap: float) -> Fix:
    rule = each.rule
    n, m, _ = request.problem
    parts = []
    if rule != request.rule:
        parts.append(f"release {rule} instead of {request.release}")
    if each.looks < request.n_looks:
        own = max(1, each.looks // request.accounts)
        parts.append(
            f"allow {own:,} look{'' if own == 1 else 's'} an account instead of "
            f"{request.looks.count:,}"
        )
    change = " and ".join(parts)
    proven = certain < gap
    word = word_for(possible, gap, proven=proven)
    gain = max(0.0, possible.mean)  # less than nothing is chance
    return Fix(
        rule=str(rule),
        looks=each.looks,
        loss=round(each.loss, 2),
        possible=possible,
        allowed=certain,
        price_points=price_points(rule, Problem(n, m, each.looks)),
        proven=proven,
        verdict=word,
        text=f"{change[:1].upper()}{change[1:]}: the worst gain found falls to "
        f"{gain:g} point{'' if gain == 1.0 else 's'}, and the verdict becomes "
        f"{word}.",
        read=READ,
    )
