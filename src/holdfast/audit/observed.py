"""What a history shows: looks used, gaps explained or not, and ranks that can be told apart."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from scipy.stats import beta, norm

from holdfast.audit.grain import Grain
from holdfast.audit.history import Submission
from holdfast.audit.preflight import expected_best
from holdfast.audit.request import Request
from holdfast.audit.result import History, Team, TieGroup
from holdfast.experiments.matrix import certified
from holdfast.problem import Problem

__all__ = ["observed", "score_interval"]

LEVEL = 0.05


def observed(request: Request, grain: Grain) -> History | None:
    """Return what the history shows, or None if there is none.

    Chance is how far a public score may lie above the private one with both parts drawn at
    random: the best of a team's looks is chosen by its public score, which adds the expected
    maximum of as many draws, and a one-sided 95 % margin. Allowed is what the certified bound
    leaves to that many looks of one account.
    """
    if request.history is None:
        return None
    by_team: dict[str, list[Submission]] = defaultdict(list)
    for row in request.history:
        by_team[row.team].append(row)
    teams = sorted(
        (_team(request, grain, name, rows) for name, rows in by_team.items()),
        key=lambda team: (-team[0], team[1].team),
    )
    best = [score for score, _ in teams]
    n, looks = request.labels.size, len(request.history)
    gaps = [team.gap for _, team in teams if team.gap is not None]
    times = sorted(row.time for row in request.history if row.time is not None)
    neighbours = [100.0 * (a - b) for a, b in pairwise(best)]
    half = 100.0 * max(_half_width(score, n, looks) for score in best)
    return History(
        n_teams=len(teams),
        looks=looks,
        first=times[0].isoformat() if times else None,
        last=times[-1].isoformat() if times else None,
        most_looks=max(team.looks for _, team in teams),
        over_limit=tuple(t.team for _, t in teams if t.looks > request.looks.count),
        median_gap=grain.round(statistics.median(neighbours)) if neighbours else None,
        half_width=grain.round(half),
        paired_half_width=grain.round(100.0 * _paired(n, looks)),
        mean_gap=grain.round(statistics.mean(gaps)) if gaps else None,
        chance=_mean([t.chance for _, t in teams], grain),
        allowed=_mean([t.allowed for _, t in teams], grain),
        unexplained=_mean([t.unexplained for _, t in teams], grain),
        teams=tuple(team for _, team in teams),
        groups=_groups([team.team for _, team in teams], best, n, looks),
    )


def _mean(values: Sequence[float | None], grain: Grain) -> float | None:
    known = [value for value in values if value is not None]
    return grain.round(statistics.mean(known)) if known else None


def _team(
    request: Request, grain: Grain, name: str, rows: Sequence[Submission]
) -> tuple[float, Team]:
    best = max(rows, key=lambda row: row.score)
    gap = chance = allowed = unexplained = None
    if best.private is not None and request.parts.private:
        n, private = request.labels.size, request.parts.private
        p = min(max(best.private, 1.0 / private), 1.0 - 1.0 / private)
        public_error = math.sqrt(p * (1.0 - p) / n)
        error = math.hypot(public_error, math.sqrt(p * (1.0 - p) / private))
        gap = 100.0 * (best.score - best.private)
        chance = 100.0 * (expected_best(len(rows)) * public_error + norm.isf(LEVEL) * error)
        problem = Problem(n, request.problem.n_classes, len(rows))
        limit = 100.0 * certified(request.rule, problem)
        positive = max(0.0, gap)
        chance = min(positive, float(chance))
        allowed = min(positive - chance, limit)
        unexplained = positive - chance - allowed
    return best.score, Team(
        team=name,
        looks=len(rows),
        score=grain.round(100.0 * best.score),
        private=None if best.private is None else grain.round(100.0 * best.private),
        gap=None if gap is None else grain.round(gap),
        chance=None if chance is None else grain.round(chance),
        allowed=None if allowed is None else grain.round(allowed),
        unexplained=None if unexplained is None else grain.round(unexplained),
    )


def score_interval(score: float, n_examples: int, looks: int) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a score, at 95 % for all looks together.

    >>> low, high = score_interval(0.9, 1000, 1)
    >>> round(low, 3), round(high, 3)
    (0.88, 0.918)
    """
    alpha = LEVEL / max(1, looks)
    hits = round(score * n_examples)
    misses = n_examples - hits
    low = 0.0 if hits == 0 else float(beta.ppf(alpha / 2, hits, misses + 1))
    high = 1.0 if misses == 0 else float(beta.ppf(1 - alpha / 2, hits + 1, misses))
    return low, high


def _half_width(score: float, n: int, looks: int) -> float:
    low, high = score_interval(score, n, looks)
    return (high - low) / 2.0


def _paired(n: int, looks: int) -> float:
    """Return the least difference that a sign test on disagreements alone can show.

    Two models that disagree on d examples, all in favour of one, are told apart when
    2^(1-d) is below the level: d matches, whatever n.
    """
    return math.ceil(1.0 + math.log2(max(1, looks) / LEVEL)) / n


def _groups(
    names: Sequence[str], scores: Sequence[float], n: int, looks: int
) -> tuple[TieGroup, ...]:
    """Cut the ranking wherever neighbours' difference exceeds its interval, looks corrected.

    The models are scored on the same examples. Unpaired, the variance of the difference is at
    most the sum of both: a group may be smaller, never larger, if the predictions are compared
    pair by pair.
    """
    z = float(norm.isf(LEVEL / max(1, looks) / 2.0))
    groups, start = [], 0
    for at in range(1, len(names) + 1):
        if at < len(names):
            a, b = scores[start], scores[at]
            error = math.sqrt((a * (1.0 - a) + b * (1.0 - b)) / n)
            if a - b <= z * error:
                continue
        groups.append(TieGroup(start + 1, at, tuple(names[start:at])))
        start = at
    return tuple(groups)
