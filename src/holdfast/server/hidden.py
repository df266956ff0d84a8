"""Test sets of boards: what is hidden, what of it is public, and submissions read against it.

Beside the gatekeeper, this is the one module of the server that holds labels. A test set is a file
of labels, whose policy may show any metric and any number of columns, or a list of tasks, of which
programs pass some or are graded.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput, LedgerError
from holdfast.files.bad_rows import bad_rows
from holdfast.files.outcomes import parse_outcomes, read_tasks
from holdfast.files.sample_layout import SampleLayout
from holdfast.guard.files import GuardedFile
from holdfast.guard.guarded import GuardedSolution
from holdfast.guard.outcomes import OutcomeGuard, read_secret
from holdfast.guard.policy import Policy
from holdfast.guard.policy_text import policy_text
from holdfast.ledger.chain import Ledger
from holdfast.ledger.moments import clock
from holdfast.metrics import Submission as Form
from holdfast.metrics import TopKAccuracy
from holdfast.server.prices import Price, prices
from holdfast.server.problems import DoesNotFit
from holdfast.server.records import Outcomes, Phase
from holdfast.server.uploads import largest_upload

__all__ = ["Facts", "HiddenSets"]

Host = GuardedSolution[Any]

# Of which no class is known: numbers, and sets whose columns have names.
WITHOUT_CLASSES = (Form.NUMBERS, Form.LABEL_SETS)


@dataclass(frozen=True)
class Facts:
    """What is public about a test set.

    `takes` is what a submission is: labels, ranked_labels, label_sets, scores, probabilities,
    numbers or outcomes; `columns` are those of values in its file. Of outcomes, `missing` says what
    becomes of a task without one, and `between` in which range graded ones are.
    """

    n_examples: int
    n_classes: int
    classes: tuple[str, ...]
    has_ids: bool
    has_private: bool
    takes: str = "labels"
    columns: tuple[str, ...] = ()
    largest_upload: int = 0
    missing: str | None = None
    between: tuple[float, float] | None = None


class HiddenSets:
    """Guards over the test sets of all boards, by phase.

    Parameters
    ----------
    ledger
        Where their looks are recorded.
    is_linked
        Whether a data set turned out to be another one.
    """

    def __init__(self, ledger: Ledger, is_linked: Callable[[str], bool]) -> None:
        self._ledger, self._is_linked = ledger, is_linked
        self._hosts: dict[tuple[Any, ...], Host] = {}
        self._layouts: dict[tuple[str, str], SampleLayout | None] = {}

    def new_phase(
        self,
        hidden: Path,
        text: str,
        *,
        start: int,
        id_column: str | None = None,
        label_column: str | None = None,
        shows: str | None = None,
        outcomes: Outcomes | None = None,
    ) -> Phase:
        """Return a phase over a file of labels or tasks, checked, not stored, and of no board yet.

        The classes become part of the policy's text: a board's classes are public.
        """
        policy = Policy.parse(text, folder=hidden.parent)
        policy = policy.agreeing(id_column=id_column, label_column=label_column)
        noisy = policy.mechanism.adds_noise or policy.mechanism.shows != "scores"
        phase = Phase(
            board=0,
            number=0,
            labels=str(hidden.absolute()),
            id_column=policy.id_column,
            label_column=policy.label_column,
            data_set="",
            n_examples=0,
            policy="",
            digest="",
            shows=shows or ("latest" if noisy else "best"),
            opens=clock(),
            closes=None,
            start=start,
            frozen=None,
            finals=None,
            outcomes=None if outcomes is None else outcomes.as_text(),
        )
        host = self._guarded(phase, policy)
        # Checked once: numbers and tasks have no classes.
        classes = outcomes is None and host.takes not in WITHOUT_CLASSES
        if classes and policy.classes is None:
            policy = replace(policy, classes=tuple(host.truth.class_names))
            host = self._guarded(phase, policy)
        phase = phase._replace(
            data_set=host.guard.data_set,
            n_examples=host.guard.problem.n_examples,
            policy=policy_text({k: v for k, v in policy.settings().items() if v is not None}),
            digest=host.guard.policy.digest,
        )
        self._hosts[_key(phase)] = host
        return phase

    def host(self, phase: Phase) -> Host:
        """Return the guard of a phase; its test set must still be that of the first day."""
        key = _key(phase)
        if key not in self._hosts:
            host = self._guarded(phase, Policy.parse(phase.policy))
            # A data set that was linked to another one later goes on under that name.
            if host.guard.data_set != phase.data_set and not self._is_linked(phase.data_set):
                what = "labels" if phase.outcomes is None else "tasks and the secret"
                raise LedgerError(
                    f"the {what} of board {phase.board} must be those with which phase "
                    f"{phase.number} began, got others in {phase.labels}."
                )
            self._hosts.setdefault(key, host)  # another thread may have been quicker
        return self._hosts[key]

    def _guarded(self, phase: Phase, policy: Policy) -> Host:
        try:
            return self._read(phase, policy)
        except InvalidInput as error:
            raise DoesNotFit(str(error)) from None

    def _read(self, phase: Phase, policy: Policy) -> Host:
        outcomes = phase.of_outcomes
        if outcomes is None:
            ids, values = phase.id_column, phase.label_column
            return GuardedFile(
                phase.labels, policy, self._ledger, id_column=ids, label_column=values
            )
        if phase.id_column is not None or phase.label_column is not None:
            raise InvalidInput("tasks must be given without columns: they are a list of ids.")
        return OutcomeGuard(
            read_tasks(phase.labels),
            policy,
            self._ledger,
            secret=read_secret(outcomes.secret),
            missing="fail" if outcomes.missing == "fail" else "refuse",
            between=outcomes.between,
        )

    def facts(self, phase: Phase) -> Facts:
        """Return what is public about a phase's test set."""
        host, outcomes = self.host(phase), phase.of_outcomes
        guard, truth = host.guard, host.truth
        takes, columns = host.takes.name.lower(), _columns(host, phase)
        names, has_ids = tuple(truth.class_names), truth.ids is not None
        if outcomes is not None:
            takes, names = "outcomes", ()
        longest = max(map(len, host.tasks)) if isinstance(host, OutcomeGuard) else 0
        return Facts(
            guard.n_predicted,
            guard.problem.n_classes,
            names,
            has_ids=has_ids,
            has_private=guard.keeps,
            takes=takes,
            columns=columns,
            largest_upload=largest_upload(guard.n_predicted, len(columns), longest),
            missing=None if outcomes is None else outcomes.missing,
            between=None if outcomes is None else outcomes.between,
        )

    def sample(self, phase: Phase) -> str:
        """Return a submission that is right in form and knows nothing, in order of the ids."""
        host = self.host(phase)
        if isinstance(host, OutcomeGuard):
            lowest = False if host.between is None else host.between[0]
            return json.dumps(dict.fromkeys(sorted(host.tasks), lowest), indent=1) + "\n"
        truth, columns = host.truth, _columns(host, phase)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        ids = None if truth.ids is None else np.sort(truth.ids)
        writer.writerow(columns if ids is None else [phase.id_column or "id", *columns])
        row = _row(host, len(columns))
        for at in range(truth.n_examples):
            writer.writerow(row if ids is None else [ids[at], *row])
        return text.getvalue()

    def predicted(self, phase: Phase, body: bytes) -> tuple[Any, str]:
        """Return a submission in the order of what is hidden, or why there is none."""
        host = self.host(phase)
        if isinstance(host, OutcomeGuard):
            try:
                sent, reason = host.attempt(parse_outcomes(body))
            except InvalidInput as error:
                return None, str(error)
        else:
            layout = self._layout(phase, host)
            labels = None if layout is None else layout.labels(body)
            sent, reason = (labels, "") if labels is not None else host.attempt(io.BytesIO(body))
        if sent is None or host.takes is Form.LABELS:
            return sent, reason
        return host.guard.checked(sent)

    def _layout(self, phase: Phase, host: Host) -> SampleLayout | None:
        key = (phase.data_set, phase.digest)
        if key not in self._layouts:
            ids, made = host.truth.ids, None
            if host.takes is Form.LABELS:
                rows = np.arange(host.truth.n_examples)
                rows = rows if ids is None else np.argsort(np.argsort(ids))
                sample = self.sample(phase).encode()
                made = SampleLayout(sample, host.truth.class_names, rows)
            self._layouts[key] = made
        return self._layouts[key]

    def bad_rows(self, phase: Phase, body: bytes) -> list[dict[str, Any]]:
        """Return the rows of a file of labels that break a rule, by public facts alone."""
        host = self.host(phase)
        if phase.outcomes is not None or host.takes is not Form.LABELS:
            return []
        ids = host.truth.ids
        return bad_rows(
            body,
            ids=None if ids is None else frozenset(map(str, ids.tolist())),
            classes=host.truth.class_names,
            id_column=phase.id_column,
            label_column=phase.label_column,
        )

    def prices(self, phase: Phase) -> list[Price]:
        """Return what the policy in force sells, column by column; for hosts."""
        guard, outcomes = self.host(phase).guard, phase.of_outcomes
        return prices(guard.policy, guard.problem, guard.sizes, outcomes)


def _key(phase: Phase) -> tuple[Any, ...]:
    return phase.labels, phase.data_set, phase.digest, phase.outcomes


def _columns(host: Host, phase: Phase) -> tuple[str, ...]:
    """Return the columns of values in a submission's file; none of outcomes."""
    display, names = host.guard.policy.display, tuple(host.truth.class_names)
    if isinstance(host, OutcomeGuard):
        return ()
    if host.takes in (Form.PROBABILITIES, Form.LABEL_SETS):
        return names or tuple(map(str, range(host.guard.problem.n_classes)))
    if host.takes is Form.RANKED_LABELS:
        taker = display.taker
        k = taker.k if isinstance(taker, TopKAccuracy) else 1
        return tuple(f"label_{place}" for place in range(1, k + 1))
    one = {Form.SCORES: "score", Form.NUMBERS: "target"}.get(host.takes, "label")
    return (phase.label_column or one,)


def _row(host: Host, n_columns: int) -> Sequence[Any]:
    """Return the values of a row that knows nothing."""
    if host.takes is Form.PROBABILITIES:
        return [repr(1.0 / n_columns)] * n_columns
    if host.takes in (Form.LABELS, Form.RANKED_LABELS):
        return host.truth.class_names[:n_columns]
    return [0] * n_columns
