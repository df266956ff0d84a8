r"""Pairing of labels for three classes or more without a prior, where any may still win.

A label that has never been shown is as likely as before the first look, and there are plenty.
So a duel that goes badly for both is left, and a challenger that falls behind such a *fresh* label
gives way to it. Every answer moves the shown labels of all positions by about one standard error,
up or down together: what ends below the fresh labels is lost. At k = 30 that is a fifth of all that
the answers tell. So positions are parked earlier, `multiclass_level`, and labels are drawn
with chances that lose little: `ShowWeights`.

Lengths are in units of the level: a lead of 1 is where a position is parked.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "DEFAULT_WEIGHTS",
    "LabelHistory",
    "ShowWeights",
    "multiclass_level",
    "multiclass_pairing",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.uint8]

# Linear estimates may fall below 0.
LEAST_ESTIMATE = 1e-9
# The share of what k answers tell that ends in beaten labels, times sqrt(k). A champion rises by
# what its challengers fall, c = sqrt(k) steps in all. A challenger is left once it is below 0, half
# a normal step on average: such steps that sum to c have squares that sum to c sqrt(pi/2), of c^2.
SPENT_ON_BEATEN = math.sqrt(math.pi / 2.0)
# With very few looks that estimate is too large: a tenth is kept in any case.
LEAST_KEPT = 0.1


class ShowWeights(NamedTuple):
    """The chance that a champion is shown, and whom it meets.

    The chance is a sum: what it is without a lead, what the champion's lead over the challenger and
    the challenger's over a fresh label add, and what the last look adds. A label that was just
    shown has had its say: the other one is likelier to be next.

    A fresh label takes the challenger's place unless the challenger leads it by `bar` steps, a
    step being what one answer moves a label; the bar is higher the more looks are left, and lower
    beside a strong champion.
    """

    no_lead: float
    lead: float
    lead_to_the_4th: float
    second: float
    second_squared: float
    champion_was_last: float
    challenger_was_last: float
    challenger_is_fresh: float
    bar: float
    bar_by_looks_left: float
    bar_by_lead: float


# Searched for by an evolution strategy, on simulated games of 10 and 30 looks with 4, 10 and very
# many classes; the optimum is flat. What each part is worth:
# `python -m benchmarks.multiclass_pairing`.
DEFAULT_WEIGHTS = ShowWeights(
    no_lead=0.26,
    lead=-0.35,
    lead_to_the_4th=0.75,
    second=0.4,
    second_squared=-0.25,
    champion_was_last=0.12,
    challenger_was_last=0.19,
    challenger_is_fresh=-0.12,
    bar=0.15,
    bar_by_looks_left=0.4,
    bar_by_lead=-0.3,
)


class LabelHistory:
    """How many labels every position has shown, 0, 1, ... in turn, and which one last."""

    def __init__(self, n_positions: int) -> None:
        self.last: Codes = np.zeros(n_positions, dtype=np.uint8)
        self.reached: Codes = np.ones(n_positions, dtype=np.uint8)

    def add(self, codes: Codes) -> None:
        """Take note of a query."""
        self.last = codes
        self.reached = np.maximum(self.reached, codes + np.uint8(1))


@njit(cache=True, nogil=True)
def _pair(
    estimates: Any,
    reached: Any,
    last: Any,
    slope: float,
    uniforms: Any,
    left: float,
    step: float,
    weights: ShowWeights,
    out: Any,
) -> int:
    """Write the label each position shows; return how many positions are not parked."""
    n_labels, n = estimates.shape
    fall, half = math.exp(-slope), math.tanh(slope / 2.0)
    playing = 0
    for j in range(n):
        best, second = 0, -1
        for label in range(1, reached[j]):
            if estimates[label, j] > estimates[best, j]:
                best, second = label, best
            elif second < 0 or estimates[label, j] > estimates[second, j]:
                second = label
        high = max(estimates[best, j], LEAST_ESTIMATE)
        low = max(estimates[second, j], LEAST_ESTIMATE) if second >= 0 else LEAST_ESTIMATE
        above, chance = 0.0, weights.no_lead
        if reached[j] < n_labels:
            fresh = max(estimates[reached[j], j], LEAST_ESTIMATE)
            if high < fresh:  # nothing shown so far is worth another look
                out[j] = reached[j]
                playing += 1
                continue
            ahead = (high - fresh) / ((high + fresh) * half)
            above = (low - fresh) / ((low + fresh) * half)
            bar = weights.bar + weights.bar_by_looks_left * left + weights.bar_by_lead * ahead
            if second < 0 or above < step * bar:
                low, second, above = fresh, reached[j], 0.0
                chance += weights.challenger_is_fresh
        out[j] = best
        if second < 0 or low <= high * fall:
            continue
        playing += 1
        lead, above = (high - low) / ((high + low) * half), max(above, 0.0)
        chance += lead * (weights.lead + weights.lead_to_the_4th * lead**3)
        chance += above * (weights.second + weights.second_squared * above)
        if last[j] == best:
            chance += weights.champion_was_last
        elif last[j] == second:
            chance += weights.challenger_was_last
        if uniforms[j] >= chance:
            out[j] = second
    return playing


def multiclass_level(looks: float) -> float:
    """Return where to park, as a share of the level that nothing lost would give.

    Examples
    --------
    >>> [round(multiclass_level(k), 2) for k in (3, 30, 300)]
    [0.53, 0.88, 0.96]
    """
    return math.sqrt(max(1.0 - SPENT_ON_BEATEN / math.sqrt(looks), LEAST_KEPT))


def multiclass_pairing(
    estimates: Floats,
    shown: LabelHistory,
    slope: float,
    uniforms: Floats,
    *,
    left: float,
    looks: float,
    weights: ShowWeights = DEFAULT_WEIGHTS,
) -> tuple[Codes, int]:
    """Return the label that each position shows, and how many positions are not parked.

    Parameters
    ----------
    estimates
        (labels, positions): probabilities of the labels shown so far, and of one more if there is.
    shown
        What the positions have shown.
    slope
        Log-odds of the best label against the second at which a position is parked.
    uniforms
        One uniform number per position.
    left, looks
        How many looks there still are, this one included, and how many in all.
    weights
        The chances.

    Examples
    --------
    The first position is parked, the second meets a fresh label, nothing is known of the third:

    >>> estimates = np.array([[0.3, 0.12, 0.05], [0.1, 0.1, 0.1]])
    >>> codes, playing = multiclass_pairing(
    ...     estimates, LabelHistory(3), 1.0, np.array([0.9, 0.9, 0.1]), left=10, looks=20
    ... )
    >>> codes.tolist(), playing
    ([0, 1, 1], 2)
    """
    out = np.empty(estimates.shape[1], dtype=np.uint8)
    step = 1.0 / math.sqrt(looks)
    args = (estimates, shown.reached, shown.last, slope, uniforms, left / looks, step, weights)
    return out, int(_pair(*args, out))
