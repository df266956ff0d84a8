"""Optuna: an objective that asks a guard or a board, and stops the study when looks are used up.

objective = GuardedObjective(predict, of_guard(guard, team="tpe", frame="Optuna"))
study.optimize(objective, n_trials=100, callbacks=[objective.stop])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast.adapters.asking import Ask, of_board, of_guard
from holdfast.errors import NotSupported

__all__ = ["GuardedObjective", "of_board", "of_guard"]

# What a trial's user attributes say of its look.
LOOKS_LEFT, REFUSED = "holdfast_looks_left", "holdfast_refused"


class GuardedObjective:
    """An objective for `Study.optimize`, and a callback.

    A trial gets what was told of its own submission, never another trial's value: where a rule
    repeats the best so far, or a submission is refused, it ends as pruned, without a value.

    Parameters
    ----------
    predict
        Makes of a trial what is submitted.
    ask
        `of_guard(...)` or `of_board(...)`.

    Raises
    ------
    NotSupported
        At the first trial of a study whose direction is not the metric's, before any look.
    """

    def __init__(self, predict: Callable[[Any], Any], ask: Ask) -> None:
        self._predict, self._ask = predict, ask
        self.looks = 0
        """How many trials were answered."""

    def __call__(self, trial: Any) -> float:
        """Return a trial's own score, or end it as pruned."""
        import optuna

        self._refuse_direction([each.name.lower() for each in trial.study.directions])
        answer = self._ask(self._predict(trial))
        trial.set_user_attr(LOOKS_LEFT, answer.looks_left)
        if answer.refused:
            trial.set_user_attr(REFUSED, answer.refused)
            if answer.looks_left == 0:
                trial.study.stop()
            raise optuna.TrialPruned(answer.refused)
        self.looks += 1
        if answer.score is None:
            raise optuna.TrialPruned("what was told is not this trial's own score")
        return answer.score

    def _refuse_direction(self, directions: list[str]) -> None:
        """Raise `NotSupported` for a study that would search for the worst score."""
        wanted = "maximize" if self._ask.higher_is_better else "minimize"
        if directions != [wanted]:
            raise NotSupported(
                f"{self._ask.metric} has one value, and the study must {wanted} it: "
                f'optuna.create_study(direction="{wanted}").'
            )

    def stop(self, study: Any, trial: Any) -> None:
        """Stop the study after the trial that took the last look: a callback of `optimize`."""
        if trial.user_attrs.get(LOOKS_LEFT) == 0:
            study.stop()
