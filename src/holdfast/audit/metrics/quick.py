"""The quick audit of a metric: findings and the first attacks through each show, within seconds.

As for accuracies there is no verdict: SAFE would rest on attacks that were not played. Forecasts
rank attacks on accuracies; through a metric few have one, so that the order of the scenarios stands
for it, in which those that read values come before those that climb.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import in_fractions
from holdfast.audit.inputs.header import header
from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.record import MetricGain, gain_of_show
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.quick import N_ATTACKS, TRIALS, quick_sentence
from holdfast.audit.result import Finding
from holdfast.audit.scenarios.measurer import (
    Measured,
    Measurer,
    play_budget_for,
    strongest_first,
)
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.plays import players
from holdfast.audit.scenarios.suite import suite
from holdfast.metrics import Submission

__all__ = ["QuickMetricAudit", "quick_metric_audit"]

# Labels handled by one play; beyond it fewer looks are played.
MOST_WORK = 10**6


@dataclass(frozen=True, slots=True)
class QuickMetricAudit:
    """What can be said of a metric's board within seconds: no verdict.

    Attributes
    ----------
    unit, rounding_unit, constant
        What gains are counted in and rounded to, and what the best constant submission scores.
    gap
        The ranking gap that a whole audit would test.
    gains
        Those of the first attacks through each show, in `unit`, the largest first.
    not_played
        How many attacks were not played, which says nothing of them.
    looks, n_looks
        How many looks were played, and how many the policy grants.
    worst_final
        The largest gain, as far as the scored part counts in the final ranking: what is possible at
        least.
    """

    header: str
    metric: str
    board: str
    unit: str
    rounding_unit: float
    constant: float
    findings: tuple[Finding, ...]
    gap: float
    gains: tuple[MetricGain, ...]
    not_played: int
    looks: int
    n_looks: int
    worst_final: float
    sentence: str
    seconds: float

    quick: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain data; gains are in its unit."""
        data: dict[str, Any] = in_fractions(self)
        return data


def quick_metric_audit(asked: MetricRequest, *, kept: PlayCache | None = None) -> QuickMetricAudit:
    """Play the first attacks that can play, of the show that tells most and of the total.

    One that refuses costs nothing, and the next one plays in its place, until four have played.

    Parameters
    ----------
    asked
        What to audit.
    kept
        Where plays are looked up and kept; None: nowhere.
    """
    start = time.perf_counter()
    request, unit = asked.request, unit_for(asked)
    gap = unit.gap if request.gap is None else request.gap
    findings = metric_findings(asked, unit, gap)
    budget = play_budget_for(request)
    looks = max(1, min(budget.looks, MOST_WORK // request.labels.size))
    # The first attack through each show, the richest show first; then the second ones, and so on.
    shows, of_show = list(asked.shows), defaultdict(list)
    for each in suite(asked, request.rule, looks):
        of_show[each.show].append(each)
    places = ((at, -shows.index(show)) for show in shows for at in range(len(of_show[show])))
    every = [of_show[shows[-show]][at] for at, show in sorted(places)]
    able: list[Measured] = []
    refused: str | None = None
    tried = 0
    with players(None, asked, processes=1) as plain:
        measurer = Measurer(asked, unit, gap, budget, keeping(plain, kept))
        while tried < len(every) and len(able) < N_ATTACKS:
            found = measurer.measure([(every[tried], request.rule, looks)], range(TRIALS))
            able += [each for each in found if each.gain is not None]
            refused = refused or found[0].reason
            tried += 1
    gains = [gain_of_show(each, unit) for each in strongest_first(able)]
    worst = (gains[0].gain or 0.0) if gains else 0.0
    final = unit.round(worst * request.parts.final_share)
    return QuickMetricAudit(
        header=header(request, numbers=asked.metric.takes is Submission.NUMBERS),
        metric=str(asked.metric),
        board=asked.board,
        unit=unit.name,
        rounding_unit=unit.rounding_unit,
        constant=unit.constant,
        findings=findings,
        gap=gap,
        gains=tuple(gains),
        not_played=len(every) - tried,
        looks=looks,
        n_looks=request.n_looks,
        worst_final=final,
        sentence=quick_sentence(
            findings,
            unit.measured(worst) if gains else None,
            gains[0].attack if gains else "",
            unit.number(gap),
            reached=final >= gap,
            refused=refused,
        ),
        seconds=round(time.perf_counter() - start, 1),
    )
