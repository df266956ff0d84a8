"""Verdicts: SAFE, MARGINAL or UNSAFE, in one sentence with the number that matters."""

from __future__ import annotations

import math

from holdfast.audit.inputs.disclosure import RoundingUnit
from holdfast.audit.inputs.request import DEFAULT_GAP, Request
from holdfast.audit.judgement.preflight import expected_best
from holdfast.audit.result import Finding, History, Interval, Limits, Verdict, Word
from holdfast.audit.scenarios.measurer import StrongestAttack

__all__ = ["RESERVE", "gap_for", "judge", "word_for"]

# Attacks better than the suite's must not turn SAFE into a mistake: it keeps a factor of two.
RESERVE = 2.0


def gap_for(request: Request, history: History | None) -> float:
    """Return the ranking gap in points: as asked, as the history's ranks are apart, or one."""
    if request.gap is not None:
        return request.gap
    if history is not None and history.median_gap:
        return history.median_gap
    return DEFAULT_GAP


def judge(
    request: Request,
    looks: int,
    found: StrongestAttack,
    limits: Limits,
    findings: tuple[Finding, ...],
    gap: float,
) -> Verdict:
    """Judge the final ranking by the strongest attack's gain in so many looks, and by the bound.

    UNSAFE: the gain found is the gap or more and no chance, or a finding voids everything else.
    SAFE: even the upper end of the gain found, with a factor of two in reserve, is below the
    gap; or a bound proves it that covers the given models. MARGINAL: between the two. The bound
    for those who know nothing proves nothing: every real participant has a model.
    """
    share, grain = request.parts.final_share, request.baseline.grain
    points = found.points(grain, worth=share)
    if not share and not request.final_choices:
        points = _selected(request, grain)
    void = [finding for finding in findings if finding.severity == "void"]
    most = share * max(limits.allowed, limits.allowed_model or 0.0)
    certain = share > 0.0 and most < gap and not void
    proven = certain and limits.allowed_model is not None
    word = "UNSAFE" if void else word_for(points, gap, proven=proven)
    return Verdict(
        word=word,
        gap_points=gap,
        points=points,
        attack=found.attack,
        setting=found.setting,
        proven=proven,
        certified=_certified(limits, most) if certain else None,
        sentence=f"{word} {_tested(word, gap)}: " + _because(request, looks, found, points, void),
    )


def word_for(points: Interval, gap: float, *, proven: bool) -> Word:
    """Return the word for a gain found, and for a bound that proves it below the gap or not."""
    upper = points.mean if points.high is None else points.high
    real = points.low is None or points.low > 0.0  # more than the chance of a few plays
    if points.mean >= gap and real:
        return "UNSAFE"
    return "SAFE" if proven or RESERVE * upper < gap else "MARGINAL"


def _certified(limits: Limits, most: float) -> str:
    """Return the bound's own number, and for whom it holds."""
    text = (
        f"Certified for {limits.binds_model or limits.binds}: no attack, known or not, gains more "
        f"than {math.ceil(100.0 * most) / 100.0:g} points in expectation."
    )
    if limits.binds_model is None:
        text += " Who has a model may gain more: its --predictions give the bound for that."
    return text


def _tested(word: Word, gap: float) -> str:
    """Return what a word is about: who gains less than the gap does not pass a larger one either.

    >>> _tested("SAFE", 1.0), _tested("UNSAFE", 0.5)
    ('for ranking gaps of 1 point or more', 'for ranking gaps of 0.5 points')
    """
    gaps = f"for ranking gaps of {gap:g} point{'' if gap == 1.0 else 's'}"
    return f"{gaps} or more" if word == "SAFE" else gaps


def _because(
    request: Request, played: int, found: StrongestAttack, points: Interval, void: list[Finding]
) -> str:
    if void:
        return f"{void[0].what} {void[0].fix}"
    board = found.points(request.baseline.grain)
    who = {
        "features": "without learning anything",
        "class shares": "without learning anything",
        "no features": "without even seeing the examples",
        "model": "on top of a model",
    }[found.setting]
    looks = f"{played:,} look{'' if played == 1 else 's'}"
    if played < request.n_looks:
        looks += f" (of {request.n_looks:,} allowed)"
    if request.accounts > 1:
        looks += f" of {request.accounts:,} accounts"
    rule = f"with {looks} at scores released by the rule {request.release}"
    free = request.baseline.in_words(found.setting)
    above = f" above {free}" if free else ""
    gain = f"{_text(board)}{above} can be gained {who}, {rule} (attack: {found.attack})"
    if free and board.mean <= 0.0:
        gain = f"no attack gained more than {free}, {rule}"
    share = request.parts.final_share
    if share == 1.0:
        return f"{gain}."
    if share > 0.0:
        return f"{_text(points)} of the final ranking; on the public part {gain}."
    private = f"{request.parts.private:,} examples that no look is scored on"
    if not request.final_choices:
        return (
            f"the best of all private scores gains up to {points.mean:g} points by chance alone; "
            f"on the public part {gain}."
        )
    return f"{private} decide the final ranking. On the public part {gain}."


def _selected(request: Request, grain: RoundingUnit) -> Interval:
    """Return what the best of all private scores gains by chance alone."""
    error = 50.0 / request.parts.private**0.5
    mean = error * expected_best(request.looks.count)
    return Interval(grain.round(mean), None, None)


def _text(points: Interval) -> str:
    text = f"{points.mean:g} point{'' if points.mean == 1.0 else 's'}"
    if points.low is None or points.high is None or points.low == points.high:
        return text
    return f"{text} (95 % interval {points.low:g} to {points.high:g})"
