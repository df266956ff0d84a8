"""Tutorials: every block of a page, in its order, in an empty folder, as a newcomer would."""

import contextlib
import io
import os
import re
import socket
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORT = "8000"


def blocks(page):
    return FENCE.findall((ROOT / "docs" / "start" / page).read_text(encoding="utf-8"))


def shows(printed, shown):
    """Tell whether a page shows what was printed; `[...]` stands for what it leaves out."""
    parts = [re.escape(" ".join(part.split())) for part in shown.split("[...]")]
    return re.fullmatch(r"\s*" + ".*".join(parts) + r"\s*", " ".join(printed.split()), re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["audit.md", "guard_a_loop.md", "run_a_board.md", "toy_board.md"])
def test_a_tutorial_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = dict(os.environ, COLUMNS="120", HOLDFAST_COLOR="no")
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    namespace = vars(types.ModuleType("__page__"))
    printed, compared, served = "", 0, []
    try:
        for language, code in blocks(page):
            if language == "python":
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(code, page, "exec"), namespace)
                printed = out.getvalue()
            elif language == "console":
                printed = ""
                for command in re.findall(r"^\$ (.*)$", code, re.MULTILINE):
                    words = command.replace(PORT, port)
                    if words.endswith("&"):
                        words = words.removesuffix("&").split()
                        served.append(subprocess.Popen(words, env=environment))
                        continue
                    done = subprocess.run(
                        ["bash", "-c", words], env=environment, capture_output=True, text=True
                    )
                    assert done.returncode == 0, f"{command}: {done.stderr}"
                    printed += done.stdout
            elif language == "text":
                assert shows(printed.replace(port, PORT), code), (
                    f"{page} shows\n{code}but\n{printed}"
                )
                compared += 1
    finally:
        for each in served:
            each.terminate()
            each.wait()
    assert compared, f"{page} shows no output"
