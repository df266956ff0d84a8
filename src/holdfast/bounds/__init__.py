"""Bounds: records of achievable and impossible accuracies, one paper or theorem per file.

``all_bounds`` gives every bound for a problem; ``queries_to_recover_all`` reads them backwards;
``defended`` bounds answers that are not exact. `holdfast.certificates` puts them together.
"""

from holdfast.bounds.inverse import (
    RecoveryQueries,
    best_impossible,
    queries_to_recover_all,
)
from holdfast.bounds.record import Bound
from holdfast.bounds.registry import all_bounds

__all__ = [
    "Bound",
    "RecoveryQueries",
    "all_bounds",
    "best_impossible",
    "queries_to_recover_all",
]
