r"""Answer models: the attacker's assumptions about a released answer.

A host that shows three decimals, adds noise or scores only part of the test set does not release
the match count itself. An answer model says what an answer still tells: which counts are possible
(`counts`), an estimate of the count (`estimate`) and how far that estimate is from the truth on
average (`variance`). Attacks are written against these three, so one decoder serves them all, and
each attack class lists in `tolerates` the models under which its argument still holds.

Models are frozen records. Scales are in units of accuracy, as a host would publish them; counts
are in examples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.problem import Problem

__all__ = [
    "EVERY_MODEL",
    "AnswerModel",
    "ComparisonAnswers",
    "ExactAnswers",
    "NewBestAnswers",
    "NoisyAnswers",
    "RankAnswers",
    "RoundedAnswers",
    "SubsetAnswers",
    "check_tolerated",
]

# An exact accuracy is count / n, printed with enough digits: its product with n is off an integer
# by rounding alone. A thousandth of a match is far above that and far below a real difference.
COUNT_SLACK = 1e-3
# The ends of a rounding interval are computed, not printed: they are off by a few floating-point
# errors. A wider slack would take in the neighbouring count where rounding hides nothing.
END_SLACK = 1e-14


@runtime_checkable
class AnswerModel(Protocol):
    """What a released answer tells about the number of matches. A model is a value: hashable."""

    def __hash__(self) -> int: ...

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return the smallest and the largest match count that could give this answer.

        Raises `InconsistentAnswer` if no count could.
        """
        ...

    def estimate(self, answer: float, n_examples: int) -> float:
        """Return an estimate of the match count, unbiased under the model."""
        ...

    def variance(self, problem: Problem) -> float:
        """Return the variance of `estimate` around the true count, in counts squared."""
        ...


def _finite(answer: float) -> float:
    """Return `answer` if it is a finite number."""
    if not math.isfinite(answer):
        raise InconsistentAnswer(f"answer must be a finite number, got {answer}.")
    return float(answer)


def _within(
    answer: float, low: float, high: float, n_examples: int, slack: float = COUNT_SLACK
) -> tuple[int, int]:
    """Return the counts in 0 .. n whose value lies in [low, high], give or take the slack."""
    least = max(0, math.ceil(low - slack))
    most = min(n_examples, math.floor(high + slack))
    if least > most:
        raise InconsistentAnswer(
            f"answer must belong to a match count in 0 .. {n_examples}, got {answer}."
        )
    return least, most


@dataclass(frozen=True, slots=True)
class ExactAnswers:
    """The answer is the accuracy itself: matches / n.

    >>> ExactAnswers().counts(0.3, 10)
    (3, 3)
    """

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return the one count, twice."""
        matches = _finite(answer) * n_examples
        return _within(answer, matches, matches, n_examples)

    def estimate(self, answer: float, n_examples: int) -> float:
        """Return the count."""
        return float(self.counts(answer, n_examples)[0])

    def variance(self, problem: Problem) -> float:  # noqa: ARG002 - the protocol's signature
        """Return 0: nothing is hidden."""
        return 0.0


@dataclass(frozen=True, slots=True)
class RoundedAnswers:
    """The answer is the accuracy, rounded to the nearest multiple of `step`.

    How ties are broken is left open, so both neighbours of a tie are possible. Rounding hides
    nothing while step < 1/n, and the variance is then 0.

    Parameters
    ----------
    step
        Distance between two releasable values: 0.001 for three decimals (`to_decimals(3)`).

    Examples
    --------
    >>> RoundedAnswers(step=0.01).counts(0.52, 1000)
    (515, 525)
    >>> RoundedAnswers.to_decimals(3).counts(0.52, 1000)
    (520, 520)
    """

    step: float

    def __post_init__(self) -> None:
        """Check the step."""
        if not 0.0 < self.step <= 1.0:
            raise InvalidInput(f"step must lie in (0, 1], got {self.step}.")

    @classmethod
    def to_decimals(cls, decimals: int) -> RoundedAnswers:
        """Return the model of answers shown with this many decimals of the accuracy."""
        if decimals < 0:
            raise InvalidInput(f"decimals must be at least 0, got {decimals}.")
        return cls(step=10.0**-decimals)

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return the ends of the interval of counts that round to this answer."""
        multiple = round(_finite(answer) / self.step)
        if abs(answer / self.step - multiple) > 1e-6 * max(1.0, abs(multiple)):
            raise InconsistentAnswer(
                f"answer must be a multiple of the step {self.step}, got {answer}."
            )
        low = (multiple - 0.5) * self.step * n_examples
        high = (multiple + 0.5) * self.step * n_examples
        return _within(answer, low, high, n_examples, END_SLACK * n_examples)

    def estimate(self, answer: float, n_examples: int) -> float:
        """Return the middle of the possible counts."""
        low, high = self.counts(answer, n_examples)
        return (low + high) / 2.0

    def variance(self, problem: Problem) -> float:
        """Return the variance of a count among those that share its rounded value.

        A step of w counts holds floor(w) or ceil(w) of them; c equally likely neighbours have
        variance (c^2 - 1)/12. The count is taken as spread evenly over a few steps, which is
        right while a step is small beside the spread of the answers and too large otherwise.
        """
        width = self.step * problem.n_examples
        if width <= 1.0 + 1e-9:  # 10**-6 * 10**6 is not exactly 1 in floating point
            return 0.0
        small = math.floor(width)
        share = width - small
        large = small + 1
        inner = (1 - share) * small * (small**2 - 1) + share * large * (large**2 - 1)
        return inner / (12.0 * width)


@dataclass(frozen=True, slots=True)
class NoisyAnswers:
    """The answer is the accuracy plus independent noise of mean zero and known scale.

    Parameters
    ----------
    scale
        Standard deviation of the noise, in units of accuracy. Laplace noise of parameter b has
        standard deviation b * sqrt(2).

    Examples
    --------
    >>> NoisyAnswers(scale=0.01).variance(Problem(1000, 10, 5))
    100.0
    """

    scale: float

    def __post_init__(self) -> None:
        """Check the scale."""
        if not (math.isfinite(self.scale) and self.scale >= 0.0):
            raise InvalidInput(f"scale must be a finite number of at least 0, got {self.scale}.")

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return 0 and n: noise rules out nothing."""
        _finite(answer)
        return 0, n_examples

    def estimate(self, answer: float, n_examples: int) -> float:
        """Return answer * n, which may lie outside 0 .. n."""
        return _finite(answer) * n_examples

    def variance(self, problem: Problem) -> float:
        """Return (scale * n)^2."""
        return (self.scale * problem.n_examples) ** 2


@dataclass(frozen=True, slots=True)
class SubsetAnswers:
    """The answer is the accuracy on a scored subset, the same in every look, of unknown members.

    A public split works like this. Its answers are exact for the subset, so an attack overfits
    the subset alone: to the other examples, each of which is scored with probability `fraction`,
    every answer is as uninformative as before.

    Parameters
    ----------
    fraction
        Size of the subset divided by n; the subset has round(fraction * n) examples.

    Examples
    --------
    >>> SubsetAnswers(fraction=0.3).counts(0.5, 1000)
    (150, 850)
    >>> SubsetAnswers(fraction=0.3).estimate(0.5, 1000)
    500.0
    """

    fraction: float

    def __post_init__(self) -> None:
        """Check the fraction."""
        if not 0.0 < self.fraction <= 1.0:
            raise InvalidInput(f"fraction must lie in (0, 1], got {self.fraction}.")

    def size(self, n_examples: int) -> int:
        """Return the number of scored examples."""
        return max(1, round(self.fraction * n_examples))

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return the matches inside the subset, and those plus every example outside."""
        size = self.size(n_examples)
        matches = _finite(answer) * size
        inside = _within(answer, matches, matches, size)[0]
        return inside, inside + n_examples - size

    def estimate(self, answer: float, n_examples: int) -> float:
        """Return answer * n: a random subset has the accuracy of the whole on average."""
        size = self.size(n_examples)
        return self.counts(answer, n_examples)[0] * (n_examples / size)

    def variance(self, problem: Problem) -> float:
        """Return the hypergeometric variance of the scaled count, at n/m matches.

        s of n examples are drawn without replacement: the count among them has variance
        s p (1-p) (n-s)/(n-1), and it is scaled by n/s.
        """
        n, m, _ = problem
        size = self.size(n)
        if size == n:
            return 0.0
        share = 1.0 / m
        return n * n / size * share * (1.0 - share) * (n - size) / (n - 1)


@dataclass(frozen=True, slots=True)
class ComparisonAnswers:
    """The answer says only whether a look scored higher than the one before: positive if it did.

    The first answer has nothing to be compared with and says nothing. A leaderboard that shows
    ranks alone gives at least this.

    >>> ComparisonAnswers().improved(1.0), ComparisonAnswers().improved(0.0)
    (True, False)
    """

    def improved(self, answer: float) -> bool:
        """Tell whether the answer says that the last look beat the one before."""
        return _finite(answer) > 0.0

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return 0 and n: a comparison alone rules out no count."""
        _finite(answer)
        return 0, n_examples

    def estimate(self, answer: float, n_examples: int) -> float:  # noqa: ARG002 - as above
        """Refuse: a comparison has no estimate of the count."""
        raise NotSupported("ComparisonAnswers give no estimate of the match count, only an order.")

    def variance(self, problem: Problem) -> float:  # noqa: ARG002 - as above
        """Return infinity: the count itself is never estimated."""
        return math.inf


class _OrderOnly:
    """What models have in common that tell an order of looks and no count."""

    __slots__ = ()

    def counts(self, answer: float, n_examples: int) -> tuple[int, int]:
        """Return 0 and n: an order alone rules out no count."""
        _finite(answer)
        return 0, n_examples

    def estimate(self, answer: float, n_examples: int) -> float:  # noqa: ARG002 - the protocol's
        """Refuse: an order has no estimate of the count."""
        raise NotSupported(f"{self} give no estimate of the match count, only an order.")

    def variance(self, problem: Problem) -> float:  # noqa: ARG002 - the protocol's signature
        """Return infinity: the count itself is never estimated."""
        return math.inf


@dataclass(frozen=True, slots=True)
class RankAnswers(_OrderOnly):
    """The answer is the rank among the looks so far: 1 for the best.

    >>> RankAnswers().counts(3.0, 10)
    (0, 10)
    """


@dataclass(frozen=True, slots=True)
class NewBestAnswers(_OrderOnly):
    """The answer tells whether a look is shown as the best so far, and at most the best's score.

    A Ladder is such a board: a look that does not climb gets the standing value again, which
    says nothing about its own.

    Parameters
    ----------
    step
        The fixed rise in accuracy that the board wants, and the step to which it rounds; 0: any
        rise will do.
    standard_errors
        How many standard errors of the difference it wants.
    bits
        Whether it answers with 1 or 0 alone, and no score.

    Examples
    --------
    >>> NewBestAnswers(step=0.01).variance(Problem(1000, 10, 5))
    inf
    """

    step: float = 0.0
    standard_errors: float = 0.0
    bits: bool = False

    def __post_init__(self) -> None:
        """Check the thresholds."""
        if not 0.0 <= self.step <= 1.0:
            raise InvalidInput(f"step must lie in [0, 1], got {self.step}.")
        if not (math.isfinite(self.standard_errors) and self.standard_errors >= 0.0):
            raise InvalidInput(
                f"standard_errors must be a finite number of at least 0, "
                f"got {self.standard_errors}."
            )


# Every answer model: what an attack that reads nothing tolerates.
EVERY_MODEL: frozenset[type[Any]] = frozenset(
    {
        ExactAnswers,
        RoundedAnswers,
        NoisyAnswers,
        SubsetAnswers,
        ComparisonAnswers,
        RankAnswers,
        NewBestAnswers,
    }
)
"""What an attack declares that makes do with any of them."""


def check_tolerated(attack: type[Any], answers: AnswerModel, problem: Problem) -> None:
    """Raise `NotSupported`, with the reason, unless the attack can use these answers.

    An attack class lists the models it can use in `tolerates` (exact answers alone if it has
    none) and says in `intolerance` why it needs them. A model that hides nothing for this
    problem, such as rounding to less than one match, passes as exact.

    Examples
    --------
    >>> class Fragile:
    ...     intolerance = "one wrong digit spoils every later one"
    >>> problem = Problem(100, 10, 5)
    >>> check_tolerated(Fragile, RoundedAnswers(step=0.01), problem)
    >>> check_tolerated(Fragile, RoundedAnswers(step=0.1), problem)
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: Fragile needs ExactAnswers, got RoundedAnswers(step=0.1): \
one wrong digit spoils every later one.
    """
    # An attack of somebody else need not be `Described`.
    tolerates: frozenset[type[Any]] = getattr(attack, "tolerates", frozenset({ExactAnswers}))
    if type(answers) in tolerates:
        return
    if ExactAnswers in tolerates and answers.variance(problem) == 0.0:
        return
    reason = getattr(attack, "intolerance", "its argument holds for no others")
    names = " or ".join(sorted(model.__name__ for model in tolerates))
    raise NotSupported(
        f"{attack.__name__} needs {names}, got {answers}: {reason}.",
        reason=f"it needs exact scores: {reason}." if tolerates == {ExactAnswers} else None,
    )
