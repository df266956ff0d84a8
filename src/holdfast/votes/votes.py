r"""Least-squares stacking of models' votes, from their agreements and a few scored looks.

Models of one family make the same mistakes, so votes can't be added as if they were independent.
How much any two models agree can be counted without a label; how often a model is right takes one
look. Together they are all that the best weighted vote needs: with x_i(j, l) = 1 if model i votes
for label l on example j, the weights that bring sum_i w_i x_i closest to the truth in squares solve

    sum_k agreement(i, k) w_k = accuracy(i),

and nothing in it is estimated, because both sides are of the very examples that are asked about.
Ten copies of a model share the weight of one. The same equations predict the accuracy of a model
not yet scored from those that are, so that the best are found first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import Labels, label_dtype
from holdfast.problem import check_at_least
from holdfast.votes.stack import Stack
from holdfast.votes.vote_table import VoteTable

__all__ = ["Votes"]

Floats = NDArray[np.float64]

# Labels of an example that a stack lists.
LABELS_LISTED = 12
# Added to the diagonal of the agreements: copies of one model share its weight.
AGREEMENT_RIDGE = 1e-3
# Temperature of stacked scores when nothing was measured; scores are about probabilities.
DEFAULT_TEMPERATURE = 0.3
# Without looks: models that agree beyond chance by a share s count as the same one to this power
# of s.
SAMENESS_POWER = 4
# Without looks: rounds of re-estimating accuracies, and what these are kept within.
ESTIMATION_ROUNDS, HIGHEST_ACCURACY = 30, 0.99


class Votes:
    """The labels that several models give to the same examples.

    Parameters
    ----------
    votes
        (n, models) integers. A vote outside 0 .. n_classes - 1 is no vote; there the label that
        most of the others voted for is put.
    n_classes
        Number of classes.

    Examples
    --------
    >>> votes = Votes([[0, 0, 2], [1, 1, 1], [2, 0, 0], [1, 1, 3]], n_classes=3)
    >>> votes.column(2)
    array([2, 1, 0, 1], dtype=uint8)
    >>> votes.agreement.round(2)
    array([[1.  , 0.75, 0.5 ],
           [0.75, 1.  , 0.75],
           [0.5 , 0.75, 1.  ]])
    >>> votes.stack({1: 0.75}).prior().top()
    array([0, 1, 0, 1], dtype=uint8)
    """

    def __init__(self, votes: ArrayLike, n_classes: int) -> None:
        self.n_classes = check_at_least("n_classes", n_classes, 2)
        array = np.asarray(votes)
        if array.ndim != 2 or array.size == 0:
            raise InvalidInput(f"votes must have shape (n, models), got shape {array.shape}.")
        if array.dtype.kind not in "iu":
            raise InvalidInput(f"votes must be integers, got dtype {array.dtype}.")
        self._votes = _filled(array, self.n_classes)
        self._table = VoteTable(self._votes, self.n_classes)

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self._votes.shape[0])

    @property
    def n_models(self) -> int:
        """Number of models."""
        return int(self._votes.shape[1])

    def column(self, model: int) -> Labels:
        """Return one model's labels: what to ask to learn how often it is right."""
        return self._votes[:, model].copy()

    @cached_property
    def agreement(self) -> Floats:
        """The share of examples on which two models give the same label, (models, models)."""
        votes = np.asfortranarray(self._votes)
        out = np.ones((self.n_models, self.n_models))
        for i in range(self.n_models):
            for k in range(i):
                out[i, k] = out[k, i] = np.count_nonzero(votes[:, i] == votes[:, k])
        return np.where(np.eye(self.n_models, dtype=np.bool_), 1.0, out / self.n_examples)

    @cached_property
    def _believed(self) -> tuple[Floats, Floats]:
        """Accuracies and weights without any look: Dawid and Skene's, with one number per model.

        Starting from equal accuracies, a label's odds are those of the votes for it, and a
        model's accuracy is the mean probability of its labels. A model counts the less, the more
        others agree with it beyond chance. What all models get wrong together can't be seen.
        """
        m = self.n_classes
        alike = np.clip((self.agreement - 1 / m) / (1 - 1 / m), 0.0, 1.0) ** SAMENESS_POWER
        share = 1.0 / alike.sum(axis=1)
        accuracy = np.full(self.n_models, 0.5 + 0.5 / m)
        for _ in range(ESTIMATION_ROUNDS):
            kept = np.clip(accuracy, 1 / m, HIGHEST_ACCURACY)
            weights = share * np.log(kept * (m - 1) / (1 - kept))
            before = accuracy
            accuracy = self._table.support(self._table.shares(self._table.scores(weights)))
            if np.abs(accuracy - before).max() < 1e-4:
                break
        return accuracy, weights

    def accuracies(self, scored: Mapping[int, float] | None = None) -> Floats:
        """Return every model's accuracy: measured if it was scored, predicted if not.

        Parameters
        ----------
        scored
            Accuracies of some models by their number; None or empty: a guess from the votes alone.
        """
        if not scored:
            return self._believed[0].copy()
        models, weights = self._weights(scored, AGREEMENT_RIDGE)
        predicted = self.agreement[:, models] @ weights
        predicted[models] = [scored[i] for i in models]
        return np.clip(predicted, 0.0, 1.0)

    def stack(self, scored: Mapping[int, float] | None = None, error: float = 0.0) -> Stack:
        """Return the best weighted vote of the models that were scored.

        Parameters
        ----------
        scored
            Accuracies of some models by their number; None or empty: all models, weighed by the
            votes alone, as an attacker would who has not looked yet.
        error
            Standard deviation of the accuracies, 0 if they are exact.
        """
        depth = min(LABELS_LISTED, self.n_classes)
        if not scored:
            scores = self._table.scores(self._believed[1])
            sure = self._table.ranked(self._table.shares(scores), 1)[1]
            labels, ranked = self._table.ranked(scores, depth)
            return Stack(labels, ranked, self.n_classes, 1.0, float(sure.mean()))
        models, weights = self._weights(scored, AGREEMENT_RIDGE + 4.0 * error)
        table = VoteTable(self._votes[:, models], self.n_classes)
        labels, ranked = table.ranked(table.scores(weights), depth)
        accuracy = float(np.clip(ranked[:, 0].mean(), 0.0, 1.0))
        return Stack(labels, ranked, self.n_classes, DEFAULT_TEMPERATURE, accuracy)

    def _weights(self, scored: Mapping[int, float], ridge: float) -> tuple[list[int], Floats]:
        models = sorted(scored)
        outside = [i for i in models if not 0 <= i < self.n_models]
        if outside:
            raise InvalidInput(
                f"scored must name models 0 .. {self.n_models - 1}, got {outside[0]}."
            )
        system = self.agreement[np.ix_(models, models)] + ridge * np.eye(len(models))
        known = np.array([scored[i] for i in models], dtype=np.float64)
        return models, np.asarray(np.linalg.solve(system, known), dtype=np.float64)


def _filled(votes: NDArray[Any], m: int) -> Labels:
    """Put the label with most votes where there is no vote; without any vote, label 0."""
    silent = (votes < 0) | (votes >= m)
    out = np.where(silent, 0, votes).astype(label_dtype(m))
    rows = np.flatnonzero(silent.any(axis=1))
    if rows.size:
        # One more class for "no vote", which is then the last choice.
        some = np.where(silent[rows], m, votes[rows]).astype(np.int64)
        table = VoteTable(some, m + 1)
        ranked = table.ranked(table.scores(np.ones(votes.shape[1])), min(2, m + 1))[0]
        most = np.where(ranked[:, 0] == m, ranked[:, 1] % m, ranked[:, 0])
        out[rows] = np.where(silent[rows], most[:, None], out[rows])
    return out
