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

from holdfast.audit.inputs.header import header
from holdfast.audit.judgement.verdict import RESERVE
from holdfast.audit.metrics.asked import TOTAL, MetricRequest
from holdfast.audit.metrics.certified import certified_labels, in_words, percent_right
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.players import players
from holdfast.audit.metrics.plays import Asked, measured, play_metric_job
from holdfast.audit.metrics.record import MetricAudit, MetricFix, MetricGain, MetricRule
from holdfast.audit.metrics.units import Unit, unit_for
from holdfast.audit.result import Finding, Reproduce, Word, in_digits
from holdfast.audit.run import SALT, today, versions
from holdfast.audit.scenarios.curve import log_spaced
from holdfast.audit.scenarios.measurer import play_budget_for
from holdfast.audit.scenarios.rules import RULES
from holdfast.errors import NotSupported
from holdfast.experiments.pool import pool
from holdfast.experiments.suite import VERSION
from holdfast.guard.fingerprint import fingerprint
from holdfast.mechanisms import Rule, check_metric
from holdfast.problem import Problem, check_at_least

__all__ = ["metric_audit"]

N_LOOKS = 4
MOST_FIXES = 3

OnStep = Callable[[str, int], None]


def metric_audit(
    asked: MetricRequest,
    *,
    processes: int = 1,
    command: str = "",
    on_step: OnStep | None = None,
) -> MetricAudit:
    """Audit a board that shows a metric, groups of it, or several metrics.

    Parameters
    ----------
    asked
        What to audit.
    processes
        How many processes to play on; 1: in this one.
    command
        How the user asked, for the page's section on reproducing it.
    on_step
        Called with what is being done and how many more plays are done.
    """
    check_at_least("processes", processes, 1)
    start = time.perf_counter()
    request, unit = asked.request, unit_for(asked)
    budget = play_budget_for(request)
    looks, trials = budget.looks, max(2, budget.fewer)
    gap = unit.gap if request.gap is None else request.gap

    def say(what: str, more: int) -> None:
        if on_step is not None:
            on_step(what, more)

    say("pre-flight", 0)
    findings = metric_findings(asked) + _fewer(asked, looks)
    with pool(play_metric_job, asked, processes=processes) as play:

        def measure(wanted: list[Asked], first: int = 0) -> list[MetricGain]:
            return measured(asked, unit, play, wanted, range(first, first + trials))

        say("attacks", 0)
        on_each: dict[Rule, list[MetricGain]] = {}
        rules = [request.rule, *(rule for rule in RULES if rule != request.rule)]
        for rule in rules:
            if not _works(rule, asked):
                continue
            wanted = [
                Asked(show, at, rule, looks)
                for show in asked.shows
                for at in range(len(players(asked, show)))
            ]
            on_each[rule] = measure(wanted)
            say(f"rule {rule}", len(wanted) * trials)
        # Whoever is told exact values can blur them: what gains elsewhere gains there.
        for rule, found in on_each.items():
            if all(stage.keeps_exact and not stage.selects for stage in rule.stages):
                others = [each for every in on_each.values() for each in every]
                on_each[rule] = [_best_of_same(each, others) for each in found]
        gains = sorted(on_each[request.rule], key=_order)
        if gains[0].gain is None:
            raise NotSupported(
                f"no attack plays {asked.metric} under the rule {request.rule}: {gains[0].reason}"
            )
        again = measure([_asked(asked, gains[0], request.rule, looks)], trials)
        gains[0] = again[0]
        say("gain against looks", trials)
        curve = [
            point
            for show in asked.shows
            if (best := _best(gains, show)).gain is not None
            for point in [
                *(
                    replace(each, show=show)
                    for each in measure(
                        [
                            _asked(asked, best, request.rule, k)
                            for k in log_spaced(max(2, looks // 30), looks, N_LOOKS)[:-1]
                        ]
                    )
                ),
                best,
            ]
        ]
    n, m, _ = request.problem
    rows = [
        MetricRule(
            rule=str(rule),
            is_policy=rule == request.rule,
            strongest=tuple(
                _best(gains if rule == request.rule else found, show) for show in asked.shows
            ),
            labels_right=percent_right(certified_labels(asked, rule)),
            blur=_blur(rule, Problem(n, m, looks), unit),
        )
        for rule, found in on_each.items()
    ]
    word = _word(gains[0], gap, findings)
    return MetricAudit(
        name=request.name,
        header=header(request),
        metric=str(asked.metric),
        breakdown=asked.breakdown,
        groups=asked.n_groups,
        also=tuple(map(str, asked.also)),
        board=asked.board,
        unit=unit.name,
        scale=unit.scale,
        grain=unit.grain,
        constant=unit.constant,
        rule=request.release,
        looks=request.n_looks,
        gap=gap,
        word=word,
        sentence=_sentence(asked, unit, gains[0], word, gap, findings),
        fixes=() if word == "SAFE" else tuple(_fixes(asked, unit, rows, gap)),
        shows=tuple(asked.shows),
        findings=findings,
        gains=tuple(gains),
        curve=tuple(curve),
        rules=tuple(rows),
        certified=in_words(asked, certified_labels(asked, request.rule)),
        not_covered=_not_covered(asked),
        reproduce=Reproduce(
            command=command,
            seed=request.seed,
            trials=trials,
            suite=VERSION,
            fingerprint=fingerprint(request.labels, SALT).data_set[:16],
            versions=versions(),
        ),
        seconds=round(time.perf_counter() - start, 1),
        date=today(),
    )


def _works(rule: Rule, asked: MetricRequest) -> bool:
    try:
        for metric in (asked.metric, *asked.also):
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
        for at, each in enumerate(players(asked, show)):
            if (each.name, each.reads) == (gain.attack, gain.reads):
                return Asked(show, at, rule, looks)
    raise AssertionError("a gain was measured by an attack that does not play its show")


def _blur(rule: Rule, problem: Problem, unit: Unit) -> float:
    """Return how far an answer may be from the value, in the audit's unit."""
    off = rule.resolution(problem)
    return 0.0 if off * problem.n_examples <= 1.0 else round(unit.scale * off, 4)


def _word(found: MetricGain, gap: float, findings: tuple[Finding, ...]) -> Word:
    """Return the word for a gain: the same rule as for accuracies, without a bound."""
    assert found.gain is not None
    if any(finding.severity == "void" for finding in findings):
        return "UNSAFE"
    if found.gain >= gap and (found.low is None or found.low > 0.0):
        return "UNSAFE"
    return "SAFE" if RESERVE * found.upper < gap else "MARGINAL"


def _sentence(
    asked: MetricRequest,
    unit: Unit,
    found: MetricGain,
    word: Word,
    gap: float,
    findings: tuple[Finding, ...],
) -> str:
    """Return the verdict in one sentence."""
    void = next((finding for finding in findings if finding.severity == "void"), None)
    tested = f"{word} for ranking gaps of {unit.number(gap)}"
    if void is not None:
        return f"{tested}: {void.what} {void.fix}"
    request = asked.request
    assert found.gain is not None
    where = " on the public part" if request.parts.final_share < 1.0 else ""
    played = f"{found.looks:,} scored submission{'' if found.looks == 1 else 's'}"
    if found.looks < request.n_looks:
        played += f" (of {request.n_looks:,} allowed)"
    under = f"with {played} under the rule {request.release}"
    if found.gain <= 0.0:
        return (
            f"{tested}: no attack gained anything over the best constant submission{where}, "
            f"{under}."
        )
    shown = "" if len(asked.shows) == 1 else f", {found.show}"
    return (
        f"{tested}: {gain_text(found, unit)} can be gained over the best constant "
        f"submission{where} without learning anything, {under} (attack: {found.attack}{shown})."
    )


def gain_text(found: MetricGain, unit: Unit) -> str:
    """Return a gain with its interval and its unit."""
    assert found.gain is not None
    text = in_digits(found.gain, unit.grain)
    if found.low is not None and found.high is not None and found.low < found.high:
        low, high = in_digits(found.low, unit.grain), in_digits(found.high, unit.grain)
        return f"{text} {unit.name} (95 % interval {low} to {high})"
    return f"{text} {unit.name}"


def _fixes(asked: MetricRequest, unit: Unit, rows: list[MetricRule], gap: float) -> list[MetricFix]:
    """Return changes under which the strongest attack stays below half of the gap, mildest first.

    First what is shown, under the same rule; then rules, by their blur for honest teams.
    """
    found = []
    for row in sorted(rows, key=lambda row: (not row.is_policy, row.blur)):
        shown, several = TOTAL, len(asked.shows) > 1
        worst: MetricGain | None = row.strongest[0]
        if not row.is_policy and (whole := _below(row.strongest, gap)) is not None:
            worst, shown = whole, "all that is shown"
        else:
            worst = _below(row.strongest[:1], gap)
        if worst is None or worst.gain is None or (row.is_policy and not several):
            continue
        change = "Show the total only" if row.is_policy else f"Release through {row.rule}"
        if not row.is_policy and several and shown == TOTAL:
            change += ", and the total only"
        gained = in_digits(worst.gain, unit.grain)
        text = (
            f"{change}: then the strongest attack gained {gained} {unit.name}; an honest score is "
            f"off by up to {row.blur:g}."
        )
        found.append(MetricFix(row.rule, shown, worst.gain, text))
    return found[:MOST_FIXES]


def _below(gains: tuple[MetricGain, ...], gap: float) -> MetricGain | None:
    """Return the largest gain if all were played and stay below half of the gap."""
    if any(each.gain is None or RESERVE * each.upper >= gap for each in gains):
        return None
    return max(gains, key=lambda each: each.upper)


def _fewer(asked: MetricRequest, looks: int) -> tuple[Finding, ...]:
    if looks == asked.request.n_looks:
        return ()
    return (
        Finding(
            "fewer-looks-played",
            "note",
            f"The attacks played {looks:,} of {asked.request.n_looks:,} looks.",
            "So many looks take too long to play; with all of them an attack gains at least as "
            "much.",
            "Allow fewer looks.",
        ),
    )


def _not_covered(asked: MetricRequest) -> tuple[str, ...]:
    """Return what the audit does not tell."""
    found = [
        "SAFE means that no attack here gained the gap, with a factor of two in reserve; it is not "
        "proved.",
        "Attacks know the class shares, and the number of positives where values are rounded; none "
        "starts from a model, and none reads two columns together.",
    ]
    if asked.request.accounts > 1:
        found.append("Accounts that work together are played as one with all their looks.")
    return tuple(found)
