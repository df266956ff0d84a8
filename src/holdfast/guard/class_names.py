"""Declared classes: names in a policy, or a text file with one name per line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holdfast.errors import InvalidInput
from holdfast.files.text_files import LARGEST_SETTINGS, read_text_file
from holdfast.quoting import quoted

__all__ = ["checked_classes", "read_classes"]


def checked_classes(names: object) -> tuple[str, ...]:
    """Return distinct names, or raise `InvalidInput`; whole numbers are names, too.

    >>> checked_classes(["cat", "dog"]), checked_classes(range(3))
    (('cat', 'dog'), ('0', '1', '2'))
    """
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidInput(f"classes must be a list of names, got {quoted(names)}.")
    if len(names) < 2:
        raise InvalidInput(f"classes must hold at least 2 names, got {len(names)}.")
    texts: dict[str, None] = {}
    for place, name in enumerate(names, start=1):
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise InvalidInput(
                f"classes must hold names or whole numbers, got {quoted(name)} as number {place}."
            )
        text = str(name).strip()
        if not text:
            raise InvalidInput(f"classes must hold names, got a blank as number {place}.")
        if text in texts:
            raise InvalidInput(f"classes must be distinct, got {quoted(text)} twice.")
        texts[text] = None
    return tuple(texts)


def read_classes(path: Path) -> tuple[str, ...]:
    """Read names from a file, one per line; blank lines don't count."""
    lines = read_text_file(path, LARGEST_SETTINGS, name=f"classes {path}").splitlines()
    return checked_classes([line.strip() for line in lines if line.strip()])
