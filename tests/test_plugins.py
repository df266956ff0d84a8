"""Classes of installed packages play like the package's own."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "plugin"
RULE = """
from dataclasses import dataclass
from typing import ClassVar
from holdfast.rules import Rounding


@dataclass(frozen=True)
class Thirds(Rounding):
    decimals: int = 1
    name: ClassVar[str] = "thirds"
    text_forms: ClassVar[tuple[str, ...]] = ("thirds:1",)


class Broken:
    pass
"""
# Runs commands in one process and prints what each printed.
SCRIPT = """
import contextlib, io, json, sys
from holdfast.cli import main
from holdfast.rules import parse_rule

for line in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(line.split())
    print(json.dumps([code, out.getvalue()]))
print(json.dumps(type(parse_rule("thirds:1")).__name__))
"""


@pytest.fixture
def installed(tmp_path):
    """Lay the example and a rule out as pip does: the module, and its entry points beside it."""
    site = tmp_path / "site"
    described = site / "holdfast_luckiest-1.0.dist-info"
    described.mkdir(parents=True)
    shutil.copy(EXAMPLE / "luckiest.py", site)
    (site / "thirds.py").write_text(RULE)
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = project["entry-points"] | {
        "holdfast.rules": {"thirds": "thirds:Thirds", "gone": "thirds:Gone"},
        "holdfast.metrics": {"broken": "thirds:Broken"},
    }
    lines = []
    for group, named in points.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in named.items())]
    (described / "entry_points.txt").write_text("\n".join([*lines, ""]))
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: holdfast-luckiest\n")
    return site


@pytest.mark.slow
def test_an_installed_attack_plays_in_attack_plan_and_audit_and_a_broken_one_stops_nothing(
    installed, tmp_path
):
    sizes = "--n-examples 60 --n-classes 2 --looks 6 --json"
    (tmp_path / "labels.csv").write_text(
        "\n".join(["id,label", *(f"{at},{at * at % 7 % 2}" for at in range(60)), ""])
    )
    lines = [
        f"attack luckiest {sizes} --trials 2 --processes 1",
        f"plan {sizes}",
        "audit labels.csv --looks 3 --json --processes 1",
        "score --help",
    ]
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(installed)!r})\n{SCRIPT}"],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    *told, rule = map(json.loads, ran.stdout.splitlines())
    assert [code for code, _ in told[:2]] == [0, 0]
    assert told[2][0] in (0, 1)  # an unsafe board
    assert told[3][0] == 0
    for _, printed in told[:3]:
        assert '"luckiest"' in printed
    assert rule == "Thirds"
    assert (
        "the plug-in gone (thirds:Gone, holdfast.rules) is left out: AttributeError" in ran.stderr
    )


def test_the_example_is_forty_lines_and_small_enough_to_copy():
    assert len((EXAMPLE / "luckiest.py").read_text(encoding="utf-8").splitlines()) <= 45
