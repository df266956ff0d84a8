"""Count the house: lines, files, docstrings, and names of attacks that are quoted elsewhere.

    python scripts/house_numbers.py             the working tree
    python scripts/house_numbers.py eee3cdb     a commit beside it
    python scripts/house_numbers.py --write     put the tables of docs/design.md there

What is counted, in `src/holdfast`: every `.py` file and its lines, blank ones and comments too. A
docstring's lines are those from its first quotes to its last. An attack is a class in `attacks`
whose file or folder bears its name; its name is quoted wherever the text stands as a string of its
own outside that file or folder. A table of names is a list, tuple, set or mapping with two of them
or more.
"""

from __future__ import annotations

import ast
import io
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path("src") / "holdfast"
PAGE = ROOT / "docs" / "design.md"
BEGIN = "<!-- Written by scripts/house_numbers.py --write. -->\n"
END = "<!-- End of the table. -->\n"
# The last commit before the house was rebuilt.
BEFORE = "eee3cdb"
NAMES_IN_A_TABLE = 2
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class House(NamedTuple):
    """What is counted of one tree; `packages` are lines by first folder, or file."""

    lines: int
    files: int
    median: int
    largest: tuple[int, str]
    docstring_lines: int
    tables: int
    quoted: int
    packages: Counter[str]


def counted(root: Path) -> House:
    """Count the package below a folder."""
    source = root / SOURCE
    texts = {
        path.relative_to(source): path.read_text(encoding="utf-8")
        for path in sorted(source.rglob("*.py"))
    }
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lengths = {path: len(text.splitlines()) for path, text in texts.items()}
    homes = _homes(trees)
    packages: Counter[str] = Counter()
    for path, length in lengths.items():
        packages[path.parts[0]] += length
    largest = max(lengths, key=lambda path: lengths[path])
    return House(
        lines=sum(lengths.values()),
        files=len(lengths),
        median=round(statistics.median(lengths.values())),
        largest=(lengths[largest], largest.as_posix()),
        docstring_lines=sum(map(_docstring_lines, trees.values())),
        tables=sum(_tables(path, tree, homes) for path, tree in trees.items()),
        quoted=sum(len(_quoted(path, ast.walk(tree), homes)) for path, tree in trees.items()),
        packages=packages,
    )


def _homes(trees: dict[Path, ast.Module]) -> dict[str, str]:
    """Return every attack's name, with the file or folder that is its own."""
    homes = {}
    for path, tree in trees.items():
        if path.parts[0] != "attacks":
            continue
        for node in tree.body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            snake = re.sub(r"(?<!^)(?=[A-Z])", "_", node.name).lower()
            if snake in (path.stem, path.parent.name):
                homes[snake.replace("_", "-")] = snake
    return homes


def _quoted(path: Path, nodes: object, homes: dict[str, str]) -> list[str]:
    """Return the names of attacks that are strings of their own here and have another home."""
    return [
        node.value
        for node in nodes  # type: ignore[attr-defined]
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value in homes and homes[node.value] not in (path.stem, *path.parts)
    ]


def _tables(path: Path, tree: ast.Module, homes: dict[str, str]) -> int:
    """Return how many literals list several attacks."""
    found = 0
    for node in ast.walk(tree):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            parts = [*node.elts]
        found += len(_quoted(path, parts, homes)) >= NAMES_IN_A_TABLE
    return found


def _docstring_lines(tree: ast.Module) -> int:
    """Return how many lines the docstrings of a module have together."""
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            found += (first.end_lineno or first.lineno) - first.lineno + 1
    return found


def at_commit(commit: str) -> House:
    """Count the package as a commit has it."""
    packed = subprocess.run(
        ["git", "archive", "--format=tar", commit, SOURCE.as_posix()],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        return counted(Path(folder))


def tables(columns: dict[str, House]) -> list[str]:
    """Return two tables: the figures, and the lines per package."""
    houses = list(columns.values())
    figures = {
        "lines": [f"{each.lines:,}" for each in houses],
        "files": [f"{each.files:,}" for each in houses],
        "median lines per file": [f"{each.median}" for each in houses],
        "largest file": [f"{each.largest[1]}, {each.largest[0]:,}" for each in houses],
        "docstring share": [f"{100 * each.docstring_lines / each.lines:.0f} %" for each in houses],
        "tables of attacks' names": [f"{each.tables}" for each in houses],
        "attacks' names quoted elsewhere": [f"{each.quoted}" for each in houses],
    }
    every = Counter[str]()
    for each in houses:
        every |= each.packages
    largest = [name for name, lines in every.most_common() if not name.endswith(".py")]
    alone = [name for name in every if name.endswith(".py")]
    packages = {name: [f"{each.packages[name]:,}" for each in houses] for name in largest}
    packages["single files"] = [
        f"{sum(each.packages[name] for name in alone):,}" for each in houses
    ]
    return [_table("", columns, figures), _table("lines", columns, packages)]


def _table(corner: str, columns: dict[str, House], rows: dict[str, list[str]]) -> str:
    head = f"| {corner} | " + " | ".join(columns) + " |"
    lines = [f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items()]
    return "\n".join([head, "|---" + "|--:" * len(columns) + "|", *lines, ""])


def written(page: str, found: list[str]) -> str:
    """Return a page with the tables put between their markers, in their order."""
    first, *blocks = page.split(BEGIN)
    after = [block.partition(END)[2] for block in blocks]
    return first + "".join(
        f"{BEGIN}{table}{END}{rest}" for table, rest in zip(found, after, strict=True)
    )


def main() -> None:
    """Print the tables, or write those of the page."""
    write = sys.argv[1:] == ["--write"]
    commits = [BEFORE] if write else sys.argv[1:]
    columns = {f"`{commit}`": at_commit(commit) for commit in commits}
    found = tables({**columns, "now": counted(ROOT)})
    if write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    else:
        print(*found, sep="\n", end="")


if __name__ == "__main__":
    main()
