"""The audit: labels and a policy in, one verdict and the evidence for it out.

Three words are kept apart: *possible* (an attack did it), *allowed* (no bound rules it out),
*observed* (a history shows it).
"""

from holdfast.audit.comparison import Comparison, compare, comparison_as_json
from holdfast.audit.inputs.history import Submission, read_history
from holdfast.audit.inputs.looks import Looks, parse_looks, parse_rate
from holdfast.audit.inputs.parts import Parts, parts_of
from holdfast.audit.inputs.reading import read_request
from holdfast.audit.inputs.request import Prediction, Request
from holdfast.audit.known_so_far import KnownSoFar
from holdfast.audit.metrics import (
    MetricAudit,
    MetricRequest,
    display_for,
    metric_audit,
    metric_audit_as_json,
    read_metric_request,
    with_groups,
)
from holdfast.audit.outlook import Outlook, outlook
from holdfast.audit.quick import QuickAudit, quick_audit
from holdfast.audit.recommended import recommended_policy
from holdfast.audit.result import Audit, as_json
from holdfast.audit.run import audit, n_plays
from holdfast.audit.saved import read_audit
from holdfast.audit.scenarios.play_cache import PlayCache, cache_folder

__all__ = [
    "Audit",
    "Comparison",
    "KnownSoFar",
    "Looks",
    "MetricAudit",
    "MetricRequest",
    "Outlook",
    "Parts",
    "PlayCache",
    "Prediction",
    "QuickAudit",
    "Request",
    "Submission",
    "as_json",
    "audit",
    "cache_folder",
    "compare",
    "comparison_as_json",
    "display_for",
    "metric_audit",
    "metric_audit_as_json",
    "n_plays",
    "outlook",
    "parse_looks",
    "parse_rate",
    "parts_of",
    "quick_audit",
    "read_audit",
    "read_history",
    "read_metric_request",
    "read_request",
    "recommended_policy",
    "with_groups",
]
