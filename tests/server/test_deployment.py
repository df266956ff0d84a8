"""What is said about running a board is true: files parse, and name options that there are."""

import ast
import os
import re
import runpy
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
import typer
import yaml
from benchmarks.board_load import children_of

from holdfast.cli.app import build
from holdfast.cli.serve import check_workers
from holdfast.client.forwarder import forwarder
from tests.server.conftest import free_port

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "board"


def settings_of(command, environment):
    """Return what serve takes from a container's command and variables; it must start with them."""
    assert command[:2] == ["holdfast", "serve"]
    parser = typer.main.get_command(build(["serve"])).commands["serve"]
    with pytest.MonkeyPatch.context() as variables:
        variables.delenv("HOLDFAST_BOARD", raising=False)
        for name, value in environment.items():
            variables.setenv(name, value)
        settings = parser.make_context("serve", list(command[2:])).params
    check_workers(settings["workers"], settings["database"])
    return settings


def instructions():
    """Return the Containerfile's instructions: the word, and what follows it."""
    text = re.sub(r"\\\n", " ", (EXAMPLE / "Containerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


def test_the_containerfile_copies_what_there_is_and_runs_as_nobody_special():
    words = [word for word, _ in instructions()]
    assert words[0] == "FROM"
    assert set(words) <= {"FROM", "RUN", "WORKDIR", "COPY", "USER", "EXPOSE", "HEALTHCHECK", "CMD"}
    assert all((ROOT / source).exists() for source in copied_sources())
    assert dict(instructions())["USER"] != "root"
    assert words.index("USER") > max(at for at, word in enumerate(words) if word == "RUN")
    settings = settings_of(yaml.safe_load(dict(instructions())["CMD"]), {})
    assert (settings["host"], str(settings["port"])) == ("0.0.0.0", dict(instructions())["EXPOSE"])
    # The database lies where the container's user may write.
    last = [rest for word, rest in instructions() if word == "WORKDIR"][-1]
    user = dict(instructions())["USER"]
    made = " ".join(rest for word, rest in instructions() if word == "RUN")
    assert f"install --directory --owner {user} {last}" in made
    assert not Path(settings["database"]).is_absolute()
    extras = re.search(r"\.\[(.*?)\]", (EXAMPLE / "Containerfile").read_text())[1].split(",")
    project = (ROOT / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = ", project, re.MULTILINE) for extra in extras)


def copied_sources():
    """Return what the Containerfile copies into the image's source folder."""
    return {
        source for word, rest in instructions() if word == "COPY" for source in rest.split()[:-1]
    }


def test_the_containerfile_copies_all_that_a_build_reads():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hatch = document["tool"]["hatch"]
    read = {"pyproject.toml", hatch["version"]["path"], *document["project"]["license-files"]}
    read |= set(hatch["build"]["targets"]["wheel"]["packages"])
    hooks = hatch.get("metadata", {}).get("hooks", {})
    if "custom" in hooks:
        hook = hooks["custom"].get("path", "hatch_build.py")
        text = (ROOT / hook).read_text(encoding="utf-8")
        read |= {hook, *re.findall(r'root / "([^"]+)"', text)}
    copied = copied_sources()
    missing = {
        path for path in read if not any(p in copied for p in (path, path.partition("/")[0]))
    }
    assert missing == set()


def test_the_build_tool_reads_the_metadata_of_what_is_copied(tmp_path):
    pytest.importorskip("hatchling")
    for source in copied_sources():
        if (ROOT / source).is_dir():
            # All of a source folder that metadata are read from is the version.
            version = ROOT / source / "holdfast" / "_version.py"
            (tmp_path / source / "holdfast").mkdir(parents=True)
            shutil.copy(version, tmp_path / source / "holdfast")
        else:
            shutil.copy(ROOT / source, tmp_path)
    program = "from hatchling.build import prepare_metadata_for_build_wheel as f; print(f('.'))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    written = tmp_path / done.stdout.strip() / "METADATA"
    assert "Description-Content-Type: text/markdown" in written.read_text(encoding="utf-8")


def test_the_compose_file_fits_the_container_and_its_mounts():
    compose = yaml.safe_load((EXAMPLE / "compose.yaml").read_text(encoding="utf-8"))
    services = compose["services"]
    assert set(services) == {"database", "board", "proxy"}
    board = services["board"]
    assert (EXAMPLE / board["build"]["context"] / board["build"]["dockerfile"]).is_file()
    settings = settings_of(board["command"], board["environment"])
    assert settings["workers"] > 1
    assert settings["database"].startswith("postgresql://")
    # No secret in the file, and none that may be forgotten.
    assert services["database"]["environment"]["POSTGRES_PASSWORD"].startswith("${BOARD_PASSWORD:?")
    for service in services.values():
        for dependency in service.get("depends_on", ()):
            assert dependency in services
    assert "database" in compose["volumes"]


def test_nginx_leads_to_the_boards_service_and_hides_what_is_not_for_all():
    text = (EXAMPLE / "nginx.conf").read_text(encoding="utf-8")
    plain = re.sub(r"#.*", "", text)
    assert plain.count("{") == plain.count("}")
    for line in plain.splitlines():
        assert not line.strip() or line.strip()[-1] in ";{}", line
    assert "proxy_pass http://board:8000;" in text
    assert re.search(r"location = /metrics \{ deny all; \}", text)
    assert "gzip off;" in text


@pytest.mark.slow
def test_the_demo_says_where_the_board_is_once_it_answers_and_ends_with_the_server():
    port = free_port()
    demo = subprocess.Popen(
        [sys.executable, EXAMPLE / "demo.py", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = demo.stdout.readline().split()[-1]
        assert address == f"http://127.0.0.1:{port}/b/digits"
        with urllib.request.urlopen(address) as page:
            assert b"Neighbours" in page.read()
        [server] = children_of(demo.pid)
        os.kill(server, signal.SIGKILL)
        _, said = demo.communicate(timeout=60)
    finally:
        demo.kill()
    assert demo.returncode != 0
    assert '"level": "info"' in said  # the server's own log


# The demo with a board that is not made, and a server that only sleeps.
SLEEPING = """
import runpy, subprocess, sys, types
demo = runpy.run_path(sys.argv.pop(1))
parts = demo["main"].__globals__
start = subprocess.Popen
parts["make"] = lambda folder: (str(folder), "x")
parts["is_ready"] = lambda port: True
parts["subprocess"] = types.SimpleNamespace(Popen=lambda *_, **__: start(["sleep", "600"]))
sys.exit(demo["main"]())
"""


def test_a_demo_that_is_told_to_end_leaves_no_server_and_no_folder(tmp_path):
    arguments = [sys.executable, "-c", SLEEPING, EXAMPLE / "demo.py", "--port", str(free_port())]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    demo = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert "/b/digits" in demo.stdout.readline()
        [server] = children_of(demo.pid)
        assert len(list(tmp_path.iterdir())) == 1
        demo.terminate()
        demo.communicate(timeout=60)
    finally:
        demo.kill()
    assert demo.returncode == 128 + signal.SIGTERM
    assert not Path(f"/proc/{server}").exists()
    assert list(tmp_path.iterdir()) == []


def test_the_demo_does_not_take_another_server_for_its_own(tmp_path, capsys):
    demo = runpy.run_path(str(EXAMPLE / "demo.py"))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert demo["serve"]("none.db", "x", port) == 2
    said = capsys.readouterr()
    assert (said.out, f"port must be free, got {port}" in said.err) == ("", True)


@pytest.mark.slow
def test_a_demo_that_cannot_start_says_why(tmp_path, capsys):
    demo = runpy.run_path(str(EXAMPLE / "demo.py"))
    assert demo["serve"](str(tmp_path / "none.db"), "x", free_port()) != 0
    said = capsys.readouterr()
    assert (said.out, "error: " in said.err) == ("", True)


def test_the_demo_makes_a_board_with_two_teams(tmp_path):
    from holdfast.server.gatekeeper import Gatekeeper
    from holdfast.server.records import Standing

    demo = runpy.run_path(str(EXAMPLE / "demo.py"))
    database, invitation = demo["make"](tmp_path)
    gatekeeper = Gatekeeper(database)
    rows = gatekeeper.store.find(Standing, "ORDER BY value")
    assert [(row.team, row.looks) for row in rows] == [(1, 4), (2, 4)]
    assert invitation
    gatekeeper.close()


def commands_on(page):
    """Return the commands that a page shows in lines of their own, as words."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    shown = [line.strip() for line in lines if line.startswith("    ")]
    found = []
    for line in shown:
        for part in line.strip("()").split(";"):
            words = shlex.split(part.partition(" > ")[0], comments=True)
            if words[:1] == ["holdfast"]:
                found.append(words[1:])
    return found


@pytest.mark.parametrize("page", ["board.md", "hosts.md"])
def test_commands_that_a_page_shows_are_those_that_there_are(page):
    """Each is read as the command line would read it; none is run."""
    found = commands_on(page)
    assert len(found) >= 3
    for words in found:
        group = typer.main.get_command(build(words[:1]))
        command, rest = group.commands[words[0]], words[1:]
        while hasattr(command, "commands"):
            command, rest = command.commands[rest[0]], rest[1:]
        assert command.make_context(words[0], list(rest)).params


def test_the_forwarder_takes_its_folders_as_the_pages_metadata_names_them():
    page = (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    said = forwarder("codabench", "https://boards.example/b/pets")
    assert yaml.safe_load(shown)["command"] in " ".join(ast.get_docstring(ast.parse(said)).split())
