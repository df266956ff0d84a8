"""The files that audits write, and the page in a browser."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from holdfast.audit import Audit, Request, exports, recommended_fix, recommended_policy
from holdfast.errors import InvalidInput
from holdfast.extras import needed_for

__all__ = [
    "check_writable",
    "open_in_browser",
    "page_file",
    "page_module",
    "report_file",
    "write_exports",
    "write_recommended",
]


def report_file(report: Path | None, *, open_page: bool) -> Path | None:
    """Return where the page goes; None: nowhere. One that can't be written is refused."""
    report = page_file(report, open_page=open_page, name="audit.html")
    if report is not None:
        page_module()
    return report


def page_file(report: Path | None, *, open_page: bool, name: str) -> Path | None:
    """Return where a page goes, a temporary file if it is only opened; None: nowhere."""
    if report is None and open_page:
        report = Path(tempfile.mkdtemp(prefix="holdfast-")) / name
    check_writable(report=report)
    return report


def check_writable(**files: Path | None) -> None:
    """Refuse a file that can't be written before anything is played."""
    for name, path in files.items():
        if path is None:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"{name} must be a file that can be written: {error}.") from None
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise InvalidInput(f"{name} must be a file that can be written, got {path}.")


def page_module() -> Any:
    """Return what draws pages; it needs more than the rest of the package."""
    with needed_for("the page"):
        return importlib.import_module("holdfast.audit.page")


def write_exports(
    result: Audit,
    *,
    badge: Path | None,
    sarif: Path | None,
    junit: Path | None,
    subject: Path | None,
    limit: float | None,
) -> None:
    """Write the files for other programs; `subject` is the file that their results are about."""
    if badge is not None:
        exports.write_whole(badge, exports.badge(result))
    if sarif is not None:
        exports.write_whole(sarif, exports.sarif(result, subject=_place(subject), limit=limit))
    if junit is not None:
        exports.write_whole(junit, exports.junit(result, limit=limit))


def write_recommended(board: Request, result: Audit, path: Path) -> bool:
    """Write the recommended policy and say which fix it has, or why there is none.

    The fix need not be the first that the audit names: a policy holds no rows back. Tells whether
    the policy was written.
    """
    try:
        text = recommended_policy(board, result)
    except InvalidInput as error:
        print(f"{path}: {error}", file=sys.stderr)
        return False
    exports.write_whole(path, text)
    print(f"Wrote {path}: read it, then holdfast policy check {path}", file=sys.stderr)
    fix = recommended_fix(result)
    if fix is not None:
        print(f"Its fix: {fix.text}", file=sys.stderr)
    return True


def _place(subject: Path | None) -> str | None:
    """Return a file's path in the working directory; outside it, no more than its name."""
    if subject is None:
        return None
    try:
        return subject.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return subject.name


def open_in_browser(path: Path) -> None:
    """Open a page in the user's browser, or say that there is none: the page is written anyway."""
    if not webbrowser.open(path.resolve().as_uri()):
        print(f"No browser could be started: open {path} yourself.", file=sys.stderr)
