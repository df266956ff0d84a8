r"""Beliefs about labels from released values that are affine in them.

With x[i, c] = 1 if example i has label c, and labels of different examples independent before the
first look, the values of K submissions are nearly normal, with covariances

    G[k, l] = sum over i of Cov(weights_k[i, label of i], weights_l[i, label of i]).

What a rule releases of a value is a *site*: a normal likelihood of that value. Noise is one; an
interval that rounding leaves becomes the normal one with the same first two moments given all other
looks (expectation propagation; Minka 2001). The best linear estimate of x follows from the sites,

    mean of x[i] = p + Cov(x[i]) sum over k of slope_k weights_k[i].

It explains a share rho of the labels' variance, as if each example had been seen through normal
noise of covariance Cov(x[i]) (1 - rho) / rho. That observation's likelihood of each label gives the
probabilities; where class sizes are public, odds are shifted until they add up to these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from holdfast.attacks.answer_likelihood import truncated_normal
from holdfast.attacks.through_metrics.affine_forms import AffineValue

__all__ = ["Released", "belief", "shifted"]

Floats = NDArray[np.float64]

# Numbers of a stretch of examples that are held at a time.
STRETCH = 1 << 22
# Sites of rounded values are improved so often, each time by this share of the way.
ROUNDS, DAMPING = 12, 0.7
# Sites whose precision changes by no more than this share are settled.
SETTLED = 1e-2
# What a value is uncertain by at least, as a share of its spread: the belief is approximate.
LEAST_ERROR = 1e-3
# Explaining more than this, a linear estimate says more than its normal noise would allow.
MOST_EXPLAINED = 0.995
# Odds are shifted so often at most, until sizes are met to this share of an example.
SHIFTS, NEAR = 200, 1e-6


@dataclass(frozen=True, eq=False)
class Released:
    """Released values: each lies between two ends once noise of one spread is added to it.

    Parameters
    ----------
    low, high
        The ends; alike where values are not rounded.
    noise
        The standard deviation of the noise.
    """

    low: Floats
    high: Floats
    noise: Floats


def belief(
    values: Sequence[AffineValue], released: Released, sizes: Floats, *, sizes_known: bool
) -> Floats:
    """Return how likely each example has each label, given what was released of submissions.

    Parameters
    ----------
    values
        The submissions' values as functions of the labels.
    released
        What was released of them.
    sizes
        How many examples each class has, or is expected to have.
    sizes_known
        Whether that is certain.
    """
    n = len(values[0].given)
    shares = np.maximum(sizes / sizes.sum(), 1e-12)
    table = _Weights(values, shares, centred=sizes_known)
    means = table.means()
    slopes, explained = _slopes(table.covariances(), means, released)
    rho = min(explained / (n * (sizes.size - 1)), MOST_EXPLAINED)
    # The likelihood of the noisy observation p + (mean - p) / rho, in logarithms.
    level = np.log(shares) - 0.5 * rho / (1.0 - rho) / shares
    logits = np.empty((n, sizes.size))
    for rows, weights in table.stretches():
        step = np.einsum("k,kic->ic", slopes, weights)
        logits[rows] = level + (step - (step @ shares)[:, None]) / (1.0 - rho)
    return shifted(logits, sizes if sizes_known else None)


def shifted(logits: Floats, sizes: Floats | None) -> Floats:
    """Return probabilities of these odds, shifted class by class until they add up to sizes.

    >>> shifted(np.zeros((4, 2)), np.array([3.0, 1.0])).round(3).tolist()[0]
    [0.75, 0.25]
    """
    logits = logits - logits.max(axis=1, keepdims=True)
    chances: Floats = np.exp(logits)
    chances /= chances.sum(axis=1, keepdims=True)
    if sizes is None:
        return chances
    for _ in range(SHIFTS):
        sums = chances.sum(axis=0)
        if np.abs(sums - sizes).max() <= NEAR * max(1.0, float(sizes.max())):
            break
        chances *= sizes / np.maximum(sums, 1e-300)
        chances /= chances.sum(axis=1, keepdims=True)
    return chances


class _Weights:
    """The weights of submissions, a stretch of the examples at a time.

    Where class sizes are known, a weight that all examples of a class have alike says nothing, and
    is taken away.
    """

    def __init__(self, values: Sequence[AffineValue], shares: Floats, *, centred: bool) -> None:
        self._values, self._shares = values, shares
        self._n = len(values[0].given)
        self._centre = np.zeros((len(values), shares.size))
        self._sums = np.zeros_like(self._centre)
        for rows, weights in self.stretches():
            del rows
            self._sums += weights.sum(axis=1)
        if centred:
            self._centre = self._sums / self._n

    def stretches(self) -> Iterator[tuple[slice, Floats]]:
        """Yield stretches of the examples, and weights by submission, example and class."""
        length = max(1, STRETCH // (len(self._values) * self._shares.size))
        for first in range(0, self._n, length):
            rows = slice(first, min(self._n, first + length))
            weights = np.stack([each.weights(rows) for each in self._values])
            yield rows, weights - self._centre[:, None, :]

    def means(self) -> Floats:
        """Return the expected value of each submission."""
        constants = np.array([each.constant for each in self._values])
        found: Floats = constants + self._sums @ self._shares
        return found

    def covariances(self) -> Floats:
        """Return the covariances of the values."""
        found = np.zeros((len(self._values), len(self._values)))
        for _, weights in self.stretches():
            around = (weights - (weights @ self._shares)[:, :, None]) * np.sqrt(self._shares)
            flat = around.reshape(len(self._values), -1)
            found += flat @ flat.T
        return found


def _slopes(covariances: Floats, means: Floats, released: Released) -> tuple[Floats, float]:
    """Return the slope of each submission in the estimate, and how many values are explained.

    A site has precision a and precision times mean b; the belief of the values given all sites is
    normal with covariance V = (G^-1 + diag a)^-1 and mean mu + V (b - a mu). The estimate's slopes
    are G^-1 of that mean's distance from mu, and sum a V[k, k] is how many of K independent
    values would be known as well.
    """
    spread = np.maximum(np.diag(covariances), 1e-300)
    noise = released.noise**2 + LEAST_ERROR**2 * spread
    if np.array_equal(released.low, released.high):
        precision = 1.0 / noise
        return _given(covariances, means, precision, precision * released.low)[2:]
    precision, weighted = np.zeros_like(means), np.zeros_like(means)
    for _ in range(ROUNDS):
        mean, variance, _, _ = _given(covariances, means, precision, weighted)
        # The belief without the site itself.
        apart = 1.0 / np.maximum(1.0 / variance - precision, 1e-9 / spread)
        centre = apart * (mean / variance - weighted)
        total = apart + noise
        root = np.sqrt(total)
        middle, left = truncated_normal(
            (released.low - centre) / root, (released.high - centre) / root
        )
        matched = centre + apart / root * middle
        matched_variance = np.maximum(apart - apart**2 / total * (1.0 - left), 1e-9 * apart)
        new = np.maximum(1.0 / matched_variance - 1.0 / apart, 0.0)
        new_weighted = np.where(new > 0.0, matched / matched_variance - centre / apart, 0.0)
        change = np.abs(new - precision)
        precision += DAMPING * (new - precision)
        weighted += DAMPING * (new_weighted - weighted)
        if np.all(change <= SETTLED * precision):
            break
    return _given(covariances, means, precision, weighted)[2:]


def _given(
    covariances: Floats, means: Floats, precision: Floats, weighted: Floats
) -> tuple[Floats, Floats, Floats, float]:
    """Return the values' means and variances given the sites, the slopes, and what they explain."""
    root = np.sqrt(precision)
    inner = np.eye(means.size) + root[:, None] * covariances * root
    factor = cholesky(inner, lower=True, check_finite=False)
    half = solve_triangular(factor, root[:, None] * covariances, lower=True, check_finite=False)
    posterior = covariances - half.T @ half
    residual = weighted - precision * means
    away = posterior @ residual
    variances = np.maximum(np.diag(posterior), 1e-12 * np.diag(covariances) + 1e-300)
    explained = float(np.sum(precision * variances))
    return means + away, variances, residual - precision * away, explained
