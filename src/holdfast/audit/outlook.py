"""The outlook of an audit: findings, a forecast and the time it takes, before the first play.

Plays take a minute, and a board with sorted rows or a rule that hides nothing is known to be broken
in a second. So the command first says what needs no play, and about how long the rest takes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from holdfast.attacks.registry import attack_type
from holdfast.audit.fractions import Points
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.history_findings import history_findings
from holdfast.audit.judgement.observed import observed
from holdfast.audit.judgement.verdict import gap_for
from holdfast.audit.metrics.findings import metric_findings
from holdfast.audit.metrics.units import Unit, unit_for
from holdfast.audit.result import Finding, History
from holdfast.audit.scenarios import rules
from holdfast.audit.scenarios.expected_time import expected_seconds
from holdfast.audit.scenarios.measurer import play_budget_for
from holdfast.audit.scenarios.play_cache import PlayCache
from holdfast.audit.scenarios.plays import AnyJob
from holdfast.audit.scenarios.scenarios import Scenario
from holdfast.audit.scenarios.suite import compared, suite
from holdfast.planner.forecast import Forecast, forecast
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Rule
from holdfast.setting import Setting

__all__ = ["Outlook", "found", "likeliest", "outlook", "played_fewer"]

# The strongest attacks are played twice and at fewer looks, and fixes are tried: all that can't be
# planned takes about so much of the time of what can. Set by hand: it moves a sentence, no number.
SHARE_PLAYED_LATER = 0.3


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known before the first play.

    `points` is the best forecast of an attack under the policy's rule, in points above what is
    had without a look; None: no attack has one. `seconds` of one core are left to play, all
    `plays` that can be planned together; those that are kept from an earlier audit take none.
    """

    findings: tuple[Finding, ...]
    points: Points | None
    attack: str | None
    plays: int
    seconds: float


def outlook(
    board: Request,
    findings: tuple[Finding, ...] | None = None,
    kept: PlayCache | None = None,
    ranked: list[tuple[Scenario, Forecast | None]] | None = None,
) -> Outlook:
    """Return the outlook of an audit; findings and forecasts are computed unless given.

    Parameters
    ----------
    board
        What is to be audited.
    findings, ranked
        Those of `found` and `likeliest`, if they are at hand.
    kept
        Plays of earlier audits, which take no time again.
    """
    n = board.labels.size
    jobs = _planned(board)
    known = kept.found(jobs) if kept is not None else {}
    left = [job for job in jobs if job not in known]
    best = points = None
    if board.display.plain:  # no formula covers every metric
        ranked = likeliest(board, board.n_looks) if ranked is None else ranked
        best = next((each for _, each in ranked if each and each.gain is not None), None)
    if best is not None and best.gain is not None:
        points = board.baseline.rounding_unit.round(100.0 * max(0.0, best.gain) / n)
    return Outlook(
        findings=found(board, unit_for(board))[0] if findings is None else findings,
        points=points,
        attack=None if best is None else best.attack,
        plays=len(jobs),
        seconds=(1.0 + SHARE_PLAYED_LATER) * expected_seconds(left, n),
    )


def found(board: Request, unit: Unit) -> tuple[tuple[Finding, ...], History | None, float]:
    """Return what needs no play: findings on labels, policy and history; the history; the gap."""
    points = board.baseline.rounding_unit
    history = observed(board, points)
    gap = gap_for(board, history, unit)
    findings = metric_findings(board, unit, gap)
    return findings + history_findings(board, history), history, gap


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


def likeliest(request: Request, looks: int) -> list[tuple[Scenario, Forecast | None]]:
    """Return the suite's scenarios under the policy, those with the largest forecasts first.

    A forecast is for one account; where accounts share the looks, it orders the attacks all the
    same. None: there is none for an attack that knows so little.

    Three settings have forecasts: nothing known, the class shares, the given models' vote. Each is
    set up once, with the answers that the policy's rule releases, and every attack of the suite is
    asked what it would gain there. An attack that steers by its answers gains nothing under a rule
    that answers in batches, before the first of which all must be asked: it comes last.

    Parameters
    ----------
    request
        What is to be audited.
    looks
        Of all accounts together.
    """
    n, m, _ = request.problem
    problem, rule = Problem(n, m, looks), request.rule
    knows: dict[str, Prior | None] = {
        "features": None,
        "class shares": request.baseline.prior,
        "model": request.beliefs,
    }
    settings = {name: _setting(rule, problem, known) for name, known in knows.items()}
    ranked: list[tuple[float, Scenario, Forecast | None]] = []
    for scenario in suite(request, rule, looks):
        if scenario.setting not in settings:
            ranked.append((-math.inf, scenario, None))
            continue
        each = forecast(attack_type(scenario.base), settings[scenario.setting])
        if scenario.setting == "features" and request.baseline.unequal:
            each = _above_majority(each, request)
        waits = rule.batch_size is not None and each.adaptive
        rank = -math.inf if each.rank is None or waits else each.rank
        ranked.append((rank, scenario, None if waits else each))
    ranked.sort(key=lambda one: -one[0])  # stable: the suite's order decides between equals
    return [(scenario, each) for _, scenario, each in ranked]


def _setting(rule: Rule, problem: Problem, known: Prior | None) -> Setting:
    """Return the setting of somebody with this knowledge on a board with this rule."""
    accuracy = None if known is None else Setting(problem, known).start / problem.n_examples
    return Setting(problem, known, rule.board_model(problem, accuracy=accuracy))


def _above_majority(each: Forecast, request: Request) -> Forecast:
    """Return the forecast of an attack that starts from guesses, above the majority class.

    Its formula counts from n/m matches; where classes are unequal the majority has more for free,
    and the difference has to be made up first: of 1,000 examples of two classes, 600 of one, an
    attack that gains 150 matches from scratch ends 50 above the majority.
    """
    n, m, _ = request.problem
    lost = request.baseline.matches - n / m
    gain = None if each.gain is None else each.gain - lost
    rank = None if each.rank is None else each.rank - lost
    return Forecast(
        attack=each.attack,
        gain=gain,
        looks=each.looks,
        reason=each.reason,
        adaptive=each.adaptive,
        rank=rank,
    )


def _planned(board: Request) -> list[AnyJob]:
    """Return the plays that an audit can't do without: the suite, and the rules beside it.

    Which attack is the strongest, and so what is played again and at fewer looks, is known only
    after these; `SHARE_PLAYED_LATER` stands for that.
    """
    budget, own = play_budget_for(board), board.rule
    looks = budget.looks
    jobs: list[AnyJob] = [
        each.job(own, looks, trial)
        for each in suite(board, own, looks)
        for trial in range(budget.trials)
    ]
    for rule in rules.rules_beside(board):
        for each in compared(board, rule, looks):
            jobs += [each.job(rule, looks, trial) for trial in range(budget.fewer)]
    return jobs
