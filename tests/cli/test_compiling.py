"""The first use of an attack after installation says that it compiles, once."""

import json
import os
import subprocess
import sys

import pytest

from holdfast import compiling
from tests.paces import few

COMPILES = "Compiling what is used for the first time; this takes a while, once.\n"
ATTACK = "attack constant --n-examples 50 --n-classes 2 --looks 3 --trials 4 --json"


@pytest.fixture
def empty_cache(tmp_path):
    return {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}


def run(words, environment):
    program = "import sys; from holdfast.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", program, *words.split()],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("processes", few(1, [2, 1]))
def test_a_command_says_so_once_on_stderr_and_not_again(empty_cache, processes):
    first, second = (run(f"{ATTACK} --processes {processes}", empty_cache) for _ in range(2))
    assert (first.stderr, second.stderr) == (COMPILES, "")
    shown = [{**json.loads(done.stdout), "seconds": 0} for done in (first, second)]
    assert shown[0] == shown[1]


def test_a_command_that_compiles_nothing_says_nothing(empty_cache):
    assert run("bounds --n-examples 50 --n-classes 2 --looks 3", empty_cache).stderr == ""


def test_it_is_told_once_and_to_nobody_who_did_not_ask(monkeypatch):
    monkeypatch.setattr(compiling, "_say", None)
    compiling.tell()
    told = []
    compiling.announce(lambda: told.append("once"))
    compiling.tell()
    compiling.tell()
    assert told == ["once"]
