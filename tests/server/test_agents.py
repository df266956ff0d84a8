"""Agents: a board as MCP tools, and what a candidate under another user finds of the labels."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.server.conftest import free_port, start_process

NOBODY = 65534
PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
N = 60

# What a candidate can do with its rights: look at every object of its process, at every other
# process, and at every file that it may read, for lines of ids and labels.
CANDIDATE = r"""
import gc, os, re, sys, urllib.request
board, token, folder, prefix, enough = sys.argv[1:6]
needle, found, tried = re.compile((prefix + r"-\d+,(bird|cat)").encode()), set(), 0

def look(data):
    found.update(match.group(0) for match in needle.finditer(data))

def walk(top):
    global tried
    for place, _, files in os.walk(top):
        for name in files:
            path = os.path.join(place, name)
            try:
                if os.path.isfile(path) and os.path.getsize(path) < 1 << 24:
                    look(open(path, "rb").read())
                    tried += 1
            except OSError:
                pass

walk(folder)
if len(found) == int(enough):
    sys.exit(print(tried, len(found)))
for thing in gc.get_objects():
    if type(thing).__name__ in ("Guard", "OutcomeGuard", "LabelSet", "HiddenExamples"):
        found.add(repr(thing).encode())
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    for name in ("environ", "cmdline", "stack"):
        try:
            look(open("/proc/%s/%s" % (pid, name), "rb").read())
            tried += 1
        except OSError:
            pass
    try:
        maps = open("/proc/%s/maps" % pid).read().splitlines()
        with open("/proc/%s/mem" % pid, "rb", 0) as memory:
            for line in maps:
                low, high = (int(part, 16) for part in line.split()[0].split("-"))
                if line.split()[1].startswith("rw") and high - low < 1 << 28:
                    try:
                        memory.seek(low)
                        look(memory.read(high - low))
                    except (OSError, ValueError, OverflowError):
                        pass
    except OSError:
        pass
    try:
        for each in os.listdir("/proc/%s/fd" % pid):
            path = os.path.join("/proc", pid, "fd", each)
            if os.path.isfile(path):
                look(open(path, "rb").read(1 << 24))
    except OSError:
        pass
for top in (os.getcwd(), os.path.expanduser("~"), "/root", "/etc", "/run", "/dev/shm"):
    walk(top)
for path in ("", "/standings", "/exposure", "/ledger.jsonl", "/submissions", "/allowance"):
    address = board.replace("/b/", "/api/v1/boards/") + path
    request = urllib.request.Request(address, headers={"Authorization": "Bearer " + token})
    try:
        look(urllib.request.urlopen(request).read())
        tried += 1
    except OSError:
        pass
print(tried, len(found))
"""


@pytest.fixture(scope="module")
def board():
    """A board of hidden labels, served by a process of its own from a folder that all may enter."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-agents-", dir="/tmp"))
    folder.chmod(0o755)
    labels = np.random.default_rng(8).integers(2, size=N)
    prefix = os.urandom(6).hex()
    rows = [f"{prefix}-{at},{('bird', 'cat')[label]}" for at, label in enumerate(labels)]
    (folder / "labels.csv").write_text("\n".join(["id,label", *rows, ""]))
    (folder / "labels.csv").chmod(0o600)
    (folder / "policy.toml").write_text('release = "round:2"\nlooks_per_team = 3\n')
    database, port = str(folder / "board.db"), free_port()
    run("board", "init", "pets", "--labels", folder / "labels.csv", "--policy",
        folder / "policy.toml", "--database", database)  # fmt: skip
    made = run("board", "token", "pets", "--team", "agent", "--database", database, "--json")
    (folder / "token").write_text(json.loads(made)["token"])
    (folder / "token").chmod(0o600)
    process = start_process(database, port)
    try:
        yield folder, f"http://127.0.0.1:{port}/b/pets", prefix, labels
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def run(*command):
    found = subprocess.run(
        [sys.executable, "-m", "holdfast", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def submission(folder, prefix, labels, name, wrong):
    guess = labels.copy()
    guess[:wrong] = 1 - guess[:wrong]
    rows = [f"{prefix}-{at},{('bird', 'cat')[label]}" for at, label in enumerate(guess)]
    (folder / name).write_text("\n".join(["id,label", *rows, ""]))


def searched(board, user):
    """What the candidate finds, run by this user in a folder of its own."""
    folder, address, prefix, _ = board
    token = (folder / "token").read_text()
    home = tempfile.mkdtemp(dir="/tmp")
    os.chmod(home, 0o777)
    try:
        found = subprocess.run(
            [
                "/usr/bin/python3",
                "-I",
                "-c",
                CANDIDATE,
                address,
                token,
                str(folder),
                prefix,
                str(N),
            ],
            capture_output=True,
            text=True,
            check=True,
            cwd=home,
            user=user,
            group=user,
            extra_groups=[],
            env={"HOME": home},
        )
    finally:
        shutil.rmtree(home)
    tried, labels = map(int, found.stdout.split())
    assert tried > (20 if user else 0)
    return labels


@pytest.mark.slow
@pytest.mark.skipif(
    not (sys.platform == "linux" and os.geteuid() == 0 and Path("/usr/bin/python3").exists()),
    reason="another user can't be taken here",
)
def test_a_candidate_under_another_user_finds_no_label(board):
    assert searched(board, NOBODY) == 0
    assert searched(board, 0) == N  # the owner does: the search is one


@pytest.mark.slow
def test_an_agent_plays_a_board_by_its_tools_until_its_looks_are_used_up(board, tmp_path):
    mcp = pytest.importorskip("mcp")
    folder, address, prefix, labels = board
    for name, wrong in (("a.csv", 15), ("b.csv", 6), ("c.csv", 3), ("d.csv", 0)):
        submission(tmp_path, prefix, labels, name, wrong)
    (tmp_path / "bad.csv").write_text("id,label\nx,cat\n")
    (tmp_path / "link.csv").symlink_to(folder / "token")
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "holdfast", "mcp", "--board", address, "--token-file", str(folder / "token"),
              "--folder", str(tmp_path)],
    )  # fmt: skip

    async def play():
        async with (
            mcp.stdio_client(server) as (reading, writing),
            mcp.ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]

            async def ask(name, **arguments):
                found = await session.call_tool(name, arguments)
                return json.loads(found.content[0].text)

            first = await ask("submit_file", path="a.csv")
            return tools, [
                first,
                await ask("submit_file", path="a.csv"),
                await ask("submit_file", path="bad.csv"),
                await ask("submit_file", path=f"{folder}/token"),
                await ask("submit_file", path="link.csv"),
                await ask("looks_left"),
                await ask("receipt", receipt_id=first["receipt_id"]),
                await ask("submit_file", path="b.csv"),
                await ask("submit_file", path="c.csv"),
                await ask("submit_file", path="d.csv"),
            ]

    tools, told = asyncio.run(play())
    assert tools == ["submit_file", "submit_outcomes", "looks_left", "receipt"]
    first, again, bad, outside, link, left, receipt, second, third, none = told
    assert (first["score"], first["looks_left"], first["refused"]) == (0.75, 2, "")
    assert (again["receipt_id"], again["looks_left"]) == (first["receipt_id"], 2)
    assert "must have" in bad["refused"]
    assert "must be in the folder of this server" in outside["refused"]
    assert "link.csv must be a file below its folder, got a link." in link["refused"]
    assert (left["looks_left"], left["release"], left["takes"]) == (2, "round:2", "labels")
    assert (receipt["in_chain"], receipt["released"]) == (True, 0.75)
    assert (second["score"], third["looks_left"]) == (0.9, 0)
    assert "used up" in none["refused"]
    assert none["score"] is None


def test_the_tools_load_nothing_that_reads_labels():
    """What `holdfast mcp` imports before it serves; the outcomes of a file are the agent's own."""
    program = (
        "import sys, holdfast.cli.mcp, holdfast.adapters.mcp_tools; "
        "print([name for name in sys.modules if name.startswith(('holdfast.guard', "
        "'holdfast.server', 'holdfast.files.label_files'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.slow
def test_the_four_commands_of_the_page_grade_an_agent(tmp_path, monkeypatch):
    """From an empty folder, as they stand on the page."""
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[:1]
    port = free_port()
    text = commands.replace("8000", str(port)).replace("serve 2>", f"serve --port {port} 2>")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text("id,label\n1,a\n2,b\n3,a\n4,b\n")
    (tmp_path / "labels.csv").chmod(0o600)
    (tmp_path / "guess.csv").write_text("id,label\n1,a\n2,a\n3,a\n4,b\n")
    if shutil.which("curl") is None:
        pytest.skip("no curl here")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = f"set -e\n{text}\n"
    script = script.replace("&\n", "& SERVER=$!\ntrap 'kill $SERVER' EXIT\nsleep 0\n", 1)
    ready = f"until curl -sf http://127.0.0.1:{port}/readyz >/dev/null"
    script = script.replace(
        "sleep 0\n", f"{ready} || [ $((T += 1)) -gt 300 ]; do sleep 0.1; done\n"
    )
    found = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert found.returncode == 0, found.stderr
    assert "released   0.75" in found.stdout
    assert '"looks_left":' in found.stdout
