"""The plugin in a pytest of its own."""

import subprocess
import sys
from importlib.metadata import entry_points

import numpy as np
import pytest

if not entry_points(group="pytest11", name="holdfast"):
    pytest.skip("holdfast was installed before it had the plugin", allow_module_level=True)

from tests.adapters.conftest import holdfast, with_wrong, write

TEST = """
def test_better(holdfast_gate):
    holdfast_gate("baseline.csv", "better.csv")

def test_garbage(holdfast_gate):
    holdfast_gate("baseline.csv", "garbage.csv")
"""
SETTING = "holdfast_gate = --policy policy.toml --labels labels.csv --ledger l.db --verdict-only"


def played(folder, setting=SETTING):
    (folder / "pytest.ini").write_text(f"[pytest]\n{setting}\n")
    (folder / "test_gate.py").write_text(TEST)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_a_candidate_passes_and_another_fails_with_what_would_pass(tmp_path):
    labels = np.random.default_rng(1).integers(2, size=100)
    for name, wrong in (("labels", 0), ("baseline", 40), ("better", 10), ("garbage", 39)):
        write(tmp_path / f"{name}.csv", with_wrong(labels, wrong))
    (tmp_path / "labels.csv").chmod(0o600)
    (tmp_path / "policy.toml").write_text('release = "round:2"\nlooks_per_team = 5\n')
    holdfast(tmp_path, "ledger", "init", "l.db")
    ran = played(tmp_path)
    assert "1 failed, 1 passed" in ran.stdout
    assert "would pass: a p value of at most" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_a_missing_setting_is_said_in_a_sentence(tmp_path):
    ran = played(tmp_path, "")
    assert "holdfast_gate must be set to the options of holdfast gate." in ran.stdout
