import re
from pathlib import Path

import pytest

from holdfast import statements
from holdfast.errors import InvalidInput
from holdfast.statements import collect, labels_named_in, load, source_tree

ROOT = Path(__file__).resolve().parents[1]

THE_SAME_COUNTER = {"theorem", "lemma", "corollary"}

TREE = {
    "docs/paper/statements.toml": """
paper = "doe2020"
[[statement]]
label = "thm:one"
kind = "theorem"
number = 1
summary = "One."
[[statement]]
label = "fig:two"
kind = "figure"
number = 1
summary = "Two."
""",
    "src/pkg/code.py": '''
"""Module.

Implements: doe2020 fig:two (Figure 1)
"""

class Thing:
    """Do it.

    Implements: doe2020 fig:two (Figure 1)
    Guarantee: doe2020 thm:one, for everything
    """

    def method(self):
        """Implements: doe2020 other:thing."""
''',
    "tests/test_code.py": """
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.statement("doe2020 fig:two")]

@pytest.mark.statement("doe2020 thm:one", "doe2020 fig:two")
def test_a(): ...

def helper(): ...

class TestIt:
    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.statement("doe2020 thm:one"))])
    def test_b(self, x): ...
""",
}


@pytest.fixture
def tree(tmp_path):
    for name, content in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_code_and_tests_are_found_by_parsing(tree):
    one, two = collect(tree)
    assert (one.label, one.title) == ("doe2020 thm:one", "Theorem 1")
    assert one.files == ["src/pkg/code.py::Thing"]
    assert one.tests == ["tests/test_code.py::test_a", "tests/test_code.py::TestIt::test_b"]
    assert two.files == ["src/pkg/code.py::code", "src/pkg/code.py::Thing"]
    assert two.tests == ["tests/test_code.py::test_a", "tests/test_code.py::TestIt::test_b"]


def test_what_is_not_there_is_not_found(tree):
    (tree / "tests/test_code.py").write_text("def test_nothing(): ...\n")
    (tree / "src/pkg/code.py").write_text('"""Speaks of doe2020 thm:one, implements nothing."""\n')
    assert all(not statement.files and not statement.tests for statement in collect(tree))


def test_numbers_are_those_of_the_paper():
    numbered = [(s.kind, s.number) for s in load()]
    assert sorted(n for kind, n in numbered if kind in THE_SAME_COUNTER) == list(range(1, 10))
    assert sorted(n for kind, n in numbered if kind == "figure") == [1, 2, 3, 4]
    assert [n for kind, n in numbered if kind == "table"] == [1]
    assert [n for kind, n in numbered if kind == "remark"] == [1, 2, 3]


def test_every_label_named_in_a_docstring_exists_and_has_its_number():
    titles = {statement.label: statement.title for statement in load()}
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for _, label in labels_named_in(path):
            paper, key = label.split()
            kinds = ("thm", "lem", "cor", "fig", "tab", "remark")
            if paper == "acharya2020" and key.split(":")[0] in kinds:
                assert label in titles, f"{path}: no statement is called {label}"
                for number in re.findall(re.escape(label) + r" \((\w+ \d+)\)", text):
                    assert number == titles[label], f"{path}: {label} is {titles[label]}"


def test_an_installed_package_reads_the_list_it_carries(monkeypatch):
    from_tree = load()
    monkeypatch.setattr(statements, "source_tree", lambda: None)
    assert [statement.label for statement in load()] == [s.label for s in from_tree]
    with pytest.raises(InvalidInput, match="can only be written in a source tree"):
        statements.write()


def test_the_source_tree_is_this_one():
    assert source_tree() == ROOT
