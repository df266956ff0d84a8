"""Kaggle: a metric `score(solution, submission, row_id_column_name)`.

Kaggle calls a metric with two data frames and no word about the team, in a sandbox that keeps
nothing and reaches no network. There, where no ledger is named, only rules without memory and
noise can do anything, such as rounding, and they are applied without one; a call with private rows
alone, as for the final ranking, gets the exact score. On a host of your own that calls Kaggle-style
metrics, the ledger works in full; a host that knows the team passes it as `team`.
"""

from __future__ import annotations

from typing import Any

from holdfast.errors import BudgetExhausted, InvalidQuery
from holdfast.guard.adapters.frames import GuardedFrame, stateless_score
from holdfast.guard.adapters.settings import find_ledger, find_policy, has_ledger

__all__ = ["ParticipantVisibleError", "score"]


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
    policy = find_policy()
    try:
        if has_ledger():
            host = GuardedFrame(solution, policy, find_ledger(), id_column=row_id_column_name)
            released = host.score(submission, team=team).shown
        else:
            released = stateless_score(solution, submission, row_id_column_name, policy)
    except (InvalidQuery, BudgetExhausted) as error:
        released, message = None, str(error)
    if released is None:
        raise ParticipantVisibleError(message)
    return released
