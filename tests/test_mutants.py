"""Every mutant of the paper's attacks dies in a test that carries its statement's marker."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paces import few

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "mutants.py"


def script():
    spec = importlib.util.spec_from_file_location("mutants", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MUTANTS = script().MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_mutant_is_one_change_of_a_line_that_is_there(mutant):
    text = (ROOT / "src" / "holdfast" / mutant.path).read_text(encoding="utf-8")
    mutated = script().applied(mutant, text)
    assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(text))


# `make mutants` runs them all: each takes its own process and a few seconds.
@pytest.mark.slow
@pytest.mark.parametrize("sample", few(1, [1, 3]))
def test_no_mutant_of_a_sample_survives(sample):
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "--sample", str(sample)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{sample} mutants, 0 survived." in run.stdout
