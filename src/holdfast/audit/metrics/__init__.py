"""Audits of boards that show another metric than one accuracy, or several numbers per look."""

from holdfast.audit.metrics.asked import (
    MetricRequest,
    display_for,
    read_metric_request,
    with_groups,
)
from holdfast.audit.metrics.quick import QuickMetricAudit, quick_metric_audit
from holdfast.audit.metrics.record import MetricAudit, metric_audit_as_json
from holdfast.audit.metrics.run import MetricOutlook, metric_audit

__all__ = [
    "MetricAudit",
    "MetricOutlook",
    "MetricRequest",
    "QuickMetricAudit",
    "display_for",
    "metric_audit",
    "metric_audit_as_json",
    "quick_metric_audit",
    "read_metric_request",
    "with_groups",
]
