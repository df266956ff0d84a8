"""An attack and a rule of somebody's own, outside the package."""

from dataclasses import dataclass

import numpy as np

from holdfast import Problem
from holdfast.attacks.description import Described
from holdfast.rules import Rounding


class Halves(Described):
    """Guesses label 0 and label 1, and keeps the better."""

    family = "climbing"
    summary = "keeps the better of two labels"

    def __init__(self, problem, *, rng):
        self.problem = Problem(*problem)
        self._scores = []

    def ask(self):
        n, _, k = self.problem
        at = len(self._scores)
        return None if at >= min(2, k) else np.full(n, at)

    def tell(self, answer):
        self._scores.append(answer)

    def predict(self):
        best = int(np.argmax(self._scores)) if self._scores else 0
        return np.full(self.problem.n_examples, best)


class Clumsy(Halves):
    """Breaks at its first answer."""

    def tell(self, answer):
        raise ZeroDivisionError("of its own making")


class Weighted(Halves):
    """Keeps the label with the largest weight."""

    def __init__(self, problem, *, rng, weights):
        super().__init__(problem, rng=rng)
        self._label = int(np.argmax(weights))

    def predict(self):
        return np.full(self.problem.n_examples, self._label)


COARSE = Rounding(1)


@dataclass(frozen=True)
class Blunt(Rounding):
    """Rounds to a decimal, and has a setting that no text form knows."""

    decimals: int = 1
    width: float = 0.5


@dataclass(frozen=True)
class Pairwise(Rounding):
    """Rounds, with settings that no text can tell."""

    decimals: int = 2
    steps: tuple = ()


@dataclass(frozen=True)
class NoRule:
    """Not a release rule."""
