"""`holdfast score`: one guarded look, for a host's scoring script."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli import INVALID, NO_LEDGER, REFUSED
from holdfast.cli.guarding import (
    DEFAULT_LEDGER,
    OUTCOMES,
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
    moment,
    of_tasks,
    open_guard,
    open_outcomes,
)
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json, report_error
from holdfast.errors import BudgetExhausted, InvalidQuery, LedgerError

if TYPE_CHECKING:
    from holdfast.certificates import ProgramCertificate
    from holdfast.guard import Receipt

__all__ = ["score"]


def score(
    policy: PolicyFile,
    team: Team,
    labels: LabelsIfAny = None,
    submission: Annotated[
        Path | None,
        typer.Option(
            help="CSV or NPY file of predicted labels, or of what the policy's metric takes."
        ),
    ] = None,
    outcomes: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a submission, the outcome of each task: JSON, JSON lines, a SWE-bench "
            "report, an Inspect log, lm-eval's samples or JUnit XML.",
            rich_help_panel=OUTCOMES,
        ),
    ] = None,
    tasks: TasksFile = None,
    secret: SecretFile = None,
    missing_fails: MissingFails = False,
    between: Between = None,
    key: OneOutcome = None,
    mean: MeanOfRuns = False,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    part: PartName = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    shared_labels: SharedLabels = False,
    as_json: AsJson = False,
) -> None:
    """Score a submission through the ledger and print only what the policy releases.

    Where the labels have a public part (a Usage or split column), that part alone is scored; the
    private one is scored once, by holdfast close, from the predictions that the ledger keeps.

    Exit codes: 0 answered, 1 the submission can't be scored, 2 bad options, policy or labels,
    3 no look left, 4 the ledger can't be used. Only 0 releases anything.

    Programs that pass or fail tasks are scored with --outcomes, --tasks and --secret.

    Examples
    --------
    holdfast score --policy policy.toml --labels labels.csv --submission guess.csv --team red
    holdfast score --policy policy.toml --labels labels.csv --submission guess.csv --team red --json
    holdfast score --policy policy.toml --tasks tasks.txt --secret key --outcomes o.json --team red
    """
    given = ((labels, submission), (tasks, secret, outcomes))
    names = ("--labels and --submission", "--tasks, --secret and --outcomes")
    bound: ProgramCertificate | None = None
    try:
        if of_tasks(*given, names):
            host = open_outcomes(policy, tasks, secret, ledger, missing_fails, between)
            assert outcomes is not None
            receipt = host.score_file(outcomes, team=team, score=key, mean=mean)
            bound = host.certified()
        else:
            guard = open_guard(policy, labels, ledger, id_column, label_column, shared_labels, part)
            assert submission is not None
            receipt = guard.score(submission, team=team)
    except InvalidQuery as error:
        raise _refusal(INVALID, str(error), team, as_json) from None
    except BudgetExhausted as error:
        at = moment(error.next_allowed_at)
        raise _refusal(REFUSED, str(error), team, as_json, next_allowed_at=at) from None
    except LedgerError as error:
        raise _refusal(NO_LEDGER, str(error), team, as_json) from None
    if as_json:
        print_json(
            {
                "team": team,
                "part": receipt.part,
                "released": receipt.shown,
                "score": receipt.score,
                **_more(receipt),
                "looks_left": receipt.looks_left,
                "next_allowed_at": moment(receipt.next_allowed_at),
                "receipt_id": receipt.receipt_id,
                "repeated": receipt.repeated,
                "meaning": receipt.meaning,
                "new_best": receipt.new_best,
                "own": receipt.own,
                **({} if bound is None else {"certified": asdict(bound)}),
            }
        )
        return
    told = "-" if receipt.shown is None else receipt.shown
    human().print(f"released   {told}{' (from the record)' if receipt.repeated else ''}")
    for name, value in receipt.numbers.items():
        human().print(f"  {name}  {value}", soft_wrap=True, markup=False)
    human().print(f"meaning    {receipt.meaning}", soft_wrap=True)
    if receipt.new_best is not None:
        human().print(f"new best   {'yes' if receipt.new_best else 'no'}")
    human().print(f"part       {receipt.part}")
    human().print(f"looks left {receipt.looks_left} (scored submissions)")
    soon = "now" if receipt.looks_left else "never"
    human().print(f"next look  {moment(receipt.next_allowed_at) or soon}")
    human().print(f"receipt    {receipt.receipt_id}", soft_wrap=True)
    if bound is not None:
        human().print(
            f"certified  a program chosen by all {bound.looks:,} looks so far scores at most "
            f"{bound.excess:.3g} more here than on fresh tasks, on average: {bound.statement}",
            soft_wrap=True,
        )
        human().print(f"binds      {bound.binds}", soft_wrap=True)


def _more(receipt: Receipt) -> dict[str, Any]:
    """Return what is told besides where more than one accuracy is scored."""
    if receipt.metric == "accuracy" and not receipt.numbers:
        return {}
    return {"metric": receipt.metric, "numbers": dict(receipt.numbers)}


def _refusal(code: int, message: str, team: str, as_json: bool, **more: str | None) -> typer.Exit:
    if as_json:
        print_json({"team": team, "released": None, "error": message, **more})
    report_error(message)
    return typer.Exit(code)
