r"""Label models: independent labels with known laws, and the least nats per accuracy.

Label j has a law that the analyst knows. A mean accuracy of a costs at least F(a) nats about the
labels, where F is the least sum of the rows' rate-distortion functions with mean accuracy a. F is
convex, zero up to what can be had without a look, and for uniform labels n KL(a || 1/m).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.bounds.binomial import divergence
from holdfast.bounds.bisection import largest
from holdfast.bounds.information import accuracy_from_information
from holdfast.problem import check_at_least

__all__ = ["ROUNDING", "LabelModel"]

# Nats are raised by this share before they are turned into an accuracy, which covers rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LabelModel:
    """Independent labels and the price of guessing them.

    Parameters
    ----------
    n_examples
        How many labels.
    chance
        The best expected accuracy without a look: the mean of the rows' largest probabilities.
    least_nats
        F(a), the fewest nats about all labels together at which a mean accuracy a can be had.
        Convex, non-decreasing, zero up to `chance`; where it is approximate it must err downward.
    rarest
        The mean of the rows' smallest probabilities: the worst accuracy of a query that was chosen
        before any answer. Zero is always right.
    dual
        The largest a with F(a) <= nats, where it is known more sharply than by turning
        `least_nats` round.

    Examples
    --------
    >>> LabelModel.uniform(100, 10).largest_accuracy(0.0)
    0.1
    """

    n_examples: int
    chance: float
    least_nats: Callable[[float], float]
    rarest: float = 0.0
    dual: Callable[[float], float] | None = None

    @classmethod
    def uniform(cls, n_examples: int, n_classes: int) -> LabelModel:
        """Return the model of somebody who knows nothing."""
        n = check_at_least("n_examples", n_examples, 1)
        m = check_at_least("n_classes", n_classes, 2)
        p = 1.0 / m
        return cls(
            n,
            p,
            lambda a: n * divergence(a - p, m) if a > p else 0.0,
            p,
            lambda nats: accuracy_from_information(nats, n, m),
        )

    def largest_accuracy(self, nats: float) -> float:
        """Return the largest a with F(a) <= nats, rounded up.

        >>> round(LabelModel.uniform(2000, 10).largest_accuracy(50.0), 4)
        0.1732
        """
        if nats <= 0.0:
            return self.chance
        most = nats * (1.0 + ROUNDING)
        if self.dual is not None:
            return self.dual(most)
        return largest(lambda a: self.least_nats(a) <= most, self.chance)
