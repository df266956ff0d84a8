"""Sentences of a verdict: what was tested, what was found, and what is certified for whom.

They stand on the page, in the terminal and in CI logs, often without anything around them. So each
names its unit, its looks, its rule and the attack, and says no more than was tested: for SAFE "gaps
of 1 point or more", for the others the gap alone.
"""

from __future__ import annotations

import math

from holdfast.attacks.registry import summary_of
from holdfast.audit.inputs.disclosure import FEWEST_FOR_INTERVAL
from holdfast.audit.inputs.request import Request
from holdfast.audit.result import About, Finding, Interval, Limits, Word
from holdfast.audit.scenarios.measurer import StrongestAttack

__all__ = ["IN_NO_ORDER", "certified", "doubt", "in_points", "number", "reason", "tested"]

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


def tested(word: Word, gap: float) -> str:
    """Return what a word is about: who gains less than the gap does not pass a larger one either.

    >>> tested("SAFE", 1.0), tested("UNSAFE", 0.5)
    ('for ranking gaps of 1 point or more', 'for ranking gaps of 0.5 points')
    """
    gaps = f"for ranking gaps of {number(gap)}"
    return f"{gaps} or more" if word == "SAFE" else gaps


def reason(
    request: Request,
    played: int,
    found: StrongestAttack,
    points: Interval,
    void: list[Finding],
    about: About,
) -> str:
    """Return the rest of the sentence: the finding that voids all, or the gain and how it came."""
    if void:
        return f"{void[0].what} {void[0].fix}"
    share = request.parts.final_share if about == "final ranking" else 1.0
    if share == 0.0:
        private = f"{request.parts.private:,} examples that no look is scored on"
        if request.final_choices:
            return f"{private} decide it, so that nothing gained on the public board counts."
        return (
            f"{private} decide it, but the best of a team's private scores counts, which is up to "
            f"{in_points(points)} too high by chance alone."
        )
    free = request.baseline.in_words(found.setting)
    gain = f"{in_points(points)}{f' above {free}' if free else ''} can be gained"
    if points.mean <= 0.0:
        gain = "no attack gained anything above what it had without a look"
    where = ""
    if share < 1.0:
        where = f" in the final ranking, {100.0 * share:.0f} % of which is the public part,"
    elif about == "public board":
        where = " on the public part"
    who = "," if points.mean <= 0.0 else f" {WHO[found.setting]},"
    attack = "" if points.mean <= 0.0 else f" (attack {found.attack}: {summary_of(found.attack)})"
    return f"{gain}{where}{who} with {looks(request, played)}{attack}."


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


def number(points: float) -> str:
    """Return a number of points with its unit.

    >>> number(1.0), number(0.5)
    ('1 point', '0.5 points')
    """
    return f"{points:g} point{'' if points == 1.0 else 's'}"


def in_points(points: Interval) -> str:
    """Return a gain with its unit and its interval."""
    if points.low is None or points.high is None or points.low == points.high:
        return number(points.mean)
    return f"{number(points.mean)} (95 % interval {points.low:g} to {points.high:g})"
