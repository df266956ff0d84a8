"""Metrics of a leaderboard by their names: accuracies, other metrics, times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.lint.record import Issue
from holdfast.quoting import listed

__all__ = ["Column", "column_issues", "counted", "kind_of"]

COST = "a time or cost"
# What a name may contain, and the kind of metric that tells; the first kind found counts.
KINDS = {
    "a balanced accuracy": "balanced accuracy, balanced acc, bal acc",
    "an F-measure": "f1, f2, fscore, f score, f1score, fbeta, fmeasure, f measure",
    "an overlap": "dice, dsc, iou, miou, jaccard",
    "an edit distance": "cer, wer, levenshtein",
    "a text score": "bleu, rouge, rouge1, rouge2, rougel, chrf, meteor, cider, spice, bertscore",
    "an error or loss": "mse, rmse, mae, mape, smape, rmsle, nrmse, r2, loss, logloss, nll, "
    "perplexity, squared error, absolute error",
    "a ranking score": "auc, auroc, auprc, ap, map, map50, average precision, ndcg, mrr, eer, gini",
    "a precision or recall": "precision, recall, sensitivity, specificity, ppv, npv, tpr, fpr",
    "an agreement": "mcc, kappa, pearson, spearman, kendall, correlation, plcc, srcc",
    "an image score": "psnr, ssim, lpips, fid",
    "a distance": "hausdorff, hd95, assd, distance",
    COST: "duration, time, runtime, latency, seconds, elapsed, memory, flops",
}
ACCURACY = {"accuracy", "acc"}


@dataclass(frozen=True)
class Column:
    """One shown metric. `names` are its title and key."""

    names: tuple[str, ...]
    line: int

    @property
    def kind(self) -> str | None:
        """What it is if it is no accuracy."""
        return next((kind for name in self.names if (kind := kind_of(name))), None)


def kind_of(name: str) -> str | None:
    """Return what a metric is if its name tells that it is no accuracy.

    >>> kind_of("macro_F1"), kind_of("Train Time (s)"), kind_of("mean_squared_error")
    ('an F-measure', 'a time or cost', 'an error or loss')
    >>> kind_of("accuracy_score"), kind_of("Total")
    (None, None)
    """
    words = re.findall(r"[a-z]+[0-9]*", name.lower())
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
                "Every metric of the same labels is one more answer to the same look.",
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
                "Bits and gains are those of an accuracy; no bound here covers other metrics.",
                "Read the gains as those of a board that shows an accuracy.",
            )
        )
    return issues
