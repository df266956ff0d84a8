"""The workflow that tests every system: read here, as far as it can be without its machines."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from holdfast.cli import main

ROOT = Path(__file__).resolve().parents[1]
JOBS = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))[
    "jobs"
]
# What a test says that asks for a POSIX system.
POSIX_ONLY = re.compile(r"fcntl|mkfifo|SIGKILL|os\.fork|os\.kill|killpg|getuid|\b0o[0-7]{3}|/dev/")


def commands(job):
    """Return what a job runs, once for each entry of its matrix."""
    steps = [step["run"] for step in JOBS[job]["steps"] if "run" in step]
    matrix = JOBS[job].get("strategy", {}).get("matrix", {})
    for name, values in matrix.items():
        place = f"${{{{ matrix.{name} }}}}"
        steps = [step.replace(place, value) for step in steps for value in values]
    assert not any("${{" in step for step in steps)
    return sorted(set(steps), key=steps.index)


def test_linux_macos_and_windows_are_tested():
    systems = {job["runs-on"].split("-")[0] for job in JOBS.values()}
    assert systems == {"ubuntu", "macos", "windows"}


def test_linux_runs_what_ci_runs_on_every_python_that_the_package_is_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert JOBS["linux"]["strategy"]["matrix"]["python"] == versions
    ran = {*commands("linux"), *commands("linux-more")}
    ours = re.findall(r"^make ([\w-]+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    # The newest Python has a run of its own there.
    assert {f"make {each}" for each in ours} - {"make test-newest"} <= ran


@pytest.mark.parametrize("job", JOBS)
def test_every_target_exists(job):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in commands(job):
        if command.startswith("make "):
            assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)


def test_windows_runs_tests_that_are_there_and_ask_for_no_posix_system():
    [tests] = [each for each in commands("windows") if "pytest" in each]
    folders = [ROOT / each for each in shlex.split(tests) if each.startswith("tests/")]
    files = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(files) > 100
    settings = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    assert not re.search(r"^import (fcntl|pty|resource|pwd)", settings, re.MULTILINE)
    assert [
        str(path.relative_to(ROOT))
        for path in files
        if POSIX_ONLY.search(path.read_text(encoding="utf-8"))
    ] == []


def test_the_commands_that_windows_runs_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = [each for each in commands("windows") if each.startswith("holdfast ")]
    assert own
    for each in own:
        assert main(shlex.split(each)[1:]) == 0
