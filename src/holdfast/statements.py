"""The paper's statements, the code that implements each, and the tests that measure it.

`docs/paper/statements.toml` lists the statements. Docstrings name them in `Implements:` and
`Guarantee:` lines, tests in `@pytest.mark.statement(...)`. All of it is read by parsing, nothing
is imported. An installed package has no docs and no tests beside it, and uses the list that was
written into it: `statements.json`.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput

__all__ = ["Statement", "collect", "labels_named_in", "load", "source_tree", "write"]

PACKAGED = Path(__file__).with_name("statements.json")
LISTED_FILE = Path("docs/paper/statements.toml")
WORDS = ("Implements:", "Guarantee:")
DOCSTRING_LINE = re.compile(rf"^\s*(?:{'|'.join(WORDS)}) (\S+ \S+?),?(?=[ \n]|$)", re.MULTILINE)
MARK = "pytest.mark.statement"


@dataclass
class Statement:
    """One numbered statement, figure or table.

    Attributes
    ----------
    label
        Paper and label, such as "acharya2020 thm:small".
    kind, number
        What the paper prints: theorem 3.
    summary
        What it says, in a line.
    files
        The code that implements or is guaranteed by it, as path::name.
    tests
        The tests that measure it, as path::name.
    """

    label: str
    kind: str
    number: int
    summary: str
    files: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What the paper calls it, such as "Theorem 3"."""
        return f"{self.kind.capitalize()} {self.number}"


def load() -> list[Statement]:
    """Return the statements, from the source tree around this file or from the package."""
    root = source_tree()
    if root is not None:
        return collect(root)
    return [Statement(**entry) for entry in json.loads(PACKAGED.read_text(encoding="utf-8"))]


def source_tree() -> Path | None:
    """Return the root of the source tree that this file lies in; None if it is installed alone."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / LISTED_FILE).is_file() and (root / "tests").is_dir() else None


def write() -> Path:
    """Write the list that the package carries; only possible in a source tree."""
    root = source_tree()
    if root is None:
        raise InvalidInput("statements can only be written in a source tree, with docs and tests.")
    PACKAGED.write_text(as_json(collect(root)), encoding="utf-8")
    return PACKAGED


def as_json(statements: list[Statement]) -> str:
    """Return what `statements.json` holds for these statements."""
    return json.dumps([asdict(statement) for statement in statements], indent=1) + "\n"


def collect(root: Path) -> list[Statement]:
    """Read the statements of a source tree and find the code and the tests that name them."""
    listed: dict[str, Any] = tomllib.loads((root / LISTED_FILE).read_text(encoding="utf-8"))
    statements = {
        f"{listed['paper']} {entry['label']}": Statement(
            f"{listed['paper']} {entry['label']}", entry["kind"], entry["number"], entry["summary"]
        )
        for entry in listed["statement"]
    }
    for path in sorted((root / "src").rglob("*.py")):
        for name, label in labels_named_in(path):
            if label in statements:
                _add(statements[label].files, f"{path.relative_to(root).as_posix()}::{name}")
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if MARK not in text:  # most files: parsing all of them takes seconds
            continue
        for name, label in _marked_tests(ast.parse(text)):
            if label in statements:
                _add(statements[label].tests, f"{path.relative_to(root).as_posix()}::{name}")
    return list(statements.values())


def labels_named_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, label) for each `Implements:` or `Guarantee:` line of a file's docstrings."""
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in WORDS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            name = path.stem if isinstance(node, ast.Module) else node.name
            for label in DOCSTRING_LINE.findall(ast.get_docstring(node) or ""):
                yield name, label


def _marked_tests(tree: ast.Module) -> Iterator[tuple[str, str]]:
    everywhere = [
        label
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        for label in _labels_in(node.value)
    ]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            for label in everywhere + _labels_of(node):
                yield node.name, label
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name.startswith("test"):
                    for label in everywhere + _labels_of(node) + _labels_of(method):
                        yield f"{node.name}::{method.name}", label


def _labels_of(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    return [label for decorator in node.decorator_list for label in _labels_in(decorator)]


def _labels_in(expression: ast.expr) -> list[str]:
    """Find pytest.mark.statement("...") anywhere inside, also in a parameter's marks."""
    return [
        argument.value
        for call in ast.walk(expression)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == MARK
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _add(places: list[str], place: str) -> None:
    if place not in places:
        places.append(place)
