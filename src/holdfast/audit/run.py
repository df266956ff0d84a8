"""One audit, from board to record.

The order of the rooms, and of what a user waits for:

1. `inputs` made the request: labels, policy, history, models, each checked on its own.
2. Pre-flight and history (`judgement`): findings that need no play. One that voids the verdict,
   such as rows sorted by label, stays first, whatever the attacks gain.
3. `scenarios`: the suite at today's looks; the strongest of it at fewer looks; a few attacks
   against other rules. Contenders are measured again with fresh randomness.
4. `judgement`: upper bounds for the policy's looks; the verdict, which compares gain and gap;
   fixes, only where a verdict is not SAFE and no finding voids it.

An accuracy is a metric: it plays the same way, and has formulas and a history besides. Every play
is a pure function of labels, rule, looks, attack and trial number, so the record is the same on any
number of processes, and plays can be kept for the next audit.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from holdfast._version import __version__
from holdfast.audit.events import Event, OnEvent, Play, Stage
from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.fixes import FixSearch
from holdfast.audit.judgement.limits import certificate, in_points, limits
from holdfast.audit.judgement.verdict import judge, on_both_boards, shuffled
from holdfast.audit.judgement.what_if import what_if
from holdfast.audit.metrics.certified import certified_labels, in_words, most_gain, percent_right
from holdfast.audit.metrics.units import Unit, model_value, unit_for
from holdfast.audit.outlook import found, outlook, played_fewer
from holdfast.audit.result import (
    About,
    AttackGain,
    Audit,
    AuditedBoard,
    Limits,
    Reproduce,
    RuleRow,
    Verdict,
    voiding,
)
from holdfast.audit.scenarios import curve as curves
from holdfast.audit.scenarios import rules
from holdfast.audit.scenarios.measurer import (
    Measured,
    Measurer,
    gain_of,
    play_budget_for,
    strongest_first,
    unread,
)
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.plays import Players, players
from holdfast.audit.scenarios.rules import OnRule, blur_of
from holdfast.audit.scenarios.suite import suite
from holdfast.errors import NotSupported
from holdfast.experiments.rehearsals import suite_rehearsals
from holdfast.experiments.suite import VERSION
from holdfast.guard.fingerprint import fingerprint
from holdfast.metrics import Accuracy, Submission
from holdfast.problem import check_at_least
from holdfast.rules import Rule

__all__ = ["audit"]

# The label fingerprint of a page must be the same for everyone who audits the same labels.
SALT = b"holdfast audit"

# Points that a ridge regression gained for one of the strongest attack here: of f1_weighted with
# classes of 70, 20 and 10 % under round:2, 20 looks, 3.0 +- .1 where 1.9 +- .1 were, 80 games each
# (tests/metrics/test_independent_adversary.py).
BY_ANOTHER = 1.6


def audit(
    board: Request,
    *,
    processes: int = 1,
    cluster: str | None = None,
    command: str = "",
    on_event: OnEvent | None = None,
    kept: PlayCache | None = None,
    play: Players | None = None,
) -> Audit:
    """Audit a test set under a policy, whatever its board shows.

    Parameters
    ----------
    board
        What to audit, and what is shown.
    processes
        How many processes to play on; 1: in this one.
    cluster
        The address of a Dask scheduler to play on instead; its workers get the labels.
    command
        How the user asked, for the page's section on reproducing it.
    on_event
        Called with the outlook, before the first play, with each stage, and with every play.
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

    Raises
    ------
    NotSupported
        No attack plays this metric under the policy's rule; the message says why.

    Notes
    -----
    The number is reproducible: a play's seed follows from the request and the play, so neither
    processes nor kept plays change it.
    """
    check_at_least("processes", processes, 1)
    start = time.perf_counter()
    budget = play_budget_for(board)
    unit, plain = unit_for(board), board.display.plain

    def tell(event: Event) -> None:
        if on_event is not None:
            on_event(event)

    tell(Stage("pre-flight"))
    findings, history, gap = found(board, unit)
    findings += played_fewer(board, budget.looks)
    if on_event is not None:
        on_event(outlook(board, findings, kept))
    small = suite_rehearsals(
        board.rule, board.problem.n_classes, from_model=board.beliefs is not None
    )
    with players(play, board, processes=processes, cluster=cluster, rehearsals=small) as able:
        measurer = Measurer(
            board, unit, gap, budget, keeping(able, kept), lambda job, own: tell(Play(job, own))
        )
        tell(Stage("attack suite"))
        looks = budget.looks
        measured = measurer.measure(
            [(each, board.rule, looks) for each in suite(board, board.rule, looks)],
            range(budget.trials),
        )
        if all(each.gain is None for each in measured):
            raise NotSupported(
                f"no attack plays {board.metric} under the rule {board.rule}: {measured[0].reason}"
            )
        strongest = measurer.confirmed(measured)

        tell(Stage("gain against looks"))
        early = board.baseline.formulas.strongest_with_few_looks if plain else None
        chosen = [
            each
            for show in board.shows
            for each in curves.drawn([e for e in measured if e.scenario.show == show], early)
        ]
        fewer = curves.at_fewer_looks(measurer, chosen)
        strongest = rules.raised(measurer, strongest, [each for at in fewer for each in at])

        tell(Stage("other rules"))
        rows, strongest = rules.compare(measurer, measured, strongest)

        drawn, bounds = curves.curve(measurer, chosen, fewer), None
        if plain:
            most = strongest.points.mean
            bounds = limits(board, gap, drawn, model=board.stated_model, measured=most)
        tell(Stage("fixes"))
        search = FixSearch(measurer, rows)
        heard = unread(measured, board.shows, board.rule)

        def judged(about: About) -> Verdict:
            verdict = judge(
                board,
                unit,
                strongest,
                gap,
                findings,
                about=about,
                limits=bounds,
                history=history,
                unread=heard,
            )
            # No rule helps while a finding voids everything: its own fix comes first.
            if verdict.word == "SAFE" or voiding(findings) is not None:
                return verdict
            if board.in_runs:
                return replace(verdict, would_do=shuffled(findings))
            return search.fixed(verdict, strongest, unread=heard)

        verdict, public = on_both_boards(board, judged)
    return Audit(
        verdict=verdict,
        public=public,
        findings=findings,
        board=_board(board, unit),
        rounding_unit=unit.rounding_unit,
        gains=_gains(board, measured, bounds),
        curve=drawn,
        rules=_rule_rows(board, unit, rows, looks),
        limits=bounds,
        history=history,
        what_if=what_if() if plain else {},
        reproduce=reproduced(board, command, budget.trials),
        seconds=round(time.perf_counter() - start, 1),
        date=today(),
        unit=unit.name,
        scale=unit.scale,
        certified=() if plain else in_words(board, unit),
        not_covered=() if plain else _not_covered(board),
    )


def _gains(
    board: Request, measured: Sequence[Measured], limits: Limits | None
) -> tuple[AttackGain, ...]:
    """Return a row for every attack; a gain that chance or rounding puts above its bound is cut."""
    if limits is None:
        return tuple(gain_of(each, board) for each in strongest_first(measured))
    # One number for all: what the policy allows, however many of its looks were played.
    rows = []
    for each in strongest_first(measured):
        modelled = each.scenario.setting == "model" and limits.allowed_model is not None
        row = gain_of(each, board, allowed=limits.allowed_model if modelled else limits.allowed)
        # What is certified is for rows of no order.
        if row.points and row.allowed and not board.in_runs:
            row = replace(row, points=row.points.at_most(row.allowed))
        rows.append(row)
    return tuple(rows)


def _rule_rows(
    board: Request, unit: Unit, on_rules: Mapping[Rule, OnRule], looks: int
) -> tuple[RuleRow, ...]:
    """Return the rows of the comparison: what is allowed is what the policy's looks allow."""
    problem = board.problem._replace(n_queries=looks)
    rows = []
    for rule, on_rule in on_rules.items():
        most, bits, labels_right = _certified(board, rule, unit)
        uncut = most is None or not board.display.plain or board.in_runs
        hardest = max(on_rule.strongest.values(), key=lambda each: each.measured.mean, default=None)
        cells: dict[str, float] = {}
        for each in on_rule.measured:
            if each.points is not None and each.scenario.setting != "model":
                base = each.scenario.name.partition(",")[0]
                cells[base] = max(each.points.mean, cells.get(base, -math.inf))
        rows.append(
            RuleRow(
                rule=str(rule),
                is_policy=rule == board.rule,
                attack=None if hardest is None else hardest.scenario.name,
                judged_on=None if hardest is None else str(hardest.measured.rule),
                possible=None
                if hardest is None
                else hardest.points.at_most(math.inf if uncut or most is None else most),
                allowed=most,
                bits_per_look=bits,
                price_points=blur_of(rule, problem, unit.scale),
                cells=cells,
                strongest=tuple(_of_show(board, on_rule, show) for show in board.shows),
                labels_right=labels_right,
            )
        )
    return tuple(rows)


def _certified(
    board: Request, rule: Rule, unit: Unit
) -> tuple[float | None, float | None, float | None]:
    """Return the gain that a rule allows, its bits per look, and the labels that may be right."""
    if board.display.plain:
        certified = certificate(board, rule, board.n_looks)
        return in_points(certified), round(certified.bits_per_look, 3), None
    labels = certified_labels(board, rule)
    bits = None if labels is None else round(labels.bits_per_look, 3)
    return most_gain(board, rule, unit)[0], bits, percent_right(labels)


def _of_show(board: Request, on_rule: OnRule, show: str) -> AttackGain:
    """Return the strongest of a show under a rule, or the first one's reason not to play."""
    if show not in on_rule.strongest:
        return gain_of(rules.through(on_rule.measured, show)[0], board, show=show)
    return gain_of(on_rule.strongest[show].measured, board, show=show)


def _board(asked: Request, unit: Unit) -> AuditedBoard:
    model = model_value(asked)
    n, m, k = asked.problem
    chance, counts = asked.baseline.rounding_unit, np.bincount(asked.labels, minlength=m)
    plain = asked.display.plain
    return AuditedBoard(
        name=asked.name,
        header=header(asked, numbers=asked.metric.takes is Submission.NUMBERS),
        n_rows=asked.file.n_examples,
        n_examples=n,
        n_classes=m,
        parts=asked.parts.described(),
        rule=asked.release,
        rule_source=asked.rule.source,
        memory=asked.memory,
        looks=k,
        looks_text=asked.looks.text,
        looks_per_account=asked.looks.count,
        accounts=asked.accounts,
        teams=asked.teams,
        final_share=round(asked.parts.final_share, 4),
        majority_percent=chance.round(100.0 * float(counts.max()) / n),
        skewed=asked.baseline.unequal,
        free=asked.baseline.percent if plain else unit.constant,
        models=asked.described_models(),
        metric=str(asked.metric),
        breakdown=asked.breakdown,
        groups=asked.n_groups,
        also=asked.display.beside,
        shown=asked.shown,
        shows=tuple(asked.shows),
        model=None if model is None else unit.round(unit.scale * model),
    )


def _not_covered(asked: Request) -> tuple[str, ...]:
    """Return what the audit does not tell, in sentences that stand under its numbers."""
    hidden = ""
    if not isinstance(asked.metric, Accuracy) and any(
        not stage.keeps_exact for stage in asked.rule.stages
    ):
        hidden = (
            " Where a rule blurs a metric of unequal classes, an adversary that is no attack of "
            f"this package gained up to {BY_ANOTHER:g} times as much in few looks: an interval is "
            "about the attacks that played."
        )
    found = [
        "SAFE means that no attack here gained the gap, with a factor of two in reserve; it is not "
        f"proved.{hidden}",
        "Attacks know the class shares, and the number of positives where values are rounded; "
        + ("" if asked.predictions else "none starts from a model, and ")
        + "none but the linear reader reads two columns together.",
    ]
    if asked.predictions:
        found.append(
            "Attacks from models are told each model's accuracy on this very test set, and the "
            "vote's, which an attacker would pay for with a look each that are not counted here."
        )
    if asked.accounts > 1:
        found.append(
            "Accounts that work together play one attack, one after the other: attacks that use "
            "the first look of each alone are not played."
        )
    return tuple(found)


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
