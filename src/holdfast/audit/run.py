"""One audit, from request to record.

The order of the rooms, and of what a user waits for:

1. `inputs` made the request: labels, policy, history, models, each checked on its own.
2. Pre-flight and history (`judgement`): findings that need no play. One that voids the verdict,
   such as rows sorted by label, stays first, whatever the attacks gain.
3. `scenarios`: the suite at today's looks; the strongest of it at fewer looks; a few attacks
   against other rules. The strongest is always measured once more with fresh randomness.
4. `judgement`: upper bounds for the policy's looks; the verdict, which compares gain and gap;
   fixes, only where a verdict is not SAFE and no finding voids it.

Every play is a pure function of labels, rule, looks, attack and trial number, so the record is the
same on any number of processes, and plays can be kept for the next audit.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from holdfast._version import __version__
from holdfast.audit.inputs import models
from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.fixes import FixSearch
from holdfast.audit.judgement.limits import limits
from holdfast.audit.judgement.verdict import (
    gap_for,
    judge,
    on_both_boards,
    shuffled,
    worth,
)
from holdfast.audit.judgement.what_if import what_if
from holdfast.audit.judgement.what_suffices import what_suffices
from holdfast.audit.outlook import Outlook, found, outlook
from holdfast.audit.result import About, Audit, AuditedBoard, Finding, Reproduce, Verdict, voiding
from holdfast.audit.scenarios import curve as curves
from holdfast.audit.scenarios import measurement as suites
from holdfast.audit.scenarios import rules
from holdfast.audit.scenarios.measurer import Measurer, OnPlay, play_budget_for
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.plays import Job, Play, PlayContext, play_job, players
from holdfast.experiments.matrix_plays import Played
from holdfast.experiments.rehearsals import suite_rehearsals
from holdfast.experiments.suite import VERSION
from holdfast.guard.fingerprint import fingerprint
from holdfast.problem import check_at_least

__all__ = ["audit", "n_plays", "played_fewer", "reproduced", "today"]

# The label fingerprint of a page must be the same for everyone who audits the same labels.
SALT = b"holdfast audit"

OnStep = Callable[[str, int], None]
OnOutlook = Callable[[Outlook], None]


def n_plays(request: Request) -> int:
    """Return about how many plays an audit takes, for a progress bar; a fix takes more.

    Those of the suite with its second measurement, of the curve at fewer looks, and of the other
    rules. How many fixes are tried depends on what these find.
    """
    budget = play_budget_for(request)
    return suites.n_jobs(request, budget) + curves.n_jobs(budget) + rules.n_jobs(request, budget)


def audit(
    request: Request,
    *,
    processes: int = 1,
    cluster: str | None = None,
    command: str = "",
    on_step: OnStep | None = None,
    on_outlook: OnOutlook | None = None,
    on_play: OnPlay | None = None,
    kept: PlayCache | None = None,
    play: Play | None = None,
) -> Audit:
    """Audit a test set under a policy.

    Parameters
    ----------
    request
        What to audit.
    processes
        How many processes to play on; 1: in this one.
    cluster
        The address of a Dask scheduler to play on instead; its workers get the labels.
    command
        How the user asked, for the page's section on reproducing it.
    on_step
        Called with what is being done and how many more plays are done.
    on_outlook
        Called once, before the first play, with findings, forecast and expected time.
    on_play
        Called with every play and what came of it.
    kept
        Where plays are looked up and kept; None: nowhere, and all are played.
    play
        Who plays, instead of processes: such as plays that were recorded.

    Returns
    -------
    Audit
        In the order of the work: findings, which need no play; the suite of attacks under the
        policy; the strongest of them at fewer looks; a few attacks against other rules; bounds;
        and for each verdict that is not SAFE the fixes, which are played too. A second verdict is
        given on the public board where the final ranking counts other examples.

    Notes
    -----
    The number is reproducible: a play's seed follows from the request and the play, so neither
    processes nor kept plays change it.
    """
    check_at_least("processes", processes, 1)
    start = time.perf_counter()
    unit, budget = request.baseline.rounding_unit, play_budget_for(request)

    def tell(what: str) -> OnPlay:
        def advance(job: Job, played: Played) -> None:
            if on_play is not None:
                on_play(job, played)
            if on_step is not None:
                on_step(what, 1)

        if on_step is not None:
            on_step(what, 0)
        return advance

    tell("pre-flight")
    findings, history = found(request)
    gap = gap_for(request, history)
    findings += played_fewer(request, budget.looks)
    if on_outlook is not None:
        on_outlook(outlook(request, findings, kept))
    prior = models.prior_of(request.predictions, request.labels, request.problem.n_classes)
    model = models.stated_accuracy(prior, request, unit)
    context = PlayContext(request.labels, request.baseline, request.seed, prior)
    small = suite_rehearsals(request.rule, request.problem.n_classes, from_model=prior is not None)
    with players(
        play, play_job, context, processes=processes, cluster=cluster, rehearsals=small
    ) as able:
        measurer = Measurer(request, budget, keeping(able, kept), model)
        gains, worst, measured = suites.suite(measurer.telling(tell("attack suite")))
        drawn = curves.curve(measurer.telling(tell("gain against looks")), measured)
        compared, worst = rules.compare(measurer.telling(tell("other rules")), measured, worst)
        measured_most = worst.points(unit).mean
        bounds = limits(request, gap, drawn, model=model, measured=measured_most)

        search = FixSearch(measurer.telling(tell("fixes")), compared)

        def judged(about: About) -> Verdict:
            verdict = judge(
                request,
                budget.looks,
                worst,
                bounds,
                findings,
                gap,
                about=about,
                history=history,
                unread=suites.unread(measured, request.rule),
            )
            # No rule helps while a finding voids everything: its own fix comes first.
            share = worth(request, about)
            if verdict.word == "SAFE" or voiding(findings) is not None:
                return verdict
            if request.in_runs:
                return replace(verdict, would_do=shuffled(findings))
            if share > 0.0:
                verdict = replace(verdict, fixes=search.fixes(verdict, share))
            return replace(verdict, would_do=what_suffices(request, verdict, share))

        verdict, public = on_both_boards(request, judged)
    return Audit(
        verdict=verdict,
        public=public,
        findings=findings,
        board=_board(request, unit),
        rounding_unit=unit.points,
        gains=gains,
        curve=drawn,
        rules=tuple(compared.values()),
        limits=bounds,
        history=history,
        what_if=what_if(),
        reproduce=reproduced(request, command, budget.trials),
        seconds=round(time.perf_counter() - start, 1),
        date=today(),
    )


def played_fewer(request: Request, looks: int) -> tuple[Finding, ...]:
    """Say that fewer looks are played than the policy grants, where that is so."""
    if looks == request.n_looks:
        return ()
    return (
        Finding(
            "fewer-looks-played",
            "note",
            f"The attacks played {looks:,} of {request.n_looks:,} looks.",
            "So many looks take too long to play; with all of them an attack gains at least as "
            "much.",
            "Read the certified bound, which is for all looks, or allow fewer.",
        ),
    )


def _board(request: Request, unit: RoundingUnit) -> AuditedBoard:
    n, m, k = request.problem
    counts = np.bincount(request.labels, minlength=m)
    return AuditedBoard(
        name=request.name,
        header=header(request),
        n_rows=request.file.n_examples,
        n_examples=n,
        n_classes=m,
        parts=request.parts.described(),
        rule=request.release,
        rule_source=request.rule.source,
        memory=request.memory,
        looks=k,
        looks_text=request.looks.text,
        looks_per_account=request.looks.count,
        accounts=request.accounts,
        teams=request.teams,
        final_share=round(request.parts.final_share, 4),
        majority_percent=unit.round(100.0 * float(counts.max()) / n),
        skewed=request.baseline.unequal,
        free_percent=request.baseline.percent,
        models=models.described(request.predictions, request.labels, unit),
    )


def reproduced(request: Request, command: str, trials: int) -> Reproduce:
    """Return how to get the same numbers.

    The fingerprint is a hash of the labels: it says whether two audits were of the same ones. It is
    slow on purpose, so that label vectors can't be tried against it by the million.
    """
    return Reproduce(
        command=command,
        seed=request.seed,
        trials=trials,
        suite=VERSION,
        fingerprint=fingerprint(request.labels, SALT).data_set[:16],
        versions=versions(),
    )


def today() -> str:
    """Return the date in UTC; SOURCE_DATE_EPOCH stands for now where output must repeat itself."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = int(given) if given.isdecimal() else time.time()
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def versions() -> dict[str, str]:
    """Return the versions that numbers depend on."""
    found = {"holdfast": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "numba"):
        found[name] = importlib.metadata.version(name)
    return found
