"""Every benchmark says what it measures before it measures anything."""

import runpy
import sys
from pathlib import Path

import pytest
from benchmarks import audit, guard

ROOT = Path(__file__).resolve().parents[1]
# Modules that are run with -m; the others are imported by them.
RUN = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
)


def test_there_are_benchmarks():
    assert {"audit", "board", "guard", "power"} <= set(RUN)


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("name", RUN)
def test_help_is_printed_and_nothing_is_run(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: ")
    assert len(printed) > 80  # more than the usage: what is measured


def test_a_part_that_does_not_exist_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["guard", "oracle"])
    with pytest.raises(SystemExit) as ended:
        guard.main()
    assert ended.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [([], list(audit.CASES)), (["large"], ["large"]), (["all"], list(audit.CASES))],
)
def test_without_a_name_every_part_is_measured(arguments, expected, monkeypatch, capsys):
    measured = []

    def measure(case, *options, cache):
        measured.append(case)
        return audit.Cost(1.0, {1: 1.0}, 1.0)

    monkeypatch.setattr(audit, "measure", measure)
    monkeypatch.setattr(sys, "argv", ["audit", *arguments])
    audit.main()
    assert measured == [audit.CASES[name] for name in expected]
    assert capsys.readouterr().out.count(" audit ") == len(expected)
