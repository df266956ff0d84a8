"""Atomic replacement of a text file."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], text: str) -> Path:
    """Write a file; when this returns it is whole, and a crash leaves the old one.

    The draft lies beside it, since only within a file system a file takes another's place at once.
    Its name has the process number: two audits that write the same report at a time write two
    drafts, and the last one to finish is the one that stays.
    """
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return target
