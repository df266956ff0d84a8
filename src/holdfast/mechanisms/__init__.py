"""Release rules: one rule per file, one line per rule, in the order in which tables list them."""
# ruff: noqa: I001 - see above

from holdfast.mechanisms.base import PENDING as PENDING
from holdfast.mechanisms.base import Rule as Rule
from holdfast.mechanisms.exact import Exact as Exact
from holdfast.mechanisms.rounding import Rounding as Rounding
from holdfast.mechanisms.parameter_free_ladder import ParameterFreeLadder as ParameterFreeLadder
from holdfast.mechanisms.ladder import Ladder as Ladder
from holdfast.mechanisms.shaky_ladder import ShakyLadder as ShakyLadder
from holdfast.mechanisms.thresholdout import Thresholdout as Thresholdout
from holdfast.mechanisms.additive import Gaussian as Gaussian
from holdfast.mechanisms.additive import Laplace as Laplace
from holdfast.mechanisms.subsample import Subsample as Subsample
from holdfast.mechanisms.chain import Chain as Chain
from holdfast.mechanisms.fresh_subsample import FreshSubsample as FreshSubsample
from holdfast.mechanisms.rank_only import RankOnly as RankOnly
from holdfast.mechanisms.improved_only import ImprovedOnly as ImprovedOnly
from holdfast.mechanisms.split import Split as Split
from holdfast.mechanisms.batch import Batch as Batch
from holdfast.mechanisms.batch import is_pending as is_pending
from holdfast.mechanisms.batch import released as released
from holdfast.mechanisms.on_metrics import check_metric as check_metric
from holdfast.mechanisms.base import WorksOn as WorksOn
from holdfast.mechanisms.registry import compared_rules as compared_rules
from holdfast.mechanisms.registry import rule_classes as rule_classes
from holdfast.mechanisms.recorded import RecordedLook as RecordedLook
from holdfast.mechanisms.recorded import look_text as look_text
from holdfast.mechanisms.recorded import recorded_look as recorded_look
from holdfast.mechanisms.registry import parse_mechanism as parse_mechanism
from holdfast.mechanisms.told import Told as Told
