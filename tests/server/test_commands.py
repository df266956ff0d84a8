"""`holdfast board` and `holdfast serve`: what they say, and what they refuse before they begin."""

import io
import json
import subprocess
import sys
import types

import numpy as np
import pytest

from holdfast.cli import main
from holdfast.errors import HoldfastError
from holdfast.server.accounts import Accounts
from holdfast.server.gatekeeper import Gatekeeper
from holdfast.server.looks import Sent
from tests.server.conftest import as_csv, bearer, write_labels
from tests.server.test_api import changed, send
from tests.server.test_pages import PASSWORD, form_token, sign_up


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HOLDFAST_BOARD", raising=False)

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def labels(tmp_path):
    write_labels(tmp_path / "solution.csv", split=True)
    return tmp_path / "solution.csv"


def test_a_board_from_init_to_close(command, labels, tmp_path):
    code, out, _ = command("board", "init", "pets", "--labels", labels, "--title", "Pets", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["classes"] == ["bird", "cat", "dog"]
    assert told["host_link"].startswith("/join/")
    code, out, _ = command("board", "list", "--json")
    assert [(row["board"], row["title"], row["phase"]) for row in json.loads(out)] == [
        ("pets", "Pets", 1)
    ]
    code, out, _ = command("board", "token", "pets", "--team", "Blue")
    assert (code, out[:3]) == (0, "hf_")
    code, out, _ = command("board", "token", "pets", "--scope", "service", "--json")
    assert json.loads(out)["scope"] == "service"
    (tmp_path / "policy.toml").write_text('release = "round:2"\nlooks_per_team = 3\n')
    code, out, _ = command("board", "policy", "pets", "--policy", "policy.toml")
    assert "as phase 2: looks stay spent" in out
    (tmp_path / "policy.toml").write_text('release = "round:2"\nlooks_per_team = 4\n')
    code, out, _ = command("board", "policy", "pets", "--policy", "policy.toml")
    assert code == 0
    assert "phase" not in out
    write_labels(tmp_path / "fresh.csv", seed=3, split=True)
    code, out, _ = command("board", "rotate", "pets", "--labels", "fresh.csv", "--json")
    assert "as phase 3" in json.loads(out)["done"]
    code, out, _ = command("board", "rebuild", "pets")
    assert "nothing was different" in out
    code, out, _ = command("board", "verify", "--json")
    assert json.loads(out)["ok"] is True
    code, _, err = command("board", "close", "pets")
    assert (code, "can't be undone: give --yes" in err) == (2, True)
    code, _, err = command("board", "close", "pets", "--yes")
    assert (code, "must have been looked at" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["init", "Pets!", "--labels", "solution.csv"], "name of the board must have 1 to 40"),
        (["init", "pets", "--labels", "none.csv"], "none.csv"),
        (["init", "pets", "--labels", "solution.csv", "--visibility", "all"], "visibility must"),
        (["init", "pets", "--labels", "solution.csv", "--shows", "worst"], "shows must be one of"),
        (["init", "pets", "--labels", "solution.csv", "--policy", "bad.toml"], "line 1"),
        (["token", "pets", "--team", "x"], "database must hold boards"),
    ],
)
def test_bad_input_is_one_line_and_makes_no_board(command, labels, tmp_path, arguments, message):
    (tmp_path / "bad.toml").write_text('release = "rung:3"\n')
    code, out, err = command("board", *arguments)
    assert (code in (2, 4), out) == (True, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    if (tmp_path / "holdfast-board.db").exists():
        assert json.loads(command("board", "list", "--json")[1]) == []


def test_labels_that_others_can_read_are_refused(command, labels):
    labels.chmod(0o644)
    code, _, err = command("board", "init", "pets", "--labels", labels)
    assert (code, "readable by their owner alone" in err) == (2, True)


def test_a_name_is_used_once_and_a_team_goes_with_submit(command, labels):
    command("board", "init", "pets", "--labels", labels)
    assert "must be new" in command("board", "init", "pets", "--labels", labels)[2]
    assert "team must be given" in command("board", "token", "pets")[2]
    assert "scope must be one of" in command("board", "token", "pets", "--scope", "all")[2]
    assert "must be that of a board" in command("board", "token", "cats", "--team", "x")[2]


def test_serve_says_what_is_wrong_before_it_listens(command, labels, tmp_path):
    assert "workers must be 1 with an SQLite database" in command("serve", "--workers", 2)[2]
    code, _, err = command("serve")
    assert (code, "holdfast ledger init" in err or "there is none" in err) == (4, True)
    command("board", "init", "pets", "--labels", labels)
    assert "flood must be like" in command("serve", "--flood", "often")[2]
    write_labels(labels, seed=7, split=True)
    code, _, err = command("serve")
    assert (code, "labels of board 1 must be those" in err) == (4, True)


def test_a_restored_copy_without_the_labels_cannot_score(place, tmp_path, command):
    """What the copy holds is sealed with a key from the labels, or was released."""
    team = place.team("blue")
    sent = [
        Sent("pets", lambda _: team.id, None, key, "file", as_csv(changed(place.labels, wrong)))
        for key, wrong in (("a", 6), ("b", 12))
    ]
    [answer] = place.gatekeeper.submit(sent[:1])
    assert answer.receipt.released == 0.9
    assert command("ledger", "backup", "copy.db", place.url)[0] == 0
    assert command("ledger", "restore", "copy.db", "restored.db")[0] == 0
    place.labels_file.rename(tmp_path / "elsewhere.csv")
    code, _, err = command("serve", "--database", "restored.db")
    assert (code, "pets.csv" in err) == (2, True)
    restored = Gatekeeper("restored.db")
    before = restored.ledger.entries()
    for labels in (None, np.roll(place.labels, 1)):
        if labels is not None:  # somebody else's idea of them
            place.labels_file.write_bytes(as_csv(labels))
            place.labels_file.chmod(0o600)
        [refused] = restored.submit(sent[1:])
        assert isinstance(refused, HoldfastError)
    assert restored.ledger.entries() == before
    (tmp_path / "elsewhere.csv").rename(place.labels_file)
    [again] = restored.submit(sent[1:])
    assert again.receipt.released == 0.8
    restored.close()


def test_a_restored_board_finds_its_labels_elsewhere(place, tmp_path, command):
    team = place.team("blue")
    assert command("ledger", "backup", "copy.db", place.url)[0] == 0
    assert command("ledger", "restore", "copy.db", "restored.db")[0] == 0
    elsewhere = tmp_path / "elsewhere" / "solution.csv"
    elsewhere.parent.mkdir()
    place.labels_file.rename(elsewhere)
    write_labels(tmp_path / "wrong.csv", seed=9)
    board = ("board", "labels", "pets", "--database", "restored.db", "--labels")
    for wrong, message in ((tmp_path / "wrong.csv", "must be those"), (tmp_path / "no", "no")):
        code, _, err = command(*board, wrong)
        assert code in (2, 4)
        assert message in err
    code, out, _ = command(*board, elsewhere, "--json")
    assert (code, json.loads(out)["done"]) == (0, "the same labels are read from another file")
    restored = Gatekeeper("restored.db")
    restored.warm_up()
    sent = Sent("pets", lambda _: team.id, None, "k", "f", as_csv(changed(place.labels, 6)))
    [told] = restored.submit([sent])
    assert told.receipt.released == 0.9
    assert restored.verify().ok
    # Which file it is, is nobody's business who reads the ledger.
    assert not any("elsewhere" in entry.detail for entry in restored.ledger.entries())
    restored.close()


def test_labels_move_under_a_server_that_has_read_them(place, tmp_path):
    token = place.token(place.team("blue"))
    with place.client() as client:
        first = send(client, place, token, as_csv(changed(place.labels, 6)))
        assert first.json()["released"] == 0.9
        moved = place.labels_file.rename(tmp_path / "moved.csv")
        change = place.boards.change
        with pytest.raises(HoldfastError):
            change(place.board, place.phase(), "labels", str(tmp_path / "none.csv"), "test")
        change(place.board, place.phase(), "labels", str(moved), "test")
        assert place.phase().labels == str(moved)
        again = send(client, place, token, as_csv(changed(place.labels, 12)))
        assert again.json()["released"] == 0.8
        host = bearer(place.token(scope="host"))
        body = {"action": "labels", "value": "/etc/passwd"}
        refused = client.post("/api/v1/boards/pets/actions", json=body, headers=host)
        assert refused.status_code == 403


@pytest.mark.slow
def test_a_host_is_invited_and_a_password_reset_from_the_command_line(place, command, monkeypatch):
    database = ("--database", place.url)
    code, out, _ = command("board", "invite", "pets", *database, "--json")
    assert code == 0
    link = json.loads(out)["host_link"]
    assert "/join/" in command("board", "invite", "pets", *database)[1]
    assert "must be that of a board" in command("board", "invite", "cats", *database)[2]
    with place.client() as client:
        page = sign_up(client, to=link)
        client.post(link, data={"form_token": form_token(page)})
        assert client.get("/b/pets/host").status_code == 200

        def reset(typed, user="Ann", *more):
            monkeypatch.setattr("sys.stdin", io.StringIO(typed))
            return command("board", "password", user, *database, *more)

        assert "password must have 10 to 200" in reset("short\n")[2]
        assert "must have an account here, got 'bob'" in reset("a new long one\n", "bob")[2]
        assert client.get("/b/pets/host").status_code == 200
        code, out, _ = reset("a new long one\n", "Ann", "--json")
        assert (code, json.loads(out)) == (0, {"user": "ann", "changed": True})
        # Whoever had a session has none any more.
        assert client.get("/b/pets/host").status_code == 401
        codes = [
            client.post("/sign-in", data={"name": "ann", "password": word}).status_code
            for word in (PASSWORD, "a new long one")
        ]
        assert codes == [401, 200]


@pytest.mark.parametrize("second", ["a new long one", "another one"])
def test_at_a_terminal_a_password_is_asked_for_twice(place, command, monkeypatch, second):
    Accounts(place.gatekeeper.store).sign_up("ann", PASSWORD)
    typed = iter(["a new long one", second])
    monkeypatch.setattr("sys.stdin", types.SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(typed))
    code, _, err = command("board", "password", "ann", "--database", place.url)
    assert (code, err) == (
        (0, "") if second == "a new long one"
        else (2, "error: password must be the same both times.\n")
    )  # fmt: skip


def test_help_loads_nothing_of_the_server():
    program = (
        "import sys; from holdfast.cli import main; main(['--help']); "
        "sys.exit(any(name in sys.modules for name in ('fastapi', 'uvicorn', 'starlette')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.returncode == 0
