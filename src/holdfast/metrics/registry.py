"""Metrics by name: what `holdfast.metrics` imports."""

from __future__ import annotations

import difflib
import re
from functools import cache

from holdfast import metrics
from holdfast.errors import InvalidInput
from holdfast.metrics.base import Metric
from holdfast.plugins import installed
from holdfast.quoting import quoted

__all__ = ["metric_classes", "parse_metric"]

# A metric's text and a range to which its value is clipped.
CLIP = re.compile(r"(?P<metric>[^\[\]]+)\[(?P<low>[^,\[\]]+),(?P<high>[^,\[\]]+)\]")


@cache
def metric_classes() -> tuple[type[Metric], ...]:
    """Return every metric that has a name, in the order of their names, plug-ins last.

    >>> [each.name for each in metric_classes()][:2]
    ['accuracy', 'average_precision']
    """
    found = [each for each in vars(metrics).values() if isinstance(each, type)]
    own = (each for each in found if issubclass(each, Metric) and each.name)
    named = (each for each in installed("holdfast.metrics", Metric) if each.name)
    return (*sorted(own, key=lambda each: each.name), *named)


def parse_metric(text: str) -> Metric:
    """Return the metric that a text names, or raise `InvalidInput`.

    >>> str(parse_metric("top_k_accuracy:5")), str(parse_metric("f1_macro"))
    ('top_k_accuracy:5', 'f1_macro')
    >>> parse_metric("log_loss[0,10]").high
    10.0
    >>> parse_metric("f1_makro")
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: metric must be one of accuracy, average_precision, \
balanced_accuracy, brier, cohen_kappa, exact_match, f1, f1_macro, f1_weighted, hamming_loss, \
jaccard_macro, log_loss, mae, matthews_corrcoef, mse, precision_macro, r2, recall_macro, rmse, \
roc_auc, top_k_accuracy:K, got 'f1_makro'; did you mean f1_macro?
    """
    clip = CLIP.fullmatch(str(text))
    if clip is not None:
        return _clipped(parse_metric(clip["metric"]), clip["low"], clip["high"])
    name, _, setting = str(text).partition(":")
    by_name = {each.name: each for each in metric_classes()}
    found = by_name.get(name)
    takes_number = found is metrics.TopKAccuracy
    if found is None or takes_number != bool(setting):
        names = [f"{each}:K" if by_name[each] is metrics.TopKAccuracy else each for each in by_name]
        close = difflib.get_close_matches(str(text), names, n=1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise InvalidInput(f"metric must be one of {', '.join(names)}, got {quoted(text)}{hint}")
    if not takes_number:
        return found()
    if not (setting.isascii() and setting.isdigit()):
        raise InvalidInput(f"K of {name} must be a whole number, got {quoted(setting)}.")
    return metrics.TopKAccuracy(int(setting))


def _clipped(metric: Metric, low: str, high: str) -> Metric:
    try:
        limits = float(low), float(high)
    except ValueError:
        raise InvalidInput(
            f"the clip range of {metric} must be two numbers, got {quoted(f'{low},{high}')}."
        ) from None
    return metrics.Clipped(metric, low=limits[0], high=limits[1])
