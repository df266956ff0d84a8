"""The audit as one self-contained HTML file: no network, light and dark, printable."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.audit.comparison import Comparison
from holdfast.audit.exports import write_whole
from holdfast.audit.page.render import render, render_comparison
from holdfast.audit.result import Audit

__all__ = ["render", "render_comparison", "write", "write_comparison"]


def write(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Write the page; when this returns it is whole, and a crash leaves the old one."""
    return write_whole(path, render(audit))


def write_comparison(
    comparison: Comparison, path: str | os.PathLike[str], *, title: str | None = None
) -> Path:
    """Write the page of two audits, as `write` does."""
    return write_whole(path, render_comparison(comparison, title=title))
