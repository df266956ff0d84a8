"""The README shows the commands that `make demo` runs; what they print is in docs/data."""

import importlib.util
import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_make_demo_runs_the_commands_that_the_readme_shows():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    demo = makefile.split("\ndemo:", 1)[1].split("\n\n", 1)[0]
    ran = re.findall(r"^\t@\$\(BIN\)/(.*)$", demo, flags=re.MULTILINE)
    assert ran == re.findall(r"^== (holdfast .*)$", README, flags=re.MULTILINE)
    assert len(ran) == 2


def test_the_audit_that_it_shows_is_the_tutorials_whose_commands_are_run():
    shown = README.split("## Your own labels")[1].split("```")[1].strip().splitlines()
    tutorial = (ROOT / "docs" / "start" / "audit.md").read_text(encoding="utf-8")
    assert shown[1] in tutorial
    assert "\n".join(shown[2:]) in tutorial


@pytest.fixture
def hook(monkeypatch):
    """Load the build's hook without the build's tools."""
    interface = types.ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
REPOSITORY = "https://code.example/holdfast/holdfast"


def test_a_built_package_shows_the_readme_with_absolute_links(hook):
    shown = LINK.findall(hook.description(README, REPOSITORY))
    inside = [target for target in LINK.findall(README) if not target.startswith("https:")]
    assert len(inside) > 10
    assert all(target.startswith("https://") for target in shown)
    for path in inside:
        kind = "raw" if path.endswith(".png") else "blob"
        assert f"{REPOSITORY}/{kind}/HEAD/{path}" in shown


def test_without_an_address_no_link_is_dead_and_the_paths_are_named(hook):
    told = hook.description(README, None)
    assert [target for target in LINK.findall(told) if not target.startswith("https:")] == []
    assert "glossary (`docs/glossary.md`)" in told
    assert "![" not in told
    assert "from holdfast import Problem, attacks, bounds, oracles, play" in told


def test_a_package_names_its_repository_where_it_has_one(hook):
    assert list(hook.addresses(None)) == ["Paper"]
    found = hook.addresses(REPOSITORY)
    assert {"Repository", "Documentation", "Changelog", "Issues", "Paper"} == set(found)
    for each in found.values():
        inside = each.partition("/blob/HEAD/")[2]
        assert each.startswith("https://")
        assert not inside or (ROOT / inside).exists()


@pytest.mark.parametrize(
    ("origin", "page"),
    [
        ("https://code.example/holdfast/holdfast.git\n", REPOSITORY),
        ("https://me:secret@code.example/holdfast/holdfast", REPOSITORY),
        ("git@code.example:holdfast/holdfast.git", REPOSITORY),
        ("ssh://git@code.example/holdfast/holdfast", REPOSITORY),
        ("../holdfast.git", None),
        ("", None),
    ],
)
def test_the_page_of_a_repository_follows_from_where_it_was_cloned(hook, origin, page):
    assert hook.address(origin) == page
