"""The audit as one self-contained HTML file: no network, light and dark, printable.

`render` chooses what is shown and hands it to the templates; `charts` draws, by the lines and
labels of `lines` and `end_labels`; `formats` has how numbers read, `templates` how values get into
HTML without being taken for markup, `runtime` the drawing library that is put into the page. A page
shows a record and computes nothing: whatever it says can be read from the JSON as well.
"""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.audit.comparison import Comparison
from holdfast.audit.exports import write_whole
from holdfast.audit.page.render import render, render_comparison, render_quick
from holdfast.audit.quick import QuickAudit
from holdfast.audit.result import Audit

__all__ = [
    "render",
    "render_comparison",
    "render_quick",
    "write",
    "write_comparison",
    "write_quick",
]


def write(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Write the page; when this returns it is whole, and a crash leaves the old one."""
    return write_whole(path, render(audit))


def write_quick(found: QuickAudit, path: str | os.PathLike[str]) -> Path:
    """Write the page of a quick audit, which says that it is no verdict, as `write` does."""
    return write_whole(path, render_quick(found))


def write_comparison(
    comparison: Comparison, path: str | os.PathLike[str], *, title: str | None = None
) -> Path:
    """Write the page of two audits, as `write` does."""
    return write_whole(path, render_comparison(comparison, title=title))
