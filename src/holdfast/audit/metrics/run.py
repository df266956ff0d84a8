"""One audit of a metric, from request to record.

The suite is smaller than that of accuracies: the attacks that play through this metric, against the
policy and against other rules that work on its values, with and without what else is shown. The
strongest attack is measured once more with fresh randomness, so that choosing it does not flatter
it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.models import described
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.audit.metrics.certified import certified_labels, in_words, most_gain, percent_right
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.fixes import fixed
from holdfast.audit.metrics.plays import Asked, OnMetricPlay, measured, play_metric_job
from holdfast.audit.metrics.record import MetricAudit, MetricGain, MetricRule, MetricVerdict
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.units import Unit, model_value, unit_for
from holdfast.audit.metrics.verdict import judged
from holdfast.audit.result import About, Finding
from holdfast.audit.run import played_fewer, reproduced, today
from holdfast.audit.scenarios.curve import log_spaced
from holdfast.audit.scenarios.measurer import play_budget_for
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.rules import RULES
from holdfast.errors import NotSupported
from holdfast.experiments.pool import pool
from holdfast.experiments.rehearsals import suite_rehearsals
from holdfast.mechanisms import Rule, check_metric
from holdfast.problem import Problem, check_at_least

__all__ = ["MetricOutlook", "metric_audit"]

N_LOOKS = 4
# So many attacks that may be the strongest are measured once more.
MOST_AGAIN = 3

OnStep = Callable[[str], None]


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
    """
    check_at_least("processes", processes, 1)
    start = time.perf_counter()
    request, unit = asked.request, unit_for(asked)
    budget = play_budget_for(request)
    looks, trials = budget.looks, max(2, budget.fewer)
    gap = unit.gap if request.gap is None else request.gap
    findings = metric_findings(asked) + played_fewer(request, looks)
    rules = [
        request.rule,
        *(rule for rule in RULES if rule != request.rule and _works(rule, asked)),
    ]
    fewer = log_spaced(max(2, looks // 30), looks, N_LOOKS)[:-1]
    ways = [(show, at) for show in asked.shows for at in range(len(metric_scenarios(asked, show)))]
    if on_outlook is not None:
        counts = [*[looks] * len(rules), *fewer]
        each = len(ways) * trials
        on_outlook(MetricOutlook(findings, each * len(counts), each * sum(counts)))
    small = suite_rehearsals(request.rule, request.problem.n_classes)
    with pool(
        play_metric_job, asked, processes=processes, cluster=cluster, rehearsals=small
    ) as plain:
        play = keeping(plain, kept)

        def measure(wanted: list[Asked], first: int = 0) -> list[MetricGain]:
            return measured(asked, unit, play, wanted, range(first, first + trials), on_play)

        def suite(what: str, rule: Rule, count: int) -> list[MetricGain]:
            if on_step is not None:
                on_step(what)
            return measure([Asked(show, at, rule, count) for show, at in ways])

        on_each = {request.rule: suite(f"rule {request.rule}", request.rule, looks)}
        # Said before anything else is played.
        if all(each.gain is None for each in on_each[request.rule]):
            reason = on_each[request.rule][0].reason
            raise NotSupported(
                f"no attack plays {asked.metric} under the rule {request.rule}: {reason}"
            )
        on_each |= {rule: suite(f"rule {rule}", rule, looks) for rule in rules[1:]}
        # Whoever is told exact values can blur them: what gains elsewhere gains there.
        for rule, found in on_each.items():
            if all(stage.keeps_exact and not stage.selects for stage in rule.stages):
                others = [each for every in on_each.values() for each in every]
                on_each[rule] = [_best_of_same(each, others) for each in found]
        gains = sorted(on_each[request.rule], key=_order)
        # Those that may be the strongest once more, with fresh randomness: choosing flatters none.
        likely = [each for each in gains if each.upper >= (gains[0].gain or 0.0)][:MOST_AGAIN]
        again = measure([_asked(asked, each, request.rule, looks) for each in likely], trials)
        gains = sorted([*again, *(each for each in gains if each not in likely)], key=_order)
        at_fewer = [suite("gain against looks", request.rule, count) for count in fewer]
        curve = [
            best
            for show in asked.shows
            for best in _rising([_best(each, show) for each in [*at_fewer, gains]])
        ]
        rows = [
            _row(asked, unit, rule, gains if rule == request.rule else found, looks)
            for rule, found in on_each.items()
        ]

        by_name = {str(rule): rule for rule in on_each}

        def strongest(name: str, count: int, show: str) -> MetricGain:
            rule = by_name[name]
            if (rule, count) not in tried:
                found = sorted(suite("fixes", rule, count), key=_order)
                # As the audit of that policy would: the likeliest once more, with new randomness.
                likely = [each for each in found[:MOST_AGAIN] if each.gain is not None]
                found += measure([_asked(asked, each, rule, count) for each in likely], trials)
                tried[rule, count] = sorted(found, key=lambda each: -each.upper)
            return _best(tried[rule, count], show)

        tried: dict[tuple[Rule, int], list[MetricGain]] = {}

        def verdict_on(about: About) -> MetricVerdict:
            verdict = judged(asked, unit, gains[0], gap, findings, about=about)
            # No rule helps while a finding voids everything: its own fix comes first.
            if any(finding.severity == "void" for finding in findings):
                return verdict
            return fixed(asked, unit, verdict, rows, strongest)

        verdict = verdict_on("final ranking")
        public = verdict_on("public board") if request.parts.final_share < 1.0 else None
    model = model_value(asked)
    return MetricAudit(
        name=request.name,
        header=header(request),
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
        curve=tuple(curve),
        rules=tuple(rows),
        certified=in_words(asked, unit),
        not_covered=_not_covered(asked),
        reproduce=reproduced(request, command, trials),
        seconds=round(time.perf_counter() - start, 1),
        date=today(),
    )


def _row(
    asked: MetricRequest, unit: Unit, rule: Rule, found: list[MetricGain], looks: int
) -> MetricRule:
    n, m, _ = asked.request.problem
    return MetricRule(
        rule=str(rule),
        is_policy=rule == asked.request.rule,
        strongest=tuple(_best(found, show) for show in asked.shows),
        allowed=most_gain(asked, rule, unit)[0],
        labels_right=percent_right(certified_labels(asked, rule)),
        blur=_blur(rule, Problem(n, m, looks), unit),
    )


def _rising(gains: list[MetricGain]) -> list[MetricGain]:
    """Return the gains with more and more looks: who has more may leave some unused."""
    best: list[MetricGain] = []
    for each in gains:
        before = best[-1] if best else each
        less = (each.gain or 0.0) < (before.gain or 0.0)
        best.append(replace(before, looks=each.looks) if less else each)
    return [each for each in best if each.gain is not None]


def _works(rule: Rule, asked: MetricRequest) -> bool:
    try:
        for metric in asked.display.released:
            check_metric(rule, metric)
    except NotSupported:
        return False
    return True


def _order(gain: MetricGain) -> float:
    return 1.0 if gain.gain is None else -gain.gain


def _best_of_same(gain: MetricGain, others: list[MetricGain]) -> MetricGain:
    """Return the largest gain of the same attack through the same show under any rule."""
    same = [
        each
        for each in others
        if (each.show, each.attack, each.reads) == (gain.show, gain.attack, gain.reads)
    ]
    return min(same, key=_order)


def _best(gains: list[MetricGain], show: str) -> MetricGain:
    """Return the strongest attack through a show; whatever else is shown, the total is, too."""
    able = [each for each in gains if each.show in (show, TOTAL)]
    return replace(min(able, key=_order), show=show)


def _asked(asked: MetricRequest, gain: MetricGain, rule: Rule, looks: int) -> Asked:
    """Return what to measure again: the same attack on the same show."""
    for show in dict.fromkeys((gain.show, TOTAL)):
        for at, each in enumerate(metric_scenarios(asked, show)):
            if (each.name, each.reads) == (gain.attack, gain.reads):
                return Asked(show, at, rule, looks)
    raise AssertionError("a gain was measured by an attack that does not play its show")


def _blur(rule: Rule, problem: Problem, unit: Unit) -> float:
    """Return how far an answer may be from the value, in the audit's unit."""
    off = rule.resolution(problem)
    return 0.0 if off * problem.n_examples <= 1.0 else round(unit.scale * off, 4)


def _not_covered(asked: MetricRequest) -> tuple[str, ...]:
    """Return what the audit does not tell."""
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
