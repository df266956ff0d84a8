"""Audits of boards that show another metric than one accuracy, or several numbers per look.

The audit of accuracies, room by room, with what differs where the metric is any. What does not
differ is not repeated here: reading files, the budget of plays, kept plays, the rule that makes a
gain SAFE or UNSAFE, the bisection of fixes and the page are those of `audit`. Start at `run`, which
calls the others in this order:

- inputs: `asked` is a `Request` with what the board shows; `units` is what gains are counted in
  (points of a metric between two limits, a loss's own value else) and what the best constant
  submission scores; `findings` need no play.
- scenarios: `scenarios` lists who plays through which of the shown numbers, from what `starts` says
  is known. One play is in `plays`; `measurer` makes means of them and measures the strongest again;
  `rules` and `curve` ask it for other release rules and for fewer looks.
- judgement: `certified` has what no attack exceeds, `verdict` the word and its sentence, `fixes`
  the mildest changes that are enough. `record` is what comes out; `quick` says what can be said in
  seconds.

Attacks come from `attacks` and say for themselves which metrics they read, and what they submit
where they have read nothing. `match_counts` and `climbers` choose attacks on accuracies for them.
"""

from holdfast.audit.metrics.asked import (
    MetricRequest,
    display_for,
    read_metric_request,
    with_groups,
)
from holdfast.audit.metrics.quick import QuickMetricAudit, quick_metric_audit
from holdfast.audit.metrics.record import MetricAudit, metric_audit_as_json

__all__ = [
    "MetricAudit",
    "MetricRequest",
    "QuickMetricAudit",
    "display_for",
    "metric_audit_as_json",
    "quick_metric_audit",
    "read_metric_request",
    "with_groups",
]
