"""`holdfast submit`: send predictions to a board."""

from __future__ import annotations

import secrets
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli import INVALID, NO_LEDGER, REFUSED
from holdfast.cli.boards_access import (
    EXIT_UNREACHABLE,
    BoardUrl,
    Insecure,
    TokenFile,
    Wait,
    token_from,
)
from holdfast.cli.guarding import moment
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json, report_error
from holdfast.errors import BoardUnreachable, BudgetExhausted, LedgerError
from holdfast.quoting import quoted

__all__ = ["submit"]


def submit(
    file: Annotated[
        Path,
        typer.Argument(help="CSV or NPY file of predictions; or outcomes of tasks, of any tool."),
    ],
    board: BoardUrl,
    token_file: TokenFile = None,
    wait: Wait = False,
    again: Annotated[
        bool,
        typer.Option("--again", help="A new submission, even if this file was sent before."),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(help="Of outcomes: the score to read where a file has several."),
    ] = None,
    mean: Annotated[
        bool,
        typer.Option("--mean", help="Of outcomes: the mean where a task was run several times."),
    ] = False,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds to try for if the board does not answer.")
    ] = 60.0,
    insecure: Insecure = False,
    as_json: AsJson = False,
) -> None:
    """Send a file of predictions, or of outcomes of tasks, to a board; print what is released.

    The same file sent again in the same phase is the same submission, so that a lost answer costs
    nothing: run the same command once more. A prediction that was answered before under the same
    rule costs nothing in any case.

    Exit codes: 0 answered, 1 the submission can't be scored, 2 bad options or token, 3 no look
    left, 4 the board can't use its ledger, 5 the board was not reached.

    Examples
    --------
    holdfast submit guess.csv --board https://boards.example/b/pets
    holdfast submit guess.csv --board https://boards.example/b/pets --wait --json
    """
    from holdfast.adapters.mcp_tools import content
    from holdfast.client import BoardClient, Unscorable

    client = BoardClient(board, token_from(token_file), patience=patience, insecure=insecure)
    try:
        body = content(client, file, key=key, mean=mean)
        name = secrets.token_hex(20) if again else client.key_for(body)
        while True:
            try:
                told = client.submit(body, key=f"file-{name}", file=file.name)
                break
            except BudgetExhausted as refusal:
                if not wait or refusal.next_allowed_at is None:
                    raise
                seconds = (refusal.next_allowed_at - datetime.now(UTC)).total_seconds()
                time.sleep(max(1.0, seconds + 0.5))
    except Unscorable as error:
        ending = _refusal(INVALID, str(error), as_json, rows=error.rows)
        for row in error.rows:
            column, value = row.get("column") or "the row", quoted(str(row.get("value")))
            said = f"line {row.get('line')}: {column} {row.get('rule')}, got {value}"
            print(said, file=sys.stderr)
        raise ending from None
    except BudgetExhausted as error:
        at = moment(error.next_allowed_at)
        raise _refusal(REFUSED, str(error), as_json, next_allowed_at=at) from None
    except LedgerError as error:
        raise _refusal(NO_LEDGER, str(error), as_json) from None
    except BoardUnreachable as error:
        raise _refusal(EXIT_UNREACHABLE, str(error), as_json) from None
    if as_json:
        print_json({**asdict(told), "score": told.score})
        return
    shown = "-" if told.released is None else told.released
    from_record = " (from the record)" if told.repeated or told.replayed else ""
    human().print(f"released   {shown}{from_record}")
    for number, found in told.numbers.items():
        human().print(f"           {number} {found}", soft_wrap=True)
    human().print(f"meaning    {told.meaning}", soft_wrap=True)
    human().print(f"looks left {told.looks_left}")
    soon = "now" if told.looks_left else "never"
    human().print(f"next look  {told.next_allowed_at or soon}")
    human().print(f"receipt    {told.receipt_id}", soft_wrap=True)


def _refusal(code: int, message: str, as_json: bool, **more: Any) -> typer.Exit:
    if as_json:
        print_json({"released": None, "error": message, **more})
    report_error(message)
    return typer.Exit(code)
