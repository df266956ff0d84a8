"""Prior knowledge of the analysts: a label model, and whom it describes.

The labels are independent for all of them: uniform, with known class shares, with the
probabilities of a model that is given, or with those of any model of a stated accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Real
from typing import TypeAlias

from holdfast.bounds.label_model import LabelModel, accuracy_from_shares
from holdfast.bounds.models import (
    accuracy_from_model,
    predicted_labels,
    shared_labels,
    worst_labels,
)
from holdfast.errors import InvalidInput
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Knowledge", "Known", "knowledge_of"]

# Nothing, class shares, the predictions of a model, or the accuracy of whatever model there is.
Known: TypeAlias = "Sequence[float] | Prior | float | None"


@dataclass(frozen=True)
class Knowledge:
    """What an analyst knows of n labels.

    Parameters
    ----------
    n_examples
        How many labels.
    who
        Whom it describes, in words.
    of
        The model of so many of the labels.
    alike
        Whether as much is known of each example; if not, only the model of all is known.
    uniform
        Whether all label vectors are equally likely.
    """

    n_examples: int
    who: str
    of: Callable[[int], LabelModel]
    alike: bool = True
    uniform: bool = False

    @cached_property
    def free(self) -> float:
        """Expected accuracy without a look."""
        return self.of(self.n_examples).chance

    def labels(self, exposed: int) -> LabelModel | None:
        """Return the labels of `exposed` examples with their price; None: not known of a part."""
        return self.of(exposed) if self.alike or exposed == self.n_examples else None

    def accuracy(self, nats: float, exposed: int) -> float:
        """Return the largest expected accuracy that nats about `exposed` of the labels allow."""
        n = self.n_examples
        size = exposed if self.alike else n
        known = self.of(size).largest_accuracy(nats)
        return min(1.0, (size * known + (n - size) * self.free) / n)


def knowledge_of(known: Known, problem: Problem) -> Knowledge:
    """Return what is known as an object; see `certify`."""
    n, m, _ = problem
    if known is None:
        who = "anybody without a model of the labels"
        return Knowledge(n, who, lambda size: LabelModel.uniform(size, m), uniform=True)
    if isinstance(known, Prior):
        known.check_fits(problem)
        who = "anybody with this model, if its probabilities are right and the labels independent"
        return Knowledge(n, who, cache(lambda _: predicted_labels(known)), alike=False)
    if isinstance(known, float | Real):
        accuracy_from_model(0.0, n, m, float(known))  # checks it
        right = max(float(known), problem.baseline)
        who = (
            f"anybody whose models are right on {100.0 * right:.4g} % of the examples before the "
            "first look, if the labels are independent given the models"
        )
        return Knowledge(n, who, cache(lambda _: worst_labels(n, m, right)), alike=False)
    accuracy_from_shares(0.0, n, known)  # checks them
    if len(known) != m:
        raise InvalidInput(f"knows must hold the shares of all {m} classes, got {len(known)}.")
    whole = math.fsum(known)  # 1 but for rounding, which must not be missing from the bound
    shares = tuple(float(share) / whole for share in known)
    who = "anybody who knows the class shares and has no model of the labels"
    return Knowledge(n, who, cache(lambda size: shared_labels(size, shares)))
