"""Enough looks, or enough private examples: what would do where a ranking is not safe.

Sentences beside the fixes, from formulas alone. They answer the question that comes after "UNSAFE":
is there a number of looks at all, and if not, how many examples would it take? A private part
always does, because no look is scored on it; its size follows from the gap, as a score's chance
error must be smaller.
"""

from __future__ import annotations

import math

from holdfast.audit.inputs.disclosure import NORMAL_95
from holdfast.audit.inputs.request import Request
from holdfast.audit.judgement.sentences import number
from holdfast.audit.judgement.verdict import RESERVE
from holdfast.audit.result import Verdict
from holdfast.bounds.bisection import fewest
from holdfast.mechanisms import Exact
from holdfast.problem import Problem

__all__ = ["private_examples", "what_suffices"]

# Half-width of a 95 % interval of a score on N examples, in points, times sqrt(N), at most.
HALF_WIDTH = NORMAL_95 * 50.0
# More public examples than this are no advice.
MOST_EXAMPLES = 10**7


def private_examples(gap: float) -> int:
    """Return how many private examples tell two scores apart that differ by the gap, in points.

    So many that a score is good to the gap: its 95 % interval is no wider than that on either side,
    whatever the accuracy. A score of N examples varies most at one half, by 50/sqrt(N) points, so
    1.96 * 50/sqrt(N) = gap.

    >>> private_examples(1.0)
    9604
    """
    return math.ceil((HALF_WIDTH / gap) ** 2)


def what_suffices(request: Request, verdict: Verdict, share: float) -> tuple[str, ...]:
    """Return how many looks, or how many private examples, would do, one sentence each.

    Parameters
    ----------
    request
        What was audited.
    verdict
        One that is not SAFE, with the fixes that were found: if one of them keeps the rule, fewer
        looks do, and nothing is said of looks again.
    share
        What a gain on the scored part is worth in what the verdict is about; 0: looks gain nothing.
    """
    if share == 0.0:  # only the choice among private scores is left
        return ("Let teams name one or two submissions before the private scores are shown.",)
    said = []
    gap = verdict.gap_points
    if not any(fix.rule == request.release for fix in verdict.fixes):
        said.append(_no_looks(request, gap, share))
    if verdict.about == "final ranking":
        said.append(_private(request, gap))
    else:
        said.append(_public(request, gap))
    return tuple(text for text in said if text)


def _no_looks(request: Request, gap: float, share: float) -> str:
    """Return that no number of looks is small enough.

    Proved by a forecast where scores are exact and one look alone already gains too much. Else only
    the numbers of looks that were tried are spoken of.
    """
    n, m, _ = request.problem
    one = Problem(n, m, 1)
    if not request.rule.refines(Exact(), one):
        return f"No smaller number of looks that was tried would do under {request.release} alone."
    alone = share * request.baseline.formulas.forecast_from_exact(one)
    if RESERVE * alone < gap:
        return f"No smaller number of looks that was tried would do under {request.release} alone."
    gained = float(f"{alone:.1g}")
    if RESERVE * gained < gap:  # it was rounded to below what it is compared with
        gained = float(f"{alone:.3g}")
    return (
        f"No number of looks would do under {request.release}: one alone is forecast to gain "
        f"{number(gained)}, and SAFE asks for less than half of the gap."
    )


def _public(request: Request, gap: float) -> str:
    """Return how many public examples are forecast to be enough for today's rule and looks."""
    _, m, k = request.problem
    if not request.rule.refines(Exact(), request.problem):
        return ""
    forms = request.baseline.formulas

    def enough(hundreds: int) -> bool:
        return RESERVE * forms.forecast_from_exact(Problem(100 * hundreds, m, k)) < gap

    found = fewest(enough, most=MOST_EXAMPLES // 100)
    if found is None:
        return ""
    examples = float(f"{100 * found:.1e}")
    return (
        f"About {examples:,.0f} public examples are forecast to do for {request.release} and "
        "today's looks; and nothing gained here counts where a private part decides alone."
    )


def _private(request: Request, gap: float) -> str:
    """Return what a private part would do: the one that is there, or one that is large enough."""
    wanted, parts = private_examples(gap), request.parts
    if parts.private:
        good = HALF_WIDTH / math.sqrt(parts.private)
        more = "" if parts.private >= wanted else f", to ±{number(gap)} with {wanted:,} of them"
        return (
            f"Ranked by the {parts.private:,} private examples alone (--final private), nothing "
            f"gained on the public board would count; a score there is good to ±{good:.2g} "
            f"points{more}."
        )
    return (
        f"A private part of {wanted:,} examples that no look is scored on would do: it decides the "
        f"ranking, and a score there is good to ±{number(gap)}."
    )
