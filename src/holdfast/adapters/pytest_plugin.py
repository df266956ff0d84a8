"""pytest: a fixture that fails a test unless `holdfast gate` lets a candidate pass.

    [tool.pytest.ini_options]
    holdfast_gate = "--policy policy.toml --labels labels.csv --verdict-only"

    def test_the_candidate_may_replace_the_baseline(holdfast_gate):
        holdfast_gate("baseline.csv", "candidate.csv")

The labels are readable by whoever runs this: run it where nothing of a candidate's code is, and
take its predictions from another job.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from os import PathLike
from typing import Any

import pytest

__all__ = ["holdfast_gate", "pytest_addoption"]

Gate = Callable[[str | PathLike[str], str | PathLike[str]], None]


def pytest_addoption(parser: Any) -> None:
    """Declare the setting."""
    parser.addini("holdfast_gate", "options of holdfast gate but baseline and candidate")


@pytest.fixture
def holdfast_gate(pytestconfig: Any) -> Gate:
    """Return a function of two files that fails the test unless the second passes the gate."""
    options = shlex.split(pytestconfig.getini("holdfast_gate") or "")
    if not options:
        pytest.fail("holdfast_gate must be set to the options of holdfast gate.", pytrace=False)

    def gate(baseline: str | PathLike[str], candidate: str | PathLike[str]) -> None:
        command = [sys.executable, "-m", "holdfast", "gate", *options]
        command += ["--baseline", str(baseline), "--candidate", str(candidate)]
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=pytestconfig.rootpath
        )
        if ran.returncode != 0:
            said = (ran.stdout or ran.stderr).strip()
            pytest.fail(f"holdfast gate, exit code {ran.returncode}:\n{said}", pytrace=False)

    return gate
