"""The command line, run in this process in a folder of seeded files."""

import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

from holdfast.cli import main
from tests.golden.records import kept


def run(command: str, folder: Path) -> dict[str, Any]:
    """Return what is kept of a command's exit code and JSON, or of the error it printed."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main([*command.split(), "--json"])
    if not out.getvalue():
        return {"exit": code, "error": kept(err.getvalue().replace(str(folder), "<folder>"))}
    text = out.getvalue().replace(os.path.realpath(folder), "<folder>")
    return {"exit": code, "out": kept(json.loads(text))}
