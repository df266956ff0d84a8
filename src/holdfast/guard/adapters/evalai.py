"""EvalAI: `evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs)`.

In the `__init__.py` of the evaluation script's folder: an `evaluate` that calls this one with
`folder=Path(__file__).parent`, where policy.toml and ledger.url lie: EvalAI's worker imports the
folder as a package and delivers one annotation file per phase, so that nothing can lie beside the
annotations. HOLDFAST_POLICY and HOLDFAST_LEDGER come before the files; for one phase,
`policy-PHASE.toml` overrides the policy. A refusal is one sentence on stderr, and no result: the
worker marks the submission as failed and shows what is there, while of what is raised it would show
the traceback, with its own paths. What is wrong with the host's files is not shown to participants,
but added to the file that HOLDFAST_ERRORS names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.guard.adapters.audiences import for_participants
from holdfast.guard.adapters.host_columns import Columns, as_columns, check_columns, row_of
from holdfast.guard.adapters.settings import find_ledger, find_policy
from holdfast.guard.files import GuardedFile
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt

__all__ = ["evaluate"]


def evaluate(
    test_annotation_file: str,
    user_submission_file: str,
    phase_codename: str,
    *,
    split: str = "test_split",
    metric: str | Columns | None = None,
    folder: str | os.PathLike[str] | None = None,
    **kwargs: Any,
) -> dict[str, Any]:
    """Score a submission through the ledger and return what EvalAI puts on the leaderboard.

    Nothing ({}) where nothing is released, with the reason on stderr.

    Parameters
    ----------
    test_annotation_file, user_submission_file
        Paths of the hidden labels and of the submission.
    phase_codename
        The phase's codename.
    split, metric
        The codename of the data set split and the leaderboard's column; or for each column the
        released number that stands there, as in {"Total": "accuracy", "Law": "subject=law"}. None:
        "Accuracy", and any other metric by its own name.
    folder
        Where the policy and the ledger's URL lie: the evaluation script's folder. None: beside the
        annotations, on a worker of your own.
    kwargs
        What else EvalAI passes; `submission_metadata` tells the participant team.
    """
    place = Path(test_annotation_file).parent if folder is None else Path(folder)
    own = place / f"policy-{Path(phase_codename).name}.toml"
    columns: dict[str, str] = {}

    def score() -> Receipt:
        policy = Policy.read(own) if own.is_file() else find_policy(place)
        columns.update(as_columns(_named(metric, policy), policy.display))
        host = GuardedFile(test_annotation_file, policy, find_ledger(place), shared=True)
        check_columns(columns, host.guard)
        return host.score(user_submission_file, team=_team(kwargs.get("submission_metadata")))

    reason = "recorded; the score is released when the batch is full."
    try:
        receipt = for_participants(score)
    except HoldfastError as refusal:
        receipt, reason = None, str(refusal)
    if receipt is None or receipt.shown is None:
        sys.stderr.write(f"{reason}\n")
        return {}
    row = row_of(receipt, columns)
    return {
        "result": [{split: row}],
        "submission_result": row,
        "submission_metadata": {
            "part": receipt.part,
            "looks_left": receipt.looks_left,
            "meaning": receipt.meaning,
            "new_best": receipt.new_best,
            "receipt_id": receipt.receipt_id,
        },
    }


def _named(metric: str | Columns | None, policy: Policy) -> str | Columns | None:
    """Return the column's usual name on this platform, where none is given."""
    return "Accuracy" if metric is None and policy.metric == "accuracy" else metric


def _team(metadata: Any) -> str:
    """Return the participant team; without metadata all submissions share one budget."""
    team = metadata.get("participant_team") if isinstance(metadata, dict) else None
    return "everyone" if team in (None, "") else f"team {team}"
