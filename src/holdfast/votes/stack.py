"""Weighted majority votes of several models, and the label priors that they give."""

from __future__ import annotations

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.roots import root

__all__ = ["Stack"]

Floats = NDArray[np.float64]

# The coldest temperature, as a share of the usual one.
COLDEST_TEMPERATURE_SHARE = 0.05
# Share of a stack's errors that are labels nobody voted for, at least.
LEAST_UNVOTED_SHARE = 0.1
# Odds, against the first label, of all labels without a vote together, at most.
MOST_UNVOTED_ODDS = 1e4


class Stack:
    """The weighted vote of some models: labels by falling score.

    Probabilities follow from scores by a softmax, and the labels that nobody voted for share what
    is left: as much as makes the first labels right as often as they are, which a look tells.
    Votes of independent models are worth more than usual; if even without labels nobody voted
    for the first ones would be right too rarely, the softmax is made colder.

    Parameters
    ----------
    labels
        (n, c) labels by falling score, all different in a row.
    scores
        (n, c) their scores; -inf: nobody voted for it.
    n_classes
        Number of classes.
    temperature
        The scores' usual temperature.
    accuracy
        How often the first labels are expected to be right.
    """

    def __init__(
        self, labels: Labels, scores: Floats, n_classes: int, temperature: float, accuracy: float
    ) -> None:
        self._labels = labels
        self._scores = scores
        self._n_classes = n_classes
        self._temperature = temperature
        self.expected_accuracy = accuracy
        voted = np.isfinite(scores)
        self._unheard: Floats = n_classes - voted.sum(axis=1, dtype=np.float64)

    def top(self) -> Labels:
        """Return the first label of every example: what to ask to learn how often it is right."""
        return self._labels[:, 0].copy()

    def prior(self, accuracy: float | None = None) -> Prior:
        """Return the prior in which the first labels are right that often.

        Parameters
        ----------
        accuracy
            Accuracy of `top()`, from a look; None: as expected from the votes.
        """
        wanted = self.expected_accuracy if accuracy is None else accuracy
        if not 0.0 <= wanted <= 1.0:
            raise InvalidInput(f"accuracy must lie in [0, 1], got {wanted}.")
        # Labels that were never wrong on n examples may still be wrong on the next.
        wanted = min(max(wanted, 1.0 / self._n_classes), 1.0 - 0.5 / len(self._labels))
        odds = self._odds(self._fitted_temperature(wanted))
        silent = self._silent(odds.sum(axis=1), wanted)
        each = silent / np.maximum(1.0, self._unheard)
        listed = np.where(np.isinf(self._scores), each[:, None], odds)
        total = odds.sum(axis=1) + silent
        return Prior.candidates(self._labels, listed / total[:, None], self._n_classes)

    def _odds(self, temperature: float) -> Floats:
        """Return the odds of every label with a vote against the first."""
        return np.exp((self._scores - self._scores[:, :1]) / temperature)

    def _fitted_temperature(self, wanted: float) -> float:
        """Return the usual temperature, or a colder one at which the first labels can be right."""
        least, some = LEAST_UNVOTED_SHARE * (1.0 - wanted) / wanted, self._some_unheard()

        def excess(log_share: float) -> float:
            total = self._odds(self._temperature * exp(log_share)).sum(axis=1)
            return _mean_first(total, least * some) - wanted

        if excess(0.0) >= 0.0:
            return self._temperature
        if excess(log(COLDEST_TEMPERATURE_SHARE)) <= 0.0:
            return self._temperature * COLDEST_TEMPERATURE_SHARE
        return self._temperature * exp(root(excess, log(COLDEST_TEMPERATURE_SHARE), 0.0))

    def _some_unheard(self) -> Floats:
        return (self._unheard > 0).astype(np.float64)

    def _silent(self, total: Floats, wanted: float) -> Floats:
        """Return the odds of the labels without a vote, all together, of every example."""
        some = self._some_unheard()
        least, most = 0.5 * LEAST_UNVOTED_SHARE * (1.0 - wanted) / wanted, MOST_UNVOTED_ODDS

        def excess(log_odds: float) -> float:
            return _mean_first(total, exp(log_odds) * some) - wanted

        if excess(log(least)) <= 0.0:
            return least * some
        if excess(log(most)) >= 0.0:
            return most * some
        return float(exp(root(excess, log(least), log(most)))) * some


def _mean_first(total: Floats, silent: Floats) -> float:
    return float((1.0 / (total + silent)).mean())
