"""Prior knowledge of the analysts: a label model, and accuracy as a function of nats.

The labels are independent for all of them: uniform, with known class shares, with the
probabilities of a model that is given, or with those of any model of a stated accuracy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TypeAlias

from holdfast.bounds.information import accuracy_from_information
from holdfast.bounds.label_model import LabelModel
from holdfast.bounds.models import (
    accuracy_from_model,
    accuracy_from_predictions,
    free_accuracy,
    predicted_labels,
    shared_labels,
    worst_labels,
)
from holdfast.bounds.shares import accuracy_from_shares
from holdfast.errors import InvalidInput
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Knowledge", "Known", "Nothing", "knowledge_of"]

# Nothing, class shares, the predictions of a model, or the accuracy of whatever model there is.
Known: TypeAlias = "Sequence[float] | Prior | float | None"


class Knowledge(ABC):
    """What an analyst knows of n labels out of m classes."""

    uniform = False

    @property
    @abstractmethod
    def free(self) -> float:
        """Expected accuracy without a look."""

    @property
    @abstractmethod
    def who(self) -> str:
        """Whom it describes, in words."""

    @abstractmethod
    def labels(self, exposed: int) -> LabelModel | None:
        """Return the labels of `exposed` examples with their price; None: not known of a part."""

    @abstractmethod
    def accuracy(self, nats: float, exposed: int) -> float:
        """Return the largest expected accuracy that nats about `exposed` of the labels allow."""


@dataclass(frozen=True)
class Nothing(Knowledge):
    """All m^n label vectors are equally likely."""

    problem: Problem
    uniform = True

    @property
    def free(self) -> float:
        """Expected accuracy without a look."""
        return self.problem.baseline

    @property
    def who(self) -> str:
        """Whom it describes, in words."""
        return "anybody without a model of the labels"

    def labels(self, exposed: int) -> LabelModel:
        """Return the labels with their price."""
        return LabelModel.uniform(exposed, self.problem.n_classes)

    def accuracy(self, nats: float, exposed: int) -> float:
        """Return the largest expected accuracy that nats about `exposed` labels allow."""
        n, m, _ = self.problem
        known = accuracy_from_information(nats, exposed, m)
        return min(1.0, (exposed * known + (n - exposed) / m) / n)


@dataclass(frozen=True)
class Shares(Knowledge):
    """Every label is drawn with the class shares."""

    problem: Problem
    shares: tuple[float, ...]

    @property
    def free(self) -> float:
        """Expected accuracy without a look."""
        return max(self.shares)

    @property
    def who(self) -> str:
        """Whom it describes, in words."""
        return "anybody who knows the class shares and has no model of the labels"

    def labels(self, exposed: int) -> LabelModel:
        """Return the labels with their price."""
        return shared_labels(exposed, self.shares)

    def accuracy(self, nats: float, exposed: int) -> float:
        """Return the largest expected accuracy that nats about `exposed` labels allow."""
        n = self.problem.n_examples
        known = accuracy_from_shares(nats, exposed, self.shares)
        return min(1.0, (exposed * known + (n - exposed) * self.free) / n)


@dataclass(frozen=True)
class Predictions(Knowledge):
    """Every label is drawn with the probabilities that the model gives it."""

    prior: Prior = field(repr=False)

    @cached_property
    def _free(self) -> float:
        return free_accuracy(self.prior)

    @property
    def free(self) -> float:
        """Expected accuracy without a look."""
        return self._free

    @property
    def who(self) -> str:
        """Whom it describes, in words."""
        return "anybody with this model, if its probabilities are right and the labels independent"

    def labels(self, exposed: int) -> LabelModel | None:
        """Return the labels with their price."""
        return predicted_labels(self.prior) if exposed == self.prior.n_examples else None

    def accuracy(self, nats: float, exposed: int) -> float:  # noqa: ARG002 - whichever they are
        """Return the largest expected accuracy that nats about `exposed` labels allow."""
        return accuracy_from_predictions(nats, self.prior)


@dataclass(frozen=True)
class AnyModel(Knowledge):
    """Any model of this accuracy, sure of whichever examples it likes."""

    problem: Problem
    right: float

    @property
    def free(self) -> float:
        """Expected accuracy without a look."""
        return self.right

    @property
    def who(self) -> str:
        """Whom it describes, in words."""
        return (
            f"anybody whose models are right on {100.0 * self.right:.4g} % of the examples before "
            "the first look, if the labels are independent given the models"
        )

    def labels(self, exposed: int) -> LabelModel | None:
        """Return the labels with their price."""
        n, m, _ = self.problem
        return worst_labels(n, m, self.right) if exposed == n else None

    def accuracy(self, nats: float, exposed: int) -> float:  # noqa: ARG002 - the worst ones
        """Return the largest expected accuracy that nats about `exposed` labels allow."""
        n, m, _ = self.problem
        return accuracy_from_model(nats, n, m, self.right)


def knowledge_of(known: Known, problem: Problem) -> Knowledge:
    """Return what is known as an object; see `certify`."""
    if known is None:
        return Nothing(problem)
    if isinstance(known, Prior):
        known.check_fits(problem)
        return Predictions(known)
    if isinstance(known, float | Real):
        accuracy_from_model(0.0, *problem[:2], float(known))  # checks it
        return AnyModel(problem, max(float(known), problem.baseline))
    accuracy_from_shares(0.0, problem.n_examples, known)  # checks them
    if len(known) != problem.n_classes:
        raise InvalidInput(
            f"knows must hold the shares of all {problem.n_classes} classes, got {len(known)}."
        )
    whole = math.fsum(known)  # 1 but for rounding, which must not be missing from the bound
    return Shares(problem, tuple(float(share) / whole for share in known))
