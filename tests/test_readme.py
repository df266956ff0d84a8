"""The README shows the commands that `make demo` runs; what they print is in docs/data."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_make_demo_runs_the_commands_that_the_readme_shows():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    demo = makefile.split("\ndemo:", 1)[1].split("\n\n", 1)[0]
    ran = re.findall(r"^\t@\$\(BIN\)/(.*)$", demo, flags=re.MULTILINE)
    assert ran == re.findall(r"^== (holdfast .*)$", README, flags=re.MULTILINE)
    assert len(ran) == 2
