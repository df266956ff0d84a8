import subprocess
import sys

import pytest

from holdfast import __version__
from holdfast.cli.app import COMMANDS


def test_without_arguments_the_help_is_shown(holdfast):
    outcome = holdfast()
    assert outcome.code == 0
    assert "attack" in outcome.out


def test_version(holdfast):
    assert holdfast("--version").out == f"{__version__}\n"


def test_an_unknown_command_is_refused(refused):
    assert refused("frobnicate").startswith("No such command 'frobnicate'.")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_is_listed_by_its_first_line(holdfast, name):
    outcome = holdfast(name, "--help")
    assert outcome.code == 0
    assert f"Usage: holdfast {name}" in outcome.out
    assert COMMANDS[name] in " ".join(outcome.out.split())


def test_the_list_of_commands_names_all_of_them(holdfast):
    listed = holdfast("--help").out
    assert all(f"\n  {name} " in listed for name in COMMANDS)


HEAVY = ("numba", "scipy", "matplotlib", "holdfast.attacks", "holdfast.mechanisms")


@pytest.mark.parametrize(
    "code",
    ["import holdfast", "from holdfast.cli import main; main(['--help'])", "import holdfast.cli"],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code):
    script = f"import sys; {code}; print([m for m in {HEAVY} if m in sys.modules])"
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert outcome.stdout.splitlines()[-1] == "[]", outcome.stderr


def test_what_is_public_is_there_when_it_is_asked_for():
    import holdfast as package

    for name in package.__all__:
        assert getattr(package, name) is not None
    assert "attacks" in dir(package)
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        _ = package.frobnicate


def test_a_missing_extra_is_one_clear_line():
    hide = (
        "import sys; sys.modules['typer'] = None; from holdfast.cli import main; sys.exit(main())"
    )
    outcome = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True)
    assert outcome.returncode == 2
    assert outcome.stderr == "error: the command line needs typer: pip install 'holdfast[cli]'\n"


def test_an_unexpected_failure_is_not_hidden(holdfast, monkeypatch):
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


@pytest.mark.parametrize("option", ["--looks", "--n-queries"])
@pytest.mark.parametrize("command", ["attack constant", "bounds", "matrix", "plan"])
def test_looks_have_one_name_and_their_deprecated_one(refused, command, option):
    sizes = ("--n-examples", 5, "--n-classes", 2)
    message = refused(*command.split(), *sizes, option, 0)
    assert message == "n_queries must be at least 1, got 0."


@pytest.mark.parametrize("command", [["audit"], ["policy", "init"]])
def test_looks_with_a_rate_have_the_same_name(refused, command):
    assert "looks" in refused(*command, "--looks", "5/fortnight")
