"""What the README shows of the two demo commands is what they print, with their default seed."""

import re
from pathlib import Path

import pytest

from holdfast.cli import main

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
SHOWN = re.search(r"^\$ make demo\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)[1]
# Left out of the README between two pieces that are whole.
LEFT_OUT = "[...]"


def words(text):
    """Return text without its line breaks, which follow the width of the terminal."""
    return " ".join(text.split())


def pieces(command):
    """Return what the README shows of one command, in pieces that follow each other."""
    shown = SHOWN.split(f"== {command}\n", 1)[1].split("\n== ", 1)[0]
    return [words(piece) for piece in shown.split(LEFT_OUT) if piece.strip()]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["holdfast demo", "holdfast audit --report out/audit.html"])
def test_the_readme_shows_what_make_demo_prints(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(command.split()[1:]) == 0
    printed = words(capsys.readouterr().out)
    at = 0
    for piece in pieces(command):
        assert piece in printed[at:], f"the README is stale: {piece[:200]}"
        at = printed.index(piece, at) + len(piece)


def test_make_demo_runs_the_commands_that_the_readme_shows():
    makefile = (Path(__file__).resolve().parents[1] / "Makefile").read_text(encoding="utf-8")
    demo = makefile.split("\ndemo:", 1)[1].split("\n\n", 1)[0]
    ran = re.findall(r"^\t@\$\(BIN\)/(.*)$", demo, flags=re.MULTILINE)
    assert ran == re.findall(r"^== (holdfast .*)$", SHOWN, flags=re.MULTILINE)
    assert len(ran) == 2
