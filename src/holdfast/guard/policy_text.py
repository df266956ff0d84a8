"""A policy as text: the template with a host's own values in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from holdfast.errors import InvalidInput
from holdfast.files.text_files import LARGEST_SETTINGS
from holdfast.guard.policy import POLICY_TEMPLATE
from holdfast.quoting import quoted

__all__ = ["policy_text"]

# Where the template's comments begin; a value that reaches further pushes its comment on.
COMMENT_COLUMN = 29
TEXT_WIDTH = 96

Value = str | int | float | Sequence[str]


def policy_text(settings: Mapping[str, Value]) -> str:
    """Return the template with some settings changed, each still with its comment.

    >>> print(policy_text({"teams": 40, "looks_per_team": 5}).splitlines()[4])
    looks_per_team = 5           # answered looks a team has in one window
    """
    text = POLICY_TEMPLATE
    for name, value in settings.items():
        line = re.compile(rf"^(?:# )?{re.escape(name)} = .*?  +(?=#)", flags=re.MULTILINE)
        written = f"{name} = {_toml(value)}"
        place = line.search(text)
        if place is None:
            raise InvalidInput(f"settings must be keys of a policy, got {quoted(name)}.")
        text = f"{text[: place.start()]}{written:<{COMMENT_COLUMN - 1}} {text[place.end() :]}"
    if len(text.encode()) > LARGEST_SETTINGS:
        raise InvalidInput(
            f"policy must have at most {LARGEST_SETTINGS:,} bytes, got more; "
            "name a file of classes in it."
        )
    return text


def _toml(value: Value) -> str:
    if isinstance(value, str):
        # JSON's escapes are TOML's; only the delete character must be escaped here, too.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    names = [_toml(name) for name in value]
    line = f"[{', '.join(names)}]"
    if len(line) <= TEXT_WIDTH - COMMENT_COLUMN:
        return line
    return "[\n" + "".join(f"  {row}\n" for row in _rows(names)) + "]"


def _rows(names: Sequence[str]) -> list[str]:
    """Return names with commas, as many in a row as fit."""
    rows, row = [], ""
    for name in names:
        if row and len(row) + len(name) + 4 > TEXT_WIDTH:
            rows.append(row)
            row = ""
        row += f"{' ' if row else ''}{name},"
    return [*rows, row]
