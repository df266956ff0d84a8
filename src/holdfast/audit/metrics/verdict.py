"""Verdicts on a board that shows a metric: the word, the number that matters, and the sentence.

The word is that of accuracies (`judgement.verdict.word_for`), with gain and gap in the unit of the
audit:

    UNSAFE     the gain found reaches the gap, and its interval lies above 0; or a finding voids all
    SAFE       twice the upper end of its interval is below the gap
    MARGINAL   everything else

Two things differ. No bound makes a verdict SAFE: what is certified for a metric binds those without
a model, and every real team has one. And where the best of a team's private scores counts, the luck
in it is worth something that was measured for accuracies alone, so that the word is MARGINAL.
"""

from __future__ import annotations

from holdfast.audit.judgement.sentences import WHO, doubt
from holdfast.audit.judgement.verdict import word_for, worth
from holdfast.audit.metrics.asked import MetricRequest
from holdfast.audit.metrics.record import MetricGain, MetricVerdict
from holdfast.audit.metrics.units import Unit
from holdfast.audit.result import About, Finding, Interval, Word, in_digits, voiding

__all__ = ["above", "judged", "with_interval"]

NOTHING = Interval(0.0, 0.0, 0.0)


def judged(
    asked: MetricRequest,
    unit: Unit,
    found: MetricGain,
    gap: float,
    findings: tuple[Finding, ...],
    *,
    about: About = "final ranking",
    unread: bool = False,
) -> MetricVerdict:
    """Judge a ranking by the strongest attack's gain: the rule of accuracies, without a bound.

    Parameters
    ----------
    asked
        What is audited.
    unit
        What `gap` and gains are counted in.
    found
        The strongest attack, measured again with fresh randomness.
    gap
        The least difference between ranks that must hold.
    findings
        Those before the first play; one that voids the verdict makes it UNSAFE, whatever was
        gained, and its own words are the sentence.
    about
        Whose verdict it is. On the public board a gain counts as it is. In the final ranking it
        counts by the share of the deciding examples that looks are scored on: with three public
        examples in ten a gain of 2 points is one of 0.6, and with a private part that decides
        alone it is nothing.
    unread
        Whether all attacks that read values were refused: then the word is not SAFE.
    """
    request, share = asked.request, worth(asked.request, about)
    assert found.interval is not None
    gain = unit.times(found.interval, share) if share else NOTHING
    word = word_for(gain, gap, proven=False)
    void = voiding(findings)
    # Where the best of all private scores counts, luck is worth something that nobody measured.
    by_choice = not share and not request.final_choices
    unsure = doubt(request, unread=unread, by_looks=share > 0.0)
    if by_choice or (word == "SAFE" and unsure):
        word = "MARGINAL"
    if void is not None:
        word = "UNSAFE"
    tested = f"{word} for ranking gaps of {unit.number(gap)}{' or more' if word == 'SAFE' else ''}"
    if void is not None:
        why = f"{void.what} {void.fix}"
    elif not share:
        why = _private(asked, by_choice=by_choice)
    else:
        why = _gained(asked, unit, found, gain, about, share)
    return MetricVerdict(
        about=about,
        word=word,
        gap=gap,
        gain=gain.mean,
        low=gain.low,
        high=gain.high,
        attack=found.attack,
        setting=found.setting,
        show=found.show,
        sentence=f"{tested}: {why}" + (f" {unsure}" if unsure and word == "MARGINAL" else ""),
        would_do=_would_do(asked, word, about, share, void),
    )


def above(found: MetricGain) -> str:
    """Return what a gain is above."""
    return "the given models" if found.setting == "model" else "the best constant submission"


def with_interval(gain: Interval, unit: Unit) -> str:
    """Return a gain with its interval and its unit; an interval of no width is left out.

    >>> points = Unit("points of f1", 100.0, 0.5, 2.0, 1.0)
    >>> with_interval(Interval(12.0, 10.5, 13.5), points)
    '12.0 points of f1 (95 % interval 10.5 to 13.5)'
    >>> with_interval(Interval(1.0, None, None), points)      # one play has no interval
    '1.0 point of f1'
    """
    text = unit.measured(gain.mean)
    if gain.low is not None and gain.high is not None and gain.low < gain.high:
        low, high = (
            in_digits(gain.low, unit.rounding_unit),
            in_digits(gain.high, unit.rounding_unit),
        )
        return f"{text} (95 % interval {low} to {high})"
    return text


def _private(asked: MetricRequest, *, by_choice: bool) -> str:
    """Return the reason where only examples decide that no look is scored on."""
    private = f"{asked.request.parts.private:,} examples that no look is scored on decide it"
    if not by_choice:
        return f"{private}, so that nothing gained on the public board counts."
    return (
        f"{private}, but the best of a team's private scores counts, and what its luck is worth in "
        f"{asked.metric} was not measured."
    )


def _gained(
    asked: MetricRequest,
    unit: Unit,
    found: MetricGain,
    gain: Interval,
    about: About,
    share: float,
) -> str:
    """Return the reason where looks count: how much was gained over what, by whom, with what.

    `gain` is the attack's times `share`, and is what the sentence says; `found` has the rest.
    """
    request = asked.request
    where = ""
    if share < 1.0:
        where = f" in the final ranking, {100.0 * share:.0f} % of which is the public part,"
    elif about == "public board":
        where = " on the public part"
    looks = f"{found.looks:,} scored submission{'' if found.looks == 1 else 's'}"
    if found.looks < request.n_looks:
        looks += f" (of {request.n_looks:,} allowed)"
    if request.accounts > 1:
        looks += f" from {request.accounts:,} accounts"
    under = f"with {looks} under the rule {request.release}"
    if gain.mean <= 0.0:
        return f"no attack gained anything above what it had without a look{where}, {under}."
    shown = "" if len(asked.shows) == 1 else f", {found.show}"
    return (
        f"{with_interval(gain, unit)} can be gained over {above(found)}{where} "
        f"{WHO[found.setting]}, {under} (attack: {found.attack}{shown}"
        f"{f': {found.does}' if found.does else ''})."
    )


def _would_do(
    asked: MetricRequest, word: Word, about: About, share: float, void: Finding | None
) -> tuple[str, ...]:
    """Return what would be enough besides a change of the rule.

    A private part cures any metric, because looks tell nothing of its examples; where there is one,
    that it decides alone, or that the choice is made before its scores are shown.
    """
    if word == "SAFE" or void is not None:
        return ()
    if not share:
        return ("Let teams name one or two submissions before the private scores are shown.",)
    if about == "public board":
        return ("Nothing gained here counts where a private part decides alone.",)
    if asked.request.parts.private:
        return (
            f"Ranked by the {asked.request.parts.private:,} private examples alone "
            "(--final private), nothing gained on the public board would count.",
        )
    return (
        "A private part that no look is scored on would do: it decides the ranking, and nothing "
        "gained on the public board counts.",
    )
