"""Fixes: changes that bring the worst gain under the gap, ranked by what they cost honest teams.

A fix is advice, so it is held to what the verdict is held to. Attacks are played against it: those
by which rules are compared, on small test sets all that an audit of the changed policy would play.
It counts only if the word, or the number, becomes better. There are dozens of candidates and a play
takes up to seconds, so most must be ruled out without one:

1. `candidates` are sorted by their loss, and the search of a kind stops at the first that is
   enough.
2. A formula's forecast above half the gap rules a rule out, and so does a measured gain on a
   coarser rule with no more looks, since a finer one tells no less (`_promising`).
3. The coarsest Ladder is played first: if it is not enough, no finer one is.
4. In the number of looks the gain is monotone: bisection, not a search (`_most_looks`).
5. One attack plays first, and if it gains twice the gap the others need not.

What was played is kept by rule and looks, for the verdict on the public board as well.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from holdfast.audit.inputs.disclosure import NORMAL_95
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.allowed import allowed
from holdfast.audit.judgement.candidates import KINDS, Candidate, candidates
from holdfast.audit.judgement.sentences import number
from holdfast.audit.judgement.verdict import RESERVE, WORDS, word_for
from holdfast.audit.result import Fix, Interval, RuleRow, Verdict
from holdfast.audit.scenarios.measurer import Measurer
from holdfast.audit.scenarios.rules import compared, price_points
from holdfast.audit.scenarios.scenarios import Scenario, model_scenarios, suite_scenarios
from holdfast.mechanisms import Exact, Ladder, Rounding, Rule
from holdfast.problem import Problem

__all__ = ["READ", "FixSearch", "last_enough"]

Able = TypeVar("Able")

# Where to read on.
READ = "docs/choosing_a_rule.md"
# At most so many candidates of a kind are played.
MOST_PLAYED = 4
# Plays of a candidate: until chance is this share of the gap, within limits.
SHARE_OF_GAP = 0.125
MOST_TRIALS = 64
MOST_LABELS = 2 * 10**6
# Labels scored in one play up to which the whole suite is played, as in an audit of the fix.
WHOLE_SUITE = 2 * 10**5


def last_enough(able: Sequence[Able], enough: Callable[[Able], bool]) -> Able | None:
    """Return the last candidate that is enough, of those sorted from safe to generous.

    More looks never gain less, so that "enough" is True, ..., True, False, ..., False in this
    order. Bisection asks about log2 of them: three or four of nine. None: not even the first is.

    >>> last_enough([1, 2, 5, 10, 20], lambda looks: looks < 7)
    5
    """
    first_too_many = bisect_left(able, True, key=lambda each: not enough(each))
    return able[first_too_many - 1] if first_too_many else None


@dataclass(frozen=True)
class FixSearch:
    """The search for fixes; what was played for one verdict serves the next.

    Other rules at today's looks are taken in order of what they cost honest teams. Where fewer
    looks are the fix, or part of it, the most looks that are enough are found by bisection.
    Formulas and what was played before skip what can't be enough; the rest is played with the
    attacks of the comparison, and with those that start from the given models. Enough is what the
    verdict's reserve asks for: twice the gain is below the gap, or the gain is below it and no more
    than chance.
    """

    measurer: Measurer
    others: Mapping[Rule, RuleRow]
    played: dict[tuple[Rule, int], Interval] = field(default_factory=dict)

    def fixes(self, verdict: Verdict, share: float) -> tuple[Fix, ...]:
        """Return the cheapest fix of each kind, the cheapest of all first.

        `share` is what a gain on the scored part is worth in what the verdict is about. A fix is
        offered only if it improves the word or the number.
        """
        request = self.measurer.request
        able = candidates(request, verdict.gap_points)
        of_kind = {kind: [c for c in able if c.kind(request) == kind] for kind in KINDS}
        ladders = [each for each in of_kind["rule"] if isinstance(each.rule, Ladder)]
        self._first(ladders[-1:], verdict, share)  # what the coarsest does not stop, no finer does
        by_rule = self._first(of_kind["rule"], verdict, share)
        found = [by_rule, self._first(of_kind["batch"], verdict, share)]
        found.append(self._most_looks(of_kind["looks"], verdict, share))
        if by_rule is None and ladders:
            both = [c for c in of_kind["rule and looks"] if c.rule == ladders[-1].rule]
            found.append(self._most_looks(both, verdict, share))
        known = [fix for fix in found if fix is not None]
        return tuple(sorted(known, key=lambda fix: fix.loss))

    def _first(self, able: Sequence[Candidate], verdict: Verdict, share: float) -> Fix | None:
        """Return the first candidate that is enough; only so many are played."""
        left = MOST_PLAYED
        for each in able:
            fresh = (each.rule, self._looks(each)) not in self.played
            if fresh and self._promising(each, verdict.gap_points / share):
                if left == 0:
                    continue
                left -= 1
            fix = self._tried(each, verdict, share)
            if fix is not None:
                return fix
        return None

    def _most_looks(self, able: Sequence[Candidate], verdict: Verdict, share: float) -> Fix | None:
        """Return the candidate with the most looks that are enough, of those with one rule.

        More looks never gain less, so that "too many" is False, ..., False, True, ..., True in
        their order, and bisection plays log2 of the candidates: three or four of nine numbers.
        """
        by_looks = sorted(able, key=lambda each: each.looks)
        most = last_enough(by_looks, lambda each: self._tried(each, verdict, share) is not None)
        return None if most is None else self._tried(most, verdict, share)

    def _looks(self, each: Candidate) -> int:
        return min(each.looks, self.measurer.budget.looks)

    def _tried(self, each: Candidate, verdict: Verdict, share: float) -> Fix | None:
        """Return a candidate as a fix if it is enough.

        Either the certified bound lies below the gap, for attackers with models as good as the
        given ones; or the worst gain that is found does, with the verdict's reserve. Without models
        a bound alone is not enough: it binds those who know nothing, and every real team has one.
        """
        request, model = self.measurer.request, self.measurer.model
        gap = verdict.gap_points / share  # a gain on the scored part counts by its share
        certain = allowed(request, each.rule, each.looks)
        if model is not None:
            certain = max(certain, allowed(request, each.rule, each.looks, model=model))
        proven = model is not None and certain < gap
        if not proven and not self._promising(each, gap):
            return None
        looks = self._looks(each)
        if (each.rule, looks) not in self.played:
            self.played[each.rule, looks] = self._play(each.rule, looks, gap)
        possible = self.played[each.rule, looks]
        if not (proven or _enough(possible, gap)):
            return None
        fix = self._fix(each, possible, certain, verdict, share, proven=proven)
        return fix if _improves(fix, verdict) else None

    def _scenarios(self, rule: Rule, looks: int) -> list[Scenario]:
        """Return who plays against a candidate: those by whom rules are compared, and models.

        On small test sets all whom an audit of the changed policy would play, so that a fix that is
        followed is not called unsafe by the next audit.
        """
        request = self.measurer.request
        n, m, _ = request.problem
        problem, models = Problem(n, m, looks), bool(request.predictions)
        found = compared(request, rule, looks)
        if n * looks <= WHOLE_SUITE:
            every = suite_scenarios(
                rule, problem, request.histories, models=models, shares=request.baseline.unequal
            )
            return [*found, *(each for each in every if each not in found)]
        if models:
            found += model_scenarios(rule, problem, request.histories)
        return found

    def _play(self, rule: Rule, looks: int, gap: float) -> Interval:
        """Return the worst gain under a rule; the first attack's alone if that is too much."""
        measurer = self.measurer
        trials, unit = self._trials(looks, gap), measurer.rounding_unit
        asked = [(scenario, rule, looks) for scenario in self._scenarios(rule, looks)]
        few = min(trials, measurer.budget.fewer)
        first = measurer.measure(asked[:1], range(few))
        if first[0].bias is not None and 100.0 * first[0].bias.mean >= 2.0 * gap:
            return unit.interval(first[0].bias, few)
        # Choose by a few plays, and measure what was chosen often enough.
        rest = measurer.measure(asked[1:], range(few))
        return measurer.strongest_of([(rule, looks, [*first, *rest])], trials)[0].points(unit)

    def _trials(self, looks: int, gap: float) -> int:
        """Return how many plays make chance small beside the gap, as far as time allows.

        A play's gain has the standard deviation of a guess's score, 100 sqrt((1 - 1/m) / (m n))
        points or so: one point for 900 examples of ten classes. The 95 % half-width of a mean of t
        plays shall be an eighth of the gap, so that a gap of one point asks for (1.96 * 8)^2 = 246
        of them; `MOST_TRIALS` and the labels that are handled set the limit.
        """
        n, m, _ = self.measurer.request.problem
        deviation = 100.0 * math.sqrt((1.0 - 1.0 / m) / m / n)
        wanted = math.ceil((NORMAL_95 * deviation / (SHARE_OF_GAP * gap)) ** 2)
        affordable = MOST_LABELS // (n * looks)
        return max(self.measurer.budget.fewer, min(wanted, affordable, MOST_TRIALS))

    def _promising(self, each: Candidate, gap: float) -> bool:
        """Tell whether neither a formula nor a measurement rules a candidate out.

        Two arguments, both one-sided: they spare plays and never offer a fix. A forecast, with the
        verdict's reserve, reaches the gap: the plays would find the same. Or another rule was
        played that this one refines, with no more looks, and was not enough: whoever meets this
        rule can compute the other one's answers, and gain what was gained there.
        """
        rule, request = each.rule, self.measurer.request
        n, m, _ = request.problem
        problem, forms = Problem(n, m, each.looks), request.baseline.formulas
        if isinstance(rule, Rounding | Exact):
            formula = forms.forecast_of_blocks(rule, problem)
            if rule.refines(Exact(), problem):
                formula = forms.forecast_from_exact(problem)
            if formula is not None and RESERVE * formula >= gap:
                return False
        known = dict(self.played)
        for other, row in self.others.items():
            known.setdefault((other, self.measurer.budget.looks), row.possible)
        # A finer rule and more looks gain no less.
        return not any(
            looks <= each.looks and _is_finer(rule, other, problem) and not _enough(possible, gap)
            for (other, looks), possible in known.items()
        )

    def _fix(
        self,
        each: Candidate,
        possible: Interval,
        certain: float,
        verdict: Verdict,
        share: float,
        *,
        proven: bool,
    ) -> Fix:
        """Return a candidate that is enough as advice: change, price and new verdict."""
        request = self.measurer.request
        n, m, _ = request.problem
        measured = _times(possible, share, self.measurer)
        word = word_for(measured, verdict.gap_points, proven=proven, most=share * certain)
        price = price_points(each.rule, Problem(n, m, each.looks))
        worth = measured.at_most(share * certain)
        before, after = max(0.0, verdict.points.mean), max(0.0, worth.mean)  # less is chance
        return Fix(
            rule=str(each.rule),
            looks=each.looks,
            loss=round(each.loss, 2),
            possible=worth,
            allowed=share * certain,
            price_points=price,
            proven=proven,
            verdict=word,
            text=f"{_change(request, each)} ({_price(each.rule, price)}): the worst gain found "
            f"falls from {before:g} to {number(after)}, and the verdict "
            f"{'becomes' if word != verdict.word else 'stays'} {word}.",
            read=READ,
        )


def _improves(fix: Fix, verdict: Verdict) -> bool:
    """Tell whether a fix makes the word better, or keeps it with a smaller gain."""
    better = WORDS.index(fix.verdict) - WORDS.index(verdict.word)
    return better > 0 or (better == 0 and fix.possible.mean < verdict.points.mean)


def _times(points: Interval, share: float, measurer: Measurer) -> Interval:
    """Return a gain on the scored part as one in what a verdict is about."""
    if share == 1.0:
        return points
    ends = (points.mean, points.low, points.high)
    mean, low, high = (
        None if end is None else measurer.rounding_unit.round(share * end) for end in ends
    )
    return Interval(mean or 0.0, low, high)


def _change(request: Request, each: Candidate) -> str:
    """Return what to change, in words; looks per account, as a policy states them."""
    parts = []
    if each.rule != request.rule:
        parts.append(f"release {each.rule} instead of {request.release}")
    if each.looks < request.n_looks:
        own = max(1, each.looks // request.accounts)
        parts.append(
            f"allow {own:,} scored submission{'' if own == 1 else 's'} per account instead of "
            f"{request.looks.count:,}"
        )
    change = " and ".join(parts)
    return f"{change[:1].upper()}{change[1:]}"


def _price(rule: Rule, price: float) -> str:
    """Return what honest teams lose: the blur, and what they are told later or never."""
    blur = f"blur for honest teams: up to {number(price)}" if price else "no blur for honest teams"
    if rule.tells_best:
        return f"{blur}, and only a new best is told its score"
    return blur if rule.batch_size is None else f"{blur}, who wait for {rule.batch_size:,} answers"


def _enough(possible: Interval, gap: float) -> bool:
    """Tell whether a gain, with the verdict's reserve, is below the gap."""
    chance = possible.low is not None and possible.low <= 0.0
    return RESERVE * possible.mean < gap or (chance and possible.mean < gap)


def _is_finer(rule: Rule, other: Rule, problem: Problem) -> bool:
    """Tell whether a rule refines another one, or has a smaller step, which tells more."""
    if isinstance(rule, Ladder) and isinstance(other, Ladder):
        return rule.step <= other.step
    return rule.refines(other, problem)
