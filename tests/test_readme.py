"""What the README shows of the two demo commands is what they print, with their default seed."""

import re
from pathlib import Path

import pytest
from benchmarks.shown import AuditShown

from holdfast.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_audit_that_the_readme_shows_is_what_the_command_prints(capsys, tmp_path, monkeypatch):
    """The block is compared with the file of numbers, and the demo cell by cell, elsewhere."""
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "--report", "out/audit.html"]) == 0
    audit = AuditShown()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert audit.repeatable(lines) == audit.load()["printed"], f"renew it with: {audit.command}"


def test_make_demo_runs_the_commands_that_the_readme_shows():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    demo = makefile.split("\ndemo:", 1)[1].split("\n\n", 1)[0]
    ran = re.findall(r"^\t@\$\(BIN\)/(.*)$", demo, flags=re.MULTILINE)
    assert ran == re.findall(r"^== (holdfast .*)$", README, flags=re.MULTILINE)
    assert len(ran) == 2
