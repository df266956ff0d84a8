"""An attack through a metric is one file and one line: CONTRIBUTING's, put into a copy."""

import json
import re

import numpy as np
import pytest

from tests.package_copy import ROOT, copy_package, run_in

NAME = "luckiest-of-many"
PLACE = "attacks/through_metrics"
LINE = """
from holdfast.attacks.through_metrics.luckiest_of_many import LuckiestOfMany as LuckiestOfMany
"""
# Runs commands in one process; prints what each printed.
SCRIPT = """
import contextlib, io, json, sys
import holdfast.attacks.through_metrics
from holdfast.cli import main

printed = {}
for command in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command)
    printed[command[0]] = [code, out.getvalue(), err.getvalue()]
print(json.dumps({"file": holdfast.attacks.through_metrics.__file__, "printed": printed}))
"""
LOOKS = 60


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Run the commands in the copy, and return what each printed."""
    page = (ROOT / "CONTRIBUTING.md").read_text().partition("## A new attack through a metric")[2]
    skeleton = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    folder = tmp_path_factory.mktemp("copy")
    copy_package(folder, PLACE, "luckiest_of_many.py", skeleton, LINE)
    labels = np.random.default_rng(4).integers(3, size=30)
    rows = [f"{at},{label}" for at, label in enumerate(labels)]
    (folder / "labels.csv").write_text("\n".join(["id,label", *rows, ""]))
    (folder / "sweep.toml").write_text(
        f"""
        attacks = ["auto"]
        metrics = ["f1_macro"]
        labels = ["labels.csv"]
        n_queries = [{LOOKS}]
        """
    )
    shown = ["--metric", "f1_macro"]
    sizes = ["--n-examples", "30", "--n-classes", "3", "--looks", str(LOOKS)]
    commands = [
        ["plan", *sizes, *shown],
        ["audit", "labels.csv", *shown, "--rule", "exact", "--looks", "9", "--quick"],
        ["sweep", "sweep.toml", "--processes", "1", "--table", "rows.jsonl"],
    ]
    told = run_in(folder, SCRIPT, [[*command, "--json"] for command in commands])
    assert told["file"].startswith(str(folder))
    for code, _, err in told["printed"].values():
        assert code == 0, err
    found = {name: json.loads(out) for name, (_, out, _) in told["printed"].items()}
    return found | {"rows": json.loads((folder / "rows.jsonl").read_text())}


@pytest.mark.slow
def test_a_plan_has_its_forecast(printed):
    (show,) = printed["plan"]["shows"]
    assert show["attack"] == NAME
    # A constant has an F1 of 1/6, and the luckiest of 60 two standard errors more than 1/3.
    assert show["gain"] == pytest.approx(0.36, abs=0.08)
    assert show["reason"] == "simulated 6 times on labels drawn at random"


def test_an_audit_plays_it_beside_the_others(printed):
    gains = {each["attack"]: each for each in printed["audit"]["gains"]}
    assert gains[NAME]["gain"] is not None
    assert gains[NAME]["does"] == "keeps the luckiest random submission"
    assert gains["joint-counts"]["gain"] is not None


def test_a_sweep_plays_the_one_with_the_best_forecast(printed):
    row = printed["rows"]
    assert row["error"] is None
    # The other reader has no forecast; it would know all labels long before the last look.
    assert row["looks"] == LOOKS
    assert 0.33 < row["score"] < 0.9
