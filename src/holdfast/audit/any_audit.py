"""Audits of whatever a board shows: one accuracy, or another metric, groups and columns.

There are two records, `Audit` in points of accuracy and `MetricAudit` in a metric's unit. What is
called differently in the two has one name here, for exports, comparisons and policies.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from holdfast.audit.metrics.record import MetricAudit, metric_audit_as_json
from holdfast.audit.result import Audit, Model, as_json

__all__ = ["AnyAudit", "any_as_json", "models_of", "shown_by"]

# An audit of accuracies, or of another metric.
AnyAudit: TypeAlias = Audit | MetricAudit


def any_as_json(audit: AnyAudit) -> dict[str, Any]:
    """Return any audit as plain data: accuracies as fractions, metrics in their own unit."""
    return as_json(audit) if isinstance(audit, Audit) else metric_audit_as_json(audit)


def shown_by(audit: AnyAudit) -> str:
    """Return what the board shows, in words."""
    return "accuracy" if isinstance(audit, Audit) else audit.board


def models_of(audit: AnyAudit) -> tuple[Model, ...]:
    """Return the models that attacks started from."""
    return audit.board.models if isinstance(audit, Audit) else audit.models
