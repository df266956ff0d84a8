"""`holdfast gate`: let a model pass only if looking can't explain its improvement."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli import REFUSED
from holdfast.cli.guarding import (
    DEFAULT_LEDGER,
    Between,
    IdColumn,
    LabelColumn,
    LabelsIfAny,
    LedgerUrl,
    MeanOfRuns,
    MissingFails,
    OneOutcome,
    PartName,
    PolicyFile,
    SecretFile,
    SharedLabels,
    TasksFile,
    Team,
    of_tasks,
    open_guard,
    open_outcomes,
)
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json, report_error
from holdfast.cli.plain import percent, scored_submissions
from holdfast.errors import BudgetExhausted

if TYPE_CHECKING:
    from holdfast.guard import GateResult, Verdict

__all__ = ["gate"]


def gate(
    baseline: Annotated[
        Path, typer.Option(help="Predictions of the model in use, or its outcomes of tasks.")
    ],
    candidate: Annotated[Path, typer.Option(help="The same of the model that would replace it.")],
    policy: PolicyFile,
    labels: LabelsIfAny = None,
    tasks: TasksFile = None,
    secret: SecretFile = None,
    missing_fails: MissingFails = False,
    between: Between = None,
    key: OneOutcome = None,
    mean: MeanOfRuns = False,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    team: Team = "gate",
    confidence: Annotated[
        float, typer.Option(help="How sure the gate must be that the improvement is real.")
    ] = 0.95,
    part: PartName = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    shared_labels: SharedLabels = False,
    verdict_only: Annotated[
        bool,
        typer.Option(
            "--verdict-only",
            help="Tell no scores: then a failed candidate costs the next one little.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Exit 0 if a candidate improves by more than the scored submissions so far could have bought.

    Predictions are scored through the ledger, and one that was scored before costs no look. With
    --verdict-only, and of outcomes of tasks (--tasks, --secret), only the verdict and a rounded p
    value are told, for one look. Exit 1 if chance and looking could explain the difference, and
    then it says what would pass; 2 if it could not be decided, as under a rule that does not tell
    the baseline's own score; 3 if no look is left; 4 if the ledger can't be used. The confidence is
    for all gates of one kind on these labels or tasks together.

    Examples
    --------
    holdfast gate --policy policy.toml --labels labels.csv --baseline old.csv --candidate new.csv
    holdfast gate --policy policy.toml --tasks tasks.txt --secret secret --baseline old.json
        --candidate new.json
    """
    names = ("--labels", "--tasks and --secret")
    try:
        if of_tasks((labels,), (tasks, secret), names):
            host = open_outcomes(policy, tasks, secret, ledger, missing_fails, between)
            given = [
                host.read_file(path, team=team, score=key, mean=mean)
                for path in (baseline, candidate)
            ]
            result: Verdict | GateResult = host.gate(*given, team=team, confidence=confidence)
            part = host.guard.part
        else:
            files = open_guard(policy, labels, ledger, id_column, label_column, shared_labels, part)
            from holdfast.guard import gate as decide
            from holdfast.guard import gate_verdict

            pair = [
                files.read(path, team=team, name=name)
                for path, name in ((baseline, "baseline"), (candidate, "candidate"))
            ]
            decided = gate_verdict if verdict_only else decide
            result = decided(files.guard, *pair, team=team, confidence=confidence)
            part = files.guard.part
    except BudgetExhausted as error:
        report_error(str(error))
        raise typer.Exit(REFUSED) from None
    from holdfast.guard import GateResult

    advice, passed = result.advice, result.passed
    if as_json:
        found = asdict(result)
        if receipt := found.pop("receipt", None):
            found |= {name: receipt[name] for name in ("looks_left", "receipt_id")}
        print_json({"passed": passed, "part": part, **found})
    elif isinstance(result, GateResult):
        _show(result, part)
    else:
        told = f"{_counted(result.gates, 'gate')} and {scored_submissions(result.looks)} before"
        _show_p(result.p_value, result.p_needed, f"ones, rounded up; {told}")
    if not as_json:
        human().print("PASS" if passed else "FAIL: looking could explain it")
        for number, sentence in enumerate(advice):
            human().print(f"{'or' if number else 'would pass'}: {sentence}", soft_wrap=True)
    if not passed:
        raise typer.Exit(1)


def _show(result: GateResult, part: str) -> None:
    shown = "not told"
    if result.improvement is not None and result.candidate is not None:
        shown = f"{100 * result.improvement:+.3f} points ({percent(result.baseline)} % to "
        shown += f"{percent(result.candidate)} %, {result.differing:,} predictions differ)"
    human().print(f"improvement {shown}")
    needed = result.bought + result.blur
    human().print(
        f"needed      {100 * needed:+.3f} points: {scored_submissions(result.looks)} and chance "
        f"could have bought {percent(result.bought)} at confidence {result.confidence:g}, the "
        f"release rule blurs {percent(result.blur)}",
        soft_wrap=True,
    )
    if result.p_value is not None:
        _show_p(result.p_value, result.p_needed, "labels")
    human().print(f"part        {part}")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _show_p(value: float, needed: float, fresh: str) -> None:
    human().print(f"p value     {value:.2g} as the one look at fresh {fresh}", soft_wrap=True)
    human().print(f"            {needed:.2g} or less passes here")
