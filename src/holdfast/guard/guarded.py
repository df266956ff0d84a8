"""Guarded solutions: submissions of one form, matched with hidden labels and scored or refused."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Generic, TypeVar

from holdfast.errors import BudgetExhausted, InvalidQuery, NotSupported
from holdfast.files.label_files import LabelFile
from holdfast.files.tables import Table
from holdfast.guard.guard import Guard
from holdfast.guard.parts import rows_of_parts, scored_part
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt, refusal
from holdfast.guard.solution import Solution
from holdfast.labels import Labels
from holdfast.ledger.chain import Ledger
from holdfast.metrics import Submission as Form

__all__ = ["GuardedSolution"]

Submission = TypeVar("Submission")


class GuardedSolution(ABC, Generic[Submission]):
    """A guard over one part of a whole solution; a subclass says what a submission is.

    Parameters
    ----------
    truth
        The hidden labels of all parts.
    policy
        What is released, how often, and of which part.
    ledger
        A `Ledger`, or its path or URL.
    create
        Make a new ledger where the path or URL has none.
    tasks
        The range of an outcome, where examples are tasks; see `Guard`.
    """

    def __init__(
        self,
        truth: LabelFile,
        policy: Policy,
        ledger: Ledger | str | os.PathLike[str],
        *,
        create: bool = False,
        tasks: tuple[float, float] | None = None,
    ) -> None:
        self._solution = Solution(truth, declared=policy.classes is not None)
        self.guard = Guard(
            truth.labels,
            policy,
            ledger,
            create=create,
            ids=truth.ids,
            n_classes=self._solution.n_classes,
            part=scored_part(rows_of_parts(truth), truth.n_examples, policy.part),
            groups=truth.groups,
            tasks=tasks,
        )

    @property
    def truth(self) -> LabelFile:
        """The hidden labels of all parts."""
        return self._solution.truth

    @abstractmethod
    def _file(self, submission: Submission, name: str) -> LabelFile:
        """Return what a submission holds, or raise `InvalidQuery` calling it by its name."""

    @property
    def takes(self) -> Form:
        """What a submission is, by the policy's metrics."""
        return self.guard.policy.display.taker.takes

    def _table(self, submission: Submission, name: str) -> Table:  # noqa: ARG002 - as `_file`
        """Return the numbers or labels of a submission that is more than one label per example."""
        display = self.guard.policy.display
        raise NotSupported(f"{display} takes {self.takes.value}, and submissions here are labels.")

    def read(self, submission: Submission, *, team: str, name: str = "submission") -> Labels:
        """Return a submission's labels in the order of the hidden ones; a refusal is recorded.

        Raises
        ------
        BudgetExhausted
            Too many of the team's submissions were refused in this window: this one isn't read.
        InvalidQuery
            It can't be scored. The message is the same whatever the labels are.
        """
        self.guard.admit(team=team)
        prediction, reason = self.attempt(submission, name=name)
        if prediction is None:
            # Out here, so that nothing hangs on the exception but its message.
            self.refuse(reason, team=team)
            raise InvalidQuery(reason)
        return prediction

    def attempt(
        self, submission: Submission, *, name: str = "submission"
    ) -> tuple[Labels | None, str]:
        """Return a submission's labels in the order of the hidden ones, or why there are none.

        Nothing is recorded: whoever asks has to, and to ask `Guard.admit` before.
        """
        try:
            if self.takes is Form.LABELS:
                return self._solution.predicted(self._file(submission, name), name=name), ""
            table = self._table(submission, name)
            return self._solution.tabled(table, self.takes, name=name), ""
        except InvalidQuery as error:
            return None, str(error)

    def refuse(self, reason: str, *, team: str) -> None:
        """Record that a submission could not be scored; see `Guard.refuse`."""
        self.guard.refuse(reason, team=team)

    def score(self, submission: Submission, *, team: str) -> Receipt:
        """Answer one look at a submission, or refuse it; see `Guard.score`."""
        return self.guard.score(self.read(submission, team=team), team=team)

    def try_score(self, submission: Submission, *, team: str) -> Receipt:
        """Answer one look, or return a receipt that says why not; see `Guard.try_score`."""
        try:
            prediction = self.read(submission, team=team)
        except (BudgetExhausted, InvalidQuery) as error:
            return refusal(error, self.guard.allowance(team=team))
        return self.guard.try_score(prediction, team=team)


def as_policy(policy: Policy | str | os.PathLike[str]) -> Policy:
    """Return a policy as it is, or read its file."""
    return policy if isinstance(policy, Policy) else Policy.read(Path(policy))
