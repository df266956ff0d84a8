"""The metric notebook as a file: Kaggle calls `score`.

Every argument carries a type and the first three have the names that Kaggle wants.
"""

import pandas as pd

from holdfast.guard.adapters import kaggle
from holdfast.guard.adapters.kaggle import ParticipantVisibleError

__all__ = ["ParticipantVisibleError", "score"]


def score(solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str) -> float:
    """Return what the policy releases of the submission's accuracy."""
    return kaggle.score(solution, submission, row_id_column_name)
