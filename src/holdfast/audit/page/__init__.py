"""The audit as one self-contained HTML file: no network, light and dark, printable."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.audit.comparison import Comparison
from holdfast.audit.exports import write_whole
from holdfast.audit.metrics import MetricAudit
from holdfast.audit.page.metric_page import render_metric
from holdfast.audit.page.render import render, render_comparison
from holdfast.audit.result import Audit

__all__ = [
    "render",
    "render_comparison",
    "render_metric",
    "write",
    "write_comparison",
    "write_metric",
]


def write(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Write the page; when this returns it is whole, and a crash leaves the old one."""
    return write_whole(path, render(audit))


def write_comparison(
    comparison: Comparison, path: str | os.PathLike[str], *, title: str | None = None
) -> Path:
    """Write the page of two audits, as `write` does."""
    return write_whole(path, render_comparison(comparison, title=title))


def write_metric(audit: MetricAudit, path: str | os.PathLike[str]) -> Path:
    """Write the page of an audit of a metric, as `write` does."""
    return write_whole(path, render_metric(audit))
