"""Mixture of two attacks: some labels made certain first, the rest gambled on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel
from holdfast.attacks import ChampionChallenger, Lattice
from holdfast.attacks.description import Described
from holdfast.attacks.exact.lattice.looks import lattice_looks
from holdfast.attacks.registry import attack_type, build
from holdfast.attacks.two_stages import TwoStages
from holdfast.errors import InvalidInput
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Attack

__all__ = ["FIRST_STAGE_RESERVE", "Mixture", "part_of"]

# Looks that are set aside for the first stage, as a multiple of what it takes on average.
FIRST_STAGE_RESERVE = 1.02
# Labels of an example that keep their own probability when a prior is cut; the rest share.
LABELS_RANKED = 64


class Mixture(TwoStages):
    r"""Recover the labels of t examples exactly, then play another attack on the others.

    A look spent on certainty gains about log2(k)/(2 log2 m) labels, whether there are many looks or
    few; a look spent on luck gains less the more looks there are. So with many looks both are
    worth having: `Lattice` works on t examples while the others show one label, and then those t
    labels are shown in every query and the looks that are left belong to the others. Their answers
    are exact answers again, since the t matches are known.

    Departures
    ----------
    Not in the paper. An example that the first stage leaves open, since it ran out of looks, is
    played in the second with the others.

    Parameters
    ----------
    n_certain
        t, the number of examples to make certain; with a prior, the least sure ones.
    rest
        The attack on the others, or its name.
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities.
    answers
        What a released answer tells: exact answers, or rounded to less than one match.

    Examples
    --------
    >>> hidden = np.random.default_rng(1).integers(3, size=200)
    >>> attack = Mixture(Problem(200, 3, 60), rng=np.random.default_rng(2), n_certain=60)
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell((query == hidden).mean())
    >>> sure = attack.certain()
    >>> int(sure.sum()) >= 60, bool((attack.predict() == hidden)[sure].all())
    (True, True)
    """

    summary = "recovers some labels, gambles on others"
    intolerance = "its first stage reads digits from sums of counts"
    takes_prior = True

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        n_certain: int,
        rest: str | type[Described] = ChampionChallenger,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
    ) -> None:
        super().__init__(problem, rng=rng, answers=answers)
        n = self._problem.n_examples
        if check_at_least("n_certain", n_certain, 0) > n:
            raise InvalidInput(f"n_certain must be at most n_examples = {n}, got {n_certain}.")
        self._prior = prior if prior is None or isinstance(prior, Prior) else Prior.dense(prior)
        self._permuted = permuted
        self._rest = attack_type(rest) if isinstance(rest, str) else rest
        if self._prior is None:
            chosen = np.arange(n_certain)
        else:
            self._prior.check_fits(self._problem)
            chosen = np.argsort(self._prior.ranked(1)[1][:, 0], kind="stable")[:n_certain]
        _, m, k = self._problem
        # With enough looks for all of them the first stage need not be careful: told of more, it
        # takes up all t at once.
        ample = FIRST_STAGE_RESERVE * lattice_looks(n_certain, m) <= k
        self._first = Lattice(
            Problem(n, m, 2 * k) if ample else self._problem,
            rng=np.random.default_rng([self._seed, 1]),
            permuted=permuted,
            prior=self._prior,
            positions=np.sort(chosen),
        )

    def _second_stage(self, open_: NDArray[np.intp], looks: int) -> Attack[Labels]:
        return build(
            self._rest,
            self._rest.usable(Problem(open_.size, self._problem.n_classes, looks)),
            np.random.default_rng([self._seed, 2]),
            permuted=self._permuted,
            prior=None if self._prior is None else part_of(self._prior, open_),
        )


def part_of(prior: Prior, examples: NDArray[np.intp]) -> Prior:
    """Return the prior of some of the examples.

    >>> part_of(Prior.dense([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]), np.array([0, 2])).top()
    array([1, 0], dtype=uint8)
    """
    labels, probabilities = prior.ranked(min(prior.n_classes, LABELS_RANKED))
    return Prior.candidates(labels[examples], probabilities[examples], prior.n_classes)
