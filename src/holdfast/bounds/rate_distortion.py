r"""Rate-distortion functions of labels under Hamming distortion: what a number of nats is worth.

R(a) says how many nats a label costs at least if it is to be guessed right with probability a. At
Lagrange slope s = R'(a) the best label ends with probability a and every other label in the running
with a exp(-s); labels less likely than that keep their probability. One slope for all labels is the
best way to share nats among them: reverse water-filling. See Cover and Thomas, Elements of
Information Theory, section 10.3.

An answer whose unpredicted part is one normal number, spread over many examples, carries half a
nat. So k answers buy the accuracy a with n R(a) = k/2, and champion-challenger, which spends them
so, reaches it up to a few per cent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.information import accuracy_from_information
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.roots import root

__all__ = [
    "NATS_PER_LOOK",
    "STEEPEST",
    "AtSlope",
    "LabelLaws",
    "RateAllocation",
    "gain_for_nats",
    "spend",
]

Floats = NDArray[np.float64]

# Log-odds of the winner against the others at which a label counts as certain.
STEEPEST = 60.0
# One normal number, seen by many examples in first order.
NATS_PER_LOOK = 0.5
# Examples of a prior that stand for all, and candidates of each that are looked at.
SAMPLED_EXAMPLES, LABELS_RANKED = 2000, 64


class AtSlope(NamedTuple):
    """Some labels at a common slope, one number per label.

    Parameters
    ----------
    nats
        What the label costs.
    best
        Probability of the winner after.
    running
        Classes in the running.
    mass
        Probability of all classes in the running.
    """

    nats: Floats
    best: Floats
    running: Floats
    mass: Floats


class LabelLaws:
    """Laws of some independent labels.

    Parameters
    ----------
    rows
        (labels, columns): probabilities in falling order.
    alike
        For how many classes each column stands, for all rows or for each; a column after the first
        may stand for none. None: for one each.

    Examples
    --------
    Two equally likely classes cost ln 2 - h(a):

    >>> nats, best, running, mass = LabelLaws(np.array([[0.5, 0.5]])).at(math.log(3.0))
    >>> best.tolist(), nats.round(6).tolist()
    ([0.75], [0.130812])
    """

    def __init__(self, rows: Floats, alike: Floats | None = None) -> None:
        if alike is None:
            alike = np.ones(rows.shape[1])
        self._rows = rows
        self._none = alike == 0.0 if (alike == 0.0).any() else None
        self._labels = np.broadcast_to(np.cumsum(alike, axis=-1), rows.shape)
        self._mass = np.cumsum(rows * alike, axis=1)
        self._surprise = -rows * np.log(np.maximum(rows, 1e-300)) * alike

    def at(self, slope: float) -> AtSlope:
        """Return what each label costs at a slope, and what that buys."""
        fall = math.exp(-slope)
        # With the first c columns in the running the winner ends at `top`; they are the right ones
        # while the last of them exceeds top * fall.
        top = self._mass / (1.0 + (self._labels - 1.0) * fall)
        inside = self._rows > top * fall
        inside[:, 0] = True
        if self._none is not None:
            # A column that stands for no class is neither in nor out.
            inside &= ~self._none
            inside |= self._none & np.roll(inside, 1, axis=1)
        last = np.where(inside.all(axis=1), inside.shape[1], inside.argmin(axis=1)) - 1
        here = np.arange(len(last))
        best, running = top[here, last], self._labels[here, last]
        rivals = running - 1.0
        # A sum in pairs loses fewer digits than a running one, and few nats are a small difference.
        before = np.where(np.arange(inside.shape[1]) <= last[:, None], self._surprise, 0.0).sum(1)
        after = -best * np.log(best) * (1.0 + rivals * fall) + rivals * best * fall * slope
        return AtSlope(before - after, best, running, self._mass[here, last])


class RateAllocation(NamedTuple):
    """Where so many nats go, for a sample of a prior's examples.

    Parameters
    ----------
    slope
        Log-odds of the winner against the other labels in the running, the same everywhere.
    scale
        Examples that each of the sample stands for.
    top
        Probability of an example's first label before.
    second
        Probability of its second label before.
    best
        Probability of its winner after.
    running
        Labels in the running.
    mass
        Probability of all labels in the running.
    """

    slope: float
    scale: float
    top: Floats
    second: Floats
    best: Floats
    running: Floats
    mass: Floats

    @property
    def gains(self) -> Floats:
        """Expected matches above the prior's own guess, one number per example of the sample."""
        return np.maximum(self.best - self.top, 0.0)

    @property
    def gain(self) -> float:
        """Expected matches above the prior's own guess."""
        return self.scale * float(self.best.sum() - self.top.sum())


def gain_for_nats(problem: Problem, nats: float) -> float:
    """Return n (a - 1/m) with n R(a) = nats for uniform labels, at most n (1 - 1/m).

    >>> round(gain_for_nats(Problem(10_000, 10, 300), 150.0))
    557
    """
    n, m, _ = problem
    # R(a) of a uniform label is the divergence KL(a || 1/m).
    return n * (accuracy_from_information(nats, n, m) - 1.0 / m)


def spend(prior: Prior, nats: float) -> RateAllocation:
    """Return the best way to share so many nats among the examples.

    >>> round(spend(Prior.uniform(10_000, 10), 150.0).slope, 2)
    0.51
    """
    rows, alike = _sampled_rows(prior)
    scale, laws = prior.n_examples / len(rows), LabelLaws(rows, alike)

    def left(slope: float) -> float:
        return scale * float(laws.at(slope).nats.sum()) - nats

    slope = STEEPEST
    if left(slope) > 0.0:
        slope = root(left, 0.0, STEEPEST, xtol=1e-10)
    _, best, running, mass = laws.at(slope)
    return RateAllocation(slope, scale, rows[:, 0], rows[:, 1], best, running, mass)


def _sampled_rows(prior: Prior) -> tuple[Floats, Floats]:
    """Return probabilities in falling order, and how many labels each column stands for.

    Labels beyond the candidates are taken to be equally likely.
    """
    m = prior.n_classes
    depth = min(m, LABELS_RANKED)
    _, probabilities = prior.ranked(depth)
    rows = probabilities[:: max(1, len(probabilities) // SAMPLED_EXAMPLES)]
    alike = np.ones(depth)
    if depth < m:
        rest = np.maximum(0.0, 1.0 - rows.sum(axis=1, keepdims=True)) / (m - depth)
        rows = np.concatenate([rows, rest], axis=1)
        alike = np.append(alike, m - depth)
    return rows, alike
