"""YAML and JSON with line numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput, NotSupported
from holdfast.files.text_files import read_text_file
from holdfast.quoting import shortened

__all__ = ["Tree", "read_tree"]

LARGEST_FILE = 4 << 20


class Tree:
    """A node of a document: a mapping, a list or a value, and the line it starts on."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self.line: int = node.start_mark.line + 1

    def items(self) -> Iterator[tuple[str, int, Tree]]:
        """Yield (key, line of the key, node) of a mapping; nothing for others."""
        if self._node.id == "mapping":
            for key, value in self._node.value:
                if key.id == "scalar":
                    yield key.value, key.start_mark.line + 1, Tree(value)

    def entries(self) -> list[Tree]:
        """Return the entries of a list, or the values of a mapping."""
        if self._node.id == "sequence":
            return [Tree(node) for node in self._node.value]
        return [node for _, _, node in self.items()]

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
        except (ValueError, yaml.YAMLError):
            return self._node.value

    def number(self) -> int | None:
        """Return the value if it is a whole number, also where it was written as a text."""
        value = self.value
        if isinstance(value, str) and value.strip().isdigit():
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def day(self) -> date | None:
        """Return the value if it is a date."""
        value = self.value
        if isinstance(value, datetime):
            return value.date()
        if isinstance(value, date):
            return value
        try:
            return datetime.fromisoformat(str(value)).date()
        except ValueError:
            return None


def read_tree(path: Path) -> Tree:
    """Read a YAML or JSON file whose top level is a mapping."""
    try:
        import yaml
    except ImportError:
        raise NotSupported(
            "lint needs PyYAML; install it with: pip install 'holdfast[lint]'"
        ) from None
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
