"""Fixes of a board that shows a metric: show less, release less, or allow fewer looks.

A change is a fix if the strongest attack that was played under it stays below half of the gap, and
an honest score is not blurred by more than the gap. At most three are offered, and what honest
teams lose decides their order:

1. less is shown, under the same rule: their score stays as exact as it was;
2. another rule at today's looks, from the one that blurs least;
3. fewer looks, the most that are enough, by bisection over 1, 2, 5, 10, ...: under today's rule,
   and if nothing else helps under the strictest.

The first two cost no play, since every rule was played with and without what else is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from holdfast.audit.judgement.fixes import last_enough
from holdfast.audit.judgement.verdict import RESERVE, worth
from holdfast.audit.metrics.asked import TOTAL
from holdfast.audit.metrics.measurer import (
    MOST_AGAIN,
    MetricMeasurer,
    strongest_first,
    through,
)
from holdfast.audit.metrics.record import MetricFix, MetricGain, MetricRule, MetricVerdict
from holdfast.audit.metrics.rules import metric_rules
from holdfast.audit.result import in_digits

__all__ = ["ALL_SHOWN", "MetricFixSearch", "round_numbers_below"]

MOST_FIXES = 3
ALL_SHOWN = "all that is shown"
# Numbers of looks that a policy may state: 1, 2, 5, 10, ...
ROUND_NUMBERS = (1, 2, 5)


@dataclass(frozen=True, eq=False)
class MetricFixSearch:
    """The search for fixes of a metric's board; what was played for one verdict serves the next.

    First what is shown, under the same rule; then rules, by their blur for honest teams; then fewer
    looks, under today's rule and under the one that leaves least.

    Parameters
    ----------
    measurer
        Plays what is not known yet, with the audit's request and unit.
    rows
        What each rule leaves at today's looks.
    played
        The gains at fewer looks, by rule and looks.
    """

    measurer: MetricMeasurer
    rows: Sequence[MetricRule]
    played: dict[tuple[str, int], list[MetricGain]] = field(default_factory=dict)

    def fixed(self, verdict: MetricVerdict) -> MetricVerdict:
        """Return the verdict with its fixes, mildest first; one that is SAFE needs none."""
        share = worth(self.measurer.asked.request, verdict.about)
        if verdict.word == "SAFE" or not share:
            return verdict
        search = _VerdictSearch(self, verdict, share)
        found = [*search.shown_less(), *search.by_rules()][:MOST_FIXES]
        if len(found) < MOST_FIXES:
            found += search.by_looks(first=not found)
        return replace(verdict, fixes=tuple(found[:MOST_FIXES]))

    def at_looks(self, name: str, looks: int) -> list[MetricGain]:
        """Return the strongest attack of each show under a rule with so many looks.

        The likeliest are measured once more with new randomness, as the audit of that policy
        would: a fix that is followed shall not be called unsafe by the next audit.
        """
        shows = self.measurer.asked.shows
        if (name, looks) not in self.played:
            (rule,) = (each for each in metric_rules(self.measurer.asked) if str(each) == name)
            found = strongest_first(self.measurer.suite("fixes", rule, looks))
            likely = [each for each in found[:MOST_AGAIN] if each.gain is not None]
            found += self.measurer.again(likely, rule, looks)
            self.played[name, looks] = sorted(found, key=lambda each: -each.upper)
        return [through(self.played[name, looks], show) for show in shows]


class _VerdictSearch:
    """The search for one verdict: its gap, and the share by which gains count in it."""

    def __init__(self, plays: MetricFixSearch, verdict: MetricVerdict, share: float) -> None:
        self.plays, self.rows, self.verdict, self.share = plays, plays.rows, verdict, share
        self.asked, self.unit = plays.measurer.asked, plays.measurer.unit
        self.several = len(self.asked.shows) > 1

    def shown_less(self) -> list[MetricFix]:
        """Return the total alone under today's rule, if that is enough.

        `strongest` of a row has one gain for each show, that of the total first.
        """
        if not self.several:
            return []
        return [
            self._fix(row, row.strongest[0], TOTAL)
            for row in self.rows
            if row.is_policy and self._enough(row.strongest[:1])
        ]

    def by_rules(self) -> list[MetricFix]:
        """Return other rules that are enough, for all that is shown or for the total alone.

        A rule that blurs an honest score by more than the gap is no fix: it would hide the very
        differences that the ranking shall show.
        """
        found = []
        for row in sorted(self.rows, key=lambda row: row.blur):
            if row.is_policy or row.blur > self.verdict.gap:
                continue
            if self._enough(row.strongest):
                worst = max(row.strongest, key=lambda each: each.upper)
                found.append(self._fix(row, worst, ALL_SHOWN))
            elif self.several and self._enough(row.strongest[:1]):
                found.append(self._fix(row, row.strongest[0], TOTAL))
        return found

    def by_looks(self, *, first: bool) -> list[MetricFix]:
        """Return the most looks that are enough under today's rule, or under the strictest.

        `first` tells that no milder fix was found: only then the strictest rule is tried as well,
        the one that leaves the least gain at today's looks.
        """
        policy = [row for row in self.rows if row.is_policy]
        usable = [row for row in self.rows if not row.is_policy and row.blur <= self.verdict.gap]
        strict = sorted(usable, key=lambda row: max(each.upper for each in row.strongest))[:1]
        found = []
        for row in policy + (strict if first else []):
            fix = self._most_looks(row)
            if fix is not None:
                found.append(fix)
        return found

    def _most_looks(self, row: MetricRule) -> MetricFix | None:
        """Return the most looks that are enough under a rule, of those that a policy may state.

        Only fewer than were played: more would rest on plays that take too long.
        """
        most = self.asked.request.n_looks
        counts = [c for c in round_numbers_below(most) if c < row.strongest[0].looks]
        looks = last_enough(counts, lambda each: self._enough(self.plays.at_looks(row.rule, each)))
        if looks is None:
            return None
        worst = max(self.plays.at_looks(row.rule, looks), key=lambda each: each.upper)
        return self._fix(row, worst, ALL_SHOWN, looks)

    def _enough(self, gains: Sequence[MetricGain]) -> bool:
        """Tell whether all were played and stay below half of the gap.

        It is the upper ends that count, times the share by which a gain counts in the verdict; an
        attack that could not play proves nothing.
        """
        return all(
            each.gain is not None and RESERVE * self.share * each.upper < self.verdict.gap
            for each in gains
        )

    def _fix(
        self, row: MetricRule, worst: MetricGain, show: str, looks: int | None = None
    ) -> MetricFix:
        """Return a change as advice: what to change, its price, and what is left of the gain."""
        request, unit = self.asked.request, self.unit
        changes = []
        if not row.is_policy:
            changes.append(f"release {row.rule} instead of {request.release}")
        if show == TOTAL:
            changes.append("show the total only")
        if looks is not None:
            own = max(1, looks // request.accounts)
            changes.append(
                f"allow {own:,} scored submission{'' if own == 1 else 's'} per account instead of "
                f"{request.looks.count:,}"
            )
        change = " and ".join(changes)
        blur = f"blur for honest teams: up to {unit.number(row.blur)}"
        gain = unit.round(self.share * (worst.gain or 0.0))
        before, after = (in_digits(each, unit.rounding_unit) for each in (self.verdict.gain, gain))
        return MetricFix(
            rule=row.rule,
            show=show,
            looks=request.n_looks if looks is None else looks,
            gain=gain,
            blur=row.blur,
            text=f"{change[:1].upper()}{change[1:]} ({blur if row.blur else 'no blur'}): the worst "
            f"gain found falls from {before} to {after} {unit.name_of(gain)}, and the verdict "
            "becomes SAFE.",
        )


def round_numbers_below(most: int) -> list[int]:
    """Return 1, 2, 5, 10, ... below a number: what a policy may state as a number of looks.

    >>> round_numbers_below(25)
    [1, 2, 5, 10, 20]
    """
    found, power = [], 1
    while power < most:
        found += [each * power for each in ROUND_NUMBERS if each * power < most]
        power *= 10
    return found
