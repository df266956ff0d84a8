"""Positions, the labels they may show, and what is believed of them at the start."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.steering.linear_posterior import Codes, FixedRemainder, LinearPosterior
from holdfast.attacks.steering.water_filling import lagrange_slope
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["CandidateTable"]

Floats = NDArray[np.float64]

# Labels a position may show: without a prior they come into play one after the other and most
# never do; with one, the labels further down the list are too unlikely to be worth a look.
LABELS, LABELS_WITH_PRIOR = 64, 12
# With more classes, examples are grouped: a group of m/100 has about the odds of 100 classes.
CLASSES_PER_POSITION = 100
# No label is ruled out by a prior: this share of the mass is spread evenly.
DOUBTED_SHARE = 1e-3
# A position further ahead than this multiple of the first level is never played.
SLOPES_IN_PLAY = 1.5


class CandidateTable:
    """The positions of an attack in its own terms: code 0 is a position's first label, and so on.

    Without a prior, code and label are the same, and a position is a group of examples that
    always show the same label. With a prior, a position is an example and its codes are its
    labels in order of falling probability.

    Parameters
    ----------
    problem
        The sizes.
    prior
        What is believed of the labels, relative to the permutation.
    nats
        What all answers together are worth: it decides which positions are ever played.
    """

    def __init__(self, problem: Problem, prior: Prior | None, nats: float) -> None:
        n, m, _ = problem
        self._n_classes = m
        self._ranked: NDArray[np.unsignedinteger] | None = None
        if prior is None or _says_nothing(prior):
            per_group = max(1, m // CLASSES_PER_POSITION)
            n_positions = -(-n // per_group)
            self._position = np.arange(n) * n_positions // n
            self._weights = np.bincount(self._position).astype(np.float64)
            self._prior = np.full((min(m, LABELS), n_positions), 1.0 / m)
            self.in_play = np.arange(n_positions)
        else:
            labels, probabilities = prior.softened(DOUBTED_SHARE).ranked(min(m, LABELS_WITH_PRIOR))
            self._position = np.arange(n)
            self._weights = np.ones(n)
            self._ranked = labels
            self._prior = np.ascontiguousarray(probabilities.T)
            self.in_play = self._in_reach(nats)
        first = self._weights * self._prior[0]
        self._everywhere = FixedRemainder(
            float(first.sum()), float(first @ self._prior[0]), float(n)
        )

    @property
    def informed(self) -> bool:
        """Whether there is a prior that says something."""
        return self._ranked is not None

    @property
    def n_positions(self) -> int:
        """Number of positions."""
        return self._weights.size

    @property
    def group(self) -> float:
        """Examples a position, on average."""
        return float(self._weights.mean())

    def alike(self, n_rows: int) -> int:
        """Return how many labels the last of the rows that are in view stands for."""
        return 1 if self.informed else self._n_classes - n_rows + 1

    def labels(self, codes: Codes) -> NDArray[np.integer]:
        """Return the label of every example."""
        if self._ranked is None:
            return codes[self._position]
        return np.take_along_axis(self._ranked, codes[:, None].astype(np.intp), axis=1)[:, 0]

    def posterior(
        self, window: NDArray[np.intp], capacity: int, fraction: float
    ) -> LinearPosterior:
        """Return the belief on some positions, all others showing their first label."""
        weights, prior = self._weights[window], self._prior[:, window]
        total, squares, examples = self._everywhere
        first = weights * prior[0]
        remainder = FixedRemainder(
            total - float(first.sum()),
            squares - float(first @ prior[0]),
            examples - float(weights.sum()),
        )
        return LinearPosterior(prior, weights, capacity, remainder=remainder, fraction=fraction)

    def _in_reach(self, nats: float) -> NDArray[np.intp]:
        """Return the positions whose second label could come to lead, at least one a nat."""
        lead = np.log(self._prior[0]) - np.log(self._prior[1])
        within = SLOPES_IN_PLAY * lagrange_slope(self._prior, nats)
        least = min(lead.size, int(nats) + 1)
        bar = max(within, float(np.partition(lead, least - 1)[least - 1]))
        return np.flatnonzero(lead <= bar)


def _says_nothing(prior: Prior) -> bool:
    """Whether every label is as likely as any other, for every example."""
    return bool(np.allclose(prior.ranked(1)[1], 1.0 / prior.n_classes, rtol=1e-9, atol=0.0))
