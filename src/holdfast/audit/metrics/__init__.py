"""Audits of boards that show another metric than one accuracy, or several numbers per look."""

from holdfast.audit.metrics.asked import (
    MetricRequest,
    display_for,
    read_metric_request,
    with_groups,
)
from holdfast.audit.metrics.record import MetricAudit, metric_audit_as_json
from holdfast.audit.metrics.run import metric_audit

__all__ = [
    "MetricAudit",
    "MetricRequest",
    "display_for",
    "metric_audit",
    "metric_audit_as_json",
    "read_metric_request",
    "with_groups",
]
