"""Text files of a host's settings, read whole only when they are small."""

from __future__ import annotations

import stat
from pathlib import Path

from holdfast.errors import InvalidInput

__all__ = ["LARGEST", "read_small_text"]

LARGEST = 16 * 2**20


def read_small_text(path: Path, *, name: str) -> str:
    """Return a regular file's text, or raise `InvalidInput`.

    A device or a pipe has no end, and a file of many megabytes is a slip of the pen: neither is
    read to see what comes out.
    """
    try:
        kind = path.stat()
        if not (stat.S_ISREG(kind.st_mode) or stat.S_ISDIR(kind.st_mode)):
            raise InvalidInput(f"{name} {path} must be a regular file, got a pipe or a device.")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise InvalidInput(f"{name} {path} must have at most {LARGEST:,} bytes, got more.")
        return data.decode("utf-8")
    except InvalidInput:
        raise
    except (OSError, ValueError) as error:  # a path may hold a zero byte, the text anything
        raise InvalidInput(f"{name} {path} must be a readable text file: {error}.") from None
