"""Old spellings on the command line, which work and are said to be old."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["OLD_LOOKS", "note_old_words"]

# What four commands called --looks before version 0.2.0.
OLD_LOOKS = "--n-queries"


def note_old_words(given: Sequence[str]) -> None:
    """Print one line on stderr for an old spelling among the words of a command."""
    if any(word.partition("=")[0] == OLD_LOOKS for word in given):
        print(f"note: {OLD_LOOKS} is deprecated; write --looks.", file=sys.stderr)
