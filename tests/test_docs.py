"""The pages say what is true: their code runs, their links lead somewhere, nothing is stale."""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import shlex
import sys
import tomllib
import types
from pathlib import Path

import pytest
from benchmarks.generated import stale_lists
from scripts import api_pages, attack_table, metric_table

import holdfast
from holdfast import statements
from holdfast.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]
# Tutorials run as a whole, in a folder of their own: tests/test_tutorials.py.
ALONE = [name for name in NAMES if not name.startswith("docs/start/")]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
RENEW = "renew it with: make docs"


@pytest.mark.parametrize("name", ALONE)
def test_python_in_the_pages_runs(name, monkeypatch):
    """A block of prompts is a doctest; another's output is the text block that follows it."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    page = types.ModuleType("__page__")  # a dataclass looks its module up
    monkeypatch.setitem(sys.modules, page.__name__, page)
    namespace = vars(page)
    for at, (language, code) in enumerate(blocks):
        if language != "python":
            continue
        if re.search(r"^>>> ", code, re.MULTILINE):
            test = doctest.DocTestParser().get_doctest(code, namespace, name, name, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            runner.run(test, clear_globs=False)
            namespace = test.globs
            assert runner.failures == 0
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, name, "exec"), namespace)
        if at + 1 < len(blocks) and blocks[at + 1][0] == "text":
            assert printed.getvalue() == blocks[at + 1][1]


@pytest.mark.parametrize("name", ALONE)
def test_commands_in_the_pages_print_what_is_shown(name, capsys):
    """A block that starts with `$ holdfast` shows the command's whole output."""
    for _, block in FENCE.findall((ROOT / name).read_text(encoding="utf-8")):
        command, _, shown = block.partition("\n")
        if command.startswith("$ holdfast "):
            assert main(shlex.split(command)[2:]) == 0
            assert capsys.readouterr().out == shown


@pytest.mark.parametrize("name", NAMES)
def test_links_between_pages_lead_somewhere(name):
    page = ROOT / name
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name} links to {target}, which does not exist"
        if anchor:
            assert anchor in _anchors(there), f"{name} links to {target}, which has no such heading"


def _anchors(page):
    """Return the names that a Markdown page's headings get."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_stands_once_in_the_sites_parts():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```{toctree}\n(.*?)^```$", index, re.MULTILINE | re.DOTALL)
    named = [line for tree in trees for line in tree.splitlines() if line and line[0] != ":"]
    written = {"api/index", "paper/statements"}  # by docs/conf.py
    pages = [name.removeprefix("docs/").removesuffix(".md") for name in NAMES if "/" in name]
    assert sorted(named) == sorted({*written, *pages} - {"index"})


def test_every_package_is_in_the_api_or_internal():
    public = {name.split(".")[1] for name in api_names() if "." in name}
    there = {each.name for each in pkgutil.iter_modules(holdfast.__path__) if each.name[0] != "_"}
    assert public | set(api_pages.INTERNAL) == there


def api_names():
    return [name for names in api_pages.PUBLIC.values() for name in names]


@pytest.mark.parametrize("name", api_names())
def test_every_public_constant_says_what_it_is(name):
    module = importlib.import_module(name)
    names = api_pages.public_names(module)
    assert names, f"{name} offers nothing"
    for each in names:
        value = getattr(module, each)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            assert api_pages.about_constant(name, each), f"{name}.{each} has no comment above it"


def test_the_design_names_every_layer_in_its_order():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    wanted = [name.strip() for layer in layers for name in layer.split("|")]
    table = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").split("## The layers")[1]
    rows = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    order = [name for name in named if name in wanted]
    assert order == wanted, "docs/design.md must list the layers of pyproject.toml, in their order"


def test_the_contract_about_labels_binds_all_of_the_server_but_two_modules():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [bound] = [
        each["source_modules"]
        for each in contract["tool"]["importlinter"]["contracts"]
        if "gatekeeper" in each["name"]
    ]
    folder = Path(holdfast.__file__).parent / "server"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "gatekeeper", "hidden"}
    assert {path.name for path in folder.iterdir() if path.is_dir()} <= {
        "__pycache__", "static", "templates",
    }  # fmt: skip
    assert bound == sorted(f"holdfast.server.{name}" for name in modules)


def test_the_page_of_findings_has_every_code_of_an_audit():
    page = (ROOT / "docs" / "reference" / "findings.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`([a-z-]+)`", page.partition("## Audits")[2].partition("## Lint")[0]))
    calls = [
        node.args[0].value
        for path in (ROOT / "src" / "holdfast" / "audit").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding"
        if node.args and isinstance(node.args[0], ast.Constant)
    ]
    assert len(calls) > 20
    assert set(calls) - told == set()


def test_the_table_of_metrics_is_fresh():
    text = metric_table.PAGE.read_text(encoding="utf-8")
    assert metric_table.page(text) == text, RENEW


def _modules():
    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        yield importlib.import_module(module.name)


def test_every_public_name_has_a_docstring():
    missing = []
    for module in _modules():
        if not module.__doc__:
            missing.append(module.__name__)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            where = f"{module.__name__}.{name}"
            if not value.__doc__:
                missing.append(where)
            if inspect.isclass(value) and value.__module__ == module.__name__:
                missing += [
                    f"{where}.{method}"
                    for method, function in vars(value).items()
                    if not method.startswith("_")
                    and (inspect.isfunction(function) or isinstance(function, property))
                    and not inspect.getdoc(getattr(value, method))
                ]
    assert missing == []


def test_modules_begin_with_a_name_not_with_a_question():
    """The first line is a noun phrase with the textbook name of what the module holds."""
    question = re.compile(
        r"(What|Which|Who|Whom|Whose|How|Where|When|Why|Whether|Is|Are|May|Can|Do|Does)\b|.*\?"
    )
    first = {module.__name__: module.__doc__.splitlines()[0] for module in _modules()}
    assert [f"{name}: {line}" for name, line in first.items() if question.match(line)] == []
    assert [f"{name}: {line}" for name, line in first.items() if not line.endswith(".")] == []


def test_every_name_in_all_exists():
    for module in _modules():
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{module.__name__}.__all__ lists {name}"


def test_the_page_of_commands_and_the_packaged_statements_are_fresh():
    assert stale_lists() == [], RENEW


@pytest.mark.parametrize("statement", statements.load(), ids=lambda s: s.label)
def test_every_statement_has_code_and_a_test(statement):
    assert statement.files, f"no docstring says Implements: or Guarantee: {statement.label}"
    assert statement.tests, f"no test is marked with the statement {statement.label}"


@pytest.mark.parametrize("name", attack_table.PAGES)
def test_the_tables_of_attacks_are_fresh(name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert attack_table.page(name) == text, "run python scripts/attack_table.py"
    assert len(attack_table.PAGES[name]().splitlines()) > 5
