"""Evidence in a history: looks used, gaps explained or not, and ranks that differ.

A public score that lies above the private one proves nothing by itself: a team's best look was
chosen by its public score, and both parts are samples. A gap is explained by chance first, then by
what the bound allows to as many looks; what is left is unexplained. Neighbours in a ranking differ
only if a test of their scores, or of their predictions example by example, says so.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri

from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.history import Submission
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.limits import allowed as allowed_points
from holdfast.audit.judgement.preflight import expected_best
from holdfast.audit.result import History, TeamHistory, TieGroup

__all__ = ["observed", "paired_p", "score_interval"]

SIGNIFICANCE_LEVEL = 0.05


def observed(request: Request, unit: RoundingUnit) -> History | None:
    """Return what the history shows, or None if there is none.

    Chance is how far a public score may lie above the private one with both parts drawn at
    random: the best of a team's looks is chosen by its public score, which adds the expected
    maximum of as many draws, and a one-sided 95 % margin. Allowed is what the certified bound
    leaves to that many looks of one account without a model. Teams whose predictions are given
    under their names are compared example by example.
    """
    if request.history is None:
        return None
    by_team: dict[str, list[Submission]] = defaultdict(list)
    for row in request.history:
        by_team[row.team].append(row)
    teams = sorted(
        (_team(request, unit, name, rows) for name, rows in by_team.items()),
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
        over_limit=tuple(t.team for _, t in teams if t.looks > request.stated_looks),
        # Between ranks, not of a score: a unit would round most of them to nothing.
        median_gap=float(f"{statistics.median(neighbours):.1g}") if neighbours else None,
        half_width=unit.round(half),
        paired_half_width=unit.round(100.0 * _paired(n, looks)),
        mean_gap=unit.round(statistics.mean(gaps)) if gaps else None,
        chance=_mean([t.chance for _, t in teams], unit),
        allowed=_mean([t.allowed for _, t in teams], unit),
        unexplained=_mean([t.unexplained for _, t in teams], unit),
        teams=tuple(team for _, team in teams),
        groups=_groups(request, [team.team for _, team in teams], best),
    )


def _mean(values: Sequence[float | None], unit: RoundingUnit) -> float | None:
    known = [value for value in values if value is not None]
    return unit.round(statistics.mean(known)) if known else None


def _team(
    request: Request, unit: RoundingUnit, name: str, rows: Sequence[Submission]
) -> tuple[float, TeamHistory]:
    """Return a team's exact best score, to order teams by, and its row.

    The gap between the public and the private score of its best submission is split in three:
    what chance explains (the luck of the best of its looks, and the error of both scores at 95 %),
    what overfitting by so many looks is proved to allow at most, and what neither explains.
    """
    best = max(rows, key=lambda row: row.score)
    gap = chance = allowed = unexplained = None
    if best.private is not None and request.parts.private:
        n, private = request.labels.size, request.parts.private
        p = min(max(best.private, 1.0 / private), 1.0 - 1.0 / private)
        public_error = math.sqrt(p * (1.0 - p) / n)
        error = math.hypot(public_error, math.sqrt(p * (1.0 - p) / private))
        gap = 100.0 * (best.score - best.private)
        margin = float(ndtri(1.0 - SIGNIFICANCE_LEVEL)) * error
        chance = 100.0 * (expected_best(len(rows)) * public_error + margin)
        limit = allowed_points(request, request.rule, len(rows), accounts=1)
        positive = max(0.0, gap)
        chance = min(positive, chance)
        allowed = min(positive - chance, limit)
        unexplained = positive - chance - allowed
    return best.score, TeamHistory(
        team=name,
        looks=len(rows),
        score=unit.round(100.0 * best.score),
        private=None if best.private is None else unit.round(100.0 * best.private),
        gap=None if gap is None else unit.round(gap),
        chance=None if chance is None else unit.round(chance),
        allowed=None if allowed is None else unit.round(allowed),
        unexplained=None if unexplained is None else unit.round(unexplained),
    )


def score_interval(score: float, n_examples: int, looks: int) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a score, at 95 % for all looks together.

    >>> low, high = score_interval(0.9, 1000, 1)
    >>> round(low, 3), round(high, 3)
    (0.88, 0.918)
    """
    alpha = SIGNIFICANCE_LEVEL / max(1, looks)
    hits = round(score * n_examples)
    misses = n_examples - hits
    low = 0.0 if hits == 0 else float(betaincinv(hits, misses + 1, alpha / 2))
    high = 1.0 if misses == 0 else float(betaincinv(hits + 1, misses, 1 - alpha / 2))
    return low, high


def _half_width(score: float, n: int, looks: int) -> float:
    low, high = score_interval(score, n, looks)
    return (high - low) / 2.0


def _paired(n: int, looks: int) -> float:
    """Return the least difference that a sign test on disagreements alone can show.

    Two models that disagree on d examples, all in favour of one, are told apart when
    2^(1-d) is below the level: d matches, whatever n.

    With a hundred looks to correct for, the level is 0.05/100, and 2^(1-12) is the first power of
    two below it.

    >>> round(1000 * _paired(1000, 1)), round(1000 * _paired(1000, 100))
    (6, 12)
    """
    return math.ceil(1.0 + math.log2(max(1, looks) / SIGNIFICANCE_LEVEL)) / n


def _groups(
    request: Request, names: Sequence[str], scores: Sequence[float]
) -> tuple[TieGroup, ...]:
    """Cut the ranking where a team can be told from the first of its group, looks corrected.

    From the top down: teams join the leader's group until one is shown to be worse than the leader,
    and that one leads the next group. Two neighbours across a cut may well be equally good: each
    was compared with the first of the upper group, not with the other.
    """
    groups, start = [], 0
    for at in range(1, len(names) + 1):
        if at < len(names) and not _told_apart(request, names, scores, start, at):
            continue
        groups.append(TieGroup(start + 1, at, tuple(names[start:at])))
        start = at
    return tuple(groups)


def _told_apart(
    request: Request, names: Sequence[str], scores: Sequence[float], high: int, low: int
) -> bool:
    """Compare two teams: example by example if both gave predictions, else by their scores.

    Both ways are exact and corrected for the looks: McNemar's test, or binomial intervals that
    all hold together, so that two that do not meet belong to different accuracies.
    """
    looks = max(1, len(request.history or ()))
    models = {model.name: model.labels == request.labels for model in request.predictions}
    first, second = models.get(names[high]), models.get(names[low])
    if first is not None and second is not None:
        return paired_p(first, second) <= SIGNIFICANCE_LEVEL / looks
    n = request.labels.size
    lowest_of_better, _ = score_interval(scores[high], n, looks)
    _, highest_of_worse = score_interval(scores[low], n, looks)
    return lowest_of_better > highest_of_worse


def paired_p(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Return the exact p-value of McNemar's test: which examples each model has right.

    Examples that both have right or both have wrong say nothing of which is better. Of the others
    each model has as many, in expectation, if they are equally good: a fair coin, thrown that
    often.

    >>> right = np.array([True] * 6 + [False] * 4)
    >>> paired_p(right, np.zeros(10, dtype=bool)), paired_p(right, right)
    (0.03125, 1.0)
    """
    only_first = int(np.count_nonzero(first & ~second))
    only_second = int(np.count_nonzero(second & ~first))
    trials = only_first + only_second
    return float(min(1.0, 2.0 * bdtr(min(only_first, only_second), trials, 0.5)))
