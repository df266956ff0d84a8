"""Knowledge before the first look: nothing, the class shares, or the predictions of models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.audit.inputs.request import Request
from holdfast.audit.result import Knowledge
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["Start", "group_rows", "starts_of"]

# So many of a model's favourite labels are kept for each example of a group; the rest is shared.
FAVOURITES = 16


@dataclass(frozen=True, eq=False)
class Start:
    """What an attacker believes of the labels before the first look.

    >>> Start().setting, Start(shares=(0.9, 0.1)).setting
    ('features', 'class shares')

    Parameters
    ----------
    shares
        The class shares, where classes are unequal; None: equal, or a model says more.
    beliefs
        What models say of each example; None: there is no model.
    """

    shares: tuple[float, ...] | None = None
    beliefs: Prior | None = field(default=None, repr=False)

    @property
    def model(self) -> bool:
        """Whether it comes from models."""
        return self.beliefs is not None

    @property
    def nothing(self) -> bool:
        """Whether it is no knowledge at all."""
        return self.shares is None and self.beliefs is None

    @property
    def setting(self) -> Knowledge:
        """What tables call it."""
        return "model" if self.model else "features" if self.shares is None else "class shares"

    def prior(self, problem: Problem) -> Prior | None:
        """Return it as probabilities for each example of a problem."""
        if self.beliefs is not None:
            self.beliefs.check_fits(problem)
            return self.beliefs
        if self.shares is None:
            return None
        return Prior.dense(np.tile(self.shares, (problem.n_examples, 1)))

    def of(self, rows: NDArray[np.intp]) -> Start:
        """Return what is known of some of the examples.

        Of a model's beliefs the sixteen likeliest labels of each example are kept as they are, and
        the others share what is left: with a thousand classes a group's attack would else weigh
        all of them at each look.
        """
        if self.beliefs is None:
            return self
        m = self.beliefs.n_classes
        labels, chances = self.beliefs.ranked(min(m, FAVOURITES))
        return replace(self, beliefs=Prior.candidates(labels[rows], chances[rows], m))


def starts_of(asked: Request) -> list[Start]:
    """Return what attackers may know: what everybody does, and what given models say."""
    found = [Start(shares=asked.baseline.shares)]
    if asked.beliefs is not None:
        found.append(Start(beliefs=asked.beliefs))
    return found


def group_rows(groups: NDArray[Any] | None) -> Iterator[NDArray[np.intp]]:
    """Yield the rows of each group, in the order in which a breakdown shows them."""
    codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    for code in range(int(codes.max()) + 1):
        yield np.flatnonzero(codes == code)
