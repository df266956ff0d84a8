"""Standings, intervals and tie groups: pure functions of released values and public facts.

The half-width of an interval is the rule's resolution plus 1.96 standard errors of an accuracy on n
examples. Two teams share a group if their released values differ by no more than the resolution
plus 1.96 standard errors of the difference. That variance is that of a difference of two
indicators, which is at most the chance that exactly one of two predictions is right: at most
p + q, and at most (1 - p) + (1 - q). So nothing has to be known of the predictions themselves.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

from holdfast.guard.policy import Policy
from holdfast.guard.receipt import released_numbers, released_score
from holdfast.ledger.entry import Entry
from holdfast.metrics.display import Display
from holdfast.metrics.own_metric import mean_outcome
from holdfast.problem import Problem
from holdfast.rules import RecordedLook, recorded_look
from holdfast.server.records import Outcomes, Phase, Standing

__all__ = ["Row", "advanced", "as_rows", "further_numbers", "order", "rows_from_text",
           "rows_to_text", "sparkline"]  # fmt: skip

# Two-sided 95 % of a normal distribution.
ERRORS = 1.96
# How many released values a row keeps for its sparkline.
LONGEST_HISTORY = 60
# Released scores as integers; ranks may be large, so they are kept coarser.
SCORE_SCALE, RANK_SCALE = 10**15, 10**6
# Metrics of a larger range are ordered by the float itself: 9,000 is all that fits into 64 bits.
LARGEST_SCORE = 1000.0


@dataclass(frozen=True)
class Row:
    """A row of the board, as everybody may see it.

    `group` numbers the tie groups from 1; teams of one group can't be told apart. `rank` is the
    place by released value; teams with equal values share it. `numbers` are all that were released
    with it, by name, where there are several.
    """

    rank: int
    team: int
    name: str
    released: str | None
    low: float | None
    high: float | None
    group: int
    looks: int
    last: int
    history: tuple[str, ...] = ()
    hidden: bool = False
    numbers: Mapping[str, float] = field(default_factory=dict)


@lru_cache(maxsize=1000)
def look_of(text: str) -> RecordedLook:
    """Return the rule and the metric that an entry names; neither has a state of its own."""
    return recorded_look(text)


def policy_of(phase: Phase) -> Policy:
    """Return the policy of a phase."""
    return _policy(phase.policy, phase.outcomes)


@lru_cache(maxsize=1000)
def _policy(text: str, outcomes: str | None) -> Policy:
    policy = Policy.parse(text)
    between = None if outcomes is None else Outcomes.from_text(outcomes).between
    return policy if between is None else replace(policy, metric=mean_outcome(*between))


def advanced(
    standing: Standing | None, phase: Phase, team: int, entry: Entry, *, counts: bool = True
) -> Standing:
    """Return a team's row after one more entry that tells it something.

    A pure function: folding it over the entries of a phase gives the board. `counts` is False for a
    look of an earlier phase under the same rule, answered from the record.
    """
    if standing is None:
        standing = Standing(phase.board, phase.number, team, None, 0, entry.time, 0, 0, 0, "", 0)
    if entry.kind != "answer" and counts:
        standing = standing._replace(looks=standing.looks + 1, last=entry.time)
    told = released_text(entry)
    if told is None:
        return standing
    history = [*standing.history.split(), told][-LONGEST_HISTORY:]
    standing = standing._replace(history=" ".join(history))
    value = order(look_of(entry.rule), float(told))
    worse = phase.shows != "latest" and value >= standing.value
    if standing.fixed or (standing.released is not None and worse):
        return standing
    if standing.released is None or value != standing.value:
        standing = standing._replace(reached=entry.time)
    return standing._replace(released=told, value=value, entry=entry.number)


def chosen(standing: Standing, entry: Entry) -> Standing:
    """Return a team's row when it lets one of its looks stand on the board."""
    told = released_text(entry)
    if told is None:
        return standing
    value = order(look_of(entry.rule), float(told))
    return standing._replace(
        released=told, value=value, entry=entry.number, reached=entry.time, fixed=1
    )


def released_text(entry: Entry) -> str | None:
    """Return the released number that ranks, as it was released; None: nothing was."""
    if not released_numbers(entry):
        return entry.released
    return repr(released_score(entry, look_of(entry.rule)))


def order(look: RecordedLook, released: float) -> int:
    """Return a number that is smaller for a better released value."""
    metric = look.display.metric
    if look.rule.shows == "scores":
        sign = -1 if metric.higher_is_better else 1
        if max(abs(metric.low), abs(metric.high)) > LARGEST_SCORE:
            return sign * _place(released)
        return sign * round(max(-9000.0, min(9000.0, released)) * SCORE_SCALE)
    return round(released * RANK_SCALE) if look.rule.shows == "ranks" else 0


def _place(value: float) -> int:
    """Return an integer of 64 bits that grows with a float, for ranges of any size.

    >>> _place(-1e9) < _place(-2.0) < _place(0.0) < _place(1e-9) < _place(1e9)
    True
    """
    (bits,) = struct.unpack(">q", struct.pack(">d", abs(value)))
    return int(bits if value >= 0.0 else -bits)


def half_width(p: float, n: int, resolution: float) -> float:
    """Return half the width of the interval around a released score.

    >>> round(half_width(0.5, 10_000, 0.01), 4)
    0.0198
    """
    inside = min(max(p, 0.0), 1.0)
    return resolution + ERRORS * math.sqrt(inside * (1.0 - inside) / n)


def apart(p: float, q: float, n: int, resolution: float) -> bool:
    """Tell whether two released scores differ by more than chance and the rule explain.

    >>> apart(0.90, 0.91, 10_000, 0.0), apart(0.90, 0.91, 100_000, 0.0)
    (True, True)
    >>> apart(0.90, 0.905, 10_000, 0.0)
    False
    """
    spread = min(p + q, 2.0 - p - q)
    return abs(p - q) > resolution + ERRORS * math.sqrt(max(spread, 0.0) / n)


def meaningless(rows: Sequence[Row], n: int, resolution: float) -> float | None:
    """Return the difference, at the best score, up to which two teams are not told apart."""
    if not rows or rows[0].released is None:
        return None
    best = min(max(float(rows[0].released), 0.0), 1.0)
    return resolution + ERRORS * math.sqrt(min(2 * best, 2 - 2 * best) / n)


def as_rows(
    standings: Iterable[tuple[Standing, str, bool]],
    phase: Phase,
    policy: Policy,
    numbers: Mapping[int, Mapping[str, float]] | None = None,
) -> list[Row]:
    """Return rows with ranks, intervals and groups for standings that are in order.

    A group begins with the first team that is apart from the head of the one before. Of other
    metrics than accuracy no interval is known; there, teams with equal values are a group.

    Parameters
    ----------
    standings
        In order, each with the team's name and whether the host hides it.
    phase, policy
        Where they stand, and what is released.
    numbers
        All that each entry released, by its number, where that is several.
    """
    rule, told = policy.mechanism, numbers or {}
    accuracies = rule.shows == "scores" and policy.display.plain
    n = rule.scored(Problem(phase.n_examples, 2, 1)).n_examples
    resolution = rule.resolution(Problem(phase.n_examples, 2, 1)) if accuracies else 0.0
    rows: list[Row] = []
    head: float | None = None
    group, rank, value = 0, 1, None
    for place, (standing, name, hidden) in enumerate(standings, start=1):
        score = None if standing.released is None else float(standing.released)
        low = high = None
        if score is not None and accuracies:
            width = half_width(score, n, resolution)
            low, high = max(0.0, score - width), min(1.0, score + width)
            if head is None or apart(head, score, n, resolution):
                group, head = group + 1, score
        elif standing.value != value:
            group += 1
        if standing.value != value or value is None:
            rank, value = place, standing.value
        history = tuple(standing.history.split())
        last = (standing.looks, standing.last, history, hidden, told.get(standing.entry, {}))
        rows.append(Row(rank, standing.team, name, standing.released, low, high, group, *last))
    return rows


def further_numbers(rows: Sequence[Row], display: Display) -> list[str]:
    """Return the names of the numbers that stand beside the one that ranks."""
    names = rows[0].numbers if rows else {}
    return [name for name in names if name != str(display.metric)]


def rows_to_text(rows: Sequence[Row]) -> str:
    """Return rows as JSON, for a board that is frozen."""
    return json.dumps([asdict(row) for row in rows])


def rows_from_text(text: str) -> list[Row]:
    """Return the rows of a frozen board."""
    return [Row(**{**row, "history": tuple(row["history"])}) for row in json.loads(text)]


def sparkline(history: Sequence[str], width: int = 96, height: int = 20) -> str:
    """Return the points of a line through released values, for an SVG.

    >>> sparkline(["0.5", "0.6"], 10, 5)
    '0,4 10,1'
    """
    values = [float(text) for text in history]
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = width / (len(values) - 1)
    points = (
        (at * step, height - 1 - (value - low) / span * (height - 2))
        for at, value in enumerate(values)
    )
    return " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
