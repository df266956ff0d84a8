"""Stacking of several models by a few scored looks, then champion against challenger."""

from __future__ import annotations

import math

import numpy as np

from holdfast.answers import AnswerModel
from holdfast.attacks.description import Needs
from holdfast.attacks.informed import InformedAttack, renumbered
from holdfast.attacks.steering.champion_challenger import ChampionChallenger
from holdfast.errors import InconsistentAnswer, InvalidInput
from holdfast.labels import Labels
from holdfast.problem import Problem
from holdfast.setting import Setting
from holdfast.votes import Stack, Votes

__all__ = ["VoteStacking"]

# One look in so many scores a model, but the first few looks all do: they tell most.
SCORING, FIRST = 4, 15
# Looks that `ChampionChallenger` needs to be worth starting: its first, one more, and its check.
LEAST_LOOKS_OF_REST = 3


class VoteStacking(InformedAttack):
    r"""Score the models that promise most, stack their votes, and challenge the result.

    A look at a model's own labels tells how often it is right. With that and with how often any
    two models agree, which nobody has to be asked for, the best weighted vote is known
    (`holdfast.votes`). The first quarter of the looks goes to models, always to the one whose
    predicted accuracy is highest given the ones scored so far; one look tells how often the
    weighted vote is right and makes it a calibrated prior; with the others `ChampionChallenger`
    starts from there.

    Every look is a labelling with a known score. Under exact answers the best of them is
    returned if the guess turned out worse: the result is never below the best model scored.

    The argument and measured gains: docs/attacks/steering.md

    Departures
    ----------
    Not in the paper. No hidden label is used but through answers. If there are more models than
    a quarter of the looks, one that was not scored may be better than those that were.

    Parameters
    ----------
    votes
        What the models say.
    problem
        The sizes to play for; every look counts, those at models too.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2) after the models
        were scored.
    answers
        What a released answer tells: exact, rounded, noisy, or of a scored subset.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> hidden = rng.integers(5, size=1000)
    >>> models = [np.where(rng.random(1000) < 0.7, hidden, rng.integers(5, size=1000))
    ...           for _ in range(4)]
    >>> attack = VoteStacking(Votes(np.array(models).T, 5), Problem(1000, 5, 40), rng=rng)
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell((query == hidden).mean())
    >>> best = max((model == hidden).sum() for model in models)
    >>> int((attack.predict() == hidden).sum()) - int(best) > 80
    True
    """

    family = "steering"
    summary = "stacks models' votes, challenges the result"
    adaptive = True
    needs = Needs.VOTES
    takes_prior = False
    tolerates = ChampionChallenger.tolerates
    intolerance = ChampionChallenger.intolerance
    effort = 600.0

    @classmethod
    def obstacle(cls, setting: Setting) -> str:  # noqa: ARG003
        """Return why no plan has a figure for it."""
        return "starts from the votes of several models, which a plan is not made from"

    def __init__(
        self,
        votes: Votes,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        answers: AnswerModel | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, permuted=permuted, answers=answers)
        n, m, k = self._problem
        if not isinstance(votes, Votes):
            raise InvalidInput(f"votes must be holdfast.votes.Votes, got {type(votes).__name__}.")
        if (votes.n_examples, votes.n_classes) != (n, m):
            raise InvalidInput(
                f"votes must have {n} examples and {m} classes, "
                f"got {votes.n_examples} and {votes.n_classes}."
            )
        self._votes = votes
        self._permuted = permuted
        self._error = math.sqrt(self._answers.variance(self._problem)) / n
        self._n_scored = min(votes.n_models, max(1, min(k - 1, FIRST), k // SCORING))
        self._scored: dict[int, float] = {}
        self._stack: Stack = votes.stack()
        self._accuracy: float | None = None  # of the stack
        self._rest: ChampionChallenger | None = None
        self._asked: Labels = self._stack.top()
        self._seen: list[tuple[float, Labels]] = []  # scores: best so far, the stack's, the last

    @property
    def n_scored(self) -> int:
        """How many looks, the first ones, go to single models."""
        return self._n_scored

    def _query(self, index: int) -> Labels | None:
        if index < self._n_scored:
            self._model = self._next_model()
            query: Labels | None = self._votes.column(self._model)
        elif self._accuracy is None:
            query = self._stack.top()
        else:
            query = self._played(index)
        if query is not None:
            self._asked = query.copy()
        return query

    def _next_model(self) -> int:
        predicted = self._votes.accuracies(self._scored)
        predicted[list(self._scored)] = -1.0
        return int(predicted.argmax())

    def _played(self, index: int) -> Labels | None:
        """Return the next query of the attack that starts from the stack."""
        n, m, k = self._problem
        if self._rest is None:
            if k - index < LEAST_LOOKS_OF_REST:
                return None
            self._rest = ChampionChallenger(
                Problem(n, m, k - index),
                rng=np.random.default_rng(self._seed),
                permuted=self._permuted,
                prior=self._stack.prior(self._accuracy),
                answers=self._answers,
            )
        return self._rest.ask()

    def _take(self, answer: float) -> None:
        if self._rest is not None:
            try:
                self._rest.tell(answer)
            except InconsistentAnswer as error:
                raise renumbered(error, self._answered) from None
        super()._take(answer)

    def _learn(self, low: int, high: int, estimate: float) -> None:  # noqa: ARG002
        share = min(max(estimate / self._problem.n_examples, 0.0), 1.0)
        if self._answered < self._n_scored:
            self._scored[self._model] = share
            if len(self._scored) == self._n_scored:
                self._stack = self._votes.stack(self._scored, self._error)
        elif self._rest is None:
            self._accuracy = share
        self._remember(estimate, keep=self._rest is None and self._accuracy is not None)

    def _remember(self, estimate: float, keep: bool) -> None:
        """Note the score of the last query; keep the stack's for good."""
        now = (estimate, self._asked)
        best = now if not self._seen or estimate > self._seen[0][0] else self._seen[0]
        stack = now if keep else self._seen[1] if len(self._seen) > 2 else best
        self._seen = [best, stack, now]

    def _guess(self) -> Labels:
        guess = self._stack.top() if self._rest is None else self._rest.predict()
        if self._error > 0.0 or not self._seen:
            return guess
        score = next((x for x, labels in self._seen if np.array_equal(labels, guess)), None)
        # A guess whose score is not known yet is expected to be better than what was asked. The
        # stack alone is not: until it was asked, the best model is returned.
        if score is None and self._rest is not None:
            return guess
        return self._seen[0][1].copy()
