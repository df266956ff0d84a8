"""Fixes of a board that shows a metric: show less, release less, or allow fewer looks.

A change is a fix if the strongest attack that was played under it stays below half of the gap, and
an honest score is not blurred by more than the gap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace

from holdfast.audit.judgement.verdict import RESERVE, worth
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.audit.metrics.record import MetricFix, MetricGain, MetricRule, MetricVerdict
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import in_digits

__all__ = ["ALL_SHOWN", "fixed"]

MOST_FIXES = 3
ALL_SHOWN = "all that is shown"
# Numbers of looks that a policy may state: 1, 2, 5, 10, ...
ROUND_NUMBERS = (1, 2, 5)

# The strongest attack under the rule of a row, with so many looks, through one of the shows.
Strongest = Callable[[str, int, str], MetricGain]


def fixed(
    asked: MetricRequest,
    unit: Unit,
    verdict: MetricVerdict,
    rows: Sequence[MetricRule],
    strongest: Strongest,
) -> MetricVerdict:
    """Return the verdict with its fixes, mildest first; `strongest` plays what is not known yet.

    First what is shown, under the same rule; then rules, by their blur for honest teams; then
    fewer looks, under today's rule and under the one that leaves least.
    """
    share = worth(asked.request, verdict.about)
    if verdict.word == "SAFE" or not share:
        return verdict
    search = _Search(asked, unit, verdict, share, strongest)
    found = [*search.shown_less(rows), *search.by_rules(rows)][:MOST_FIXES]
    if len(found) < MOST_FIXES:
        found += search.by_looks(rows, first=not found)
    return replace(verdict, fixes=tuple(found[:MOST_FIXES]))


class _Search:
    """What one verdict's fixes are looked for with."""

    def __init__(
        self,
        asked: MetricRequest,
        unit: Unit,
        verdict: MetricVerdict,
        share: float,
        strongest: Strongest,
    ) -> None:
        self.asked, self.unit, self.verdict, self.share = asked, unit, verdict, share
        self.strongest = strongest
        self.several = len(asked.shows) > 1

    def shown_less(self, rows: Sequence[MetricRule]) -> list[MetricFix]:
        """Return the total alone under today's rule, if that is enough."""
        if not self.several:
            return []
        return [
            self._fix(row, row.strongest[0], TOTAL)
            for row in rows
            if row.is_policy and self._enough(row.strongest[:1])
        ]

    def by_rules(self, rows: Sequence[MetricRule]) -> list[MetricFix]:
        """Return other rules that are enough, for all that is shown or for the total alone."""
        found = []
        for row in sorted(rows, key=lambda row: row.blur):
            if row.is_policy or row.blur > self.verdict.gap:
                continue
            if self._enough(row.strongest):
                worst = max(row.strongest, key=lambda each: each.upper)
                found.append(self._fix(row, worst, ALL_SHOWN))
            elif self.several and self._enough(row.strongest[:1]):
                found.append(self._fix(row, row.strongest[0], TOTAL))
        return found

    def by_looks(self, rows: Sequence[MetricRule], *, first: bool) -> list[MetricFix]:
        """Return the most looks that are enough under today's rule, or under the strictest."""
        policy = [row for row in rows if row.is_policy]
        usable = [row for row in rows if not row.is_policy and row.blur <= self.verdict.gap]
        strict = sorted(usable, key=lambda row: max(each.upper for each in row.strongest))[:1]
        found = []
        for row in policy + (strict if first else []):
            fix = self._most_looks(row)
            if fix is not None:
                found.append(fix)
        return found

    def _most_looks(self, row: MetricRule) -> MetricFix | None:
        most = self.asked.request.n_looks
        counts = [c for c in round_numbers_below(most) if c < row.strongest[0].looks]
        shown = list(self.asked.shows)
        played: dict[int, list[MetricGain]] = {}

        def too_many(looks: int) -> bool:
            played[looks] = [self.strongest(row.rule, looks, show) for show in shown]
            return not self._enough(played[looks])

        enough = bisect_left(counts, True, key=too_many)
        if not enough:
            return None
        looks = counts[enough - 1]
        if looks not in played:
            too_many(looks)
        worst = max(played[looks], key=lambda each: each.upper)
        return self._fix(row, worst, ALL_SHOWN, looks)

    def _enough(self, gains: Sequence[MetricGain]) -> bool:
        """Tell whether all were played and stay below half of the gap."""
        return all(
            each.gain is not None and RESERVE * self.share * each.upper < self.verdict.gap
            for each in gains
        )

    def _fix(
        self, row: MetricRule, worst: MetricGain, show: str, looks: int | None = None
    ) -> MetricFix:
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
    """Return 1, 2, 5, 10, ... below a number.

    >>> round_numbers_below(25)
    [1, 2, 5, 10, 20]
    """
    found, power = [], 1
    while power < most:
        found += [each * power for each in ROUND_NUMBERS if each * power < most]
        power *= 10
    return found
