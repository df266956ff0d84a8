"""Labels and guards stay with two modules of the server: by the text of all the others."""

import ast
import importlib
import tomllib
from pathlib import Path

import pytest

import holdfast.server

SERVER = Path(holdfast.server.__file__).parent
ROOT = SERVER.parents[2]
HOLDERS = ("__init__", "gatekeeper", "hidden")
MODULES = sorted(p.stem for p in SERVER.glob("*.py") if p.stem not in HOLDERS)
# What guards and files of labels are called where somebody has one.
PRIVATE = {"guard", "truth", "test_sets", "_host", "_hosts", "_guarded"}


def contract():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = document["tool"]["importlinter"]["contracts"]
    [found] = [each for each in contracts if "gatekeeper" in each["name"]]
    return found


FORBIDDEN = set(contract()["forbidden_modules"])


def imported(tree):
    """Yield what a module imports anywhere, also for types alone: the module, and the name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            yield from ((node.module, alias.name) for alias in node.names)


def homes_of(module, name):
    """Return the modules that an import brings in: where it looks, and where the thing is from."""
    found = {module}
    if name is not None and module.startswith("holdfast"):
        thing = getattr(importlib.import_module(module), name, None)
        found |= {f"{module}.{name}", getattr(thing, "__module__", None) or module}
    return found


def test_the_contract_names_every_module_of_the_server_but_the_holders_of_labels():
    named = {name.removeprefix("holdfast.server.") for name in contract()["source_modules"]}
    assert named == set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_no_labels_and_no_guard(name):
    tree = ast.parse((SERVER / f"{name}.py").read_text(encoding="utf-8"))
    for module, thing in imported(tree):
        assert not homes_of(module, thing) & FORBIDDEN, f"{name} imports {module} {thing or ''}"
        # Whole packages have labels and guards among their names.
        assert thing is not None or not module.startswith("holdfast"), f"{name} imports {module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            assert node.attr not in PRIVATE, f"{name} line {node.lineno} asks for {node.attr}"
        if isinstance(node, ast.Name | ast.Attribute):
            called = node.id if isinstance(node, ast.Name) else node.attr
            assert called not in ("__import__", "import_module", "eval", "exec")


def test_the_check_finds_a_guard_that_comes_through_a_package():
    """What the import contract, which goes by modules, does not see."""
    for line in (
        "from holdfast.guard import Guard",
        "from holdfast.guard.guard import PreparedLook",
        "from holdfast.server.hidden import OutcomeGuard",
        "from holdfast.guard import closing",
    ):
        [(module, name)] = imported(ast.parse(line))
        assert homes_of(module, name) & FORBIDDEN, line
