"""Play an attack under an answer model, for tests: labels in, prediction out."""

import numpy as np

from holdfast.answers import (
    AnswerModel,
    ExactAnswers,
    NoisyAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks.base import LabelAttack
from holdfast.labels import Labels


def released(
    hits: np.ndarray, model: AnswerModel | None, scored: np.ndarray, rng: np.random.Generator
) -> float:
    """The answer that a host following the model gives for these hits."""
    accuracy = float(hits.mean())
    match model:
        case None | ExactAnswers():
            return accuracy
        case RoundedAnswers(step):
            return round(accuracy / step) * step
        case NoisyAnswers(scale):
            return accuracy + scale * float(rng.normal())
        case SubsetAnswers():
            return float(hits[scored].mean())
        case _:
            raise NotImplementedError(model)


def play_under(
    attack: LabelAttack,
    hidden: Labels,
    model: AnswerModel | None = None,
    rng: np.random.Generator | None = None,
    scored: np.ndarray | None = None,
) -> Labels:
    """Answer all queries of `attack` as the model says and return its prediction."""
    rng = rng or np.random.default_rng(0)
    scored = np.arange(hidden.size) if scored is None else scored
    while (query := attack.ask()) is not None:
        attack.tell(released(query == hidden, model, scored, rng))
    return attack.predict()


def model_guess(
    hidden: Labels, n_classes: int, confidence: np.ndarray, rng: np.random.Generator
) -> Labels:
    """A calibrated model's guesses: example j is right with probability confidence[j]."""
    wrong = (hidden + rng.integers(1, n_classes, size=hidden.size)) % n_classes
    return np.where(rng.random(hidden.size) < confidence, hidden, wrong)
