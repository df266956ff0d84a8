"""What is possible: records of achievable and impossible accuracies, one paper per file.

``all_bounds`` gives every bound for a problem; ``max_queries_for_bias`` and
``queries_to_recover_all`` read them backwards; ``defended`` bounds answers that are not exact.
"""

from holdfast.bounds.inverse import (
    RecoveryQueries,
    best_impossible,
    max_queries_for_bias,
    queries_to_recover_all,
)
from holdfast.bounds.record import Bound
from holdfast.bounds.registry import all_bounds

__all__ = [
    "Bound",
    "RecoveryQueries",
    "all_bounds",
    "best_impossible",
    "max_queries_for_bias",
    "queries_to_recover_all",
]
