"""`holdfast gate`: let a model pass only if looking can't explain its improvement."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.guarding import (
    DEFAULT_LEDGER,
    IdColumn,
    LabelColumn,
    LabelsFile,
    LedgerUrl,
    PartName,
    PolicyFile,
    SharedLabels,
    Team,
    open_guard,
)
from holdfast.cli.options import AsJson
from holdfast.cli.output import human, print_json
from holdfast.cli.plain import percent, scored_submissions
from holdfast.guard import gate as decide

__all__ = ["gate"]


def gate(
    baseline: Annotated[Path, typer.Option(help="Predictions of the model in use.")],
    candidate: Annotated[
        Path, typer.Option(help="Predictions of the model that would replace it.")
    ],
    policy: PolicyFile,
    labels: LabelsFile,
    ledger: LedgerUrl = DEFAULT_LEDGER,
    team: Team = "gate",
    confidence: Annotated[
        float, typer.Option(help="How sure the gate must be that the improvement is real.")
    ] = 0.95,
    part: PartName = None,
    id_column: IdColumn = None,
    label_column: LabelColumn = None,
    shared_labels: SharedLabels = False,
    as_json: AsJson = False,
) -> None:
    """Exit 0 if a candidate improves by more than the scored submissions so far could have bought.

    Both are scored through the ledger; a prediction that was scored before costs no look. Exit
    1 if chance and looking could explain the difference, and then it says what would pass; 2 if
    it could not be decided, as under a rule that does not tell the baseline's own score; 4 if
    the ledger can't be used. The confidence is for all gates on these labels together.

    Examples
    --------
    holdfast gate --policy policy.toml --labels labels.csv --baseline old.csv --candidate new.csv
    holdfast gate --policy policy.toml --labels labels.csv --baseline old.csv --candidate new.csv
        --confidence 0.99
    """
    files = open_guard(policy, labels, ledger, id_column, label_column, shared_labels, part)
    result = decide(
        files.guard,
        files.read(baseline, team=team, name="baseline"),
        files.read(candidate, team=team, name="candidate"),
        team=team,
        confidence=confidence,
    )
    if as_json:
        print_json({"passed": result.passed, "part": files.guard.part, **asdict(result)})
    else:
        shown = "not told"
        if result.improvement is not None and result.candidate is not None:
            assert result.baseline is not None
            shown = f"{100 * result.improvement:+.3f} points ({percent(result.baseline)} % to "
            shown += f"{percent(result.candidate)} %, {result.differing:,} predictions differ)"
        human().print(f"improvement {shown}")
        needed = result.bought + result.blur
        human().print(
            f"needed      {100 * needed:+.3f} points: {scored_submissions(result.looks)} could "
            f"have bought {percent(result.bought)} at confidence {result.confidence:g}, the "
            f"release rule blurs {percent(result.blur)}"
        )
        human().print(f"part        {files.guard.part}")
        human().print("PASS" if result.passed else "FAIL: looking could explain it")
        for number, sentence in enumerate(result.advice):
            human().print(f"{'or' if number else 'would pass'}: {sentence}", soft_wrap=True)
    if not result.passed:
        raise typer.Exit(1)
