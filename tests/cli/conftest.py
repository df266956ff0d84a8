import json

import pytest

from holdfast.cli import main
from tests.audit.conftest import made_up

__all__ = ["made_up"]


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        def refuse(word):
            raise AssertionError(f"{word} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def holdfast(capsys, monkeypatch):
    """Run the command in this process, as `holdfast("attack", ...)`.

    Whether a kernel has to be compiled depends on what ran before, so nothing is said of it.
    """
    monkeypatch.setattr("holdfast.cli.app._say_that_it_compiles", lambda: None)

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def refused(holdfast):
    """Run a command that must be refused: exit code 2 and one line on stderr."""

    def run(*arguments):
        outcome = holdfast(*arguments)
        assert outcome.code == 2
        assert outcome.out == ""
        assert outcome.err.startswith("error: ")
        assert outcome.err.count("\n") == 1
        return outcome.err.removeprefix("error: ").rstrip("\n")

    return run


@pytest.fixture(scope="session")
def plays_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("plays")


@pytest.fixture
def kept_plays(plays_folder, monkeypatch):
    """Let audits of the same labels find each other's plays, as they do for a user."""
    monkeypatch.setenv("HOLDFAST_CACHE_DIR", str(plays_folder))
