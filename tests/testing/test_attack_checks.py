"""Each check of attacks catches the mistake that it is for."""

from pathlib import Path

import numpy as np
import pytest

import holdfast.testing
from holdfast import Problem
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.testing import CheckFailed, attack_checks, check_attack
from holdfast.testing.games import PROBLEMS, hidden_labels
from tests.testing.toys import BestOfRandom


def test_a_toy_attack_passes_all_checks():
    check_attack(BestOfRandom)


class Refuses(BestOfRandom):
    def __init__(self, problem, *, rng):
        raise InvalidInput("problem must be another one.")


class Forgets(BestOfRandom):
    @property
    def problem(self):
        return Problem(60, 2, 11)


class Wide(BestOfRandom):
    def _guess(self):
        return self._best.astype(np.int64)


class TooHigh(BestOfRandom):
    def _query(self, index):
        return super()._query(index) + 1


class TooShort(BestOfRandom):
    def _guess(self):
        return self._best[:-1]


class Insatiable(BestOfRandom):
    def ask(self):
        return self._query(self._answered)

    def tell(self, answer):
        self._answered += 1


class Seedless(BestOfRandom):
    """Draws differ from attack to attack, as with a generator that is not the one given."""

    drawn = 0

    def _query(self, index):
        Seedless.drawn += 1
        self._seed = Seedless.drawn
        return super()._query(index)


class Restless(BestOfRandom):
    def _guess(self):
        self._most = -1.0
        return super()._guess()


class Careless(BestOfRandom):
    def _guess(self):
        return self._best


class Hasty(BestOfRandom):
    def ask(self):
        self._waiting = False
        return super().ask()


class Credulous(BestOfRandom):
    def tell(self, answer):
        try:
            super().tell(answer)
        except InvalidInput:
            self._receive(1e9)
            raise


class Trusting(BestOfRandom):
    def tell(self, answer):
        super().tell(answer if isinstance(answer, float) and np.isfinite(answer) else 0.0)


class Clinging(BestOfRandom):
    def __init__(self, problem, *, rng):
        self._rng = rng
        super().__init__(problem, rng=rng)

    def _query(self, index):
        n, m, _ = self._problem
        self._asked = self._rng.integers(m, size=n).astype(self._dtype)
        return self._asked.copy()


class Shared(BestOfRandom):
    def __deepcopy__(self, memo):
        return self


class Lenient(BestOfRandom):
    def __init__(self, problem, *, rng):
        super().__init__(problem, rng=np.random.default_rng(rng))


class AnySizes(BestOfRandom):
    def __init__(self, problem, *, rng):
        super().__init__(tuple(max(size, 2) for size in problem), rng=rng)
        self._problem = problem


class CallsItselfAdaptive(BestOfRandom):
    adaptive = True


class AdaptsInSecret(BestOfRandom):
    def _query(self, index):
        if index and self._most > 0.5 * self._problem.n_examples:
            return self._best.copy()
        return super()._query(index)


class Homeless(BestOfRandom):
    family = "mine"


class Wordy(BestOfRandom):
    summary = "draws random labels and keeps the best"


class ClaimsPrior(BestOfRandom):
    takes_prior = True


class HidesPrior(BestOfRandom):
    def __init__(self, problem, *, rng, prior=None):
        super().__init__(problem, rng=rng)


class WantsMore(BestOfRandom):
    @classmethod
    def usable(cls, problem):
        return Problem(*problem[:2], problem.n_queries + 1)


class Bluffs(BestOfRandom):
    proves_labels = True


class Overconfident(Bluffs):
    def certain(self):
        return np.ones(self.problem.n_examples, dtype=bool)


class Vague(Bluffs):
    def certain(self):
        return np.zeros(self.problem.n_examples)


BROKEN = [
    (Refuses, "it_plays", "must play at least 2 of 6 problems, got 0"),
    (Forgets, "it_is_an_attack", "problem must be the one given"),
    (Wide, "queries_and_predictions_are_labels", "labels must have dtype uint8"),
    (TooHigh, "queries_and_predictions_are_labels", r"labels must lie in 0 \.\. 1, got 2"),
    (TooShort, "queries_and_predictions_are_labels", r"must be an array of shape \(60,\)"),
    (Insatiable, "queries_and_predictions_are_labels", "must ask n_queries times at most"),
    (Seedless, "the_same_seed_plays_the_same_game", "must ask the same queries"),
    (Restless, "predicting_changes_nothing", "must not change the final prediction"),
    (Careless, "what_it_returns_belongs_to_the_caller", "must return new arrays"),
    (Hasty, "turns_are_kept", "ask before tell must raise OutOfTurn"),
    (Trusting, "an_answer_that_is_no_number_is_refused", r"tell\(nan\) must raise InvalidInput"),
    (Credulous, "an_answer_that_is_no_number_is_refused", "must not change the game"),
    (Clinging, "the_generator_is_not_kept", "must draw what it needs from rng when it is made"),
    (Shared, "a_copy_plays_on", "a deep copy must play as the original does"),
    (Lenient, "it_wants_a_generator", "rng=7 must raise InvalidInput"),
    (AnySizes, "it_wants_sizes_in_range", r"problem \(0, 2, 12\) must raise InvalidInput"),
    (CallsItselfAdaptive, "adaptive_is_true", "adaptive must be False"),
    (AdaptsInSecret, "adaptive_is_true", "adaptive must be True"),
    (Homeless, "its_description_is_true", "family must be one of paper, .*, got 'mine'"),
    (Wordy, "its_description_is_true", "summary must have at most 6 words, got .draws random"),
    (ClaimsPrior, "its_description_is_true", "takes_prior is True: it must be made with prior="),
    (HidesPrior, "its_description_is_true", "it must not be made with prior="),
    (WantsMore, "its_description_is_true", "usable must return the problem with as many looks"),
    (Bluffs, "what_is_certain_is_right", "proves_labels must say whether it has certain"),
    (Overconfident, "what_is_certain_is_right", "must mark no label that is wrong"),
    (Vague, "what_is_certain_is_right", "must return one truth value per example"),
]


@pytest.mark.parametrize(("cls", "name", "message"), BROKEN, ids=[b[0].__name__ for b in BROKEN])
def test_a_mistake_is_caught_by_the_check_for_it(cls, name, message):
    [check] = [check for check in attack_checks() if check.__name__ == f"check_{name}"]
    with pytest.raises(CheckFailed, match=message) as caught:
        check(cls)
    assert cls.__name__ in str(caught.value)


def test_a_failure_names_attack_problem_and_check():
    with pytest.raises(CheckFailed, match=r"Wide on Problem\(n_examples=60, .*check_queries_"):
        check_attack(Wide)


class Crashes(BestOfRandom):
    def _receive(self, count):
        raise ZeroDivisionError


def test_an_error_of_the_attack_itself_is_passed_on_with_a_note():
    with pytest.raises(ZeroDivisionError) as caught:
        check_attack(Crashes)
    assert "Crashes on Problem(n_examples=60" in caught.value.__notes__[0]


def test_a_failed_check_is_an_assertion_error_too():
    assert issubclass(CheckFailed, AssertionError)
    assert issubclass(CheckFailed, HoldfastError)


def test_the_hidden_labels_of_the_games_are_not_constant():
    assert len(set(hidden_labels(PROBLEMS[0]).tolist())) == 2


def test_the_kit_needs_no_test_runner():
    for path in Path(holdfast.testing.__path__[0]).glob("*.py"):
        assert "pytest" not in path.read_text(encoding="utf-8")
