"""Kaggle: a metric `score(solution, submission, row_id_column_name)`.

Kaggle calls a metric with two data frames and no word about the team, in a sandbox that keeps
nothing and reaches no network. There, where no ledger is named, only rules without memory and
noise can do anything, such as rounding, and they are applied without one; a call with private rows
alone, as for the final ranking, gets the exact score. On a host of your own that calls Kaggle-style
metrics, the ledger works in full; a host that knows the team passes it as `team`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from holdfast.errors import BudgetExhausted, InvalidQuery
from holdfast.files.text_files import read_text_file
from holdfast.guard.adapters.frames import GuardedFrame, stateless_score
from holdfast.guard.policy import Policy

__all__ = ["ParticipantVisibleError", "score"]

# A URL of a database is shorter.
LONGEST_URL = 1 << 16


class ParticipantVisibleError(Exception):
    """An error whose message Kaggle shows to the participant."""


def score(
    solution: Any, submission: Any, row_id_column_name: str, *, team: str = "everyone"
) -> float:
    """Return what the policy releases of the submission's accuracy, or of the policy's metric.

    Parameters
    ----------
    solution, submission
        Pandas frames with the id column and one column of labels; submissions have what the metric
        takes, such as a column of probabilities for each class.
    row_id_column_name
        The id column.
    team
        Whose look it is.

    Raises
    ------
    ParticipantVisibleError
        The submission can't be scored, or no look is left.
    """
    message = "recorded; the score is released when the batch is full."
    policy = Policy.read(os.environ.get("HOLDFAST_POLICY") or "policy.toml")
    ledger = _ledger()
    try:
        if ledger:
            host = GuardedFrame(solution, policy, ledger, id_column=row_id_column_name)
            released = host.score(submission, team=team).shown
        else:
            released = stateless_score(solution, submission, row_id_column_name, policy)
    except (InvalidQuery, BudgetExhausted) as error:
        released, message = None, str(error)
    if released is None:
        raise ParticipantVisibleError(message)
    return released


def _ledger() -> str | None:
    """Return the ledger named by HOLDFAST_LEDGER, else by ledger.url beside the policy, if any.

    There is no default: a ledger in a container that is thrown away would forget every look.
    """
    file = Path("ledger.url")
    named = os.environ.get("HOLDFAST_LEDGER")
    return named or (read_text_file(file, LONGEST_URL).strip() if file.is_file() else None)
