"""Release rules that only tests need."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coarse:
    """Release one decimal, and remember the exact count: the worst a rule could keep."""

    def init(self, problem):
        return {"best": 0, "history": []}

    def release(self, state, evaluation, rng):
        best = max(state["best"], evaluation.matches)
        accuracy = evaluation.matches / evaluation.n_examples
        history = [*state["history"], evaluation.matches, accuracy]
        return round(accuracy, 1), {"best": best, "history": history}


@dataclass(frozen=True)
class Talkative:
    """Fail with the exact score in the message and in the frame."""

    def init(self, problem):
        return {}

    def release(self, state, evaluation, rng):
        exact = evaluation.matches / evaluation.n_examples
        raise ValueError(f"can't release {exact} = {evaluation.matches} matches")


@dataclass(frozen=True)
class Noise:
    """Release a random number."""

    def init(self, problem):
        return {}

    def release(self, state, evaluation, rng):
        return float(rng.random()), state
