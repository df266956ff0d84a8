r"""Leaderboard error of the Ladder for mean losses between two limits (Blum & Hardt 2015).

Let f_1, ..., f_k be asked in turn, each chosen by what was released before, of a Ladder with step e
over n independent examples, with a loss per example in [low, high], R_S its mean and R_D its
expectation. With probability 1 - r, at every look t, the value R_t that stands is within

    e + (high - low) sqrt(ln(2 F / r) / (2 n)),      F = C(L + k - 1, k - 1),

of the least expected loss so far, min R_D(f_i) over i <= t; L is the number of multiples of the
step that values between the limits are rounded to. docs/bounds.md has the proof.
"""

from __future__ import annotations

import math

__all__ = ["leaderboard_error"]


def leaderboard_error(
    n_examples: int, step: float, low: float, high: float, log_asked: float, risk: float
) -> float:
    """Return how far a Ladder's standing value may be from the best expected loss so far.

    Parameters
    ----------
    n_examples
        Number of independent examples.
    step
        The Ladder's step.
    low, high
        The limits of one example's loss.
    log_asked
        Logarithm of the number of submissions that may ever be asked, F above.
    risk
        The chance that it is further away at some look.

    Examples
    --------
    >>> round(leaderboard_error(10_000, 0.01, 0.0, 1.0, 300.0, 0.05), 3)
    0.133
    """
    hoeffding = math.sqrt((log_asked + math.log(2.0 / risk)) / (2.0 * n_examples))
    return step + (high - low) * hoeffding
