"""Advice for a gate that did not open: the differences and sizes that would have passed."""

from __future__ import annotations

import math

from holdfast.bounds.bisection import fewest
from holdfast.guard.gate_margin import ROUNDING, Margin, exceeds, first_share, largest_sum

__all__ = ["advice"]

# Beyond this many times the examples, more of them is no advice.
MOST_TIMES_MORE = 10_000


def advice(
    margin: Margin,
    n_examples: int,
    differing: int,
    improvement: float | None,
    meaning: str,
    risk: float,
) -> tuple[str, ...]:
    """Return what would pass, one sentence each, from the nearest to the farthest."""
    if improvement is None:
        return (
            "the candidate's own score was not told: the answer is "
            f"{meaning}, and a candidate that does not climb can't pass",
        )
    needed = margin.bought(n_examples, differing) + margin.blur
    found = [f"an improvement of more than {100 * needed:.3f} points"]
    if improvement <= 0.0:
        return (*found, "no rule and no number of examples: the candidate does not score higher")
    fewer = _fewer_differing(margin, n_examples, differing, improvement)
    if fewer is not None:
        found.append(f"the same improvement with at most {fewer:,} differing predictions")
    more = _more_examples(margin, n_examples, differing, improvement)
    if more is not None:
        found.append(f"the same improvement, and share that differs, on {more:,} examples")
    first = risk * first_share(0)
    if margin.p_value(n_examples, differing, improvement) <= first:
        found.append(
            "the same on labels that nobody has looked at, with both predictions in one gate: its "
            f"p value is below {first:.3g}, what passes there"
        )
    spare = improvement - margin.bought(n_examples, differing)
    if margin.blur > 0.0 and spare > ROUNDING:
        found.append(
            f"a finer rule: one that blurs a difference by less than {100 * spare:.3f} points, "
            f"not by {100 * margin.blur:.3f}"
        )
    elif margin.blur >= improvement:
        found.append(
            f"a finer rule, since this one blurs a difference by {100 * margin.blur:.3f} points, "
            "and more of what is named above besides"
        )
    return tuple(found)


def _fewer_differing(
    margin: Margin, n_examples: int, differing: int, improvement: float
) -> int | None:
    """Return the most differing predictions with which the same improvement passes."""
    if not margin.paired or improvement <= margin.blur:
        return None
    size = margin.scored(n_examples)
    spare = (improvement - margin.blur - ROUNDING) * size
    nats = margin.log_count(n_examples)
    # The more predictions differ, the more may be bought.
    most = fewest(lambda count: largest_sum(count, nats) >= spare, start=1) - 1
    while most > 0 and not exceeds(improvement, margin.bought(n_examples, most) + margin.blur):
        most -= 1
    # Fewer than this can't improve by as much.
    return most if round(improvement * size) <= most < differing else None


def _more_examples(
    margin: Margin, n_examples: int, differing: int, improvement: float
) -> int | None:
    """Return the fewest examples on which the same improvement and share differing pass."""
    if improvement <= margin.blur:
        return None

    def passes(n: int) -> bool:
        same_share = math.ceil(differing * n / n_examples)
        return exceeds(improvement, margin.bought(n, same_share) + margin.blur)

    return fewest(passes, start=n_examples, most=MOST_TIMES_MORE * n_examples)
