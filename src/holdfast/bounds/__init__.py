"""Bounds: records of achievable and impossible accuracies, one paper or theorem per file.

``all_bounds`` gives every bound for a problem; ``queries_to_recover_all`` reads them backwards.
`holdfast.certificates` puts them together.
"""

from holdfast.bounds.record import Bound
from holdfast.bounds.registry import (
    RecoveryQueries,
    all_bounds,
    best_impossible,
    queries_to_recover_all,
)

__all__ = [
    "Bound",
    "RecoveryQueries",
    "all_bounds",
    "best_impossible",
    "queries_to_recover_all",
]
