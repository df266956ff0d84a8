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
from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file
from holdfast.guard.adapters.audiences import for_participants
from holdfast.guard.adapters.codabench_keys import column_keys
from holdfast.guard.adapters.host_columns import Columns, as_columns, check_columns, row_of
from holdfast.guard.adapters.settings import find_ledger, find_policy
from holdfast.guard.files import GuardedFile
from holdfast.guard.receipt import Receipt
from holdfast.quoting import listed, quoted

__all__ = ["EVERYONE", "main", "score"]

EVERYONE = "everyone"
HOLDFAST_FILES = ("policy.toml", "ledger.url")
COMPETITION_FILE = "competition.yaml"


def score(
    input_folder: str | os.PathLike[str],
    output_folder: str | os.PathLike[str],
    *,
    team: str = EVERYONE,
    metric: str | Columns | None = None,
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
        The key of the leaderboard's column, or for each key the released number that stands there,
        as in {"overall": "accuracy", "law": "subject=law"}; None: the policy's metric by its name.
        Where competition.yaml lies in the reference data, a key that it does not have is refused:
        Codabench would drop it without a word.
    """
    reference, result = Path(input_folder) / "ref", Path(input_folder) / "res"
    labels, problem = _only_table(reference, "labels")
    if labels is None:
        raise InvalidInput(problem)
    policy = find_policy(reference)
    columns = as_columns(metric, policy.display)
    _refuse_unknown_keys(columns, reference)
    host = GuardedFile(labels, policy, find_ledger(reference), shared=True)
    check_columns(columns, host.guard)
    submission, problem = _only_table(result, "predictions")
    if submission is None:
        host.refuse(problem, team=team)
        raise InvalidQuery(problem)
    receipt = host.score(submission, team=team)
    if receipt.shown is None:
        return receipt
    scores = {**row_of(receipt, columns), "looks_left": receipt.looks_left}
    Path(output_folder).mkdir(parents=True, exist_ok=True)
    (Path(output_folder) / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return receipt


def main(arguments: Sequence[str] | None = None, *, metric: str | Columns | None = None) -> int:
    """Run as a scoring program: `score.py /app/input /app/output`; return the exit code.

    `metric` is the key of the leaderboard's column, as competition.yaml has it, or several; see
    `score`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    folders = given if len(given) == 2 else ["/app/input", "/app/output"]
    try:
        team = os.environ.get("HOLDFAST_TEAM") or EVERYONE
        receipt = for_participants(lambda: score(*folders, team=team, metric=metric))
    except HoldfastError as error:
        print(error, file=sys.stderr)  # Codabench shows it to the submitter
        return 1
    if receipt.shown is None:
        print("recorded; the score is released when the batch is full.", file=sys.stderr)
        return 1
    print(f"released {receipt.shown}: {receipt.meaning}")
    for name, value in receipt.numbers.items():
        print(f"{name} {value}")
    print(f"{receipt.looks_left} looks left, {receipt.receipt_id}")
    return 0


def _refuse_unknown_keys(columns: Columns, reference: Path) -> None:
    """Raise `InvalidInput` for a key that the competition's leaderboard does not have."""
    file = reference / COMPETITION_FILE
    if not file.is_file():
        return
    known = column_keys(read_text_file(file, LARGEST_SETTINGS, name=COMPETITION_FILE))
    for key in columns:
        if key not in known:
            raise InvalidInput(
                f"metric must be a key of a leaderboard column in {COMPETITION_FILE} "
                f"({listed(known, quote=False)}), got {quoted(key)}: Codabench would drop it."
            )


def _only_table(folder: Path, what: str) -> tuple[Path | None, str]:
    """Return the one CSV or NPY file of a folder, or one below, or what is wrong."""
    found = _tables(folder)
    if not found and folder.is_dir():
        below = (each for each in sorted(folder.iterdir()) if not each.name.startswith((".", "__")))
        found = [path for each in below if each.is_dir() for path in _tables(each)]
    if len(found) == 1:
        return found[0], ""
    names = listed(path.name for path in found) or "none"
    return (
        None,
        f"{what} must be one CSV or NPY file in the top folder of {folder.name}, got {names}.",
    )


def _tables(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in (folder.iterdir() if folder.is_dir() else [])
        if path.suffix.lower() in (".csv", ".npy") and path.name not in HOLDFAST_FILES
    )
