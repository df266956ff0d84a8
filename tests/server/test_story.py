"""The story of a board, from its first day to its last, on both databases and a real socket."""

import json
import os
import re
import signal
import threading
import urllib.request

import numpy as np
import pytest

from holdfast import attacks, play
from holdfast.cli import main
from holdfast.errors import BudgetExhausted
from holdfast.guard import Ledger, exposure
from holdfast.oracles import LabelOracle, Remote
from tests.audit.browser import chromium, executable
from tests.server.conftest import as_csv, free_port, start_process, wait_until, write_labels
from tests.server.test_api import changed
from tests.server.test_pages import PASSWORD

pytestmark = pytest.mark.slow

N, LOOKS = 2000, 60
EXACT = f'release = "exact"\nlooks_per_team = {LOOKS}\n'
LADDER = f'release = "ladder:0.01"\nmemory = "data_set"\nlooks_per_team = {LOOKS}\n'


def end(process, how=signal.SIGKILL):
    os.kill(process.pid, how)
    process.wait()


def command(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def get(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def submit_in_a_browser(site, labels):
    """Sign up, make a team, drop a file, and return what is shown; without a browser, None."""
    if executable() is None:
        return None
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"{site}/sign-up?to=/b/story/submit")
        page.fill("#name", "ann")
        page.fill("#password", PASSWORD)
        page.click("main button")
        page.fill("#name", "people")
        page.click("main button")
        page.wait_for_selector("#drop")
        data = page.evaluate_handle(
            """text => { const data = new DataTransfer();
            data.items.add(new File([text], "guess.csv")); return data; }""",
            as_csv(labels).decode(),
        )
        page.dispatch_event("#drop", "drop", {"dataTransfer": data})
        page.click("main button")
        page.wait_for_selector("#released")
        return float(page.text_content("#released"))


def test_the_story(ledger_url, tmp_path, capsys):
    attack = attacks.ChampionChallenger
    labels_file, policy = tmp_path / "labels.csv", tmp_path / "policy.toml"
    labels = write_labels(labels_file, n=N, seed=1, split=False)
    policy.write_text(EXACT)
    database = ("--database", ledger_url)
    command(
        capsys, "board", "init", "story", "--labels", labels_file, "--policy", policy, *database
    )
    tokens = {
        team: command(capsys, "board", "token", "story", "--team", team, *database).strip()
        for team in ("majority", "challenger")
    }
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    board = f"{site}/b/story"
    server = start_process(ledger_url, port)
    seen = []
    try:
        shown = submit_in_a_browser(site, changed(labels, 500))
        assert shown in (None, 0.75)

        # Attacks over HTTP are bit for bit those on an array.
        remote = Remote(board, tokens["majority"])
        made = attacks.BlockMajority(remote.problem, rng=np.random.default_rng(2))
        first = play(made, remote)
        local = LabelOracle(labels, problem=remote.problem)
        made = attacks.BlockMajority(remote.problem, rng=np.random.default_rng(2))
        assert np.array_equal(first, play(made, local))
        seen += remote.receipts

        # The server is killed in the middle of the next one, and comes back.
        state = tmp_path / "state.jsonl"
        remote = Remote(board, tokens["challenger"], state=state, run="story")
        made = attack(remote.problem, rng=np.random.default_rng(3))
        back = []

        def kill_and_start():
            nonlocal server
            end(server)
            server = start_process(ledger_url, port)
            back.append(server)

        def kill_then_stop(looks):
            if looks == LOOKS // 2:
                # While the attack asks: it tries again until the new server is there.
                threading.Timer(0.03, kill_and_start).start()
            if looks == LOOKS // 2 + 5:
                wait_until(lambda: back)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            play(made, remote, on_look=kill_then_stop)
        seen += remote.receipts
        # A new process goes on from the file.
        remote = Remote(board, tokens["challenger"], state=state, run="story")
        made = attack(remote.problem, rng=np.random.default_rng(3))
        guess = play(made, remote)
        local = LabelOracle(labels, problem=remote.problem)
        made = attack(remote.problem, rng=np.random.default_rng(3))
        assert np.array_equal(guess, play(made, local))
        seen += remote.receipts
        assert len(set(seen)) == len(seen)
        with Ledger(ledger_url) as ledger:
            looks = [entry for entry in ledger.entries() if entry.kind == "look"]
            local_looks = [entry for entry in looks if entry.team == looks[-1].team]
        people = 0 if shown is None else 1
        assert len(looks) == len(seen) + people
        assert remote.looks_left == LOOKS - len(local_looks)
        exact_gain = float(np.mean(guess == labels)) - 1 / 3
        assert exact_gain > 0.02

        # The Ladder over fresh labels with a private part: the gain falls below what is certified.
        fresh_file = tmp_path / "fresh.csv"
        fresh = write_labels(fresh_file, n=N, seed=4, split=True)
        policy.write_text(LADDER)
        command(capsys, "board", "policy", "story", "--policy", policy, *database)
        command(capsys, "board", "rotate", "story", "--labels", fresh_file, *database)
        remote = Remote(board, tokens["challenger"])
        made = attack(remote.problem, rng=np.random.default_rng(3))
        try:
            guess = play(made, remote)
        except BudgetExhausted:
            guess = made.predict()
        seen += remote.receipts
        with Ledger(ledger_url) as ledger:
            certified = exposure(ledger)[-1].gain
        gain = float(np.mean(guess[::2] == fresh[::2])) - 1 / 3
        # Two standard errors of the accuracy of a guess on the public half.
        assert gain <= certified + 2 * np.sqrt(2 / 9 / (N / 2))
        assert gain < exact_gain

        # The close, the final page, the export, and every receipt that was seen.
        assert "Final ranking" not in get(board)
        command(capsys, "board", "close", "story", *database)
        final = get(f"{board}/final")
        assert "challenger" in final
        assert len(re.findall("<tr>", final)) == 2
        export = get(f"{site}/api/v1/boards/story/standings.csv")
        assert export.splitlines()[1].split(",")[2] == "challenger"
        for receipt in seen[:: len(seen) // 10]:
            told = json.loads(get(f"{site}/api/v1/boards/story/receipts/{receipt}"))
            assert told["in_chain"] is True
        assert "released" not in told
    finally:
        end(server, signal.SIGTERM)
    with Ledger(ledger_url) as ledger:
        assert ledger.verify(receipts=seen).ok
    assert json.loads(command(capsys, "board", "verify", "--json", *database))["ok"] is True
    assert not any(re.search(r"hf_|challenger|released", line) for line in server.lines)
