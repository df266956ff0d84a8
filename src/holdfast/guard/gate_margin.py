"""The gate's margin: the largest difference of released scores that looks and noise explain."""

from __future__ import annotations

import math

from holdfast.bounds.binomial import divergence
from holdfast.bounds.bisection import largest
from holdfast.certificates import Histories, log_transcripts_of
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["Margin", "largest_sum", "pair_share"]

# The sum is found to this relative precision, rounded up.
TOLERANCE = 1e-9


class Margin:
    """What a candidate has to exceed; see `gate` for the argument.

    Parameters
    ----------
    rule
        The release rule.
    problem
        The sizes of the data set.
    looks
        All looks on it before the later one of the two.
    risk
        The chance of ever letting a useless candidate pass, on this data set.
    """

    def __init__(self, rule: Rule, problem: Problem, looks: Histories, risk: float) -> None:
        self._rule, self._problem, self._looks = rule, problem, looks
        noisy = sum(stage.adds_noise for stage in rule.stages)
        share = risk * pair_share(sum(looks.values()) + 1)
        self._share = share / 2.0 if noisy else share
        self.paired = rule.same_examples
        """Whether both predictions are scored on the same examples."""
        self.blur = 0.0
        """How far the released difference may be from the exact one."""
        for stage in rule.stages:
            self.blur += stage.difference_blur(problem, self._share / max(noisy, 1))
            problem = stage.scored(problem)

    def scored(self, n_examples: int) -> int:
        """Return how many of n examples one look is scored on."""
        return self._rule.scored(Problem(n_examples, *self._problem[1:])).n_examples

    def log_count(self, n_examples: int) -> float:
        """Return log(T/r), T candidates that looking can choose from and r the risk of each."""
        return log_transcripts_of(n_examples, self._problem.n_classes, self._looks) - math.log(
            self._share
        )

    def bought(self, n_examples: int, differing: int) -> float:
        """Return the largest difference that looking could have produced, by `largest_sum`.

        A part of s examples holds at most all the differing ones. Where two looks are scored on
        different examples, their rows are paired in any order: each pair's difference is a value in
        [-1, 1], independent of the others, as if all s predictions of one part differed.
        """
        size = self.scored(n_examples)
        count = min(differing, size) if self.paired else size
        return largest_sum(count, self.log_count(n_examples)) / size


def largest_sum(count: int, nats: float) -> float:
    r"""Return what a sum of so many values in [-1, 1] exceeds with probability exp(-nats) at most.

    The values are independent, and their sum has mean zero or less. By Hoeffding (1963, Theorem 1)
    the probability of a sum above s is at most exp(-d KL((1 + s/d)/2 || 1/2)) for d values, which
    is never more than exp(-s^2 / 2d).

    >>> largest_sum(100, 3.0) < math.sqrt(2 * 100 * 3.0), largest_sum(3, 3.0)
    (True, 3.0)
    """
    if count == 0 or nats >= count * math.log(2.0):
        return float(count)
    gain = largest(lambda x: count * divergence(x, 2) <= nats, 0.0, 0.5, tolerance=TOLERANCE)
    return 2.0 * count * gain


def pair_share(look: int) -> float:
    """Return the share of the risk for each ordered pair of looks whose later one has this number.

    >>> sum(2 * (look - 1) * pair_share(look) for look in range(2, 10_000)) < 1.0
    True
    """
    return 1.0 if look < 2 else 1.0 / (2.0 * look * (look - 1) ** 2)
