"""The recorded set of versions: well-formed, complete, and made by its command."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "constraints.txt").read_text(encoding="utf-8")
HEADER = [line for line in TEXT.splitlines() if line.startswith("#")]
LINES = [line for line in TEXT.splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "constraints.py"
    spec = importlib.util.spec_from_file_location("constraints", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded():
    return dict(line.split("==") for line in LINES)


def test_every_line_is_one_exact_version_in_order_of_names():
    for line in LINES:
        (exact,) = Requirement(line).specifier
        assert exact.operator == "=="
        assert str(Version(exact.version)) == exact.version
    names = list(recorded())
    assert names == sorted(set(names))
    assert names == [canonicalize_name(name) for name in names]


def test_the_header_says_python_date_and_command_and_nothing_names_a_place():
    assert re.search(r"Python 3\.\d+\.\d+, \d{4}-\d{2}-\d{2}, made by: python scripts/", HEADER[-1])
    assert "pip install -c constraints.txt" in TEXT
    assert not re.search(r"https?:|index-url|file:|/home|@ ", TEXT)


def test_every_dependency_of_the_project_and_its_extras_is_recorded_and_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    versions = recorded()
    checked = 0
    for requirement in (Requirement(text) for group in groups for text in group):
        if requirement.name == project["name"]:
            continue
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement} and {version}"
        checked += 1
    assert checked >= 20


def test_what_packages_need_in_turn_is_recorded_too(script):
    found = script.installed(script.requirements())
    assert {"llvmlite", "joblib", "markupsafe", "psycopg-binary"} <= set(found)
    # Names, not versions: an environment may be newer than the record.
    assert {"llvmlite", "joblib", "markupsafe", "psycopg-binary"} <= set(recorded())


def test_the_command_writes_a_file_of_this_form(script):
    lines = script.constraints().splitlines()
    assert lines[:2] == HEADER[:2]
    assert len(lines) == len(HEADER) + len(script.installed(script.requirements()))


def test_a_package_that_is_missing_is_named(script):
    with pytest.raises(SystemExit, match=r"error: no-such-package>=1 must be installed"):
        script.installed([Requirement("no-such-package>=1")])
