"""Release rules: one rule per file, one line per rule, in the order in which tables list them."""
# ruff: noqa: I001 - see above

from holdfast.rules.base import PENDING as PENDING
from holdfast.rules.base import Rule as Rule
from holdfast.rules.exact import Exact as Exact
from holdfast.rules.rounding import Rounding as Rounding
from holdfast.rules.parameter_free_ladder import ParameterFreeLadder as ParameterFreeLadder
from holdfast.rules.ladder import Ladder as Ladder
from holdfast.rules.shaky_ladder import ShakyLadder as ShakyLadder
from holdfast.rules.thresholdout import Thresholdout as Thresholdout
from holdfast.rules.additive import Gaussian as Gaussian
from holdfast.rules.additive import Laplace as Laplace
from holdfast.rules.subsample import Subsample as Subsample
from holdfast.rules.chain import Chain as Chain
from holdfast.rules.fresh_subsample import FreshSubsample as FreshSubsample
from holdfast.rules.rank_only import RankOnly as RankOnly
from holdfast.rules.improved_only import ImprovedOnly as ImprovedOnly
from holdfast.rules.split import Split as Split
from holdfast.rules.batch import Batch as Batch
from holdfast.rules.batch import is_pending as is_pending
from holdfast.rules.batch import released as released
from holdfast.rules.on_metrics import check_metric as check_metric
from holdfast.rules.base import WorksOn as WorksOn
from holdfast.rules.registry import compared_rules as compared_rules
from holdfast.rules.registry import rule_classes as rule_classes
from holdfast.rules.recorded import RecordedLook as RecordedLook
from holdfast.rules.recorded import look_text as look_text
from holdfast.rules.recorded import recorded_look as recorded_look
from holdfast.rules.registry import parse_rule as parse_rule
from holdfast.rules.told import Told as Told
