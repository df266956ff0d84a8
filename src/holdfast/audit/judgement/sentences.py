"""Sentences of a verdict: what was tested, what was found, and what is certified for whom.

They stand on the page, in the terminal and in CI logs, often without anything around them. So each
names its unit, its looks, its rule and the attack, and says no more than was tested: for SAFE "gaps
of 1 point or more", for the others the gap alone.
"""

from __future__ import annotations

import math

from holdfast.audit.inputs.disclosure import FEWEST_FOR_INTERVAL
from holdfast.audit.inputs.request import Request
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import About, Finding, Interval, Limits, RuleRow, Word
from holdfast.audit.scenarios.measurer import Strongest
from holdfast.errors import InvalidInput
from holdfast.metrics import Accuracy
from holdfast.rules import parse_rule

__all__ = ["IN_NO_ORDER", "WHO", "blur_of_row", "certified", "doubt", "reason", "tested"]

WHO = {
    "features": "without learning anything",
    "class shares": "without learning anything",
    "no features": "without even seeing the examples",
    "model": "on top of a model",
}

# What every certificate assumes of the rows, said where they are seen to break it.
IN_NO_ORDER = "This is certified for rows of no order, and these have one."


def doubt(request: Request, *, unread: bool, by_looks: bool) -> str | None:
    """Return why nobody can say SAFE of a board whatever the attacks gained; None: nothing.

    Parameters
    ----------
    request
        The board. Rows that come in runs void the premise of every attack and every certificate,
        and tell of private rows between public ones.
    unread
        Whether all attacks that read values were refused, so that only climbers played.
    by_looks
        Whether looks are scored on the examples that decide.
    """
    if request.in_runs:
        return (
            "SAFE can't be said: the rows come in runs of one label, and who labels runs alike may "
            "gain more than the attacks here, and than any certificate for rows of no order."
        )
    n_examples = request.labels.size
    if not by_looks:
        return None
    if n_examples < FEWEST_FOR_INTERVAL:
        return (
            f"SAFE can't be said: {n_examples:,} examples are too few for an interval, and one of "
            f"them is worth {100.0 / n_examples:.3g} points."
        )
    if unread:
        return (
            "SAFE can't be said: only attacks played that hear which look was the best; none read "
            "the values as they are released, which is not to say that none can."
        )
    return None


def tested(word: Word, gap: float, unit: Unit) -> str:
    """Return what a word is about: who gains less than the gap does not pass a larger one either.

    >>> points = Unit("points", 100.0, 0.1, 10.0, 1.0)
    >>> tested("SAFE", 1.0, points), tested("UNSAFE", 0.5, points)
    ('for ranking gaps of 1 point or more', 'for ranking gaps of 0.5 points')
    """
    gaps = f"for ranking gaps of {unit.number(gap)}"
    return f"{gaps} or more" if word == "SAFE" else gaps


def reason(
    board: Request,
    unit: Unit,
    found: Strongest,
    points: Interval,
    void: Finding | None,
    about: About,
) -> str:
    """Return the rest of the sentence: the finding that voids all, or the gain and how it came."""
    if void is not None:
        return f"{void.what} {void.fix}"
    share = board.parts.final_share if about == "final ranking" else 1.0
    if share == 0.0:
        private = f"{board.parts.private:,} examples that no look is scored on"
        if board.final_choices:
            return f"{private} decide it, so that nothing gained on the public board counts."
        best = f"{private} decide it, but the best of a team's private scores counts"
        if unit.accuracy is None:
            return f"{best}, and what its luck is worth in {board.metric} was not measured."
        return f"{best}, which is up to {unit.in_words(points)} too high by chance alone."
    where = ""
    if share < 1.0:
        where = f" in the final ranking, {100.0 * share:.0f} % of which is the public part,"
    elif about == "public board":
        where = " on the public part"
    looks_taken = looks(board, found.measured.looks)
    if points.mean <= 0.0:
        return (
            f"no attack gained anything above what it had without a look{where}, with "
            f"{looks_taken}."
        )
    shown = "" if len(board.shows) == 1 else f", {found.scenario.show}"
    return (
        f"{unit.in_words(points)}{_above(board, found)} can be gained{where} "
        f"{WHO[found.setting]}, with {looks_taken} (attack {found.attack}{shown}: "
        f"{found.scenario.does})."
    )


def _above(board: Request, found: Strongest) -> str:
    """Return what a gain is above; nothing where it goes without saying."""
    if isinstance(board.metric, Accuracy):
        free = board.baseline.in_words(found.setting)
        return f" above {free}" if free else ""
    free = "the given models" if found.setting == "model" else "the best constant submission"
    return f" over {free}"


def looks(request: Request, played: int) -> str:
    """Return how many submissions are scored, and under which rule."""
    text = f"{played:,} scored submission{'' if played == 1 else 's'}"
    if played < request.n_looks:
        text += f" (of {request.n_looks:,} allowed)"
    if request.accounts > 1:
        text += f" of {request.accounts:,} accounts"
    return f"{text} under the rule {request.release}"


def certified(request: Request, limits: Limits, most: float, share: float, everybody: bool) -> str:
    """Return the bound's own number, and for whom it holds.

    The strongest true statement of three. Nothing is learnt of examples that no look is scored on;
    nobody gains more than there is above the baseline; and else the certificate, which binds those
    without a model, or with models no better than the given ones. `most` is in points.
    """
    anyone = "Certified for everybody, with a model or without: "
    if share == 0.0:
        return (
            f"{anyone}no look is scored on the examples that decide, so no score tells anything of "
            "them."
        )
    if everybody:
        free = f"{request.baseline.percent:g} %"
        return f"{anyone}there is less than the gap above the {free} that are had without a look."
    text = (
        f"Certified for {limits.binds_model or limits.binds}: no attack, known or not, gains more "
        f"than {math.ceil(100.0 * most - 1e-9) / 100.0:g} points in expectation."
    )
    if limits.binds_model is None:
        text += " Who has a model may gain more: its --predictions give the bound for that."
    return text


def blur_of_row(row: RuleRow) -> str:
    """Return the blur for honest teams of a compared rule, a number where it tells scores."""
    try:
        tells_scores = parse_rule(row.rule).shows == "scores"
    except InvalidInput:  # a rule of the caller's own, which no text names
        tells_scores = True
    return f"{row.price_points:.3g}" if tells_scores else "no score"
