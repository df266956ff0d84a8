"""Metrics: what a board computes from hidden truth and a submission, a family per file."""

from holdfast.metrics.base import LabelMetric, Metric, Submission
from holdfast.metrics.clipped import Clipped
from holdfast.metrics.labels import (
    F1,
    Accuracy,
    BalancedAccuracy,
    CohenKappa,
    F1Macro,
    F1Weighted,
    JaccardMacro,
    MatthewsCorrcoef,
    PrecisionMacro,
    RecallMacro,
    TopKAccuracy,
)
from holdfast.metrics.numbers import (
    R2,
    ExactMatch,
    HammingLoss,
    MeanAbsoluteError,
    MeanSquaredError,
    RootMeanSquaredError,
)
from holdfast.metrics.own_metric import OwnMetric
from holdfast.metrics.probabilities import AveragePrecision, Brier, LogLoss, RocAuc
from holdfast.metrics.shows import Breakdown, ConfusionMatrix, PerClassRecall, Several, Show

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
