import shlex
import subprocess
import sys

import pytest
import typer

from holdfast import __version__
from holdfast.cli import main
from holdfast.cli.app import COMMANDS, TASKS, build


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


def test_the_list_of_commands_names_all_of_them_by_task_and_cuts_no_summary(holdfast):
    listed = holdfast("--help").out
    assert all(f"\n  {name} " in listed for name in COMMANDS)
    assert [listed.index(f"\n{task}:\n") for task in TASKS] == sorted(
        listed.index(f"\n{task}:\n") for task in TASKS
    )
    for task, commands in TASKS.items():
        section = " ".join(listed.split(f"\n{task}:\n")[1].split("\n\n")[0].split())
        assert all(f"{name} {summary}" in section for name, summary in commands.items())


def explained(where=None, words=()):
    """Yield every command and group as words, with what explains it."""
    where = typer.main.get_command(build()) if where is None else where
    yield words, where
    for name, command in getattr(where, "commands", {}).items():
        yield from explained(command, (*words, name))


EXPLAINED = dict(explained())


@pytest.mark.parametrize("words", EXPLAINED, ids=" ".join)
def test_every_help_ends_with_two_examples_that_can_be_typed(holdfast, words):
    shown = holdfast(*words, "--help").out
    examples = shown.split("\nExamples:\n")[1].replace("\\\n", "").strip().split("\n")
    assert len(examples) >= 2
    for example in examples:
        program, *typed = shlex.split(example.partition(" > ")[0])
        assert (program, *typed[: len(words)]) == ("holdfast", *words)
        # Parsed as when it is run: an option that is missing or misspelled raises.
        command, context = EXPLAINED[()], None
        while True:
            context = command.make_context(command.name, typed, parent=context)
            command = context.command
            if not hasattr(command, "commands"):
                break
            _, command, typed = command.resolve_command(
                context, [*context._protected_args, *context.args]
            )


def test_no_summary_of_a_command_in_a_group_is_cut(holdfast):
    for group in ("ledger", "policy"):
        shown = " ".join(holdfast(group, "--help").out.split())
        for words, command in EXPLAINED.items():
            if words[:1] == (group,):
                assert " ".join(command.help.split("\n\n")[0].split()) in shown


@pytest.fixture
def completed(monkeypatch, capsys):
    """Return what a shell is offered after a line, by bash's own protocol."""

    def offered(line):
        monkeypatch.setenv("_HOLDFAST_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        with pytest.raises(SystemExit):
            main([])
        said = capsys.readouterr()
        assert said.err == ""
        return said.out.split()

    return offered


def test_a_shell_completes_commands_options_attacks_and_rules(completed):
    assert completed("holdfast au") == ["audit"]
    assert completed("holdfast ledger ver") == ["verify"]
    assert completed("holdfast audit --fail") == ["--fail-above"]
    assert completed("holdfast audit compare a.json --js") == ["--json"]
    assert "--prior-accuracy" in completed("holdfast plan --pr")
    assert completed("holdfast attack block") == ["block-climb", "block-majority"]
    assert "ladder:0.01" in completed("holdfast bench matrix --rule lad")
    assert completed("holdfast lint --ignore many") == ["many-metrics"]


def test_the_script_for_a_shell_is_shown(monkeypatch, capsys):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    with pytest.raises(SystemExit):
        main(["--show-completion", "bash"])
    assert "_HOLDFAST_COMPLETE=complete_bash" in capsys.readouterr().out


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "holdfast", "--version"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert (outcome.returncode, outcome.stdout) == (0, f"{__version__}\n")


def test_a_misspelled_command_option_attack_or_rule_is_answered_with_the_one_meant(refused):
    sizes = ("--n-examples", 5, "--n-classes", 2, "--looks", 3)
    assert refused("audti").endswith("Did you mean 'audit'?")
    assert "--n-examples" in refused("plan", "--n-exampels", 5)
    assert refused("attack", "latice", *sizes).endswith("got 'latice'; did you mean lattice?")
    assert refused("plan", *sizes, "--rule", "lader:0.01").endswith(
        "got 'lader'; did you mean ladder?"
    )
    assert refused("attack", "constant", *sizes, "--label-kind", "unifrom").endswith(
        "got 'unifrom'; did you mean uniform?"
    )


HEAVY = ("numpy", "numba", "scipy", "matplotlib", "holdfast.attacks", "holdfast.rules")
HELP = """
from holdfast.cli import main
from holdfast.cli.app import COMMANDS, SUBCOMMANDS
for name in COMMANDS:
    for words in ([], *([each] for each in SUBCOMMANDS.get(name, ()))):
        main([name, *words, "--help"])
"""
# Refused before anything is loaded that would read it.
REFUSED_FILES = """
from pathlib import Path
from holdfast.cli import main
Path("prices.csv").write_text("id,cost,size\\n1,2,3\\n")
for labels in ("nothing.csv", ".", "prices.csv"):
    assert main(["audit", labels]) == 2
assert main(["score", "--policy", "p", "--labels", "l", "--submission", "s", "--team", "t"]) == 2
"""


@pytest.mark.parametrize(
    "code",
    [
        "import holdfast",
        "from holdfast.cli import main; main(['--help'])",
        "import holdfast.cli",
        HELP,
        REFUSED_FILES,
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code, tmp_path):
    script = f"import sys\n{code}\nprint([m for m in {HEAVY} if m in sys.modules])"
    outcome = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path
    )
    assert outcome.stdout.splitlines()[-1] == "[]", outcome.stderr


def test_a_group_without_a_command_shows_its_help(holdfast):
    outcome = holdfast("policy")
    assert outcome.code == 2
    assert "\n  init " in outcome.err
    assert "error:" not in outcome.err


def test_a_name_without_its_group_is_told_with_it(refused):
    assert refused("compare", "a", "b").endswith("Did you mean 'holdfast audit compare'?")


def test_counts_are_read_as_people_write_them(holdfast, refused):
    sizes = ("--n-examples", "10,000", "--n-classes", "10", "--looks", "1e2")
    assert holdfast("bounds", *sizes, "--json").json["problem"]["n_queries"] == 100
    assert "a whole number such as" in refused("bounds", *sizes[:-1], "1.5")
    assert "a whole number such as" in refused("bounds", *sizes[:-1], "10,00")


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
    remedy = "the command line needs typer; install it with: pip install 'holdfast[cli]'"
    assert outcome.stderr == f"error: {remedy}\n"


def test_an_unexpected_failure_is_not_hidden(holdfast, monkeypatch):
    monkeypatch.setattr("holdfast.experiments.run", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        holdfast("attack", "constant", "--n-examples", 5, "--n-classes", 2, "--looks", 1)


def test_sizes_beyond_memory_are_one_line(refused, monkeypatch):
    def too_much(*arguments, **options):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr("holdfast.experiments.run", too_much)
    sizes = ("--n-examples", 5, "--n-classes", 2, "--looks", 1)
    message = refused("attack", "constant", *sizes)
    assert message == "not enough memory for these sizes: Unable to allocate 7 TiB"


@pytest.mark.parametrize("command", ["attack constant", "bounds", "bench matrix", "plan"])
def test_looks_have_one_name_and_their_old_one_is_gone(refused, command):
    sizes = ("--n-examples", 5, "--n-classes", 2)
    assert refused(*command.split(), *sizes, "--looks", 0) == "n_queries must be at least 1, got 0."
    assert refused(*command.split(), *sizes, "--n-queries", 5).startswith(
        "No such option: --n-queries"
    )


@pytest.mark.parametrize(
    ("command", "old"),
    [
        ("audit", "--mechanism"),
        ("plan", "--mechanism"),
        ("lint", "--release"),
        ("policy init", "--release"),
    ],
)
def test_a_release_rule_is_called_so_by_every_command_and_by_its_old_name_too(
    holdfast, refused, command, old
):
    words = command.split()
    sizes = ("--n-examples", 5, "--n-classes", 2, "--looks", 3) if command == "plan" else ()
    target = ("challenge.yaml",) if command == "lint" else ()
    shown = " ".join(holdfast(*words, "--help").out.split())
    assert "--rule" in shown
    assert old not in shown
    told = [refused(*words, *target, *sizes, option, "lader:1") for option in ("--rule", old)]
    assert told[0] == told[1]


def test_an_attack_plays_any_release_rule_and_knows_it(holdfast, refused):
    sizes = ("--n-examples", 400, "--n-classes", 2, "--looks", 40, "--trials", 4)
    found = holdfast("attack", "naive-bayes", *sizes, "--rule", "gaussian:0.1", "--json")
    assert found.json["rule"] == "gaussian:0.1"
    exact = holdfast("attack", "naive-bayes", *sizes, "--json").json
    assert 0.0 < found.json["bias"]["mean"] < exact["bias"]["mean"]
    assert "needs ExactAnswers" in refused("attack", "lattice", *sizes, "--rule", "round:1")


@pytest.mark.parametrize("command", [["audit"], ["policy", "init"]])
def test_looks_with_a_rate_have_the_same_name(refused, command):
    assert "looks" in refused(*command, "--looks", "5/fortnight")


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (("bounds",), "Missing options '--n-examples', '--n-classes'."),
        (("bounds", "--n-classes=2"), "Missing option '--n-examples'."),
        (("score", "guess.csv"), "Missing options '--policy', '--team'."),
    ],
)
def test_all_options_that_are_missing_are_told_at_once(refused, given, missing):
    assert refused(*given) == missing


@pytest.mark.parametrize("old", ["matrix", "figures", "reproduce", "statements"])
def test_commands_that_were_folded_into_others_work_by_their_old_names_with_a_note(holdfast, old):
    now = {"matrix": "bench", "figures": "sweep"}.get(old, "paper")
    shown, before = holdfast(now, old, "--help"), holdfast(old, "--help")
    assert shown.code == before.code == 0
    assert before.out == shown.out
    assert f"holdfast {now} {old}" in shown.out
    assert f"\n  {old} " not in holdfast("--help").out


def test_statements_are_the_same_by_both_names(holdfast):
    now, before = holdfast("paper", "statements", "--json"), holdfast("statements", "--json")
    assert before.out == now.out
    assert (
        before.err == "note: holdfast statements is deprecated; write holdfast paper statements.\n"
    )
    assert now.err == ""


def test_the_help_of_forwarder_names_every_host(holdfast):
    from holdfast.client.forwarder import HOSTS

    assert set(HOSTS) <= set(
        holdfast("forwarder", "--help").out.replace(",", "").replace(".", "").split()
    )
