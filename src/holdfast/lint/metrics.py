"""Metrics of a leaderboard by their names: accuracies, other metrics, times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.metrics import Accuracy, Metric, TopKAccuracy
from holdfast.metrics.registry import parse_metric
from holdfast.quoting import shortened

__all__ = ["COST", "MetricColumn", "kind_of", "metric_of", "scored", "template_names"]

COST = "a time or cost"
# What a name may contain, and the kind of metric that tells; the first kind found counts.
KINDS = {
    "a balanced accuracy": "balanced accuracy, balanced acc, bal acc",
    "an F-measure": "f1, f2, fscore, f score, f1score, fbeta, fmeasure, f measure",
    "an overlap": "dice, dsc, iou, miou, jaccard",
    "an edit distance": "cer, wer, levenshtein",
    "a text score": "bleu, rouge, rouge1, rouge2, rougel, chrf, meteor, cider, spice, bertscore",
    "an error or loss": "mse, rmse, mae, mape, smape, rmsle, nrmse, r2, loss, logloss, nll, "
    "perplexity, squared error, absolute error, brier, cross entropy, hamming",
    "a ranking score": "auc, auroc, auprc, ap, map, map50, average precision, ndcg, mrr, eer, gini",
    "a precision or recall": "precision, recall, sensitivity, specificity, ppv, npv, tpr, fpr",
    "an agreement": "mcc, matthews corrcoef, kappa, pearson, spearman, kendall, correlation, "
    "plcc, srcc",
    "an image score": "psnr, ssim, lpips, fid",
    "a distance": "hausdorff, hd95, assd, distance",
    COST: "duration, time, runtime, latency, seconds, elapsed, memory, flops",
}
ACCURACY = {"accuracy", "acc"}
# Which metric of `holdfast.metrics` a name stands for; the first phrase found counts.
KNOWN = {
    "balanced_accuracy": "balanced accuracy, balanced acc, bal acc",
    "exact_match": "subset accuracy, exact match",
    "f1_macro": "macro f1, f1 macro, macro averaged f1, f1 score macro, macro f1score",
    "f1_weighted": "weighted f1, f1 weighted",
    "f1": "f1, f1score, fscore, f score, fmeasure",
    "jaccard_macro": "miou, macro jaccard, jaccard macro",
    "precision_macro": "macro precision, precision macro",
    "recall_macro": "macro recall, recall macro",
    "matthews_corrcoef": "mcc, matthews corrcoef, matthews correlation",
    "cohen_kappa": "kappa, cohen kappa",
    "average_precision": "auprc, average precision, ap",
    "roc_auc": "roc auc, auroc, auc",
    "log_loss": "log loss, logloss, nll, cross entropy",
    "brier": "brier",
    "hamming_loss": "hamming, hamming loss",
    "rmse": "rmse, root mean squared error",
    "mse": "mse, mean squared error",
    "mae": "mae, mean absolute error",
    "r2": "r2",
}
# Of labels, one per example, each of these is the accuracy.
MICRO = (
    "micro f1, f1 micro, micro averaged f1, f1 score micro, micro f1score, micro precision, "
    "precision micro, micro recall, recall micro"
)
# Words of a recall of one class, unless it is said to be an average.
RECALL = {"recall", "sensitivity", "tpr"}
AVERAGED = {"macro", "micro", "weighted", "average", "averaged", "mean", "avg"}
# What EvalAI's template calls the columns of its leaderboard.
TEMPLATE, TEMPLATE_TOTAL = re.compile(r"metric[ _-]?[0-9]+", re.IGNORECASE), "total"
# Not behind a letter: "desktop 3" is no top-3.
TOP_K = re.compile(r"(?<![a-z])top[ _-]?(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class MetricColumn:
    """One shown metric. `names` are its title and key."""

    names: tuple[str, ...]
    line: int

    @property
    def kind(self) -> str | None:
        """What it is if it is no accuracy."""
        if isinstance(self.metric, Accuracy):
            return None
        kind = next((kind for name in self.names if (kind := kind_of(name))), None)
        if kind is None and not isinstance(self.metric, Accuracy | TopKAccuracy | None):
            return f"the metric {self.metric}"
        return kind

    @property
    def metric(self) -> Metric | None:
        """The metric that its name stands for; None: the name does not tell."""
        return next((found for name in self.names if (found := metric_of(name))), None)

    @property
    def of_one_class(self) -> bool:
        """Whether it is the recall of a class, which is read together with those of others."""
        return self.metric is None and any(map(is_class_recall, self.names))

    @property
    def named(self) -> bool:
        """Whether its name tells the metric, or at least no other than an accuracy."""
        return self.metric is not None or self.kind is None

    @property
    def name(self) -> str:
        """Its title, as one short line."""
        return shortened(self.names[0])


def kind_of(name: str) -> str | None:
    """Return what a metric is if its name tells that it is no accuracy.

    >>> kind_of("macro_F1"), kind_of("Train Time (s)"), kind_of("mean_squared_error")
    ('an F-measure', 'a time or cost', 'an error or loss')
    >>> kind_of("accuracy_score"), kind_of("Total")
    (None, None)
    """
    words = _words(name)
    text = f" {' '.join(words)} "
    plain = ACCURACY.intersection(words) and "balanced" not in words and "bal" not in words
    return next(
        (
            kind
            for kind, phrases in KINDS.items()
            if not plain and any(f" {phrase} " in text for phrase in phrases.split(", "))
        ),
        None,
    )


def metric_of(name: str) -> Metric | None:
    """Return the metric that a column's name stands for, as hosts' files spell them.

    >>> [str(metric_of(name)) for name in ("Macro F1", "ROC-AUC", "logloss", "Top-5 acc", "Acc.")]
    ['f1_macro', 'roc_auc', 'log_loss', 'top_k_accuracy:5', 'accuracy']
    >>> metric_of("BLEU") is None, str(metric_of("Micro F1"))
    (True, 'accuracy')
    """
    top = TOP_K.search(name)
    if top is not None and int(top[1]) > 1:
        return parse_metric(f"top_k_accuracy:{int(top[1])}")
    words = _words(name)
    text = f" {' '.join(words)} "
    for metric, phrases in {"accuracy": MICRO, **KNOWN}.items():
        if any(f" {phrase} " in text for phrase in phrases.split(", ")):
            return parse_metric(metric)
    return parse_metric("accuracy") if ACCURACY.intersection(words) else None


def is_class_recall(name: str) -> bool:
    """Tell whether a column shows the recall of one class.

    >>> [is_class_recall(name) for name in ("Recall (cat)", "sensitivity", "Macro recall", "F1")]
    [True, True, False, False]
    """
    words = set(_words(name))
    return bool(RECALL & words) and not AVERAGED & words


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+[0-9]*", name.lower())


def template_names(columns: Sequence[MetricColumn]) -> list[MetricColumn]:
    """Return the columns that are called as in a host's template.

    >>> columns = [MetricColumn((name,), 1) for name in ("Metric1", "Metric2", "Total", "F1")]
    >>> [column.name for column in template_names(columns)], template_names(columns[2:])
    (['Metric1', 'Metric2', 'Total'], [])
    """
    numbered = [column for column in columns if TEMPLATE.fullmatch(column.name.strip())]
    totals = [column for column in columns if column.name.strip().lower() == TEMPLATE_TOTAL]
    return numbered + totals if numbered else []


def scored(columns: Sequence[MetricColumn]) -> tuple[MetricColumn, ...]:
    """Return the columns that depend on the labels; an accuracy, which a board shows at least."""
    template = template_names(columns)
    return tuple(
        column for column in columns if column.kind != COST and column not in template
    ) or (MetricColumn(("accuracy",), 0),)
