"""One audit of a metric, from request to record.

The suite is smaller than that of accuracies: the attacks that play through this metric, against the
policy and against other rules that work on its values, with and without what else is shown. In the
order of the work, and of what a user waits for:

1. findings, which need no play, and how many plays will follow;
2. every attack through every show, under the policy and then under each other rule;
3. the likeliest under the policy once more, with fresh randomness, so that choosing the strongest
   does not flatter it;
4. every attack at fewer looks, for the curve;
5. the verdict, and what certificates say; fixes, which are played too, where it is not SAFE.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.models import described
from holdfast.audit.judgement.verdict import on_both_boards, shuffled
from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.certified import in_words
from holdfast.audit.metrics.curve import fewer_looks, metric_curve
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.fixes import MetricFixSearch
from holdfast.audit.metrics.measurer import (
    MetricMeasurer,
    OnMetricPlay,
    OnStep,
    places_of,
    unread,
)
from holdfast.audit.metrics.plays import MetricJob, play_metric_job
from holdfast.audit.metrics.record import MetricAudit, MetricVerdict
from holdfast.audit.metrics.rules import metric_rules, on_each_rule, rule_rows
from holdfast.audit.metrics.units import model_value, unit_for
from holdfast.audit.metrics.verdict import judged
from holdfast.audit.result import About, Finding, voiding
from holdfast.audit.run import played_fewer, reproduced, today
from holdfast.audit.scenarios.measurer import play_budget_for
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.plays import players
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.pool import Map
from holdfast.experiments.rehearsals import suite_rehearsals
from holdfast.metrics import Submission
from holdfast.problem import check_at_least

__all__ = ["MetricOutlook", "metric_audit"]


class MetricOutlook(NamedTuple):
    """What is known before the first play: findings, and about how many plays and looks follow."""

    findings: tuple[Finding, ...]
    plays: int
    looks: int


OnOutlook = Callable[[MetricOutlook], None]


def metric_audit(
    asked: MetricRequest,
    *,
    processes: int = 1,
    cluster: str | None = None,
    command: str = "",
    on_outlook: OnOutlook | None = None,
    on_step: OnStep | None = None,
    on_play: OnMetricPlay | None = None,
    kept: PlayCache | None = None,
    play: Map[MetricJob, Played] | None = None,
) -> MetricAudit:
    """Audit a board that shows a metric, groups of it, or several metrics.

    Parameters
    ----------
    asked
        What to audit.
    processes
        How many processes to play on; 1: in this one.
    cluster
        The address of a Dask scheduler to play on instead; its workers get the labels.
    command
        How the user asked, for the page's section on reproducing it.
    on_outlook
        Called once, before the first play, with the findings and about how many plays there are.
    on_step
        Called with what is being done.
    on_play
        Called with every play and what came of it.
    kept
        Where plays are looked up and kept; None: nowhere, and all are played.
    play
        Who plays, instead of processes: such as plays that were recorded.

    Returns
    -------
    MetricAudit
        Gains are in the unit that it names, above what the best constant submission scores. The
        same on any number of processes: a play's seed follows from the request and the play.

    Raises
    ------
    NotSupported
        No attack plays this metric under the policy's rule; the message says why.
    """
    check_at_least("processes", processes, 1)
    start = time.perf_counter()
    request, unit, budget = asked.request, unit_for(asked), play_budget_for(asked.request)
    looks, trials = budget.looks, max(2, budget.fewer)
    gap = unit.gap if request.gap is None else request.gap
    findings = metric_findings(asked, unit, gap) + played_fewer(request, looks)
    if on_outlook is not None:
        on_outlook(_outlook(asked, findings, looks, trials))
    small = suite_rehearsals(request.rule, request.problem.n_classes)
    with players(
        play, play_metric_job, asked, processes=processes, cluster=cluster, rehearsals=small
    ) as able:
        measurer = MetricMeasurer(asked, unit, keeping(able, kept), looks, trials, on_step, on_play)
        on_each = on_each_rule(measurer)
        on_each[request.rule] = measurer.confirmed(on_each[request.rule], request.rule, looks)
        gains = on_each[request.rule]
        curve = metric_curve(measurer, gains)
        rows = rule_rows(measurer, on_each)
        search = MetricFixSearch(measurer, rows)

        def verdict_on(about: About) -> MetricVerdict:
            heard = unread(gains, asked.shows, request.rule)
            verdict = judged(asked, unit, gains[0], gap, findings, about=about, unread=heard)
            # No rule helps while a finding voids everything: its own fix comes first.
            if voiding(findings) is not None:
                return verdict
            if request.in_runs:
                return replace(verdict, would_do=shuffled(findings))
            return search.fixed(verdict)

        verdict, public = on_both_boards(request, verdict_on)
    model = model_value(asked)
    return MetricAudit(
        name=request.name,
        header=header(request, numbers=asked.metric.takes is Submission.NUMBERS),
        metric=str(asked.metric),
        breakdown=asked.breakdown,
        groups=asked.n_groups,
        also=asked.display.beside,
        board=asked.board,
        unit=unit.name,
        scale=unit.scale,
        rounding_unit=unit.rounding_unit,
        constant=unit.constant,
        rule=request.release,
        looks=request.n_looks,
        looks_text=request.looks.text,
        accounts=request.accounts,
        teams=request.teams,
        final_share=round(request.parts.final_share, 4),
        models=described(request.predictions, request.labels, request.baseline.rounding_unit),
        model=None if model is None else unit.round(unit.scale * model),
        verdict=verdict,
        public=public,
        shows=tuple(asked.shows),
        findings=findings,
        gains=tuple(gains),
        curve=curve,
        rules=rows,
        certified=in_words(asked, unit),
        not_covered=_not_covered(asked),
        reproduce=reproduced(request, command, trials),
        seconds=round(time.perf_counter() - start, 1),
        date=today(),
    )


def _outlook(
    asked: MetricRequest, findings: tuple[Finding, ...], looks: int, trials: int
) -> MetricOutlook:
    """Return what is known before the first play: each attack meets each rule, and fewer looks.

    What is measured again and what fixes take is not counted: it depends on what is found.
    """
    counts = [*[looks] * len(metric_rules(asked)), *fewer_looks(looks)]
    each = len(places_of(asked)) * trials
    return MetricOutlook(findings, each * len(counts), each * sum(counts))


def _not_covered(asked: MetricRequest) -> tuple[str, ...]:
    """Return what the audit does not tell, in sentences that stand under its numbers."""
    found = [
        "SAFE means that no attack here gained the gap, with a factor of two in reserve; it is not "
        "proved.",
        "Attacks know the class shares, and the number of positives where values are rounded; "
        + ("" if asked.request.predictions else "none starts from a model, and ")
        + "none reads two columns together.",
    ]
    if asked.request.predictions:
        found.append(
            "Attacks from models are told each model's accuracy on this very test set, and the "
            "vote's, which an attacker would pay for with a look each that are not counted here."
        )
    if asked.request.accounts > 1:
        found.append(
            "Accounts that work together play one attack, one after the other: attacks that use "
            "the first look of each alone are not played."
        )
    return tuple(found)
