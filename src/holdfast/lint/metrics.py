"""Metrics of a leaderboard by their names: accuracies, other metrics, times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.attacks.through_metrics.covered import check_covered
from holdfast.errors import NotSupported
from holdfast.lint.record import Issue
from holdfast.metrics import Accuracy, Metric, TopKAccuracy
from holdfast.metrics.registry import parse_metric
from holdfast.problem import Problem
from holdfast.quoting import listed, shortened

__all__ = ["Column", "column_issues", "counted", "kind_of", "metric_of"]

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
MOST_TOLD = 6
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
TOP_K = re.compile(r"top[ _-]?(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One shown metric. `names` are its title and key."""

    names: tuple[str, ...]
    line: int

    @property
    def kind(self) -> str | None:
        """What it is if it is no accuracy."""
        kind = next((kind for name in self.names if (kind := kind_of(name))), None)
        if kind is None and not isinstance(self.metric, Accuracy | TopKAccuracy | None):
            return f"the metric {self.metric}"
        return kind

    @property
    def metric(self) -> Metric | None:
        """The metric that its name stands for; None: the name does not tell."""
        return next((found for name in self.names if (found := metric_of(name))), None)

    @property
    def adds(self) -> str:
        """What the column tells about the labels, in words."""
        name = shortened(self.names[0])
        if self.metric is not None:
            return f"{name} ({self.metric}) tells {self.metric.reveals}"
        if self.kind is None:
            return f"{name} tells the number of matches, of all examples or of a group"
        return f"{name} is {self.kind} that no attack here reads"


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
    >>> metric_of("BLEU") is None
    True
    """
    top = TOP_K.search(name)
    if top is not None and int(top[1]) > 1:
        return parse_metric(f"top_k_accuracy:{int(top[1])}")
    words = _words(name)
    text = f" {' '.join(words)} "
    for metric, phrases in KNOWN.items():
        if any(f" {phrase} " in text for phrase in phrases.split(", ")):
            return parse_metric(metric)
    return parse_metric("accuracy") if ACCURACY.intersection(words) else None


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+[0-9]*", name.lower())


def counted(columns: Sequence[Column]) -> tuple[int, bool]:
    """Return how many metrics depend on the labels (at least one), and if all are accuracies."""
    kinds = [column.kind for column in columns if column.kind != COST]
    return max(1, len(kinds)), not any(kinds)


def column_issues(columns: Sequence[Column], fix: str) -> list[Issue]:
    """Return what the shown columns tell together, and which of them are no accuracy."""
    issues = []
    scored = [column for column in columns if column.kind != COST]
    if len(scored) > 1:
        issues.append(
            Issue(
                scored[1].line,
                "many-metrics",
                "warning",
                f"The leaderboard shows {len(scored)} metrics of every submission.",
                "Every metric of the same labels is one more answer to the same look: "
                f"{_adds(scored)}.",
                fix,
            )
        )
    others = [column for column in columns if column.kind is not None]
    if others:
        told = listed((f"{each.names[0]} is {each.kind}" for each in others), quote=False)
        issues.append(
            Issue(
                others[0].line,
                "not-accuracy",
                "note",
                f"No accuracy: {told}.",
                ("" if len(scored) > 1 else f"{_adds(others)}. ")
                + "Bits, gains and bounds of this table are those of accuracies.",
                _priced(others),
            )
        )
    return issues


def _adds(columns: Sequence[Column]) -> str:
    """Return what columns tell, those first that stand for a metric; a few of many."""
    told = sorted(columns, key=lambda column: column.metric is None)
    texts = list(dict.fromkeys(column.adds for column in told))
    more = f"; and {len(texts) - MOST_TOLD} more" if len(texts) > MOST_TOLD else ""
    return "; ".join(texts[:MOST_TOLD]) + more


def _priced(columns: Sequence[Column]) -> str:
    """Return how to learn what the columns give away on the host's own labels."""
    known = list(dict.fromkeys(each.metric for each in columns if each.metric is not None))
    refused = {metric: reason for metric in known if (reason := _refusal(metric))}
    audited = [str(metric) for metric in known if metric not in refused][:MOST_TOLD]
    reasons = "".join(f" {reason}" for reason in list(refused.values())[:MOST_TOLD])
    if not audited:
        return f"Read the gains as those of a board that shows an accuracy.{reasons}"
    return f"Audit the labels: holdfast audit LABELS --metric {' or '.join(audited)}.{reasons}"


def _refusal(metric: Metric) -> str | None:
    """Return why no audit covers a metric, whatever the labels are; None: audits do."""
    try:
        check_covered(metric, Problem(2, 2, 1))
    except NotSupported as error:
        return str(error)
    return None
