"""Outcomes of tasks behind a ledger: passed or failed, or graded, by task id."""

from __future__ import annotations

import hashlib
import hmac
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast.certificates.programs import (
    ProgramCertificate,
    certify_programs,
    certify_recorded_programs,
)
from holdfast.errors import InvalidInput, InvalidQuery, NotSupported
from holdfast.files.label_files import LabelFile
from holdfast.files.outcomes import read_outcomes
from holdfast.guard.data_set import find
from holdfast.guard.exposure import histories
from holdfast.guard.files import check_owner_only
from holdfast.guard.gate_verdict import Verdict, gate_verdict
from holdfast.guard.guarded import GuardedSolution, as_policy
from holdfast.guard.label_set import LabelSet
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt
from holdfast.ledger.chain import Ledger
from holdfast.ledger.storage import Transaction
from holdfast.metrics.own_metric import mean_outcome
from holdfast.quoting import quoted

__all__ = ["OutcomeGuard", "Outcomes", "parse_range", "read_secret"]

Outcomes: TypeAlias = Mapping[str, bool | float | Sequence[bool | float]]
Missing: TypeAlias = Literal["refuse", "fail"]

# A shorter secret could be found by trying.
SHORTEST_SECRET = 16


class OutcomeGuard(GuardedSolution[Outcomes]):
    """A guard over a set of tasks, for programs whose outcomes its owner has measured.

    The hidden label of a task is one bit of HMAC(secret, id), and a program that passed is right on
    it. So the score is the share of tasks passed, the budget belongs to this set of tasks, whatever
    their order and whatever they are called elsewhere, and everything that a guard does holds:
    the rule, the ledger, receipts, the gate. Graded outcomes are released as their mean.

    Parameters
    ----------
    tasks
        The ids of all tasks, distinct.
    policy
        What is released, and how often; a `Policy` or the path of a policy file. Its metric is
        accuracy.
    ledger
        A `Ledger`, or its path or URL.
    secret
        At least 16 bytes that the owner alone has, as `secrets.token_bytes(32)` makes them. Keep
        it: with another secret the same tasks are another data set, with a budget of its own.
    create
        Make a new ledger where the path or URL has none.
    missing
        What becomes of a task without an outcome: "refuse" the submission, or "fail" the task.
    between
        The range of graded outcomes, or of repeated runs: where a task has several outcomes, their
        mean counts. None: every task is passed or failed, once.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy = Policy("round:2", looks_per_team=2)
    ...     guard = OutcomeGuard(["fix-1", "fix-2", "fix-3"], policy, folder + "/ledger.db",
    ...                          secret=b"0123456789abcdef", create=True)
    ...     receipt = guard.score({"fix-1": True, "fix-3": True, "fix-2": False}, team="blue")
    >>> receipt.released, receipt.looks_left
    (0.67, 1)
    """

    def __init__(
        self,
        tasks: Iterable[str],
        policy: Policy | str | os.PathLike[str],
        ledger: Ledger | str | os.PathLike[str],
        *,
        secret: bytes,
        create: bool = False,
        missing: Missing = "refuse",
        between: tuple[float, float] | None = None,
    ) -> None:
        if missing not in ("refuse", "fail"):
            raise InvalidInput(f'missing must be "refuse" or "fail", got {quoted(missing)}.')
        policy = as_policy(policy)
        if not policy.display.plain:
            raise NotSupported(
                f"outcomes are scored by their mean, and the policy's metric is {policy.display}; "
                "remove metric, also and breakdown from it."
            )
        self.missing, self.between = missing, between
        self.tasks = tuple(_checked_ids(tasks))
        self._place = {task: at for at, task in enumerate(self.tasks)}
        self._bits = _bits(self.tasks, secret)
        hidden: NDArray[Any] = self._bits
        if between is not None:
            policy = replace(policy, metric=mean_outcome(*between))
            hidden = hidden.astype(np.float64)
        names = () if between is not None else ("0", "1")
        truth = LabelFile(hidden, names, ids=np.array(self.tasks))
        super().__init__(truth, policy, ledger, create=create, tasks=between or (0.0, 1.0))
        self._refuse_another_form()

    def score_file(
        self,
        path: str | os.PathLike[str],
        *,
        team: str,
        score: str | None = None,
        mean: bool = False,
    ) -> Receipt:
        """Answer one look at the outcomes in a file; see `read_file`."""
        return self.score(self.read_file(path, team=team, score=score, mean=mean), team=team)

    def read_file(
        self,
        path: str | os.PathLike[str],
        *,
        team: str,
        score: str | None = None,
        mean: bool = False,
    ) -> Outcomes:
        """Return the outcomes in a file; see `files.outcomes.read_outcomes`.

        A file that can't be read is a submission that can't be scored, and is recorded as one.
        """
        self.guard.admit(team=team)
        reason = ""
        try:
            return read_outcomes(path, score=score, mean=mean)
        except InvalidInput as error:
            reason = str(error).replace(os.fspath(path), "of the submission", 1)
        # Out here, so that nothing hangs on the exception but its message.
        self.refuse(reason, team=team)
        raise InvalidQuery(reason)

    def gate(
        self, baseline: Outcomes, candidate: Outcomes, *, team: str, confidence: float = 0.95
    ) -> Verdict:
        """Say whether a candidate's gain is more than chance and all answers so far explain.

        One look; see `gate_verdict`.
        """
        pair = [
            self.read(given, team=team, name=name)
            for given, name in ((baseline, "baseline"), (candidate, "candidate"))
        ]
        return gate_verdict(
            self.guard, *pair, team=team, confidence=confidence, between=self.between
        )

    def certificate(self, looks: int, *, accounts: int = 1) -> ProgramCertificate:
        """Return how far the score of a final program may exceed its value after so many looks."""
        policy = self.guard.policy
        return certify_programs(
            len(self.tasks),
            policy.mechanism,
            looks,
            accounts=1 if policy.memory == "data_set" else accounts,
            between=self.between,
        )

    def certified(self) -> ProgramCertificate:
        """Return the same for all looks at these tasks that the ledger has, of all teams."""
        with self.guard.ledger.storage.reading() as transaction:
            tallies = transaction.tallies(self.guard.data_set)
        looks = histories(tally for tally in tallies if not tally.charged)
        return certify_recorded_programs(len(self.tasks), looks, between=self.between)

    def attempt(self, submission: Outcomes, *, name: str = "outcomes") -> tuple[Any, str]:
        """Return a prediction that is right where a task was passed, or why there is none."""
        try:
            outcomes = self._in_order(submission, name)
        except InvalidQuery as error:
            return None, str(error)
        if self.between is not None:
            return outcomes, ""
        return np.where(outcomes > 0.0, self._bits, 1 - self._bits).astype(np.uint8), ""

    def _refuse_another_form(self) -> None:
        """Raise `InvalidInput` where these tasks were looked at with a range, and have none now.

        Or the other way round. The ledger can't know hidden bits and numbers as the same, so that
        there would be two budgets, and twice the risk of gates.
        """
        other = self._bits.astype(np.float64) if self.between is None else self._bits
        ledger = self.guard.ledger
        with ledger.storage.reading() as transaction:
            if _any_look(transaction, self.guard.data_set):
                return
        names = LabelSet(other, 2, np.array(self.tasks), ledger.salt())
        with ledger.storage.reading() as transaction:
            found = find(transaction, names)
            if not (found.known and _any_look(transaction, found.name)):
                return
        was, now = ("a range", "none") if self.between is None else ("no range", "one")
        raise InvalidInput(
            f"between must be as it was at the first look at these tasks, with {was}, got {now}: "
            "budgets and the risk of gates would count twice."
        )

    def _file(self, submission: Outcomes, name: str) -> LabelFile:  # noqa: ARG002 - as in the base
        raise NotSupported("outcomes are no file of labels; use score.")

    def _in_order(self, submission: Outcomes, name: str) -> NDArray[np.float64]:
        """Return one number for each task, or raise `InvalidQuery` with what is wrong."""
        if not isinstance(submission, Mapping):
            raise InvalidQuery(
                f"{name} must map each task's id to its outcome, got {type(submission).__name__}."
            )
        low, high = (0.0, 1.0) if self.between is None else self.between
        found = np.full(len(self.tasks), np.nan)
        for task, outcome in submission.items():
            at = self._place.get(task)
            if at is None:
                raise InvalidQuery(
                    f"{name} must be of the {len(self.tasks)} tasks of this guard, got the unknown "
                    f"id {quoted(task)}."
                )
            value = self._value(outcome)
            allowed = value in (0.0, 1.0) if self.between is None else low <= value <= high
            if not allowed:
                wanted = (
                    "true or false (or 1 or 0); declare between=(low, high) for graded ones"
                    if self.between is None
                    else f"numbers from {low:g} to {high:g}"
                )
                raise InvalidQuery(
                    f"{name} must be {wanted}, got {quoted(outcome)} for {quoted(task)}."
                )
            found[at] = value
        absent = np.flatnonzero(np.isnan(found))
        if absent.size and self.missing == "refuse":
            first = sorted(self.tasks[at] for at in absent.tolist())[0]
            raise InvalidQuery(
                f"{name} must have an outcome for every task, got none for {quoted(first)} "
                f'({absent.size} missing); its owner may let them count as failed (missing="fail").'
            )
        found[absent] = low
        return found

    def _value(self, outcome: object) -> float:
        """Return an outcome as a number, of several runs their mean; NaN for what is none."""
        if self.between is None or not isinstance(outcome, list | tuple) or not outcome:
            return _number(outcome)
        runs = [_number(each) for each in outcome]
        low, high = self.between
        return math.fsum(runs) / len(runs) if all(low <= x <= high for x in runs) else math.nan


def _any_look(transaction: Transaction, data_set: str) -> bool:
    return any(tally.looks for tally in transaction.tallies(data_set) if tally.kind == "look")


def read_secret(path: str | os.PathLike[str]) -> bytes:
    """Return the secret in a file that only its owner can read, without a last line's end."""
    check_owner_only(path, "secret")
    return Path(path).read_bytes().rstrip(b"\r\n")


def parse_range(text: str) -> tuple[float, float]:
    """Return the range that "LOW:HIGH" names.

    >>> parse_range("0:10")
    (0.0, 10.0)
    """
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise InvalidInput(f"between must be LOW:HIGH, such as 0:10, got {quoted(text)}.") from None


def _checked_ids(tasks: Iterable[str]) -> list[str]:
    if isinstance(tasks, str | bytes):
        raise InvalidInput("tasks must be a list of ids, got one text.")
    ids = list(tasks)
    for task in ids:
        if not (isinstance(task, str) and task):
            raise InvalidInput(f"tasks must be texts that are not empty, got {quoted(task)}.")
    if len(set(ids)) != len(ids):
        twice = next(task for task in ids if ids.count(task) > 1)
        raise InvalidInput(f"tasks must be distinct, got {quoted(twice)} twice.")
    if not ids:
        raise InvalidInput("tasks must be one at least, got none.")
    return ids


def _bits(tasks: Iterable[str], secret: bytes) -> NDArray[np.uint8]:
    """Return one bit for each task that nobody can tell without the secret."""
    if not isinstance(secret, bytes) or len(secret) < SHORTEST_SECRET:
        raise InvalidInput(
            f"secret must be {SHORTEST_SECRET} bytes at least, such as secrets.token_bytes(32)."
        )
    digests = (hmac.digest(secret, task.encode(), hashlib.sha256) for task in tasks)
    return np.array([digest[0] & 1 for digest in digests], dtype=np.uint8)


def _number(outcome: object) -> float:
    """Return an outcome as a number; NaN for what is none."""
    if isinstance(outcome, bool | int | float | np.bool_ | np.integer | np.floating):
        with suppress(OverflowError):
            return float(outcome)
    return math.nan
