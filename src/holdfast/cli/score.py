"""`holdfast score`: one guarded look, for a host's scoring script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli import INVALID, NO_LEDGER, REFUSED
from holdfast.cli.guarding import (
    DEFAULT_LEDGER,
    IdColumn,
    LabelColumn,
    LedgerUrl,
    PartName,
    PolicyFile,
    SharedLabels,
    Team,
    moment,
    open_guard,
)
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json, report_error
from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, LedgerError

if TYPE_CHECKING:
    from holdfast.guard import Receipt

__all__ = ["score"]

OUTCOMES = "Outcomes of tasks"


def score(
    policy: PolicyFile,
    team: Team,
    labels: Annotated[
        Path | None,
        typer.Option(help="CSV or NPY file of the hidden labels, readable by you alone."),
    ] = None,
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
    tasks: Annotated[
        Path | None,
        typer.Option(
            help="Instead of labels, the ids of all tasks: one a line, or a file of outcomes.",
            rich_help_panel=OUTCOMES,
        ),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            help="File with the owner's secret, 16 bytes at least, readable by you alone.",
            rich_help_panel=OUTCOMES,
        ),
    ] = None,
    missing_fails: Annotated[
        bool,
        typer.Option(
            "--missing-fails",
            help="Count a task without an outcome as failed; otherwise it is refused.",
            rich_help_panel=OUTCOMES,
        ),
    ] = False,
    between: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH", help="Range of graded outcomes.", rich_help_panel=OUTCOMES
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="Which score of the file: a scorer, a metric, a key of rows.",
            rich_help_panel=OUTCOMES,
        ),
    ] = None,
    mean: Annotated[
        bool,
        typer.Option(
            "--mean", help="Take the mean of several runs of a task.", rich_help_panel=OUTCOMES
        ),
    ] = False,
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
    from holdfast.files.outcomes import read_tasks
    from holdfast.guard import OutcomeGuard
    from holdfast.guard.outcomes import parse_range, read_secret

    of_labels, of_tasks = (labels, submission), (tasks, secret, outcomes)
    try:
        if None not in of_labels and not any(of_tasks):
            assert labels is not None
            assert submission is not None
            guard = open_guard(policy, labels, ledger, id_column, label_column, shared_labels, part)
            receipt = guard.score(submission, team=team)
        elif None not in of_tasks and not any(of_labels):
            assert tasks is not None
            assert secret is not None
            assert outcomes is not None
            of_outcomes = OutcomeGuard(
                read_tasks(tasks),
                policy,
                ledger,
                secret=read_secret(secret),
                missing="fail" if missing_fails else "refuse",
                between=None if between is None else parse_range(between),
            )
            receipt = of_outcomes.score_file(outcomes, team=team, score=key, mean=mean)
        else:
            raise InvalidInput(
                "either --labels and --submission, or --tasks, --secret and --outcomes must be "
                "given."
            )
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
