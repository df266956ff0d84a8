"""Attacks on boards that show other numbers than one accuracy."""

from holdfast.attacks.through_metrics.by_group import ByGroup
from holdfast.attacks.through_metrics.class_pools import ClassPools
from holdfast.attacks.through_metrics.count_reader import CountReader
from holdfast.attacks.through_metrics.digits import Digits
from holdfast.attacks.through_metrics.graded import Graded
from holdfast.attacks.through_metrics.joint_counts import JointCounts
from holdfast.attacks.through_metrics.level_counts import LevelCounts
from holdfast.attacks.through_metrics.match_reader import MatchReader
from holdfast.attacks.through_metrics.parts_in_turn import PartsInTurn
from holdfast.attacks.through_metrics.sparse_climb import SparseClimb
from holdfast.attacks.through_metrics.target_bisection import TargetBisection
from holdfast.attacks.through_metrics.target_digits import TargetDigits
from holdfast.attacks.through_metrics.top_k import TopK

__all__ = [
    "ByGroup",
    "ClassPools",
    "CountReader",
    "Digits",
    "Graded",
    "JointCounts",
    "LevelCounts",
    "MatchReader",
    "PartsInTurn",
    "SparseClimb",
    "TargetBisection",
    "TargetDigits",
    "TopK",
]
