"""What attacks with a prior and an answer model share: input checks before anything changes."""

import numpy as np
import pytest

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks import ChampionChallenger, HadamardBlocks, LabelSubset, MessagePassing
from holdfast.attacks.informed import InformedAttack
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels
from holdfast.priors import Prior
from holdfast.problem import Problem
from tests.attacks.released import model_guess, play_under

PROBLEM = Problem(1000, 4, 3)


class Recorder(InformedAttack):
    """Asks zeros and remembers what it learns."""

    intolerance = "it only counts"

    def __init__(self, **options: object) -> None:
        super().__init__(PROBLEM, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]
        self.learned: list[tuple[int, int, float]] = []

    def _query(self, index: int) -> Labels:
        return self._shifted(0)

    def _learn(self, low: int, high: int, estimate: float) -> None:
        self.learned.append((low, high, estimate))

    def _guess(self) -> Labels:
        return self._shifted(0)


def test_answers_arrive_as_counts() -> None:
    attack = Recorder()
    attack.ask()
    attack.tell(0.25)
    assert attack.learned == [(250, 250, 250.0)]


def test_an_impossible_answer_names_the_query_and_changes_nothing() -> None:
    attack = Recorder()
    attack.ask()
    attack.tell(0.25)
    attack.ask()
    with pytest.raises(InconsistentAnswer, match="Query 1: answer must belong to a match count"):
        attack.tell(0.2505)
    assert attack.answered == 1
    attack.tell(0.25)
    assert attack.answered == 2


def test_intolerance_is_said_before_the_first_query() -> None:
    with pytest.raises(NotSupported, match=r"Recorder needs ExactAnswers, got Noisy.*only counts"):
        Recorder(answers=NoisyAnswers(0.1))
    Recorder(answers=RoundedAnswers(0.001))
    with pytest.raises(InvalidInput, match="answers must be an answer model, got 'exact'"):
        Recorder(answers="exact")


def test_priors_come_as_arrays_or_records() -> None:
    dense = np.random.default_rng(1).dirichlet(np.ones(4), size=1000)
    for prior in (dense, Prior.dense(dense)):
        attack = Recorder(prior=prior)
        assert attack._prior is not None
        top = attack._shifted(attack._prior.top())
        np.testing.assert_array_equal(top, dense.argmax(axis=1))
    with pytest.raises(InvalidInput, match="1000 examples and 4 classes, got 1000 and 3"):
        Recorder(prior=np.full((1000, 3), 1 / 3))


@pytest.mark.parametrize("cls", [ChampionChallenger, HadamardBlocks, LabelSubset, MessagePassing])
def test_a_uniform_prior_is_no_prior(cls: type[InformedAttack]) -> None:
    problem = Problem(200, 6, 30)
    hidden = np.random.default_rng(1).integers(6, size=200)
    guesses = [
        play_under(cls(problem, rng=np.random.default_rng(2), prior=prior), hidden)
        for prior in (None, Prior.uniform(200, 6), np.full((200, 6), 1 / 6))
    ]
    np.testing.assert_array_equal(guesses[0], guesses[1])
    np.testing.assert_array_equal(guesses[0], guesses[2])


@pytest.mark.parametrize("cls", [HadamardBlocks, LabelSubset, MessagePassing])
@pytest.mark.parametrize("model", [ExactAnswers(), NoisyAnswers(0.02)], ids=str)
def test_a_design_improves_on_a_model_or_keeps_it(
    cls: type[InformedAttack], model: AnswerModel
) -> None:
    n, m, k, trials = 1000, 5, 200, 30
    over = np.empty(trials)
    for trial in range(trials):
        rng = np.random.default_rng((5, trial))
        hidden = rng.integers(m, size=n)
        confidence = rng.uniform(0.3, 0.9, size=n)
        top = model_guess(hidden, m, confidence, rng)
        prior = Prior.candidates(top[:, None], confidence[:, None], m)
        attack = cls(Problem(n, m, k), rng=rng, prior=prior, answers=model)
        np.testing.assert_array_equal(attack.predict(), top)
        guess = play_under(attack, hidden, model, rng)
        over[trial] = (guess == hidden).sum() - (top == hidden).sum()
    error = over.std() / np.sqrt(trials)
    assert over.mean() > (4 if model == ExactAnswers() else -4) * error
