"""The quick audit: findings, a forecast and the four likeliest attacks, within seconds.

The attacks are those with the largest forecasts under the policy's rule. If even these take too
long with all looks, fewer are played, and the gain is what so many looks allow: a lower bound of
what is possible. There is no verdict, since SAFE would rest on attacks that were not played.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import Points, in_fractions
from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.outlook import found, likeliest, outlook
from holdfast.audit.result import AttackGain, Finding, voiding
from holdfast.audit.scenarios.expected_time import expected_seconds
from holdfast.audit.scenarios.measurer import (
    Measured,
    Measurer,
    play_budget_for,
    strongest_first,
)
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.plays import players

__all__ = ["N_ATTACKS", "TRIALS", "QuickAudit", "quick_audit", "quick_sentence"]

N_ATTACKS = 4
TRIALS = 2
# Expected seconds of one core that the plays may take; beyond it fewer looks are played. The
# expectation is for audits as a whole: the slowest attacks, which are the likeliest, take longer.
MOST_SECONDS = 1.2


@dataclass(frozen=True, slots=True)
class QuickAudit:
    """What can be said within seconds: no verdict.

    `gains` are those of the attacks with the largest forecasts, in points, with `looks` of the
    `n_looks` that the policy grants; `worst_final_points` is the largest, as far as the scored part
    counts in the final ranking. All others were not played, which says nothing of them.
    """

    header: str
    findings: tuple[Finding, ...]
    gap: Points
    forecast: Points | None
    forecast_attack: str | None
    gains: tuple[AttackGain, ...]
    not_played: int
    looks: int
    n_looks: int
    worst_final_points: Points
    sentence: str
    seconds: float

    quick: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain data, gains as fractions."""
        data: dict[str, Any] = in_fractions(self)
        return data


def quick_audit(request: Request, *, kept: PlayCache | None = None) -> QuickAudit:
    """Play the four likeliest attacks against the policy, in this process.

    Parameters
    ----------
    request
        What to audit.
    kept
        Where plays are looked up and kept; None: nowhere.
    """
    start = time.perf_counter()
    board = MetricRequest(request)
    unit = unit_for(board)
    findings, _, gap = found(board, unit)
    ranked = likeliest(request, request.n_looks)
    ahead = outlook(board, findings, ranked=ranked)
    budget = play_budget_for(request)
    looks = budget.looks
    every = [scenario for scenario, _ in ranked]
    likely = [each.job(request.rule, looks, 0) for each in every[:N_ATTACKS]]
    seconds = TRIALS * expected_seconds(likely, request.labels.size)
    looks = max(1, int(looks * min(1.0, MOST_SECONDS / seconds)))
    tried = 0
    able: list[Measured] = []
    with players(None, board, processes=1) as plain:
        measurer = Measurer(board, unit, gap, budget, keeping(plain, kept))
        while tried < len(every) and len(able) < N_ATTACKS:
            measured = measurer.measure([(every[tried], request.rule, looks)], range(TRIALS))
            able += [each for each in measured if each.gain is not None]
            tried += 1
    gains = tuple(_gain(each) for each in strongest_first(able))
    worst = _worst(gains)
    return QuickAudit(
        header=header(request),
        findings=findings,
        gap=gap,
        forecast=ahead.points,
        forecast_attack=ahead.attack,
        gains=gains,
        not_played=len(every) - tried,
        looks=looks,
        n_looks=request.n_looks,
        worst_final_points=worst * request.parts.final_share,
        sentence=quick_sentence(
            findings,
            unit.measured(worst) if gains else None,
            gains[0].attack if gains else "",
            f"{gap:g}",
            reached=worst * request.parts.final_share >= gap,
        ),
        seconds=round(time.perf_counter() - start, 1),
    )


def _gain(each: Measured) -> AttackGain:
    scenario = each.scenario
    job = scenario.job(each.rule, each.looks, 0)
    return AttackGain(
        scenario.name,
        scenario.setting,
        job.accounts,
        job.looks,
        each.trials,
        each.points,
        None,
        None,
    )


def _worst(gains: tuple[AttackGain, ...]) -> float:
    """Return the largest gain; less than nothing is nothing."""
    return max([0.0, *(gain.points.mean for gain in gains if gain.points is not None)])


def quick_sentence(
    findings: tuple[Finding, ...],
    gained: str | None,
    attack: str,
    gap: str,
    *,
    reached: bool,
    refused: str | None = None,
) -> str:
    """Return what was found; never that anything is safe.

    `gained` None: nothing could play; `refused` says why, if that is known of all attacks.
    """
    void = voiding(findings)
    if void is not None:
        return f"A finding voids every score of this board: {void.what}"
    if gained is None and refused is not None:
        return f"No attack plays under this rule, so nothing was measured: {refused}"
    if gained is None:
        return "None of the likeliest attacks can play under this rule; the whole audit may differ."
    told = f"{gained} were gained at once ({attack})"
    if reached:
        return f"{told}, no less than the ranking gap of {gap}."
    return (
        f"{told}, on a ranking gap of {gap}; only the whole audit can say whether the board is "
        "safe."
    )
