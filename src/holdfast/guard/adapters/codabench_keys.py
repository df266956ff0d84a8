"""Keys of the columns in Codabench's competition.yaml: `leaderboards[].columns[].key`.

Leaderboards have a key of their own, and tasks and phases may have one, which is no column. PyYAML
reads the file where it is installed. A scoring program's container need not have it: then lines
are read, as the file is usually written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from holdfast.errors import InvalidInput

__all__ = ["column_keys", "keys_of_lines"]

# A key at the start of an entry or inside of braces, its value quoted or plain.
KEY = re.compile(
    r"""(?:^|[{,])\s*["']?key["']?\s*:\s*(?:"([^"]*)"|'([^']*)'|([^,}#\n]*?))\s*(?=[,}#]|$)"""
)


def column_keys(text: str) -> list[str]:
    """Return the keys of all columns of all leaderboards.

    >>> column_keys("leaderboards: [{key: main, columns: [{title: F, key: F1}]}]")
    ['F1']
    """
    try:
        import yaml
    except ImportError:
        return keys_of_lines(text)
    try:
        # This loader makes texts alone: a key `1` or `yes` is no number and no truth.
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        at = "" if where is None else f" at line {where.line + 1}"
        raise InvalidInput(f"competition.yaml must be YAML, got a mistake{at}.") from None
    boards = found.get("leaderboards") if isinstance(found, dict) else None
    columns = [column for board in _entries(boards) for column in _entries(_get(board, "columns"))]
    return [str(_get(column, "key")) for column in columns if _get(column, "key") is not None]


def keys_of_lines(text: str) -> list[str]:
    r"""Return the keys of columns by indentation alone: blocks, and columns in braces.

    >>> keys_of_lines("leaderboards:\n- key: main\n  columns:\n  - {title: F, key: F1}\n")
    ['F1']
    """
    return [
        (match[1] or match[2] or match[3]).strip()
        for line in _lines_of_columns(text)
        for match in KEY.finditer(line)
    ]


def _lines_of_columns(text: str) -> Iterator[str]:
    """Yield the lines of the columns of leaderboards, without the dash of an entry."""
    in_boards, columns_at = False, None
    for line in text.splitlines():
        bare = line.lstrip(" ")
        if not bare.strip() or bare.startswith("#"):
            continue
        at = len(line) - len(bare)
        if at == 0 and not bare.startswith("-"):
            in_boards, columns_at = bare.startswith("leaderboards:"), None
            continue
        inner = bare
        while inner.startswith("- "):
            inner = inner[2:].lstrip(" ")
        here = at + len(bare) - len(inner)  # where its name stands, behind the dashes
        if in_boards and inner.startswith("columns:"):
            columns_at = here
            yield inner.removeprefix("columns:")
            continue
        # An entry may start as far left as the word above it; a name that far ends the columns.
        if columns_at is not None and (at < columns_at or (at == columns_at and bare == inner)):
            columns_at = None
        if columns_at is not None:
            yield inner


def _entries(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _get(found: Any, name: str) -> Any:
    return found.get(name) if isinstance(found, dict) else None
