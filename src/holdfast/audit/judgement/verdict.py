"""Verdicts: SAFE, MARGINAL or UNSAFE, with the number that matters and whom it binds.

The rule, for a gain g with a 95 % interval, a gap G, and a certified bound B:

    UNSAFE     g >= G and the interval lies above 0; or a finding voids everything
    SAFE       twice the interval's upper end is below G; or B < G and B covers the given models
    MARGINAL   everything else

Rows in runs of one label, fewer examples than an interval needs, and boards on which only climbers
played are never SAFE: what was measured there is too little, and the sentence says so.

The factor of two is for attacks that nobody has thought of: SAFE would be a mistake as soon as
somebody finds a better one. A bound B < G leaves no room for that, but a bound that binds only
those without a model says nothing of real participants, and does not make a verdict SAFE.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.preflight import expected_best
from holdfast.audit.judgement.sentences import IN_NO_ORDER, certified, doubt, reason, tested
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import (
    About,
    Finding,
    History,
    Interval,
    Limits,
    Verdict,
    Word,
    voiding,
)
from holdfast.audit.scenarios.measurer import Strongest

__all__ = [
    "RESERVE",
    "WORDS",
    "gap_for",
    "judge",
    "on_both_boards",
    "shuffled",
    "word_for",
    "worth",
]

AnyVerdict = TypeVar("AnyVerdict")

# From worst to best.
WORDS: tuple[Word, ...] = ("UNSAFE", "MARGINAL", "SAFE")

# Attacks better than the suite's must not turn SAFE into a mistake: it keeps a factor of two.
RESERVE = 2.0


def gap_for(request: Request, history: History | None, unit: Unit) -> float:
    """Return the ranking gap: as asked, as the history's ranks are apart, or the unit's own."""
    if request.gap is not None:
        return request.gap
    if history is not None and history.median_gap:
        return history.median_gap
    return unit.gap


def shuffled(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return what mends rows in runs; no rule does, since nobody knows what it leaves there."""
    return tuple(finding.fix for finding in findings if finding.code == "grouped-rows")


def worth(request: Request, about: About) -> float:
    """Return how much of a gain on the scored part counts in what a verdict is about.

    All of it on the public board. In the final ranking, as much as the scored examples are of those
    that decide: 1 without a private part, 0 if that decides alone, 0.3 if the final score is of
    all examples and three in ten are public. Looks tell nothing of the other seven, so that a gain
    of g points on the public part is one of 0.3 g in the ranking.
    """
    return 1.0 if about == "public board" else request.parts.final_share


def on_both_boards(
    request: Request, judged: Callable[[About], AnyVerdict]
) -> tuple[AnyVerdict, AnyVerdict | None]:
    """Return the verdict on the final ranking, and that on the public board if it is another one.

    The second is None where the scored examples are all that the ranking counts.
    """
    final = judged("final ranking")
    return final, judged("public board") if request.parts.final_share < 1.0 else None


def judge(
    board: Request,
    unit: Unit,
    found: Strongest,
    gap: float,
    findings: tuple[Finding, ...],
    *,
    about: About = "final ranking",
    limits: Limits | None = None,
    history: History | None = None,
    unread: bool = False,
) -> Verdict:
    """Judge a ranking by the strongest attack's gain in so many looks, and by the bound.

    UNSAFE: the gain found is the gap or more and no chance, or a finding voids everything else.
    SAFE: even the upper end of the gain found, with a factor of two in reserve, is below the
    gap; or a bound proves it that covers the given models. MARGINAL: between the two. The bound
    for those who know nothing proves nothing: every real participant has a model.

    Parameters
    ----------
    board, unit
        What is audited, and what gains and the gap are counted in.
    found
        The strongest attack, measured again with fresh randomness.
    gap
        The least difference between ranks that must hold.
    findings
        Those before the first play; one that voids the verdict makes it UNSAFE.
    about
        Whose verdict it is: gains count by `worth`. Where only private scores decide and no
        choice is named beforehand, what counts is the luck of the best of them instead, which is
        known for accuracies alone: of any other metric the word is MARGINAL then.
    limits
        What is certified of accuracies; None: the board shows other numbers, whose certificates
        bind those without a model and change no word.
    history
        What was observed, which a verdict shows beside its own numbers; it changes no word.
    unread
        Whether all attacks that read values were refused: then the word is not SAFE.
    """
    share = worth(board, about)
    allowed = None if limits is None else share * limits.allowed
    modelled = None if limits is None else _times(share, limits.allowed_model)
    points = found.points if share == 1.0 else unit.times(found.points, share)
    by_choice = not share and not board.final_choices
    if by_choice and unit.accuracy is not None:
        points = Interval(unit.round(_selected(board)), None, None)
        allowed = None if limits is None else _most_selected(board)
        modelled = None if modelled is None else allowed  # a model does not help with luck
    void = voiding(findings)
    certain = everybody = False
    most = math.inf if allowed is None else max(allowed, modelled or 0.0)
    if limits is not None:
        certain = most < gap and void is None and not by_choice
        # Nobody, whatever he knows, gains more than is left above what is free.
        left = share * (100.0 - board.baseline.percent + unit.rounding_unit / 2.0)
        everybody = certain and (not share or left < gap)
    proven = everybody or (certain and modelled is not None)
    proven = proven and not board.in_runs
    # The bound that covers this attack: none is expected to gain more, whatever a few plays say.
    bound = modelled if found.setting == "model" and modelled is not None else allowed
    bound = math.inf if bound is None or board.in_runs else bound
    shown = points.at_most(bound)
    unsure = doubt(board, unread=unread, by_looks=share > 0.0)
    word = word_for(points, gap, proven=proven, most=bound)
    if word == "SAFE" and ((unsure and not proven) or (by_choice and unit.accuracy is None)):
        word = "MARGINAL"
    if void is not None:
        word = "UNSAFE"
    proof = None
    if certain and limits is not None:
        proof = certified(board, limits, most, share, everybody)
        proof = f"{proof} {IN_NO_ORDER}" if board.in_runs else proof
    return Verdict(
        about=about,
        word=word,
        gap_points=gap,
        points=shown,
        attack=found.attack,
        setting=found.setting,
        allowed=allowed,
        allowed_model=modelled,
        observed=None if history is None or share < 1.0 else history.mean_gap,
        proven=proven,
        certified=proof,
        sentence=f"{word} {tested(word, gap, unit)}: "
        + reason(board, unit, found, shown, void, about)
        + (f" {unsure}" if unsure and word == "MARGINAL" else ""),
        show=found.scenario.show,
    )


def word_for(points: Interval, gap: float, *, proven: bool, most: float = math.inf) -> Word:
    """Return the word for a gain found, and for a bound that proves it below the gap or not.

    Three numbers decide: the mean against the gap, for UNSAFE; the interval's lower end against
    nothing at all, since a gain that chance explains convicts nobody; and the upper end, doubled,
    against the gap, for SAFE. Between them lies what a few plays can't tell.

    Parameters
    ----------
    points
        The gain found with its 95 % interval, in points.
    gap
        The ranking gap, in points.
    proven
        Whether a bound lies below the gap that covers everybody with models as good as the given.
    most
        What the bound for this attack's knowledge leaves: a measured mean above it is chance. It
        lends nothing to SAFE, because others know more.

    Examples
    --------
    >>> word_for(Interval(1.2, 0.9, 1.5), gap=1.0, proven=False)
    'UNSAFE'
    >>> word_for(Interval(0.3, 0.2, 0.4), gap=1.0, proven=False)      # 2 * 0.4 < 1
    'SAFE'
    >>> word_for(Interval(0.3, 0.1, 0.6), gap=1.0, proven=False)      # 2 * 0.6 > 1
    'MARGINAL'

    One and a half points, but by chance as likely as none; and a mean that a bound refutes.

    >>> word_for(Interval(1.5, -0.5, 3.5), gap=1.0, proven=False)
    'MARGINAL'
    >>> word_for(Interval(1.2, 0.9, 1.5), gap=1.0, proven=False, most=0.8)
    'MARGINAL'
    """
    upper = points.mean if points.high is None else points.high
    real = points.low is None or points.low > 0.0  # more than the chance of a few plays
    if min(points.mean, most) >= gap and real:
        return "UNSAFE"
    return "SAFE" if proven or RESERVE * upper < gap else "MARGINAL"


def _times(share: float, points: float | None) -> float | None:
    return None if points is None else share * points


def _selected(request: Request) -> float:
    """Return what the best of all private scores gains by chance alone, in points.

    A score of N examples has a standard error of 50/sqrt(N) points at most, and the best of k
    independent ones lies `expected_best(k)` of these above its mean: 3.2 for a thousand, so 3.2
    points with 2,500 private examples.
    """
    return 50.0 / math.sqrt(request.parts.private) * expected_best(request.looks.count)


def _most_selected(request: Request) -> float:
    """Return the most that choosing among k private scores is worth in expectation, in points.

    A score of N examples is subgaussian with variance 1/(4N), so the largest of k exceeds its own
    mean by at most sqrt(log(k) / (2N)): 3.7 points for a thousand looks and 2,500 examples.
    """
    return 100.0 * math.sqrt(math.log(request.looks.count) / (2.0 * request.parts.private))
