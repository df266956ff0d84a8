"""The gate's margin: the largest difference of released scores that looks and noise explain."""

from __future__ import annotations

import math

from scipy.special import bdtrc

from holdfast.bounds.binomial import divergence, log_binomial
from holdfast.bounds.bisection import fewest, largest
from holdfast.certificates import Histories, log_transcripts_of
from holdfast.problem import Problem
from holdfast.rules import Rule, recorded_look

__all__ = [
    "Margin",
    "exceeds",
    "first_share",
    "largest_sum",
    "log_sharing",
    "log_tail",
    "pair_share",
]

# Hoeffding's sum is found to this relative precision, rounded up.
TOLERANCE = 1e-9
# Beyond, probabilities are below what floats hold.
MOST_NATS = 600.0
# Of differences of scores: far above a float's last digit, and below one example of any set.
ROUNDING = 1e-9
# The prior weight of looks that all met one memory.
OF_ONE = 0.8


class Margin:
    """What a candidate has to exceed; see `gate` for the argument.

    Parameters
    ----------
    rule
        The release rule.
    problem
        The sizes of the data set.
    looks
        All looks on it before the pair was fixed.
    share
        The pair's share of the chance of ever letting a useless candidate pass, on this data set.
    """

    def __init__(self, rule: Rule, problem: Problem, looks: Histories, share: float) -> None:
        self._rule, self._problem, self._looks = rule, problem, looks
        noisy = sum(stage.adds_noise for stage in rule.stages)
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
        transcripts = log_transcripts_of(n_examples, self._problem.n_classes, self._looks)
        return transcripts + log_sharing(self._looks) - math.log(self._share)

    def bought(self, n_examples: int, differing: int) -> float:
        """Return the largest difference that looking could have produced, by `largest_sum`.

        A part of s examples holds at most all the differing ones. Where two looks are scored on
        different examples, their rows are paired in any order: each pair's difference is a value in
        [-1, 1], independent of the others, as if all s predictions of one part differed.
        """
        size, count = self._counts(n_examples, differing)
        return largest_sum(count, self.log_count(n_examples)) / size

    def p_value(self, n_examples: int, differing: int, improvement: float) -> float:
        """Return how often the one look at fresh labels would show as much by chance."""
        size, count = self._counts(n_examples, differing)
        least = math.ceil((improvement - self.blur - ROUNDING) * size)
        return math.exp(log_tail(count, least))

    def _counts(self, n_examples: int, differing: int) -> tuple[int, int]:
        """Return how many examples a look is scored on, and how many of them may differ."""
        size = self.scored(n_examples)
        return size, min(differing, size) if self.paired else size


def log_sharing(looks: Histories) -> float:
    r"""Return the logarithm of what it costs that looks choose which memory the next one meets.

    Numbers of sequences multiply over memories only where it is fixed which looks meet which. It
    may follow from what was told, as where somebody signs up a second team once the first one's
    Ladder is high. So all ways in which k looks may be shared by h memories, in the order of their
    first looks, get a weight: `OF_ONE` for one memory, and (1 - `OF_ONE`)/(h (h - 1)) for more,
    evenly among the C(k - 1, h - 1) ways. Where rules remember nothing there are as many sequences
    whoever looks, and none is needed.

    >>> ladders = {("ladder:0.01", "blue"): 3, ("ladder:0.01", "red"): 2}
    >>> round(math.exp(log_sharing(ladders)), 6)
    40.0
    >>> log_sharing({("exact", "blue"): 3, ("exact", "red"): 2})
    0.0
    """
    rules = {text: recorded_look(text).rule for text, _ in looks}
    memories = {(text, scope) for text, scope in looks if rules[text].remembers}
    if not memories:
        return 0.0
    h = len(memories | {(text, "") for text in rules if not rules[text].remembers})
    weight = OF_ONE if h == 1 else (1.0 - OF_ONE) / (h * (h - 1))
    return -math.log(weight) + log_binomial(sum(looks.values()) - 1, h - 1, rounded_up=True)


def exceeds(improvement: float | None, needed: float) -> bool:
    """Return whether it is more, and not by the last digit of a float alone."""
    return improvement is not None and improvement > needed + ROUNDING


def largest_sum(count: int, nats: float) -> float:
    r"""Return what a sum of so many values exceeds with probability exp(-nats) at most.

    Each value is 1, 0 or -1, and they are independent draws of one law whose mean is zero or less.
    Given which are not 0, the sum is that of signs that are 1 with probability 1/2 at most: it is
    least often below `log_tail`. Where floats do not reach, it is Hoeffding's (1963, Theorem 1),
    exp(-d KL((1 + s/d)/2 || 1/2)) for a sum above s of d values, which is never less.

    >>> largest_sum(100, 3.0) < math.sqrt(2 * 100 * 3.0), largest_sum(3, 3.0)
    (True, 3.0)
    """
    if count == 0 or nats >= count * math.log(2.0):
        return float(count)
    if nats >= MOST_NATS:
        gain = largest(lambda x: count * divergence(x, 2) <= nats, 0.0, 0.5, tolerance=TOLERANCE)
        return 2.0 * count * gain
    return float(fewest(lambda least: log_tail(count, least) <= -nats, start=1) - 1)


def log_tail(count: int, least: float) -> float:
    r"""Return the logarithm of the chance that at most so many fair signs add up to `least`.

    Two signs more make a sum of at least 1 no rarer, as fair signs add up to a small sum more often
    than to a large one: so the most likely number of signs is `count`, or one less.

    >>> round(math.exp(log_tail(10, 8)), 5), log_tail(10, 0)
    (0.01074, 0.0)
    """
    if least <= 0.0:
        return 0.0
    # Heads less tails is at least `least` with (d + least) / 2 heads or more.
    heads = ((math.ceil((d + least) / 2), d) for d in (count, count - 1) if d >= least)
    most = max((float(bdtrc(head - 1, d, 0.5)) for head, d in heads), default=0.0)
    return math.log(most) if most > 0.0 else -math.inf


def first_share(before: int) -> float:
    """Return the share of the risk for the pair that is answered at once after so many looks.

    >>> sum(first_share(before) for before in range(10_000)) < 0.5
    True
    """
    return 0.5 / ((before + 1) * (before + 2))


def pair_share(earlier: int, later: int, *, candidate_is_later: bool = True) -> float:
    """Return the share of the risk for two looks with these numbers, one of them a baseline.

    Baselines stay, so half of what a later look has goes to the first looks.

    >>> pairs = [(i, l) for l in range(2, 200) for i in range(1, l)]
    >>> sum(pair_share(*p, candidate_is_later=c) for p in pairs for c in (True, False)) < 0.5
    True
    """
    if earlier >= later:
        return 1.0  # one and the same prediction, which is no improvement
    of_earlier = 0.5 / (earlier * (earlier + 1)) + 0.5 / (later - 1)
    return 0.5 * (0.75 if candidate_is_later else 0.25) * of_earlier / (later * (later - 1))
