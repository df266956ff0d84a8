"""A release rule is one file and one import line: the skeleton in CONTRIBUTING, put into a copy."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
LINE = "from holdfast.rules.uniform import Uniform as Uniform\n"
# Runs commands in one process; prints what each printed, and what the package says of the rule.
SCRIPT = """
import contextlib, io, json, sys
import holdfast.rules
from holdfast import Problem
from holdfast.cli import main
from holdfast.rules import compared_rules, parse_rule
from holdfast.testing import check_rule
from rule_table import table

printed = {}
for command in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command)
    printed[" ".join(command[:2])] = [code, out.getvalue(), err.getvalue()]
check_rule(parse_rule("uniform:0.05"))
print(json.dumps({
    "file": holdfast.rules.__file__,
    "compared": [str(rule) for rule in compared_rules(Problem(100, 2, 9))],
    "table": table(),
    "printed": printed,
}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Copy the package, the rest of it by reference, with the skeleton and its line."""
    folder = tmp_path_factory.mktemp("copy")
    source, copy = ROOT / "src" / "holdfast", folder / "holdfast"
    (copy / "rules").mkdir(parents=True)
    for path in source.iterdir():
        if path.name not in ("rules", "__pycache__"):
            (copy / path.name).symlink_to(path)
    for path in (source / "rules").glob("*.py"):
        (copy / "rules" / path.name).write_text(path.read_text())
    skeleton = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    (copy / "rules" / "uniform.py").write_text(skeleton[1])
    imports = copy / "rules" / "__init__.py"
    imports.write_text(imports.read_text() + LINE)
    return folder


@pytest.fixture(scope="module")
def found(package):
    """Run the commands in the copy."""
    labels = np.random.default_rng(4).integers(2, size=200)
    files = {"labels": (200, 200), "poor": (90, 200), "good": (190, 200), "few": (40, 40)}
    for name, (right, size) in files.items():
        told = np.where(np.arange(size) < right, labels[:size], 1 - labels[:size])
        rows = [f"{at},{label}" for at, label in enumerate(told)]
        (package / f"{name}.csv").write_text("\n".join(["id,label", *rows, ""]))
    (package / "labels.csv").chmod(0o600)
    (package / "policy.toml").write_text('release = "uniform:0.01"\nlooks_per_team = 5\n')
    board = ["--policy", "policy.toml", "--labels", "labels.csv", "--ledger", "ledger.db"]
    sizes = ["--n-examples", "40", "--n-classes", "2", "--looks", "9"]
    commands = [
        ["policy", "check", "policy.toml"],
        ["ledger", "init", "ledger.db"],
        ["score", "--submission", "poor.csv", "--team", "blue", *board],
        ["gate", "--baseline", "poor.csv", "--candidate", "good.csv", *board],
        ["ledger", "show", "ledger.db"],
        ["plan", "--rule", "uniform:0.01", *sizes],
        ["matrix", "--rule", "uniform:0.01", "--trials", "2", "--processes", "1", *sizes],
        ["audit", "few.csv", "--rule", "uniform:0.01", "--looks", "3", "--processes", "1"],
    ]
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([[*command, "--json"] for command in commands]),
        capture_output=True,
        text=True,
        cwd=package,
        env={**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{ROOT / 'scripts'}"},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["file"].startswith(str(package))
    return told


def printed(found, command):
    code, out, err = found["printed"][command]
    assert code in (0, 1), err
    return json.loads(out)


@pytest.mark.slow
def test_it_is_compared_and_in_the_table_by_its_own_text(found):
    assert found["compared"][-1] == "uniform:0.01"
    row = "| `uniform:0.01` | `Uniform` | Release the accuracy plus uniform noise | "
    assert found["table"].splitlines()[-1].startswith(row)


def test_a_policy_a_board_and_a_gate_take_it(found):
    assert printed(found, "policy check")["release"] == "uniform:0.01"
    receipt = printed(found, "score --submission")
    assert abs(receipt["released"] - 0.45) <= 0.01
    assert receipt["meaning"].endswith("plus uniform noise of at most 0.01")
    gate = printed(found, "gate --baseline")
    assert gate["blur"] == 0.02
    assert abs(gate["improvement"] - 0.5) <= gate["blur"]
    assert printed(found, "ledger show")["data_sets"][0]["looks"] == 3


def test_attacks_are_planned_and_played_against_it(found):
    assert printed(found, "plan --rule")["answers"].startswith("NoisyAnswers(scale=0.00577")
    matrix = printed(found, "matrix --rule")
    assert matrix["rules"][0]["rule"] == "uniform:0.01"
    assert matrix["rules"][0]["source"] == "textbook"
    assert any(cell["bias"] is not None for cell in matrix["cells"])
    audit = printed(found, "audit few.csv")
    assert audit["board"]["rule"] == "uniform:0.01"
    assert audit["rules"][0]["is_policy"]
