"""Release rules that only tests need."""

from dataclasses import dataclass
from fractions import Fraction

from holdfast.rules import Rule


@dataclass(frozen=True)
class Coarse(Rule):
    """Release one decimal, and remember the exact count: the worst a rule could keep."""

    def init(self, problem):
        return {"best": 0, "history": []}

    def pass_on(self, state, reading, rng):
        matches = reading.evaluation.matches
        accuracy = matches / reading.evaluation.n_examples
        history = [*state["history"], matches, accuracy]
        after = {"best": max(state["best"], matches), "history": history}
        return reading.with_value(Fraction(str(round(accuracy, 1)))), after


@dataclass(frozen=True)
class Talkative(Rule):
    """Fail with the exact score in the message and in the frame."""

    def pass_on(self, state, reading, rng):
        matches = reading.evaluation.matches
        exact = matches / reading.evaluation.n_examples
        raise ValueError(f"can't release {exact} = {matches} matches")


@dataclass(frozen=True)
class Noise(Rule):
    """Release a random number."""

    def pass_on(self, state, reading, rng):
        return reading.with_value(Fraction(float(rng.random()))), state
