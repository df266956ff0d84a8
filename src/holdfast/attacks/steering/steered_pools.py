"""Pools of a detecting design, then champion against challenger from what they say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks.exact.detecting import PooledDetecting
from holdfast.attacks.exact.lindstrom import too_many_to_plan
from holdfast.attacks.exact.second_round import TwoRounds
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.attacks.steering.stages import Stages, best_stages
from holdfast.attacks.two_stages import TwoStages
from holdfast.errors import InvalidInput
from holdfast.problem import Problem, check_at_least
from holdfast.setting import Setting

__all__ = ["SteeredPools"]


class SteeredPools(TwoStages):
    r"""Read one round of digits and pools, and steer what they leave open with the last looks.

    `PooledDetecting` proves some labels and says of the others, by the surpluses of their pools,
    how likely each label is. By luck some pools end far ahead and some with nothing. The last looks
    even that out: `ChampionChallenger` starts from these probabilities, parks what is far ahead,
    and spends its answers on the rest. A tail of a few per cent of the looks adds up to 10 % of
    the gain.

    How long the second round and the tail are follows from what a look gains in the design and what
    the rate-distortion law says of the posteriors that it leaves: see `stages`.

    Departures
    ----------
    Not in the paper. With 4 to 32 classes and enough looks there is a second round between design
    and tail, on what the first left open. Labels that the digits prove are shown in every look of
    the tail, and no look is spent on checking the guess. That the labels in a pool add up to a
    known surplus is not used in the tail. If no tail is worth its looks, it plays as
    `PooledDetecting`.

    Parameters
    ----------
    answers
        Exact, or rounded to less than one match.
    tail, second
        How many looks to leave to the tail, and to a second round before it; None: as many as are
        expected to be best.

    Examples
    --------
    >>> hidden = np.random.default_rng(1).integers(10, size=1000)
    >>> attack = SteeredPools(Problem(1000, 10, 200), rng=np.random.default_rng(2))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell((query == hidden).mean())
    >>> sure, guess = attack.certain(), attack.predict()
    >>> int((guess == hidden).sum()) > 250, bool((guess == hidden)[sure].all())
    (True, True)
    """

    family = "steering"
    summary = "reads pools, then steers the rest"
    plays_rest = True
    strongest_by_forecast = True
    intolerance = PooledDetecting.intolerance
    effort = 30.0
    results = 3  # since 3: the design is that of `PooledDetecting`, version 3

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be planned with: its exact sum would take too long."""
        return super().obstacle(setting) or too_many_to_plan(setting.problem)

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        answers: AnswerModel | None = None,
        tail: int | None = None,
        second: int | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, answers=answers)
        n, m, k = self._problem
        looks = self._best.tail if tail is None else check_at_least("tail", tail, 0)
        if looks >= k:
            raise InvalidInput(f"tail must be less than n_queries = {k}, got {looks}.")
        if second is None:
            # A tail that was asked for may leave too few looks to the first round.
            rows = self._best.second
            rows = rows if looks + 2 * rows < k else 0
        else:
            rows = check_at_least("second", second, 0)
            if looks + rows >= k:
                raise InvalidInput(
                    f"second must be less than {k - looks}, the looks that the tail leaves, "
                    f"got {rows}."
                )
        self._permuted = permuted
        design, first = Problem(n, m, k - looks), np.random.default_rng([self._seed, 1])
        self._first = (
            TwoRounds(design, rng=first, permuted=permuted, second=rows)
            if rows >= 2
            else PooledDetecting(design, rng=first, permuted=permuted)
        )

    @property
    def _best(self) -> Stages:
        return best_stages(self._problem)

    def _second_stage(self, open_: NDArray[np.intp], looks: int) -> ChampionChallenger:
        m = self._problem.n_classes
        prior = self._first.posterior(open_)
        # A pool of two classes has known numbers of both: the first query, the likeliest labels,
        # is answered without a look.
        known = m == 2
        tail = ChampionChallenger(
            Problem(open_.size, m, looks + known),
            rng=np.random.default_rng([self._seed, 2]),
            permuted=self._permuted,
            prior=prior,
            check_guess=False,
        )
        if known:
            tail.ask()
            tail.tell(round(float(prior.ranked(1)[1].sum())) / open_.size)
        return tail
