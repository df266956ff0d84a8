"""Metrics: what a board computes from hidden truth and a submission, one per file."""

from holdfast.metrics.accuracy import Accuracy
from holdfast.metrics.average_precision import AveragePrecision
from holdfast.metrics.balanced_accuracy import BalancedAccuracy
from holdfast.metrics.base import LabelMetric, Metric, Submission
from holdfast.metrics.brier import Brier
from holdfast.metrics.clipped import Clipped
from holdfast.metrics.cohen_kappa import CohenKappa
from holdfast.metrics.exact_match import ExactMatch
from holdfast.metrics.f1 import F1
from holdfast.metrics.f1_macro import F1Macro
from holdfast.metrics.f1_weighted import F1Weighted
from holdfast.metrics.hamming_loss import HammingLoss
from holdfast.metrics.jaccard_macro import JaccardMacro
from holdfast.metrics.log_loss import LogLoss
from holdfast.metrics.mae import MeanAbsoluteError
from holdfast.metrics.matthews_corrcoef import MatthewsCorrcoef
from holdfast.metrics.mse import MeanSquaredError
from holdfast.metrics.own_metric import OwnMetric
from holdfast.metrics.precision_macro import PrecisionMacro
from holdfast.metrics.r2 import R2
from holdfast.metrics.recall_macro import RecallMacro
from holdfast.metrics.rmse import RootMeanSquaredError
from holdfast.metrics.roc_auc import RocAuc
from holdfast.metrics.shows import Breakdown, ConfusionMatrix, PerClassRecall, Several, Show
from holdfast.metrics.top_k_accuracy import TopKAccuracy

__all__ = [
    "F1",
    "R2",
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "Breakdown",
    "Brier",
    "Clipped",
    "CohenKappa",
    "ConfusionMatrix",
    "ExactMatch",
    "F1Macro",
    "F1Weighted",
    "HammingLoss",
    "JaccardMacro",
    "LabelMetric",
    "LogLoss",
    "MatthewsCorrcoef",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "Metric",
    "OwnMetric",
    "PerClassRecall",
    "PrecisionMacro",
    "RecallMacro",
    "RocAuc",
    "RootMeanSquaredError",
    "Several",
    "Show",
    "Submission",
    "TopKAccuracy",
]
