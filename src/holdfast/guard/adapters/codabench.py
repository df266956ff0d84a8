"""Codabench: a scoring program over input/ref, input/res and output/scores.json.

Put `policy.toml`, the labels and, unless HOLDFAST_LEDGER is set in the worker, `ledger.url` into
the reference data, and call `main()` from the scoring program. Codabench tells a scoring program
nothing about the submitter, so all submissions share one team's budget; set HOLDFAST_TEAM on a
worker of your own that knows better. What is wrong with your own files is not shown to submitters,
but added to the file that HOLDFAST_ERRORS names.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from holdfast.errors import HoldfastError, InvalidInput, InvalidQuery
from holdfast.guard.adapters.audiences import for_participants
from holdfast.guard.adapters.settings import find_ledger, find_policy
from holdfast.guard.files import GuardedFile
from holdfast.guard.receipt import Receipt
from holdfast.quoting import listed

__all__ = ["EVERYONE", "main", "score"]

EVERYONE = "everyone"
HOLDFAST_FILES = ("policy.toml", "ledger.url")


def score(
    input_folder: str | os.PathLike[str],
    output_folder: str | os.PathLike[str],
    *,
    team: str = EVERYONE,
    metric: str = "accuracy",
) -> Receipt:
    """Score input/res against input/ref through the ledger and write output/scores.json.

    Nothing is written where nothing is released, as in a batch that is not full.

    Parameters
    ----------
    input_folder, output_folder
        What Codabench mounts: /app/input and /app/output.
    team
        Whose look it is.
    metric
        The key of the leaderboard's column.
    """
    reference, result = Path(input_folder) / "ref", Path(input_folder) / "res"
    labels, problem = _only_table(reference, "labels")
    if labels is None:
        raise InvalidInput(problem)
    host = GuardedFile(labels, find_policy(reference), find_ledger(reference), shared=True)
    submission, problem = _only_table(result, "predictions")
    if submission is None:
        host.refuse(problem, team=team)
        raise InvalidQuery(problem)
    receipt = host.score(submission, team=team)
    if receipt.released is None:
        return receipt
    scores = {metric: receipt.released, "looks_left": receipt.looks_left}
    Path(output_folder).mkdir(parents=True, exist_ok=True)
    (Path(output_folder) / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return receipt


def main(arguments: Sequence[str] | None = None, *, metric: str = "accuracy") -> int:
    """Run as a scoring program: `score.py /app/input /app/output`; return the exit code.

    `metric` is the key of the leaderboard's column, as competition.yaml has it.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    folders = given if len(given) == 2 else ["/app/input", "/app/output"]
    try:
        team = os.environ.get("HOLDFAST_TEAM") or EVERYONE
        receipt = for_participants(lambda: score(*folders, team=team, metric=metric))
    except HoldfastError as error:
        print(error, file=sys.stderr)  # Codabench shows it to the submitter
        return 1
    if receipt.released is None:
        print("recorded; the score is released when the batch is full.", file=sys.stderr)
        return 1
    print(f"released {receipt.released}: {receipt.meaning}")
    print(f"{receipt.looks_left} looks left, {receipt.receipt_id}")
    return 0


def _only_table(folder: Path, what: str) -> tuple[Path | None, str]:
    """Return the one CSV or NPY file of a folder, whatever it is called, or what is wrong."""
    found = sorted(
        path
        for path in (folder.iterdir() if folder.is_dir() else [])
        if path.suffix.lower() in (".csv", ".npy") and path.name not in HOLDFAST_FILES
    )
    if len(found) == 1:
        return found[0], ""
    names = listed(path.name for path in found) or "none"
    return None, f"{what} must be one CSV or NPY file in {folder.name}, got {names}."
