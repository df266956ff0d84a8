"""MessagePassing: state evolution against play, exact recovery above the threshold, answers."""

import math

import numpy as np
import pytest

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks.designs import message_passing
from holdfast.attacks.designs.label_subset import LabelSubset
from holdfast.attacks.designs.message_passing import MessagePassing, state_evolution
from holdfast.attacks.designs.subset_design import one_step_accuracy
from holdfast.problem import Problem
from tests.attacks.released import play_under


def accuracies(problem: Problem, trials: int, **options: object) -> np.ndarray:
    n, m, _ = problem
    out = np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((3, trial))
        hidden = rng.integers(m, size=n)
        attack = MessagePassing(problem, rng=rng, **options)  # type: ignore[arg-type]
        model = options.get("answers")
        assert model is None or isinstance(model, AnswerModel)
        out[trial] = (play_under(attack, hidden, model, rng) == hidden).mean()
    return out


@pytest.mark.parametrize(
    ("problem", "r", "model"),
    [
        (Problem(1000, 10, 200), 4, ExactAnswers()),
        (Problem(1500, 10, 200), 4, RoundedAnswers(0.01)),
        (Problem(1000, 10, 600), 10, ExactAnswers()),
        (Problem(1000, 2, 200), 2, ExactAnswers()),
        (Problem(1000, 2, 200), 2, NoisyAnswers(0.005)),
    ],
    ids=str,
)
def test_state_evolution_predicts_the_accuracy(
    problem: Problem, r: int, model: AnswerModel
) -> None:
    got = accuracies(problem, 15, answers=model, n_labels=r)
    expected = state_evolution(problem, r, model)
    error = got.std() / math.sqrt(got.size)
    # State evolution is the limit of many examples; at 1000 it is within 4 % of the bias.
    assert abs(got.mean() - expected) < 4 * error + 0.04 * (expected - problem.baseline)


@pytest.mark.parametrize(("m", "ratio"), [(2, 0.62), (3, 1.0), (10, 2.3)])
def test_every_label_is_found_above_the_threshold(m: int, ratio: float) -> None:
    # Thresholds k/n in the limit are .48, .79 and 1.81; n = 600 needs up to a third more.
    problem = Problem(600, m, round(600 * ratio))
    assert accuracies(problem, 3, n_labels=m).tolist() == [1.0] * 3


def test_labels_that_were_not_shown_are_found_by_exclusion() -> None:
    problem = Problem(600, 3, 900)
    assert accuracies(problem, 3, n_labels=2).tolist() == [1.0] * 3


def test_it_beats_one_step_on_the_same_answers() -> None:
    problem, trials = Problem(800, 10, 640), 8
    over = np.empty(trials)
    for trial in range(trials):
        hidden = np.random.default_rng((8, trial)).integers(10, size=800)
        scores = []
        for attack in (MessagePassing, LabelSubset):
            rng = np.random.default_rng(trial)
            guess = play_under(attack(problem, rng=rng, n_labels=5), hidden)
            scores.append((guess == hidden).sum())
        over[trial] = scores[0] - scores[1]
    assert over.mean() > 4 * over.std() / math.sqrt(trials)


def test_state_evolution_never_falls_below_one_step() -> None:
    for problem in (Problem(10_000, 10, 300), Problem(10_000, 100, 1000), Problem(900, 2, 90)):
        for r in (2, problem.n_classes):
            one = one_step_accuracy(problem, r, ExactAnswers())
            # Sampling error of the state evolution: about 1 % of the bias.
            assert state_evolution(problem, r, ExactAnswers()) > one - 0.02 * (one - 1 / problem[1])


def test_rows_made_again_give_the_same_guess_as_rows_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = np.random.default_rng(0).integers(4, size=300)
    guesses = []
    for kept in (message_passing.MOST_BYTES_KEPT, 0):
        monkeypatch.setattr(message_passing, "MOST_BYTES_KEPT", kept)
        attack = MessagePassing(Problem(300, 4, 80), rng=np.random.default_rng(1))
        guesses.append(play_under(attack, hidden))
    np.testing.assert_array_equal(*guesses)
