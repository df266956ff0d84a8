"""EvalAI: `evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs)`.

In the challenge's `main.py`: `from holdfast.guard.adapters.evalai import evaluate`. The policy is
the file that HOLDFAST_POLICY names, or policy.toml beside the annotations; the ledger, the URL in
HOLDFAST_LEDGER or in ledger.url beside them. For one phase, `policy-PHASE.toml` overrides it. What
is wrong with these files is not shown to participants, but added to the file that HOLDFAST_ERRORS
names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.errors import NotSupported
from holdfast.guard.adapters.audiences import for_participants
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
    metric: str = "Accuracy",
    **kwargs: Any,
) -> dict[str, Any]:
    """Score a submission through the ledger and return what EvalAI puts on the leaderboard.

    Parameters
    ----------
    test_annotation_file, user_submission_file
        Paths of the hidden labels and of the submission.
    phase_codename
        The phase's codename.
    split, metric
        The codename of the data set split and the leaderboard's column.
    kwargs
        What else EvalAI passes; `submission_metadata` tells the participant team.

    Raises
    ------
    HoldfastError
        Refused or not scorable; EvalAI shows the message and marks the submission as failed. A
        fault of the host's own files is one line that says nothing; see `for_participants`.
    """
    folder = Path(test_annotation_file).parent
    own = folder / f"policy-{Path(phase_codename).name}.toml"

    def score() -> Receipt:
        policy = Policy.read(own) if own.is_file() else find_policy(folder)
        host = GuardedFile(test_annotation_file, policy, find_ledger(folder), shared=True)
        return host.score(user_submission_file, team=_team(kwargs.get("submission_metadata")))

    receipt = for_participants(score)
    if receipt.released is None:
        raise NotSupported("recorded; the score is released when the batch is full.")
    row = {metric: receipt.released}
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


def _team(metadata: Any) -> str:
    """Return the participant team; without metadata all submissions share one budget."""
    team = metadata.get("participant_team") if isinstance(metadata, dict) else None
    return "everyone" if team in (None, "") else f"team {team}"
