"""The size of the board: server, client, forwarders and templates stay a small program."""

import ast
import io
import tokenize
from pathlib import Path

import holdfast

ROOT = Path(holdfast.__file__).parent
MOST = 4660
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
          tokenize.ENDMARKER)  # fmt: skip


def code_lines(path):
    """Return how many lines of a file are neither blank nor comment nor docstring."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        lines = [line.strip() for line in text.splitlines()]
        return sum(1 for line in lines if line and not line.startswith(("//", "/*", "{#")))
    said = set()
    for node in ast.walk(ast.parse(text)):
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            said |= set(range(first.lineno, first.end_lineno + 1))
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAYOUT:
            found |= set(range(token.start[0], token.end[0] + 1))
    return len(found - said)


def test_server_client_and_templates_have_at_most_4660_lines_of_code():
    files = [p for folder in ("server", "client") for p in (ROOT / folder).rglob("*.*")]
    sizes = {p: code_lines(p) for p in files if p.suffix in (".py", ".html", ".css", ".js")}
    assert len(sizes) > 40
    assert sum(sizes.values()) <= MOST
