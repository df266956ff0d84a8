"""The planning attack: the attack with the highest forecast, played."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import (
    EVERY_MODEL,
    AnswerModel,
    ComparisonAnswers,
    ExactAnswers,
)
from holdfast.attacks.base import TurnBased
from holdfast.attacks.description import Described
from holdfast.attacks.registry import attack_type, register
from holdfast.errors import InvalidInput
from holdfast.labels import Labels
from holdfast.planner.forecast import Forecast
from holdfast.planner.mixture import Mixture
from holdfast.planner.plan import MIXTURE, Plan, plan, plan_under
from holdfast.planner.rehearsal import made_for
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.protocols import Attack
from holdfast.quoting import quoted
from holdfast.rules import Rule
from holdfast.setting import Setting

__all__ = ["Auto", "made"]


def made(
    found: Forecast, setting: Setting, rng: np.random.Generator, *, permuted: bool = True
) -> Attack[Labels]:
    """Return the attack of a forecast, ready to play on a board with the setting's answers.

    Examples
    --------
    >>> found = plan(Problem(100, 5, 20))
    >>> made(found.chosen, found.setting, np.random.default_rng(0)).problem.n_queries
    20
    """
    if found.attack == MIXTURE:
        knowledge: dict[str, Any] = {"prior": setting.prior, "answers": setting.answers}
        return Mixture(setting.problem, rng=rng, permuted=permuted, **knowledge, **found.settings)
    cls = attack_type(found.attack)
    if permuted:  # which an attack of another package need not be told
        return made_for(cls, setting, rng, **found.settings)
    return made_for(cls, setting, rng, permuted=False, **found.settings)


@register
class Auto(TurnBased[Labels]):
    """Predict what every attack would gain, and play the best one.

    The forecasts come from closed forms and measured curves, so no look is spent on choosing.
    `plan` has them all, with the reason for each; `holdfast plan` prints them.

    Parameters
    ----------
    prior
        What a model says of the labels: a `Prior`, or an (n, m) array of probabilities.
    answers
        What a released answer tells: any answer model; a release rule's is `rule.board_model`.
    rule
        The board's release rule instead of `answers`: it is planned for as `plan_under` does.
    non_adaptive
        Choose among the attacks that fix all queries before the first answer.

    Examples
    --------
    >>> attack = Auto(Problem(10_000, 10, 1000), rng=np.random.default_rng(0))
    >>> attack.plan.chosen.attack
    'steered-pools'
    """

    family = "wrappers"
    summary = "plays the attack with best forecast"
    adaptive = True  # as far as the class can tell: it depends on the attack that is chosen
    tolerates = EVERY_MODEL
    takes_prior = True
    takes_answers = True
    proves_labels = True
    results = 2  # since 2: release rules are planned for as the boards that they make

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        permuted: bool = True,
        prior: Prior | NDArray[Any] | None = None,
        answers: AnswerModel | None = None,
        rule: Rule | None = None,
        non_adaptive: bool = False,
    ) -> None:
        super().__init__(problem, rng=rng)
        if answers is not None and not isinstance(answers, AnswerModel):
            raise InvalidInput(f"answers must be an answer model, got {quoted(answers)}.")
        known = prior if prior is None or isinstance(prior, Prior) else Prior.dense(prior)
        if rule is None:
            told = ExactAnswers() if answers is None else answers
            self._plan = plan(self._problem, prior=known, answers=told, non_adaptive=non_adaptive)
        elif answers is None:
            self._plan = plan_under(rule, self._problem, prior=known, non_adaptive=non_adaptive)
        else:
            raise InvalidInput(f"rule must be None where answers are given, got {rule}.")
        self._answers = self._plan.setting.answers
        chosen = self._plan.chosen
        self._inner: Attack[Labels] = made(
            chosen, self._plan.setting, np.random.default_rng([self._seed, 0]), permuted=permuted
        )
        self._proves = chosen.attack == MIXTURE or attack_type(chosen.attack).proves_labels
        self.knows_only_proved = (
            isinstance(self._inner, Described) and self._inner.knows_only_proved
        )
        # A made-up score for attacks that only compare.
        self._standing = 0

    @property
    def plan(self) -> Plan:
        """Every attack's forecast, the chosen one first."""
        return self._plan

    @property
    def chosen(self) -> Attack[Labels]:
        """The attack that is played."""
        return self._inner

    def certain(self) -> NDArray[np.bool_]:
        """Return which labels of `predict` are known for certain."""
        known: NDArray[np.bool_] = np.zeros(self._problem.n_examples, dtype=np.bool_)
        if self._proves:
            attack: Any = self._inner
            known = attack.certain()
        return known

    def _query(self, index: int) -> Labels | None:  # noqa: ARG002 - the chosen attack counts
        return self._inner.ask()

    def _take(self, answer: float) -> None:
        if isinstance(self._answers, ComparisonAnswers):
            standing = self._standing + (1 if answer > 0.0 else -1)
            self._inner.tell(standing / self._problem.n_examples)
            self._standing = standing
        else:
            self._inner.tell(answer)

    def _guess(self) -> Labels:
        return self._inner.predict()
