"""Champion against challenger under coarse rounding: ask where the rounding tells most."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from holdfast.answers import RoundedAnswers
from holdfast.attacks._answer_likelihood import rounding_share
from holdfast.attacks._rehearsal import rehearsed_if_hard
from holdfast.attacks.description import Needs
from holdfast.attacks.steering._linear_posterior import AnsweredQuery, Codes, LinearPosterior
from holdfast.attacks.steering._rate_law import steered_gain
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.forecasts import Estimate, Setting
from holdfast.kernels.keyed import subkey

__all__ = ["BoundaryChallenger"]

# A count in the middle between two boundaries' reach keeps 2/pi = .64 of its information at best
# when steps are wide; with this much there is no need to look further.
ENOUGH_INFORMATION = 0.6
# Shares of the positions that are tried with another label.
SHIFTED_SHARES = (0.15, 0.3, 0.45, 0.6, 0.8)
FRESH_SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
# A variant is weighed exactly, which costs as much as the query itself, unless a rough estimate is
# below this share of the best so far.
WEIGHED_FROM = 0.9
# A random label's information is spread over all labels instead of the two that compete: worth
# about (.6/.94)^2 as much, the ratio of the constants in the gain.
FRESH_LOSS = 0.6


class BoundaryChallenger(ChampionChallenger):
    r"""Champion against challenger, every query steered to a boundary of the rounding.

    If a host rounds to steps that are wide beside the spread of a count, most answers are known
    beforehand: two decimals at n = 10,000 are steps of 100 matches, and a count spreads over 25.
    A query whose expected count lies halfway between two boundaries tells next to nothing; one
    that is expected on a boundary tells on which side it fell, 2/pi of the exact information.

    The expected count can be chosen. Showing more champions raises it, more challengers lower
    it, and random labels on a part of the positions bring it back towards n/m and widen its
    spread. Before every look a few such variants of the champion-challenger query are compared by
    the information that rounding leaves of them, and the best is asked.

    With exact, noisy or finely rounded answers it plays as `ChampionChallenger`.

    Departures
    ----------
    Not in the paper. Two decimals at (10000, 10), k = 128 leave two thirds of the exact gain.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities.
    answers
        What a released answer tells: exact, rounded, noisy, or of a scored subset.

    Examples
    --------
    >>> from holdfast.problem import Problem
    >>> hidden = np.random.default_rng(1).integers(10, size=1000)
    >>> attack = BoundaryChallenger(Problem(1000, 10, 60), rng=np.random.default_rng(2),
    ...                             answers=RoundedAnswers(0.03))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(round(np.mean(query == hidden) / 0.03) * 0.03)
    >>> int((attack.predict() == hidden).sum()) > 120
    True
    """

    summary = "steers scores to the rounding's boundaries"
    needs = Needs.ROUNDING

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain: the same law with what steering leaves of the answers."""
        if setting.exact or not isinstance(setting.answers, RoundedAnswers):
            return ChampionChallenger.forecast(setting)
        played = rehearsed_if_hard(cls, setting)
        if played is not None:
            return played
        gain = steered_gain(setting, ChampionChallenger.name, at_boundary=True)
        reason = "champion-challenger that asks where rounding tells most: measured share"
        return Estimate(gain, setting.problem.n_queries, reason)

    def _next_look(self, index: int) -> AnsweredQuery | None:
        look = super()._next_look(index)
        posterior = self._posterior
        if look is None or posterior is None or self._exact:
            return look
        if not isinstance(self._answers, RoundedAnswers):
            return look
        width = self._answers.step * self._problem.n_examples
        best = rounding_share(look.mean, look.variance, width)
        chosen = look
        for codes, worth in self._variants(look.codes, posterior, index):
            if best >= ENOUGH_INFORMATION:
                break
            mean, variance = _roughly(look, codes, posterior)
            if worth * rounding_share(mean, variance, width) < WEIGHED_FROM * best:
                continue
            other = posterior.look(codes)
            value = worth * rounding_share(other.mean, other.variance, width)
            if other.novel and value > best:
                best, chosen = value, other
        return chosen

    def _variants(
        self, codes: Codes, posterior: LinearPosterior, index: int
    ) -> Iterator[tuple[Codes, float]]:
        """Yield other queries and what their information is worth beside the query's own."""
        estimates = posterior.estimates
        position = np.arange(codes.size)
        champion = estimates.argmax(axis=0).astype(np.uint8)
        others = estimates.copy()
        others[champion, position] = -np.inf
        challenger = others.argmax(axis=0).astype(np.uint8)
        leads = estimates[champion, position] * math.exp(-self._level)
        parked = estimates[challenger, position] <= leads
        draw = np.random.default_rng([int(subkey(self._seed, "variants")), index])
        coin = draw.random(codes.size)
        for part in SHIFTED_SHARES:
            yield np.where(coin < part, champion, codes), 1.0
            down = (coin < part) & ~parked & (codes == champion)
            yield np.where(down, challenger, codes), 1.0
        fresh = draw.integers(posterior.n_labels, size=codes.size, dtype=np.uint8)
        for part in FRESH_SHARES:
            yield np.where(coin < part, fresh, codes), 1.0 - FRESH_LOSS * part


def _roughly(look: AnsweredQuery, codes: Codes, posterior: LinearPosterior) -> tuple[float, float]:
    """Estimate mean and variance of a variant's count without a glance at the past queries.

    The mean is a sum of estimates, and exact; what a variant adds to the variance is taken to be
    that of the labels it changes.
    """
    changed = np.flatnonzero(codes != look.codes)
    estimates, weights = posterior.estimates, posterior.weights[changed]
    top = len(estimates) - 1  # the last row stands for all labels not shown so far
    before = estimates[np.minimum(look.codes[changed], top), changed]
    after = estimates[np.minimum(codes[changed], top), changed]
    return look.mean + float(weights @ (after - before)), look.variance + float(weights @ after)
