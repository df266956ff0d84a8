r"""Certified leaderboard error: how true a Ladder's standing value is of new examples.

For mean losses between two limits (Blum & Hardt 2015).
Let f_1, ..., f_k be asked in turn, each chosen by what was released before, of a Ladder with step e
over n independent examples, with a loss per example in [low, high], R_S its mean and R_D its
expectation. With probability 1 - r, at every look t, the value R_t that stands is within

    e + (high - low) sqrt(ln(2 F / r) / (2 n)),      F = C(L + k - 1, k - 1),

of the least expected loss so far, min R_D(f_i) over i <= t; L is the number of multiples of the
step that values between the limits are rounded to. docs/bounds/ladders.md has the proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from holdfast.bounds.binomial import log_sequences
from holdfast.errors import InvalidInput
from holdfast.metrics import Metric
from holdfast.problem import check_at_least
from holdfast.rules import Ladder, Rule
from holdfast.rules.checks import as_fraction
from holdfast.rules.rounding import n_levels

__all__ = ["LeaderboardError", "certify_ladder"]


@dataclass(frozen=True, slots=True)
class LeaderboardError:
    """A bound on the distance between a standing value and the best expected one so far.

    Attributes
    ----------
    error
        The bound in the metric's unit; None: nothing is proved.
    because
        Why nothing is proved; None where it is.
    binds
        Whom it binds.
    """

    error: float | None
    because: str | None = None
    binds: str = "anybody, whatever he knows, if the test examples are independent draws"


def certify_ladder(
    rule: Rule, metric: Metric, n_examples: int, looks: int, *, risk: float = 0.05
) -> LeaderboardError:
    """Return how far a Ladder's standing value may be from the best expected value so far.

    At every one of the looks at once, but for a chance `risk` over the draw of the test set. It is
    for one history: teams that work together have as many as teams.

    Examples
    --------
    >>> from holdfast.metrics.registry import parse_metric
    >>> round(certify_ladder(Ladder(0.01), parse_metric("brier"), 10_000, 300).error, 3)
    0.27
    >>> certify_ladder(Ladder(0.01), parse_metric("f1"), 10_000, 300).because
    'f1 is no mean of one loss per example'
    """
    check_at_least("n_examples", n_examples, 1)
    check_at_least("looks", looks, 1)
    if not 0.0 < risk < 1.0:
        raise InvalidInput(f"risk must lie between 0 and 1, got {risk}.")
    if not isinstance(rule, Ladder):
        return LeaderboardError(None, f"{rule} is no Ladder with a fixed step")
    if not metric.averages_examples:
        return LeaderboardError(None, f"{metric} is no mean of one loss per example")
    if not metric.bounded:
        return LeaderboardError(None, f"one example's {metric} has no limit")
    low, high = metric.low, metric.high
    if not metric.higher_is_better:
        low, high = -high, -low
    levels = n_levels(as_fraction(rule.step), low, high)
    # Submissions that may ever be asked: one after each sequence of fewer than k answers.
    log_asked = log_sequences(looks - 1, levels + 1) if looks > 1 else 0.0
    return LeaderboardError(leaderboard_error(n_examples, rule.step, low, high, log_asked, risk))


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
