"""An attack is one file and one import line: the skeleton in CONTRIBUTING, put into a copy."""

import ast
import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from holdfast.attacks.registry import attack_types
from holdfast.attacks.through_metrics.registry import metric_attacks
from tests.package_copy import ROOT, SOURCE, copy_package, run_in

LINE = "from holdfast.attacks.climbing.best_of_many import BestOfMany as BestOfMany\n"
# Runs commands in one process; prints what each printed, and what the package says of the attack.
SCRIPT = """
import contextlib, doctest, io, json, sys
import holdfast.attacks.climbing.best_of_many
from attack_table import every_attack, tolerated_answers
from holdfast.cli import main
from holdfast.testing import check_attack

printed = {}
for command in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command)
    printed[command[0]] = [code, out.getvalue(), err.getvalue()]
check_attack(holdfast.attacks.BestOfMany)
print(json.dumps({
    "file": holdfast.attacks.__file__,
    "tables": every_attack() + tolerated_answers(),
    "printed": printed,
    "examples": doctest.testmod(holdfast.attacks.climbing.best_of_many),
}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Copy the package, the rest of it by reference, with the skeleton and its line."""
    contributing = (ROOT / "CONTRIBUTING.md").read_text().partition("## A new attack")[2]
    skeleton = re.search(r"```python\n(.*?)```", contributing, re.DOTALL)[1]
    folder = tmp_path_factory.mktemp("copy")
    return copy_package(folder, "attacks/climbing", "best_of_many.py", skeleton, LINE)


@pytest.fixture(scope="module")
def found(package):
    """Run the commands in the copy."""
    labels = np.random.default_rng(4).integers(2, size=40)
    rows = [f"{at},{label}" for at, label in enumerate(labels)]
    (package / "labels.csv").write_text("\n".join(["id,label", *rows, ""]))
    sizes = ["--n-examples", "40", "--n-classes", "2", "--looks", "6"]
    alone = ["--trials", "2", "--processes", "1"]
    commands = [
        ["attack", "best-of-many", *sizes, *alone],
        ["plan", *sizes],
        ["matrix", "--rule", "improved", *sizes, *alone],
        ["audit", "labels.csv", "--rule", "improved", "--looks", "3", "--processes", "1"],
    ]
    told = run_in(package, SCRIPT, [[*command, "--json"] for command in commands])
    assert told["file"].startswith(str(package))
    return told


def printed(found, command):
    code, out, err = found["printed"][command]
    assert code in (0, 1), err
    return json.loads(out)


@pytest.mark.slow
def test_its_example_runs(found):
    failed, tried = found["examples"]
    assert failed == 0
    assert tried >= 4


def test_it_is_played_by_its_name(found):
    assert "best-of-many" in json.dumps(printed(found, "attack"))


def test_a_plan_has_its_forecast(found):
    (told,) = (e for e in printed(found, "plan")["attacks"] if e["attack"] == "best-of-many")
    # The mean of the largest of six numbers with the law Bin(40, 1/2), less 20.
    assert told["gain_examples"] == pytest.approx(3.998, abs=4 * 40 * told["gain_stderr"])
    assert told["reason"].startswith("simulated")


def test_the_matrix_and_an_audit_play_it_on_a_board_that_shows_one_bit(found):
    (cell,) = (e for e in printed(found, "matrix")["cells"] if e["attack"] == "best-of-many")
    assert cell["bias"] is not None
    (gain,) = (e for e in printed(found, "audit")["gains"] if e["attack"] == "best-of-many")
    assert gain["gain"] is not None


def test_the_tables_in_the_docs_have_it(found):
    row = "| `best-of-many` | climbing | Submit random labels, and keep the submission that scored"
    assert row in found["tables"]
    assert "`BestOfMany` | yes | no |" in found["tables"]


def test_no_more_than_ten_attack_names_are_quoted_outside_the_attacks_own_files():
    """Seven are the demo's; a bound and a kind of hidden labels share a name with an attack."""
    every = [*attack_types(), *metric_attacks()]
    homes = {cls.name: Path(sys.modules[cls.__module__].__file__) for cls in every}
    quoted = []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        if not any(f'"{name}' in text for name in homes):
            continue
        nodes = list(ast.walk(ast.parse(text)))
        columns = {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
        for node in nodes:
            if isinstance(node, ast.Constant) and id(node) not in columns:
                name = str(node.value).partition(",")[0]
                if name in homes and path != homes[name] and path.parent.name != name:
                    quoted.append(f"{path.relative_to(SOURCE)}:{node.lineno} {name}")
    assert len(quoted) <= 10, "\n".join(quoted)


def test_nobody_guesses_what_an_attack_takes():
    """The guard asks scikit-learn's estimators, which are none of ours."""
    asked = re.compile(r"inspect\.(signature|getfullargspec)|hasattr\([\w.]*(attack|cls|inner)\w*,")
    guesses = [
        f"{path.relative_to(SOURCE)}: {found[0]}"
        for path in SOURCE.rglob("*.py")
        if "guard" not in path.parts
        for found in asked.finditer(path.read_text())
    ]
    assert guesses == []


# Attacks of somebody else come in here, which have what the protocol asks, and perhaps no more.
FOREIGN = {
    "loop.py": 2,
    "answers.py": 2,
    "testing/attack_checks.py": 4,
    "sweeps/stretches.py": 1,
    # The inner attack is the caller's choice.
    "attacks/outer.py": 1,
    "attacks/through_metrics/description.py": 1,
    "attacks/through_metrics/_class_tests.py": 1,
    "attacks/through_metrics/top_k.py": 1,
}


@pytest.mark.slow
def test_a_default_for_what_an_attack_may_lack_stands_only_where_foreign_ones_come_in():
    guesses = Counter(
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "guard" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "getattr"
        and len(node.args) == 3
        and re.search("attack|cls|inner|factory", ast.unparse(node.args[0]))
    )
    assert guesses["loop.py"]
    assert guesses - Counter(FOREIGN) == Counter()
