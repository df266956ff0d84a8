"""Attacks on boards that show other numbers than one accuracy, one line each.

Where several play on one board, tables list them in this order.
"""
# ruff: noqa: I001 - see above

from holdfast.attacks.through_metrics.digits import Digits as Digits
from holdfast.attacks.through_metrics.graded import Graded as Graded
from holdfast.attacks.through_metrics.target_digits import TargetDigits as TargetDigits
from holdfast.attacks.through_metrics.target_bisection import TargetBisection as TargetBisection
from holdfast.attacks.through_metrics.count_reader import CountReader as CountReader
from holdfast.attacks.through_metrics.joint_counts import JointCounts as JointCounts
from holdfast.attacks.through_metrics.parts_in_turn import PartsInTurn as PartsInTurn
from holdfast.attacks.through_metrics.top_k import TopK as TopK
from holdfast.attacks.through_metrics.linear_reader import LinearReader as LinearReader
from holdfast.attacks.through_metrics.rows_in_runs import RunReader as RunReader
from holdfast.attacks.through_metrics.rows_in_runs import RunClimb as RunClimb
from holdfast.attacks.through_metrics.two_points import TwoLevels as TwoLevels
from holdfast.attacks.through_metrics.two_points import TwoTargets as TwoTargets
from holdfast.attacks.through_metrics.sparse_climb import SparseClimb as SparseClimb
from holdfast.attacks.through_metrics.shuffle_climb import ShuffleClimb as ShuffleClimb
from holdfast.attacks.through_metrics.level_counts import LevelCounts as LevelCounts
from holdfast.attacks.through_metrics.class_pools import ClassPools as ClassPools
from holdfast.attacks.through_metrics.by_group import ByGroup as ByGroup
