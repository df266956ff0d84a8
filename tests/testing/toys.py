"""A toy attack and a toy rule, as somebody else might write them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from holdfast.answers import RoundedAnswers
from holdfast.attacks.base import LabelAttack
from holdfast.rules import Rule


class BestOfRandom(LabelAttack):
    """Ask random labels, and predict those with the highest answer."""

    family = "climbing"

    def __init__(self, problem, *, rng):
        super().__init__(problem, rng=rng)
        self._best, self._most = self._query(0), -1.0

    def _query(self, index):
        n, m, _ = self._problem
        self._asked = np.random.default_rng([self._seed, index]).integers(m, size=n)
        self._asked = self._asked.astype(self._dtype)
        return self._asked.copy()

    def _receive(self, count):
        if count > self._most:
            self._best, self._most = self._asked, count

    def _guess(self):
        return self._best.copy()


@dataclass(frozen=True)
class Halves(Rule):
    """Release whether at least half of the examples are right."""

    name: ClassVar[str] = "halves"
    source: ClassVar[str] = "a toy"

    def pass_on(self, state, reading, rng):
        return reading.with_value(Fraction(reading.value >= Fraction(1, 2))), state

    def answer_model(self, problem):
        return RoundedAnswers(step=1.0)

    def resolution(self, problem):
        return 0.5
