"""Release rules: what an oracle tells of an exact score. One rule per file."""

from holdfast.mechanisms.base import Rule
from holdfast.mechanisms.batch import PENDING, Batch, is_pending, released
from holdfast.mechanisms.chain import Chain
from holdfast.mechanisms.exact import Exact
from holdfast.mechanisms.fresh_subsample import FreshSubsample
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.mechanisms.improved_only import ImprovedOnly
from holdfast.mechanisms.ladder import Ladder
from holdfast.mechanisms.laplace import Laplace
from holdfast.mechanisms.parameter_free_ladder import ParameterFreeLadder
from holdfast.mechanisms.rank_only import RankOnly
from holdfast.mechanisms.rounding import Rounding
from holdfast.mechanisms.shaky_ladder import ShakyLadder
from holdfast.mechanisms.spec import parse_mechanism, recorded_mechanism, without_noise
from holdfast.mechanisms.split import Split
from holdfast.mechanisms.subsample import Subsample
from holdfast.mechanisms.thresholdout import Thresholdout
from holdfast.mechanisms.told import Told

__all__ = [
    "PENDING",
    "Batch",
    "Chain",
    "Exact",
    "FreshSubsample",
    "Gaussian",
    "ImprovedOnly",
    "Ladder",
    "Laplace",
    "ParameterFreeLadder",
    "RankOnly",
    "Rounding",
    "Rule",
    "ShakyLadder",
    "Split",
    "Subsample",
    "Thresholdout",
    "Told",
    "is_pending",
    "parse_mechanism",
    "recorded_mechanism",
    "released",
    "without_noise",
]
