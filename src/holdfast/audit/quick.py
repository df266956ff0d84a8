"""The quick audit: findings, a forecast and the likeliest attacks, within seconds.

On one accuracy these are the attacks with the largest forecasts under the policy's rule. Of other
boards few attacks have one: the first through each show that can play, those that read values
before those that climb. If even these take too long with all looks, fewer are played, and the gain
is what so many looks allow: a lower bound of what is possible. There is no verdict, since SAFE
would rest on attacks that were not played.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import Points, in_fractions
from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.outlook import Outlook, found, likeliest, outlook
from holdfast.audit.result import (
    FORMAT,
    FRACTIONS,
    POINTS,
    AttackGain,
    Finding,
    point_in_json,
    voiding,
)
from holdfast.audit.scenarios.expected_time import expected_seconds
from holdfast.audit.scenarios.measurer import (
    Measured,
    Measurer,
    gain_of,
    play_budget_for,
    strongest_first,
)
from holdfast.audit.scenarios.play_cache import PlayCache, keeping
from holdfast.audit.scenarios.plays import players
from holdfast.audit.scenarios.suite import AnyScenario, suite
from holdfast.metrics import Submission

__all__ = ["N_ATTACKS", "TRIALS", "QuickAudit", "quick_audit"]

N_ATTACKS = 4
TRIALS = 2
# Expected seconds of one core that the plays may take; beyond it fewer looks are played. The
# expectation is for audits as a whole: the slowest attacks, which are the likeliest, take longer.
MOST_SECONDS = 1.2
# Labels handled by one play through a metric; beyond it fewer looks are played.
MOST_WORK = 10**6


@dataclass(frozen=True, slots=True)
class QuickAudit:
    """What can be said within seconds: no verdict.

    `gains` are those of the likeliest attacks in `unit`, the largest first, with `looks` of the
    `n_looks` that the policy grants; `worst_final_points` is the largest, as far as the scored part
    counts in the final ranking: what is possible at least. The others, `not_played`, were not
    played, which says nothing of them. `free` is what is had without a look. `forecast` is None
    where no formula covers what is shown.
    """

    name: str
    header: str
    metric: str
    board: str
    unit: str
    rounding_unit: Points
    free: Points
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
    format: int = FORMAT

    @property
    def facts(self) -> str:
        """The header without the name."""
        return self.header.removeprefix(f"{self.name}: ")

    @property
    def plain(self) -> bool:
        """Whether the board shows one accuracy."""
        return self.unit == POINTS

    @property
    def counted_in(self) -> str:
        """The unit without a number before it."""
        return self.unit.removeprefix("of ")

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain data: accuracies as fractions, other gains in their unit."""
        data: dict[str, Any] = in_fractions(self, point=point_in_json(self.unit))
        # What programs of the first format look for.
        data["constant"], data["worst_final"] = data["free"], data["worst_final_gain"]
        return data | {"unit": FRACTIONS if self.plain else self.unit}


def quick_audit(
    board: Request,
    *,
    kept: PlayCache | None = None,
    on_outlook: Callable[[Outlook], None] | None = None,
) -> QuickAudit:
    """Play the likeliest attacks against the policy, in this process, until four have played.

    One that refuses costs nothing, and the next one plays in its place.

    Parameters
    ----------
    board
        What to audit.
    kept
        Where plays are looked up and kept; None: nowhere.
    on_outlook
        Called before the first play with the findings, and a forecast where a formula has one.
    """
    start = time.perf_counter()
    unit = unit_for(board)
    findings, _, gap = found(board, unit)
    budget, ahead = play_budget_for(board), None
    if board.display.plain:
        ranked = likeliest(board, board.n_looks)
        ahead = outlook(board, findings, ranked=ranked)
        every: list[AnyScenario] = [scenario for scenario, _ in ranked]
        likely = [each.job(board.rule, budget.looks, 0) for each in every[:N_ATTACKS]]
        seconds = TRIALS * expected_seconds(likely, board.labels.size)
        looks = max(1, int(budget.looks * min(1.0, MOST_SECONDS / seconds)))
    else:
        looks = max(1, min(budget.looks, MOST_WORK // board.labels.size))
        every = _by_shows(board, looks)
    if on_outlook is not None:
        on_outlook(ahead or Outlook(findings, None, None, 0, 0.0))
    able: list[Measured] = []
    refused: str | None = None
    tried = 0
    with players(None, board, processes=1) as alone:
        measurer = Measurer(board, unit, gap, budget, keeping(alone, kept))
        while tried < len(every) and len(able) < N_ATTACKS:
            (measured,) = measurer.measure([(every[tried], board.rule, looks)], range(TRIALS))
            able += [measured] if measured.gain is not None else []
            refused = refused or measured.reason
            tried += 1
    gains = tuple(gain_of(each, board) for each in strongest_first(able))
    worst = max([0.0, *(each.mean or 0.0 for each in gains)])
    final = worst * board.parts.final_share
    return QuickAudit(
        name=board.name,
        header=header(board, numbers=board.metric.takes is Submission.NUMBERS),
        metric=str(board.metric),
        board=board.shown,
        unit=unit.name,
        rounding_unit=unit.rounding_unit,
        free=board.baseline.percent if board.display.plain else unit.constant,
        findings=findings,
        gap=gap,
        forecast=None if ahead is None else ahead.points,
        forecast_attack=None if ahead is None else ahead.attack,
        gains=gains,
        not_played=len(every) - tried,
        looks=looks,
        n_looks=board.n_looks,
        worst_final_points=final if board.display.plain else unit.round(final),
        sentence=_sentence(
            findings,
            unit.measured(worst) if gains else None,
            gains[0].attack if gains else "",
            f"{gap:g}" if board.display.plain else unit.number(gap),
            reached=final >= gap,
            refused=None if board.display.plain else refused,
        ),
        seconds=round(time.perf_counter() - start, 1),
    )


def _by_shows(board: Request, looks: int) -> list[AnyScenario]:
    """Return the first attack through each show, the richest show first; then the second ones."""
    shows, of_show = list(board.shows), defaultdict(list)
    for each in suite(board, board.rule, looks):
        of_show[each.show].append(each)
    places = ((at, -shows.index(show)) for show in shows for at in range(len(of_show[show])))
    return [of_show[shows[-show]][at] for at, show in sorted(places)]


def _sentence(
    findings: tuple[Finding, ...],
    gained: str | None,
    attack: str,
    gap: str,
    *,
    reached: bool,
    refused: str | None,
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
