"""The natural analyst: real models submitted in order, and what a board would have shown.

Nobody attacks: models are submitted one after the other, as Zrnic and Hardt (2019) ask, whose
natural analysts adapt as people do. The board scores them on its public examples and shows what
its rule releases; examples that it never scored tell the truth. The leader is the submission with
the highest value shown so far, the earlier one if two are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.labels import label_dtype
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem
from holdfast.rules import parse_rule

__all__ = ["MARGIN", "Outcome", "ascending", "submitted"]

# Real progress is a model that is better on the private examples by at least so much, and a false
# promotion a new leader that is worse there by at least as much.
MARGIN = 0.01


class Outcome(NamedTuple):
    """What a board would have shown of all the models, and what was true.

    Parameters
    ----------
    shown
        The leader's value at the end, as shown.
    private
        The leader's accuracy on the private examples.
    best
        The highest private accuracy of all models.
    shift
        Mean over all models of public minus private accuracy: another distribution, no overfitting.
    leaders
        How often a new leader was shown.
    progress
        Submissions that were better than the leader of their day, privately, by the margin.
    rejected
        Those of them that were not shown as a new leader.
    promoted
        New leaders that were privately worse than the one before by the margin.
    """

    shown: float
    private: float
    best: float
    shift: float
    leaders: int
    progress: int
    rejected: int
    promoted: int

    @property
    def gap(self) -> float:
        """Shown minus true."""
        return self.shown - self.private

    @property
    def overfit(self) -> float:
        """The gap beyond that of all models alike."""
        return self.gap - self.shift

    @property
    def regret(self) -> float:
        """How far the leader is from the best model, privately."""
        return self.best - self.private


def ascending(accuracies: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the models by rising accuracy, equal ones in the order that is given."""
    return np.asarray(np.argsort(accuracies, kind="stable"))


def submitted(
    rule: str,
    labels: NDArray[np.int64],
    votes: NDArray[np.int64],
    private: NDArray[np.float64],
    n_classes: int,
    order: Sequence[int] | NDArray[np.int64],
) -> Outcome:
    """Submit the models in an order to a board with that rule.

    Parameters
    ----------
    rule
        What the board releases.
    labels, votes
        The public examples: (n,) hidden labels, (n, models) submissions; a vote outside the classes
        is wrong.
    private
        Every model's accuracy on the private examples.
    n_classes
        Number of classes.
    order
        The models in the order of their submission.

    Examples
    --------
    >>> labels, votes = np.array([0, 1, 1, 0]), np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> found = submitted("exact", labels, votes, np.array([0.6, 0.9]), 2, [1, 0])
    >>> found.shown, found.private, found.leaders
    (1.0, 0.9, 1)
    """
    rows = np.arange(labels.size)
    # A class more for those who gave no answer, so that it counts as wrong.
    silent = np.where(votes < n_classes, votes, n_classes).astype(label_dtype(n_classes + 1))
    problem = Problem(labels.size, n_classes + 1, len(order))
    oracle = LabelOracle(labels, problem=problem, mechanism=parse_rule(rule))
    leader, shown = -1, -np.inf
    leaders = progress = rejected = promoted = 0
    for model in order:
        answer = oracle.query(silent[rows, model])
        assert isinstance(answer, float)
        new = answer > shown
        if leader >= 0:
            better = private[model] >= private[leader] + MARGIN
            progress += better
            rejected += better and not new
            promoted += new and private[model] <= private[leader] - MARGIN
        if new:
            leader, shown, leaders = int(model), answer, leaders + 1
    public = (votes == labels[:, None]).mean(axis=0)
    return Outcome(
        shown,
        float(private[leader]),
        float(private.max()),
        float(np.mean(public - private)),
        leaders,
        int(progress),
        int(rejected),
        int(promoted),
    )
