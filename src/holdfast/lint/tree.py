"""YAML and JSON with line numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.files.text_files import read_text_file
from holdfast.quoting import shortened

__all__ = ["Tree", "read_tree"]

LARGEST_FILE = 4 << 20
MERGE = "tag:yaml.org,2002:merge"
LARGEST_NUMBER = 10**18
DIGITS = re.compile("[0-9]{1,18}")
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)")
MONTHS = 12


class Tree:
    """A node of a document: a mapping, a list or a value, and the line it starts on."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self.line: int = node.start_mark.line + 1

    def items(self) -> Iterator[tuple[str, int, Tree]]:
        """Yield (key, line of the key, node) of a mapping; nothing for others."""
        for key, value in _pairs(self._node, set()):
            if key.id == "scalar":
                yield key.value, key.start_mark.line + 1, Tree(value)

    def entries(self) -> list[Tree]:
        """Return the entries of a list, or the values of a mapping at their keys' lines."""
        if self._node.id == "sequence":
            return [Tree(node) for node in self._node.value]
        found = []
        for _, line, node in self.items():
            node.line = line
            found.append(node)
        return found

    def get(self, *names: str) -> Tree | None:
        """Return the value of the first of these keys that a mapping has, at the key's line."""
        found = {key: (line, node) for key, line, node in self.items()}
        for name in names:
            if name in found:
                line, node = found[name]
                node.line = line
                return node
        return None

    @property
    def value(self) -> Any:
        """The text, number, truth value, date or None of a scalar; None for others."""
        if self._node.id != "scalar":
            return None
        import yaml

        loader = yaml.SafeLoader("")
        try:
            return loader.construct_object(self._node)
        except (ArithmeticError, AttributeError, LookupError, ValueError, yaml.YAMLError):
            return self._node.value  # a tag that the text does not fit

    @property
    def blank(self) -> bool:
        """Whether nothing is written, or null."""
        return self._node.id == "scalar" and self.value in (None, "")

    @property
    def true(self) -> bool:
        """Whether the value is a yes."""
        return self.value is True or str(self.value).strip().lower() == "true"

    def number(self) -> int | None:
        """Return the value if it is a whole number, also where it was written as a text."""
        value = self.value
        if isinstance(value, str) and DIGITS.fullmatch(value.strip()):
            return int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return value if abs(value) < LARGEST_NUMBER else None

    def day(self) -> date | None:
        """Return the value if it is a date: year, month, day or (with the year last) month, day.

        Where the month would be more than 12, the day came first.
        """
        value = self.value
        if isinstance(value, datetime):
            return value.date()
        if isinstance(value, date):
            return value
        found = YEAR_FIRST.match(str(value).strip())
        if found:
            year, month, day = map(int, found.groups())
        else:
            found = YEAR_LAST.match(str(value).strip())
            if not found:
                return None
            month, day, year = map(int, found.groups())
            if month > MONTHS:
                month, day = day, month
        try:
            return date(year, month, day)
        except ValueError:
            return None


def _pairs(node: Any, merged: set[int]) -> Iterator[tuple[Any, Any]]:
    """Yield a mapping's keys and values, those of what it merges (`<<`) before its own."""
    if node.id != "mapping" or id(node) in merged:
        return
    merged.add(id(node))  # a mapping may merge itself, or others many times over
    for _, value in (pair for pair in node.value if pair[0].tag == MERGE):
        for source in reversed(value.value) if value.id == "sequence" else [value]:
            yield from _pairs(source, merged)
    yield from (pair for pair in node.value if pair[0].tag != MERGE)


def read_tree(path: Path) -> Tree:
    """Read a YAML or JSON file whose top level is a mapping."""
    with needed_for("lint"):
        import yaml
    text = read_text_file(path, LARGEST_FILE)
    if path.suffix.lower() == ".json":
        try:
            json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"{path} must be JSON, got: {shortened(str(error))}.") from None
        except RecursionError:
            raise InvalidInput(f"{path} must be JSON of moderate depth, got more.") from None
        text = text.replace("\t", " ")  # YAML, which keeps the lines, has no tabs between tokens
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f" at line {mark.line + 1}"
        problem = shortened(str(getattr(error, "problem", None) or "it can't be read"))
        raise InvalidInput(f"{path} must be YAML, got{where}: {problem}.") from None
    except RecursionError:
        raise InvalidInput(f"{path} must be YAML of moderate depth, got more.") from None
    if node is None or node.id != "mapping":
        raise InvalidInput(f"{path} must hold settings (keys and values), got something else.")
    return Tree(node)
