"""Certified gains in a metric's own unit, for whoever is shown a display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from holdfast.bounds.metric_gains import TwoClassValues, subgaussian_gain, value_after
from holdfast.bounds.tilted import ROUNDING, nats_in_random_order
from holdfast.certificates.asked import shared_evenly
from holdfast.certificates.displays import (
    ShownLooks,
    certify_display,
    numbers_alone,
    or_no_value,
    shown_nats,
)
from holdfast.certificates.knowledge import Known
from holdfast.errors import InvalidInput
from holdfast.metrics import (
    F1,
    Accuracy,
    BalancedAccuracy,
    Brier,
    CohenKappa,
    F1Macro,
    F1Weighted,
    HammingLoss,
    LabelMetric,
    LogLoss,
    MatthewsCorrcoef,
    MeanAbsoluteError,
    MeanSquaredError,
    Metric,
    PrecisionMacro,
    RecallMacro,
    RocAuc,
    Submission,
    TopKAccuracy,
)
from holdfast.metrics.confusion import two_class_counts
from holdfast.metrics.display import Display
from holdfast.metrics.probabilities import CLIP
from holdfast.problem import Problem
from holdfast.rules import Exact, Rule

__all__ = [
    "CertifiedGain",
    "certify_gain",
]

INDEPENDENT = "whoever knows no more than the law of each label, independent of the others"
IN_RANDOM_ORDER = "whoever knows no more of the labels than how many there are of each class"
NO_SIZES = "the sizes of the classes must be public"
# With two classes, and a given number of examples called positive, these rise by the same for each
# true positive.
EVENLY = (
    F1,
    F1Macro,
    F1Weighted,
    PrecisionMacro,
    RecallMacro,
    BalancedAccuracy,
    MatthewsCorrcoef,
    CohenKappa,
)


@dataclass(frozen=True, slots=True)
class CertifiedGain:
    """What nobody whom it binds exceeds on average, in the metric's own unit.

    Attributes
    ----------
    gain
        Above the best expected value without a look; of a loss, below it. None: nothing is proved.
    nats
        The limit on the information in all answers that it rests on.
    binds
        Whom it binds.
    because
        Why nothing is proved; None where it is.
    """

    gain: float | None
    nats: float
    binds: str = ""
    because: str | None = None


def certify_gain(
    problem: Problem,
    rule: Rule,
    display: Display,
    sizes: Sequence[int] | None = None,
    *,
    accounts: int = 1,
    class_sizes: Sequence[int] | None = None,
    targets: tuple[float, float] | None = None,
    knows: Known = None,
) -> CertifiedGain:
    """Return the expected gain in the metric's unit that nobody exceeds who is shown a display.

    Means of one loss per example, areas, balanced accuracy and mean recall have one, and metrics of
    two classes that rise evenly with the true positives. Of the others the reason is said why not.
    Of an accuracy it is the least of this and of `certify_display`, and names whom that one binds.
    It is never more than a perfect submission has above the best one without a look.

    Parameters
    ----------
    problem
        The sizes; `n_queries` is the number of looks of all accounts together.
    rule
        What is released of each number.
    display
        What each look shows; its metric is what is gained.
    sizes
        The sizes of the groups, for a breakdown.
    accounts
        Accounts that share the looks evenly, each met by a state of its own.
    class_sizes
        The number of examples of each class, for areas and metrics of labels.
    targets
        The least and the largest hidden number, for squared and absolute errors.
    knows
        What is known before the first look, as for `certify`; for accuracies.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> rule, problem = parse_rule("ladder:0.01"), Problem(10_000, 2, 100)
    >>> found = certify_gain(problem, rule, Display.of("roc_auc"), class_sizes=[7000, 3000])
    >>> round(found.gain, 3), found.binds
    (0.15, 'whoever knows no more of the labels than how many there are of each class')
    >>> certify_gain(problem, rule, Display.of("jaccard_macro")).because
    'no exponential inequality of jaccard_macro of 2 classes is proved'
    """
    n, m, k = problem
    groups = [] if display.breakdown is None else list(sizes or ())
    if display.breakdown is not None and sum(groups) != n:
        raise InvalidInput(f"sizes of the groups must add up to {n}, got {sum(groups)}.")
    if class_sizes is not None and (sum(class_sizes) != n or min(class_sizes) < 0):
        raise InvalidInput(f"class_sizes must add up to {n}, got {tuple(class_sizes)}.")
    if targets is not None and not targets[0] <= targets[1]:
        raise InvalidInput(f"targets must be the least and the largest, got {targets}.")
    every = (*groups, *[n] * (1 + len(display.also)))
    looks = ShownLooks(rule, display, every, shared_evenly(k, accounts))
    metric = display.metric
    if metric.averages_examples:
        width = _width(metric, m, targets)
        nats = _independent_nats(looks, m, metric)
        if width is None:
            return CertifiedGain(None, nats, because=f"one example's {metric} has no limit")
        gain = min(subgaussian_gain(nats, width**2 / n), _left(metric, m, width))
        found = CertifiedGain(gain, nats, INDEPENDENT)
        if not isinstance(metric, Accuracy):
            return found
        right = certify_display(problem, rule, display, sizes, accounts=accounts, knows=knows)
        return found if gain < right.gain else CertifiedGain(right.gain, right.nats, right.binds)
    by_pairs = isinstance(metric, RocAuc | BalancedAccuracy | RecallMacro)
    by_hits = isinstance(metric, EVENLY) and m == 2
    if not (by_pairs or by_hits):
        reason = f"no exponential inequality of {metric} of {m} classes is proved"
        return CertifiedGain(None, math.inf, because=reason)
    if class_sizes is None:
        return CertifiedGain(None, math.inf, because=NO_SIZES)
    nats = _counted_nats(looks, m)
    sequences, entropy = _hits_nats(looks, class_sizes)
    told = min(nats, entropy)
    found = CertifiedGain(math.inf, told, IN_RANDOM_ORDER)
    if by_hits and len(class_sizes) == 2 and 0 < class_sizes[1] < n:
        assert isinstance(metric, LabelMetric)
        values = _values_of(metric, n, class_sizes[1])
        # An entropy is no number of sequences, and neither is what noise lets through.
        counted = rule.counted or isinstance(rule, Exact)
        most = (min(sequences, nats if counted else math.inf), True), (told, False)
        best = min(value_after(values, metric.low, metric.high, c, counted=s) for c, s in most)
        found = CertifiedGain(max(0.0, best - values.without_a_look()), told, IN_RANDOM_ORDER)
    elif not by_pairs:
        return CertifiedGain(None, nats, because=f"{metric} needs examples of both classes")
    if by_pairs:
        here = [size for size in class_sizes if size]
        # Nobody has more than 1, and by chance one has 1/m, or the area 1/2.
        gain = min(
            1.0 - 1.0 / len(here), subgaussian_gain(told, 1.0 / min(here)), found.gain or 0.0
        )
        found = CertifiedGain(gain, told, IN_RANDOM_ORDER)
    return found


@lru_cache(maxsize=16)
def _values_of(metric: LabelMetric, n: int, positives: int) -> TwoClassValues:
    """Return the metric's values for every number of examples that are called positive."""
    called = range(n + 1)
    least = [max(0, positives + each - n) for each in called]
    values, slopes = [], []
    for each, low in zip(called, least, strict=True):
        first = float(metric.from_counts(two_class_counts(n, positives, each, low)))
        values.append(first)
        slope = 0.0
        if low < min(positives, each):
            slope = float(metric.from_counts(two_class_counts(n, positives, each, low + 1))) - first
        slopes.append(slope)
    columns = (np.array(column, dtype=np.float64) for column in (called, least, values, slopes))
    return TwoClassValues(n, positives, *columns)


def _width(metric: Metric, n_classes: int, targets: tuple[float, float] | None) -> float | None:
    """Return by how much the losses of one example differ; None without a limit.

    Numbers outside of the targets' range are moved into it without a loss, so the final submission
    has none.
    """
    if isinstance(metric, MeanSquaredError | MeanAbsoluteError):
        if targets is None:
            return None
        spread = targets[1] - targets[0]
        return spread**2 if isinstance(metric, MeanSquaredError) else spread
    if isinstance(metric, LogLoss):
        return -math.log(CLIP)
    if isinstance(metric, Brier) and n_classes == 2:
        return 1.0
    return metric.high - metric.low if metric.bounded else None


def _left(metric: Metric, n_classes: int, width: float) -> float:
    """Return the most that a perfect submission has above the best one without a look.

    Whatever the law of a label: a guess at one of m is right with probability 1/m at least, and has
    a log-loss of log m at most; the middle between two limits is no further than half from either.
    """
    if isinstance(metric, TopKAccuracy):
        return max(0.0, 1.0 - metric.k / n_classes)
    if isinstance(metric, LogLoss):
        return math.log(n_classes)
    if isinstance(metric, MeanSquaredError) or (isinstance(metric, Brier) and n_classes == 2):
        return width / 4.0
    if isinstance(metric, MeanAbsoluteError | HammingLoss):
        return width / 2.0
    return 1.0 - 1.0 / n_classes if isinstance(metric, Accuracy | Brier) else width


def _independent_nats(looks: ShownLooks, m: int, metric: Metric) -> float:
    """Return what all answers tell of examples that are independent."""
    if metric.takes in (Submission.NUMBERS, Submission.LABEL_SETS):
        return _numbers_counted(looks, m)
    counted = _numbers_counted(looks, m)
    if not looks.rule.looks_at_examples:
        counted = min(counted, sum(shown_nats(looks, m)))
    return min(looks.sizes[-1] * math.log(m), counted)


def _counted_nats(looks: ShownLooks, m: int) -> float:
    """Return what all answers tell of labels in random order: groups are not independent then.

    The sizes of the classes are public, but not those of a group.
    """
    whole = looks.display.breakdown is None
    counted = _numbers_counted(looks, m, sizes_public=whole)
    if whole and not looks.rule.looks_at_examples:
        counted = min(counted, sum(shown_nats(looks, m)))
    return min(looks.sizes[-1] * math.log(m), counted)


def _hits_nats(looks: ShownLooks, class_sizes: Sequence[int]) -> tuple[float, float]:
    """Return the logarithm of the number of sequences of hits of two classes, and their entropy.

    Given the sizes, every metric of labels is a function of the submission and its hits, and the
    rest is noise or computed from earlier looks. Infinite where something else is shown, or
    examples are looked at.
    """
    shown = looks.display
    every = (*shown.metrics, *(each.metric for each in shown.by_class))
    by_hits = all(each.takes is Submission.LABELS and not each.may_fail for each in every)
    if len(class_sizes) != 2 or shown.breakdown or looks.rule.looks_at_examples or not by_hits:
        return math.inf, math.inf
    total = sum(count * times for count, times in looks.states.items())
    rarer = min(class_sizes)
    most = total * math.log(rarer + 1.0) * (1.0 + ROUNDING)
    return most, nats_in_random_order(sum(class_sizes), rarer, total)


def _numbers_counted(looks: ShownLooks, m: int, *, sizes_public: bool = False) -> float:
    """Return the nats of every number by itself, added up: nothing is asked of the labels."""
    values = not looks.rule.looks_at_examples
    counted = partial(numbers_alone, looks, m, by_values=values, sizes_public=sizes_public)
    return or_no_value(looks, counted)
