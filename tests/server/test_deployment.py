"""What is said about running a board is true: files parse, and name options that there are."""

import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
import yaml

from holdfast.cli.app import build

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "board"


def options_of_serve():
    command = typer.main.get_command(build(["serve"])).commands["serve"]
    return {name for parameter in command.params for name in parameter.opts}


def instructions():
    """Return the Containerfile's instructions: the word, and what follows it."""
    text = re.sub(r"\\\n", " ", (EXAMPLE / "Containerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


def test_the_containerfile_copies_what_there_is_and_runs_as_nobody_special():
    words = [word for word, _ in instructions()]
    assert words[0] == "FROM"
    assert set(words) <= {"FROM", "RUN", "WORKDIR", "COPY", "USER", "EXPOSE", "CMD"}
    assert all((ROOT / source).exists() for source in copied_sources())
    assert dict(instructions())["USER"] != "root"
    assert words.index("USER") > max(at for at, word in enumerate(words) if word == "RUN")
    command = yaml.safe_load(dict(instructions())["CMD"])
    check_command(command)
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


def check_command(command):
    assert command[:2] == ["holdfast", "serve"]
    assert {word for word in command if word.startswith("--")} <= options_of_serve()


def test_the_compose_file_fits_the_container_and_its_mounts():
    compose = yaml.safe_load((EXAMPLE / "compose.yaml").read_text(encoding="utf-8"))
    services = compose["services"]
    assert set(services) == {"database", "board", "proxy"}
    board = services["board"]
    assert (EXAMPLE / board["build"]["context"] / board["build"]["dockerfile"]).is_file()
    check_command(board["command"])
    assert board["environment"]["HOLDFAST_BOARD"].startswith("postgresql://")
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
def test_the_demo_board_is_made():
    done = subprocess.run(
        [sys.executable, EXAMPLE / "demo.py", "--stop", "--port", "8123"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "http://127.0.0.1:8123/b/digits" in done.stdout


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
