"""The quick audit of a metric: findings and the first attacks through each show, within seconds.

As for accuracies there is no verdict: SAFE would rest on attacks that were not played. Forecasts
rank attacks on accuracies; through a metric few have one, so that the order of the scenarios stands
for it, in which those that read values come before those that climb.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import in_fractions
from holdfast.audit.inputs.header import header
from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.measurer import AskedPlay, MetricMeasurer, places_of
from holdfast.audit.metrics.plays import play_metric_job
from holdfast.audit.metrics.record import MetricGain
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.quick import N_ATTACKS, TRIALS, quick_sentence
from holdfast.audit.result import Finding
from holdfast.audit.scenarios.measurer import play_budget_for
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.experiments.pool import pool
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
    budget = play_budget_for(request).looks
    looks = max(1, min(budget, MOST_WORK // request.labels.size))
    # The first attack through each show, the richest show first; then the second ones, and so on.
    every = sorted(((at, -list(asked.shows).index(show), show) for show, at in places_of(asked)))
    gains: list[MetricGain] = []
    refused: str | None = None
    tried = 0
    with pool(play_metric_job, asked, processes=1) as plain:
        measurer = MetricMeasurer(asked, unit, keeping(plain, kept), looks, TRIALS)
        while tried < len(every) and len(gains) < N_ATTACKS:
            at, _, show = every[tried]
            found = measurer.measure([AskedPlay(show, at, request.rule, looks)])
            gains += [each for each in found if each.gain is not None]
            refused = refused or found[0].reason
            tried += 1
    gains.sort(key=lambda each: -(each.gain or 0.0))
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
