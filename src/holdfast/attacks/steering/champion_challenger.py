"""Champion against challenger: adaptive reverse water-filling, for few and middling looks."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.answer_likelihood import truncated_normal
from holdfast.attacks.description import Needs, Reads
from holdfast.attacks.informed import InformedAttack
from holdfast.attacks.steering.candidate_labels import CandidateTable
from holdfast.attacks.steering.linear_posterior import AnsweredQuery, Codes, LinearPosterior
from holdfast.attacks.steering.multiclass_pairing import (
    LabelHistory,
    multiclass_level,
    multiclass_pairing,
)
from holdfast.attacks.steering.water_filling import lagrange_slope, pair_labels
from holdfast.errors import InconsistentAnswer
from holdfast.kernels.keyed import subkey
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["AnytimeChampionChallenger", "ChampionChallenger", "n_windows", "remembered_looks"]

# Nats that an exact answer is worth, less a tenth for what ends above or below the level.
NATS_PER_LOOK = 0.45
# The last query of a window has no later one to correct it: park a little earlier.
LAST_LOOK_LEVEL = 0.85
# Looks that the anytime attack plans ahead: a share of those it has had, and a few.
PLANNED_SHARE = 0.3
PLANNED_AT_LEAST = 3.0
# Looks per window: its cost grows with the square of them.
WINDOW_LOOKS = 600
# With many classes a posterior soon is far from linear: better to begin anew from the estimates
# after a few answers than to remember exactly how positions vary together.
MANY_CLASSES, SHORT_MEMORY = 32, 64


class ChampionChallenger(InformedAttack):
    r"""Let each position's best label play its second best until it leads by a common margin.

    Each answer has one number in it that could not be foreseen, and it moves the estimates of all
    positions at once, up or down along the query's new direction: its energy, the sum of squares,
    is 1/m whatever is asked. What can be chosen is where it goes. A guess gains most, sqrt(kn/m)
    for k answers, if every position ends with one label ahead by the same margin. Fixed designs
    cannot arrange that: by luck some positions end with a large lead and some with none. Here a
    position that has reached the margin is parked and shows its best label from then on; the
    others play champion against challenger at random, and share the rest of the answers.

    The argument and measured gains: docs/attacks/steering.md

    Departures
    ----------
    The past labels are kept, as one byte a look and position of the window in play (6 MB at
    n = 10^4): an adaptive query cannot be made again from a seed. More than 600 looks are split
    into windows of positions with their own share of looks, all others showing one fixed label.
    From 32 classes on, without a prior, there are no windows: after every 64 answers the estimates
    become the prior of the next 64. With 200 classes or more, n_classes // 100 neighbouring
    examples always show the same label and count as one position. With a prior and exact answers
    the last look is spent on the guess itself, unless `check_guess` is off, and the model's own
    labels are returned if they scored higher.

    Parameters
    ----------
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities.
    answers
        What a released answer tells: exact, rounded, noisy, or of a scored subset.
    check_guess
        Off: no look is spent on the guess itself. For a prior that can be trusted, such as what
        earlier answers say.

    Examples
    --------
    >>> hidden = np.random.default_rng(1).integers(10, size=1000)
    >>> attack = ChampionChallenger(Problem(1000, 10, 50), rng=np.random.default_rng(2))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell((query == hidden).mean())
    >>> int((attack.predict() == hidden).sum()) > 130
    True
    """

    family = "steering"
    summary = "plays best against second-best labels"
    plays_rest = True
    adaptive = True
    tolerates = frozenset({ExactAnswers, RoundedAnswers, NoisyAnswers, SubsetAnswers})
    intolerance = "a comparison alone gives no count to learn from"
    strongest_on = frozenset({Reads.SCORES})
    accounts: ClassVar[int | None] = None
    effort = 600.0

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
        check_guess: bool = True,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, prior=prior, answers=answers)
        self._may_check = check_guess
        self._exact = self._answers.variance(self._problem) == 0.0
        self._fraction = self._answers.fraction if isinstance(self._answers, SubsetAnswers) else 1.0
        self._worth = self._fraction  # share of an answer's nats that is not noise
        nats = NATS_PER_LOOK * self._worth * self._problem.n_queries
        self._table = CandidateTable(self._problem, self._prior, nats)
        self._two_ahead = self._table.informed or self._problem.n_classes == 2
        self._memory = remembered_looks(
            self._table.n_positions, self._problem.n_classes, informed=self._table.informed
        )
        self._windows = self._split()
        self._entered = 0  # windows entered so far
        self._began = 0  # the look after which the window in play began
        self._ends = 0  # the look before which it ends
        self._posterior: LinearPosterior | None = None  # of the window in play
        self._shown = LabelHistory(0)  # in the window in play
        self._look: AnsweredQuery | None = None  # the open query of the window in play
        self._level = 0.0
        self._first = (0.0, 0.0)  # count of the first query, variance of its error
        self._guess_count: float | None = None  # count of the guess itself
        self._guessed: Codes = np.zeros(self._table.n_positions, dtype=np.uint8)

    @property
    def _checks_guess(self) -> bool:
        informed = self._table.informed and self._exact and self._problem.n_queries >= 3
        return self._may_check and informed

    def _split(self) -> list[NDArray[np.intp]]:
        """Return the positions of each window, every one a cross-section of those in play."""
        in_play = self._table.in_play
        parts = n_windows(in_play.size, self._problem.n_queries, self._memory)
        return [in_play[start::parts] for start in range(parts)]

    def _planned(self, index: int) -> float:
        """Return how many looks, this one included, the window in play should plan for."""
        return float(self._ends - index)

    def _query(self, index: int) -> Labels | None:
        self._look = None
        if index == 0:
            return self._sent(self._guessed)
        if self._guess_count is not None:
            return None
        if not (self._checks_guess and index == self._problem.n_queries - 1):
            while self._posterior is not None or self._enter(index):
                self._look = self._next_look(index)
                if self._look is not None:
                    codes = np.zeros_like(self._guessed)
                    codes[self._windows[self._entered - 1]] = self._look.codes
                    return self._sent(codes)
                self._leave()
        self._leave()
        return self._sent(self._guessed) if self._checks_guess else None

    def _learn(self, low: int, high: int, estimate: float) -> None:
        if self._look is not None and self._posterior is not None:
            count, noise = self._observed(self._look, low, high, estimate)
            self._posterior.tell(self._look, count, noise)
            self._shown.add(self._look.codes)
            if noise > 0.0:
                explained = self._look.variance / (self._look.variance + noise)
                self._worth += 0.2 * (self._fraction * explained - self._worth)
        elif self._answered > 0:
            self._guess_count = estimate
        else:
            everything = self._table.posterior(self._table.in_play, 1, self._fraction)
            zeros = np.zeros(self._table.in_play.size, dtype=np.uint8)
            self._first = self._observed(everything.look(zeros), low, high, estimate)

    def _guess(self) -> Labels:
        guessed = self._guessed.copy()
        if self._guess_count is not None:
            worse = self._guess_count < self._first[0]
            return self._sent(np.zeros_like(guessed) if worse else guessed)
        if self._posterior is not None:
            guessed[self._windows[self._entered - 1]] = self._posterior.best()
        elif self._entered == 0 and self._answered > 0:
            guessed[self._table.in_play] = self._started(self._table.in_play, 0).best()
        return self._sent(guessed)

    def _enter(self, index: int) -> bool:
        """Begin the next window with its share of the looks left; False if there is none."""
        if self._entered == len(self._windows):
            return False
        left = self._problem.n_queries - index - self._checks_guess
        share = -(-left // (len(self._windows) - self._entered))
        self._posterior = self._started(self._windows[self._entered], share)
        self._entered += 1
        self._began, self._ends = index - 1, index + share
        return True

    def _leave(self) -> None:
        """Keep the guess of the window in play and end it."""
        if self._posterior is not None:
            self._guessed[self._windows[self._entered - 1]] = self._posterior.best()
            self._posterior = None

    def _started(self, window: NDArray[np.intp], looks: int) -> LinearPosterior:
        """Return the belief on a window's positions after the first answer."""
        looks = min(looks, self._memory)
        posterior = self._table.posterior(window, looks + 1, self._fraction)
        zeros = np.zeros(window.size, dtype=np.uint8)
        posterior.tell(posterior.look(zeros), *self._first)
        self._shown = LabelHistory(window.size)
        return posterior

    def _next_look(self, index: int) -> AnsweredQuery | None:
        """Return the next query in the window; None if nothing is left to ask there."""
        posterior, planned = self._posterior, self._planned(index)
        assert posterior is not None
        if planned <= 0.0:
            return None
        if posterior.full:
            posterior.forget()
        elif self._memory < WINDOW_LOOKS and self._fraction == 1.0 and posterior.strained:
            posterior.recentre()
        estimates = posterior.estimates
        nats = NATS_PER_LOOK * self._worth * planned / self._table.group
        alike = self._table.alike(len(estimates))
        self._level = lagrange_slope(estimates, nats, alike=alike, start=self._level)
        slope = self._level * (LAST_LOOK_LEVEL if planned <= 1.0 else 1.0)
        looks = planned + index - self._began
        slope *= 1.0 if self._two_ahead else multiclass_level(looks)
        # Seeded by a word that stays, so that games stay the same.
        rng = np.random.default_rng([int(subkey(self._seed, "coins")), index])
        while slope < math.inf:
            uniforms = rng.random(estimates.shape[1:])
            if self._two_ahead:
                codes, playing = pair_labels(estimates, slope, uniforms)
            else:
                codes, playing = multiclass_pairing(
                    estimates, self._shown, slope, uniforms, left=planned, looks=looks
                )
            look = posterior.look(codes)
            if playing and look.novel:
                return look
            # Everybody is parked, or the answer is known: go on beyond the level.
            slope = 2.0 * slope if playing < estimates.shape[1] else math.inf
        # First-order estimates leave no doubt; they are sure only once any answer is known.
        look = posterior.look(rng.integers(posterior.n_labels, size=codes.size, dtype=np.uint8))
        return look if look.novel else None

    def _observed(
        self, look: AnsweredQuery, low: int, high: int, estimate: float
    ) -> tuple[float, float]:
        """Return the count that an answer stands for and the variance of its error."""
        if isinstance(self._answers, RoundedAnswers) and high > low:
            return _as_noisy(look, low - 0.5, high + 0.5)
        if self._exact and not look.novel and abs(estimate - look.mean) > 0.5:
            raise InconsistentAnswer(
                f"answer must belong to {look.mean:.0f} matches, which "
                f"the answers before it imply, got {estimate:.0f}.",
                query=self._answered,
            )
        noisy = isinstance(self._answers, NoisyAnswers)
        return estimate, self._answers.variance(self._problem) if noisy else 0.0

    def _sent(self, codes: Codes) -> Labels:
        return self._shifted(self._table.labels(codes))


class AnytimeChampionChallenger(ChampionChallenger):
    r"""Champion against challenger when nobody knows which look will be the last.

    The level at which a position is parked follows from the looks that are still to come. Here it
    is set as if there were three more for every ten answered so far, at every look anew: stopped
    at any time, the guess is within a tenth of what a fixed budget would have reached.

    The argument and measured gains: docs/attacks/steering.md

    Departures
    ----------
    As `ChampionChallenger`, but there are no windows, which would leave the later ones unasked,
    and no look is kept back to check the guess. After every 600 answers the estimates become the
    prior of the next 600, and what the answers said of pairs of positions is forgotten.

    Parameters
    ----------
    problem
        The sizes to play for; n_queries is the most looks there can be.
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities.
    answers
        What a released answer tells: exact, rounded, noisy, or of a scored subset.

    Examples
    --------
    >>> hidden = np.random.default_rng(1).integers(10, size=1000)
    >>> problem = Problem(1000, 10, 10_000)
    >>> attack = AnytimeChampionChallenger(problem, rng=np.random.default_rng(2))
    >>> for look in range(50):
    ...     attack.tell((attack.ask() == hidden).mean())
    >>> int((attack.predict() == hidden).sum()) > 130
    True
    """

    summary = "plays best against second-best, open-ended"
    needs = Needs.OPEN_END
    strongest_on = frozenset()
    accounts = 1

    @property
    def _checks_guess(self) -> bool:
        return False

    def _split(self) -> list[NDArray[np.intp]]:
        return [self._table.in_play]

    def _planned(self, index: int) -> float:
        return PLANNED_AT_LEAST + PLANNED_SHARE * index


def _as_noisy(look: AnsweredQuery, low: float, high: float) -> tuple[float, float]:
    """Return the noisy count that would change a normal belief as this interval does.

    A normal count of mean u and variance v inside an interval has mean u' and variance v' < v:
    so has one that was observed as u + (u' - u) v / (v - v') with an error of variance
    v v' / (v - v').
    """
    sd = math.sqrt(max(look.variance, 1e-12))
    ends = (np.array([end]) for end in ((low - look.mean) / sd, (high - look.mean) / sd))
    mean, variance = (float(each[0]) for each in truncated_normal(*ends))
    if variance > 1.0 - 1e-9:  # the interval says nothing
        return look.mean, 1e12 * max(look.variance, 1.0)
    gain = 1.0 / (1.0 - variance)
    return look.mean + sd * mean * gain, sd * sd * variance * gain


def remembered_looks(n_positions: int, n_classes: int, *, informed: bool) -> int:
    """Return after how many answers the estimates become a prior.

    >>> remembered_looks(1000, 10, informed=False), remembered_looks(1000, 100, informed=False)
    (600, 64)
    """
    forgetful = n_classes >= MANY_CLASSES and not informed and n_positions > WINDOW_LOOKS
    return SHORT_MEMORY if forgetful else WINDOW_LOOKS


def n_windows(n_positions: int, n_queries: int, remembered: int) -> int:
    """Return how many windows share the looks; one that forgets has no need of others.

    >>> n_windows(1000, 1300, 600), n_windows(1000, 1300, 64)
    (3, 1)
    """
    return 1 if remembered < WINDOW_LOOKS else min(-(-n_queries // WINDOW_LOOKS), n_positions)
