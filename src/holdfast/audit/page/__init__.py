"""The audit as one self-contained HTML file: no network, light and dark, printable."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.audit.exports import write_whole
from holdfast.audit.page.render import render
from holdfast.audit.result import Audit

__all__ = ["render", "write"]


def write(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Write the page; when this returns it is whole, and a crash leaves the old one."""
    return write_whole(path, render(audit))
