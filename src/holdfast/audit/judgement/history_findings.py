"""Findings about a history: scores that are no accuracies, tied ranks, looks above the limit.

A history enters the verdict in two ways: its median gap between ranks is the default of what the
ranking must show, and its busiest team may have had more looks than were stated. Both are wrong if
the file is not what it seems, and nothing else would tell.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from holdfast.audit.inputs.request import DEFAULT_GAP, Request
from holdfast.audit.result import Finding, History

__all__ = ["attainable", "history_findings"]

# Scores that may be slips of the pen before all are called something else than accuracies.
SLIPS = 0.1
# Digits that a float keeps after a division by 100.
DIGITS = 12


def history_findings(request: Request, history: History | None) -> tuple[Finding, ...]:
    """Return what is to be known of a history before its numbers are believed.

    Parameters
    ----------
    request
        The audit's request, with the submissions as they were read.
    history
        What was made of them (`observed`); None: there are none.
    """
    if history is None:
        return ()
    return (*_no_accuracies(request), *_tied(request, history), *_over_limit(request, history))


def attainable(score: float, n_examples: int) -> bool:
    """Tell whether some number of matches, rounded or cut to the score's digits, gives the score.

    >>> attainable(0.7799, 209), attainable(0.78, 209), attainable(0.8735, 209)
    (True, True, False)
    >>> attainable(0.00001, 10)
    False
    """
    step = 10.0 ** -len(f"{score:.{DIGITS}f}".partition(".")[2].rstrip("0"))
    counts = (math.floor(score * n_examples), math.ceil(score * n_examples))
    return any(abs(count / n_examples - score) < step for count in counts)


def _no_accuracies(request: Request) -> Iterator[Finding]:
    """Yield a warning if scores are no accuracies of these examples.

    By arithmetic where the rule shows whole counts: accuracies on n examples are multiples of 1/n.
    Else by size: half of the teams below what a constant submission has is no accuracy of teams
    that try.
    """
    rows, n = request.history or (), request.labels.size
    exact = not any(stage.adds_noise or stage.selects for stage in request.rule.stages)
    odd = [row.score for row in rows if not attainable(row.score, n)]
    remedy = (
        "Give the accuracies of the scored examples, or leave the history out: this audit is about "
        "accuracy."
    )
    if exact and len(odd) > SLIPS * len(rows):
        yield Finding(
            "history-no-accuracy",
            "warning",
            f"{len(odd):,} of {len(rows):,} scores of the history are no accuracy on {n:,} "
            f"examples: no number of matches gives {odd[0]:g}.",
            "They may be another metric, such as AUC, F1 or RMSE, or belong to other examples: "
            "what is called observed does not hold then, nor a ranking gap taken from it.",
            remedy,
        )
        return
    best: dict[str, float] = {}
    for row in rows:
        best[row.team] = max(row.score, best.get(row.team, 0.0))
    if 100.0 * statistics.median(best.values()) < request.baseline.percent:
        yield Finding(
            "history-no-accuracy",
            "warning",
            f"Half of the teams of the history score below the {request.baseline.percent:g} % that "
            "is had without a look.",
            "Scores may be another metric, of which less is better, such as RMSE or log loss: what "
            "is called observed does not hold then, nor a ranking gap taken from it.",
            remedy,
        )


def _tied(request: Request, history: History) -> Iterator[Finding]:
    """Yield a note if the default gap takes the place of a median gap of 0."""
    if request.gap is None and history.median_gap == 0.0:
        yield Finding(
            "tied-ranks",
            "note",
            "Half of the neighbouring ranks of the history are tied: their median gap is 0.",
            f"So the verdict is for the default gap of {DEFAULT_GAP:g} point.",
            "Say with --gap how small a gap the ranking should be able to show.",
        )


def _over_limit(request: Request, history: History) -> Iterator[Finding]:
    """Yield a warning if the audit plays more looks than stated, since a team took them."""
    stated = request.stated_looks
    if stated < request.looks.count:
        yield Finding(
            "looks-above-limit",
            "warning",
            f"A team of the history took {history.most_looks:,} looks where {stated:,} are stated.",
            f"The verdict is for {request.looks.count:,}, which is what was possible.",
            "Enforce the limit, or state the looks that teams really have.",
        )
