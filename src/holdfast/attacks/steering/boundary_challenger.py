"""Champion against challenger under coarse rounding: ask where the rounding tells most."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel, RoundedAnswers
from holdfast.attacks.answer_likelihood import rounding_share
from holdfast.attacks.description import Needs
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.attacks.steering.linear_posterior import AnsweredQuery
from holdfast.attacks.steering.query_variants import QueryVariants, Variant
from holdfast.kernels.keyed import subkey
from holdfast.problem import Problem

__all__ = ["BoundaryChallenger", "out_of_reach"]

# A count in the middle between two boundaries' reach keeps 2/pi = .64 of its information at best
# when steps are wide; with this much there is no need to look further.
ENOUGH_INFORMATION = 0.6
# A variant is weighed exactly, which costs as much as the query itself, unless a rough estimate is
# below this share of the best so far.
WEIGHED_FROM = 0.9
# With less than this share of a count's information no boundary is near it. At n = 10,000 and two
# decimals 2 to 16 classes leave .38 or more at every look, 20 and 26 leave .15 and .2 at first.
OUT_OF_REACH = 0.3


class BoundaryChallenger(ChampionChallenger):
    r"""Champion against challenger, every query steered to a boundary of the rounding.

    If a host rounds to steps that are wide beside the spread of a count, most answers are known
    beforehand: two decimals at n = 10,000 are steps of 100 matches, and a count spreads over 25.
    A query whose expected count lies halfway between two boundaries tells next to nothing; one
    that is expected on a boundary tells on which side it fell, 2/pi of the exact information.

    The expected count can be chosen. Showing more champions raises it, more challengers lower
    it, and random labels on a part of the positions bring it back towards n/m and widen its
    spread. Before every look a few such variants of the champion-challenger query are compared by
    the information that rounding leaves of them, and the best is asked. If no boundary is near,
    the least likely labels on a part of the positions bring the count below n/m, to one there.

    With exact, noisy or finely rounded answers it plays as `ChampionChallenger`.

    Departures
    ----------
    Not in the paper. Two decimals at (10000, 10), k = 128 leave two thirds of the exact gain. If no
    boundary is near n/m, all looks share one window, whose memory begins anew when it is full.

    Parameters
    ----------
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities.
    answers
        What a released answer tells: exact, rounded, noisy, or of a scored subset.

    Examples
    --------
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
    results = 2  # since 2: boundaries below chance are reached too

    def _split(self) -> list[NDArray[np.intp]]:
        # A part of the positions spreads less than all of them, and would wait longer for a count
        # beyond a far boundary: one window then, whose memory begins anew when it is full.
        rounds = isinstance(self._answers, RoundedAnswers) and not self._exact
        if rounds and not self._table.informed and out_of_reach(self._problem, self._answers):
            return [self._table.in_play]
        return super()._split()

    def _next_look(self, index: int) -> AnsweredQuery | None:
        look = super()._next_look(index)
        posterior = self._posterior
        if look is None or posterior is None or self._exact:
            return look
        if not isinstance(self._answers, RoundedAnswers):
            return look
        width = self._answers.step * self._problem.n_examples
        best = rounding_share(look.mean, look.variance, width)
        if best >= ENOUGH_INFORMATION:
            return look
        rng = np.random.default_rng([int(subkey(self._seed, "variants")), index])
        variants = QueryVariants(look, posterior, level=self._level, rng=rng)
        chosen, best = self._best_of(variants, variants, (look, best))
        if best < OUT_OF_REACH and not self._table.informed:
            chosen, best = self._best_of(variants, variants.out_of_reach(), (chosen, best))
        return chosen

    def _best_of(
        self, variants: QueryVariants, tried: Iterable[Variant], so_far: tuple[AnsweredQuery, float]
    ) -> tuple[AnsweredQuery, float]:
        """Return the query of which rounding leaves most, and what that is worth."""
        posterior, answers = self._posterior, self._answers
        assert posterior is not None
        assert isinstance(answers, RoundedAnswers)
        width = answers.step * self._problem.n_examples
        chosen, best = so_far
        listed = [
            (each, each.worth * rounding_share(each.mean, each.variance, width)) for each in tried
        ]
        for variant, estimate in listed:
            if estimate < WEIGHED_FROM * best:
                continue
            other = posterior.look(variants.codes(variant))
            value = variant.worth * rounding_share(other.mean, other.variance, width)
            if other.novel and value > best:
                best, chosen = value, other
            if best >= ENOUGH_INFORMATION:
                break
        return chosen, best


def out_of_reach(problem: Problem, answers: AnswerModel) -> bool:
    """Tell whether n/m lies so far from all boundaries that most answers are known beforehand.

    >>> [out_of_reach(Problem(10_000, m, 100), RoundedAnswers(0.01)) for m in (2, 10, 16, 20, 26)]
    [False, False, False, True, True]
    """
    if not isinstance(answers, RoundedAnswers):
        return False
    n, m, _ = problem
    width = answers.step * n
    return rounding_share(n / m, n / m * (1.0 - 1.0 / m), width) < OUT_OF_REACH
