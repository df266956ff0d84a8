"""The gate's margin: the largest difference of released scores that looks and noise explain."""

from __future__ import annotations

import math

from holdfast.certificates import Histories, log_transcripts_of
from holdfast.mechanisms import Rule
from holdfast.problem import Problem

__all__ = ["Margin", "pair_share"]


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
        """Return the largest difference that looking could have produced.

        A part of s examples holds at most all the differing ones. Where two looks are scored on
        different examples, the difference of the two accuracies is a sum of independent values
        whose squared widths add up to at most 4/s: as if all s predictions of one part differed.
        """
        size = self.scored(n_examples)
        count = min(differing, size) if self.paired else size
        return math.sqrt(2.0 * count * self.log_count(n_examples)) / size


def pair_share(look: int) -> float:
    """Return the share of the risk for each ordered pair of looks whose later one has this number.

    >>> sum(2 * (look - 1) * pair_share(look) for look in range(2, 10_000)) < 1.0
    True
    """
    return 1.0 if look < 2 else 1.0 / (2.0 * look * (look - 1) ** 2)
