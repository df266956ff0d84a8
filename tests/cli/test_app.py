import subprocess
import sys

from holdfast import __version__


def test_without_arguments_the_help_is_shown(holdfast):
    outcome = holdfast()
    assert outcome.code == 0
    assert "attack" in outcome.out


def test_version(holdfast):
    assert holdfast("--version").out == f"{__version__}\n"


def test_an_unknown_command_is_refused(refused):
    assert refused("frobnicate").startswith("No such command 'frobnicate'.")


def test_every_command_explains_itself(holdfast):
    from holdfast.cli.app import app

    for command in app.registered_commands:
        name = command.callback.__name__
        outcome = holdfast(name, "--help")
        assert outcome.code == 0
        assert f"Usage: holdfast {name}" in outcome.out


def test_a_missing_extra_is_one_clear_line():
    hide = (
        "import sys; sys.modules['typer'] = None; from holdfast.cli import main; sys.exit(main())"
    )
    outcome = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True)
    assert outcome.returncode == 2
    assert outcome.stderr == "error: the command line needs typer: pip install 'holdfast[cli]'\n"


def test_an_unexpected_failure_is_not_hidden(holdfast, monkeypatch):
    import pytest

    monkeypatch.setattr("holdfast.cli.attack.run", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        holdfast("attack", "constant", "--n-examples", 5, "--n-classes", 2, "--n-queries", 1)


def test_sizes_beyond_memory_are_one_line(refused, monkeypatch):
    def too_much(*arguments, **options):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("holdfast.cli.attack.run", too_much)
    sizes = ("--n-examples", 5, "--n-classes", 2, "--n-queries", 1)
    message = refused("attack", "constant", *sizes)
    assert message == "not enough memory for these sizes: Unable to allocate 7 TiB"
